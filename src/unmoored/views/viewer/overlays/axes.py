"""Joint axes and named frames, fixed to the bodies."""

from __future__ import annotations

import numpy as np

from ..scene_nodes import BLUE, ORANGE, part, place
from ..shown_instant import Snapshot
from .overlay import Arrows, Overlay


class JointAxes(Overlay):
    """Arrows along the axes of all joints with one or two DoF: orange turns, blue slides."""

    label = "joint axes"
    hint = "orange: rotation, blue: translation"

    def build(self) -> None:
        self._turning = Arrows(self, "turning", ORANGE)
        self._sliding = Arrows(self, "sliding", BLUE)

    def show(self, snapshot: Snapshot) -> None:
        turning, sliding = [], []
        for link in snapshot.system.tree.links:
            if not 1 <= link.joint.nv <= 2:
                continue
            g = snapshot.poses[link.index]
            for twist in link.joint.basis(snapshot.q[link.q]).T:
                turns = twist[3:].any()
                direction = g[:3, :3] @ (twist[3:] if turns else twist[:3])
                (turning if turns else sliding).append((g[:3, 3], direction))
        reach = 0.2 * self.setting.size
        for arrows, found in ((self._turning, turning), (self._sliding, sliding)):
            starts, ways = np.array([start for start, _ in found]), np.array([along for _, along in found])
            arrows.show(starts, reach * ways)


class Frames(Overlay):
    """Axes and names of the frames and of the bodies' own frames."""

    label = "frames"
    hint = "red, green, blue: x, y, z"

    def build(self) -> None:
        tree, scene, L = self.setting.actor.system.tree, self.setting.server.scene, self.setting.size
        self._nodes = {}
        for i, name in enumerate([*tree.names, *(frame.name for frame in tree.frames)]):
            own = i < len(tree.names)
            length = (0.05 if own else 0.09) * L
            path = f"{self.root.name}/{i} {part(name)}"
            self._nodes[name] = scene.add_frame(path, axes_length=length, axes_radius=0.04 * length)
            if not own:
                scene.add_label(f"{path}/label", name)

    def show(self, snapshot: Snapshot) -> None:
        with self.setting.server.atomic():
            for name, node in self._nodes.items():
                place(node, snapshot.pose(name))
