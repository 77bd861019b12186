"""The ways of chosen frames through space."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics.kinematics import pose
from .actor import Actor
from .overlays import default_frame
from .scene_nodes import PALETTE, Rgb, part
from .shown_instant import Snapshot
from .timeline import Timeline

_MOST = 1500  # points of a trail
_MOST_FRAMES = 12


class Trail:
    """The way of one frame: up to now in a recorded run, what was seen so far otherwise."""

    def __init__(self, server: Any, actor: Actor, frame: str, colour: Rgb, timeline: Timeline | None):
        self._frame = frame
        self._times, self._points = np.zeros(0), np.zeros((0, 3))
        self._known = timeline is not None
        if timeline is not None:
            thin = timeline.thinned(_MOST)
            self._times = thin.t
            self._points = pose(thin.system.tree, thin.q, frame)[:, :3, 3]
        self._node = server.scene.add_line_segments(
            f"{actor.root.name}/trail of {part(frame)}",
            np.zeros((1, 2, 3)),
            colour,
            thickness=3.0,
            thickness_units="screen",
            visible=False,
        )

    def show(self, snapshot: Snapshot) -> None:
        """Draw it up to that snapshot."""
        here = snapshot.pose(self._frame)[:3, 3]
        if not self._known:
            self._times = np.append(self._times, snapshot.t)[-_MOST:]
            self._points = np.concatenate([self._points, here[None]])[-_MOST:]
        past = self._points[self._times <= snapshot.t]
        points = np.concatenate([past, here[None]])
        self._node.visible = True
        self._node.points = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)

    def remove(self) -> None:
        """Take it out of the scene."""
        self._node.remove()


class Trails:
    """Check boxes for the frames whose ways are drawn."""

    def __init__(self, server: Any, gui: Any, actors: list[Actor], timelines: list[Timeline | None]):
        """One timeline for each actor, None where nothing is recorded."""
        self._server, self._actors, self._timelines = server, actors, timelines
        self._trails: dict[str, list[Trail]] = {}
        self._snapshots: list[Snapshot] = []
        system = actors[0].system
        tools = [name for name in system.frames if not name.startswith("thruster")]
        names = list(dict.fromkeys([default_frame(system), *tools, *system.vehicles]))
        for i, name in enumerate(names[:_MOST_FRAMES]):
            self._add_box(gui, name, PALETTE[i % len(PALETTE)])

    def show(self, snapshots: list[Snapshot]) -> None:
        """Draw the trails up to these snapshots, one for each actor."""
        self._snapshots = snapshots
        for trails in list(self._trails.values()):
            for trail, snapshot in zip(trails, snapshots, strict=True):
                trail.show(snapshot)

    def follow(self, timelines: list[Timeline | None]) -> None:
        """Take other recordings for the same actors."""
        self._timelines = timelines
        for name, old in list(self._trails.items()):
            for trail in old:
                trail.remove()
            self._trails[name] = self._made(name, PALETTE[list(self._trails).index(name) % len(PALETTE)])

    def _made(self, name: str, colour: Rgb) -> list[Trail]:
        pairs = zip(self._actors, self._timelines, strict=True)
        return [Trail(self._server, actor, name, colour, timeline) for actor, timeline in pairs]

    def _add_box(self, gui: Any, name: str, colour: Rgb) -> None:
        box = gui.add_checkbox(f"trail of {name}", False)

        @box.on_update
        def _(_: Any) -> None:
            for trail in self._trails.pop(name, []):
                trail.remove()
            if box.value:
                self._trails[name] = self._made(name, colour)
                if self._snapshots:
                    self.show(self._snapshots)
