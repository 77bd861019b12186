"""The shapes that touch in a plant's contacts, and its rolling discs: floors, obstacles, fingertips, wheels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....model import Pose
from ....worlds import Contact, HalfSpace, Points, RollingDisc
from ...shapes import Shape, merged, surface
from ...shapes import primitives as solid
from ..scene_nodes import ORANGE, place, rgb255
from ..shown_instant import Snapshot
from .overlay import Overlay

_RGBA = (ORANGE[0] / 255, ORANGE[1] / 255, ORANGE[2] / 255, 0.35)


class Touching(Overlay):
    """Both shapes of every contact that acts, on their frames, and the wheels that roll; a plane as a square that
    stays below the centre of mass."""

    label = "contact shapes"
    hint = "what touches in contacts: floors, obstacles, fingertips, wheels"
    first_on = True

    def build(self) -> None:
        self._parts = []
        for tie in self.setting.ties:
            for frame, at, shape, flat in self._shapes_of(tie):
                self._parts.append((tie, frame, at, flat, self._mesh(len(self._parts), shape)))

    def show(self, snapshot: Snapshot) -> None:
        for tie, frame, at, flat, node in self._parts:
            node.visible = self.setting.is_on(tie, snapshot.t)
            g = snapshot.pose(frame) @ at
            if flat:
                g[:3, 3] += _within(g[:3, 2], snapshot.centre_of_mass - g[:3, 3])
            place(node, g)

    def _shapes_of(self, tie: Any) -> list[tuple[str, np.ndarray, Shape, bool]]:
        """(frame, pose on it, shape, whether it is a plane without end) of what touches in a tie."""
        if isinstance(tie, RollingDisc):
            axle = solid.cylinder(tie.radius, 0.02 * tie.radius, _RGBA)
            return [(tie.frame_b, Pose(rotation=_with_z_along(tie.axis)).matrix, axle, False)]
        if not isinstance(tie, Contact):
            return []
        pair = ((tie.frame_a, tie.shape_a), (tie.frame_b, tie.shape_b))
        return [(frame, x.at.matrix, self._drawn(x), isinstance(x, HalfSpace)) for frame, x in pair]

    def _drawn(self, shape: Any) -> Shape:
        L = self.setting.size
        if isinstance(shape, HalfSpace):
            return solid.box((1.5 * L, 1.5 * L, 0.0), _RGBA)
        if isinstance(shape, Points):
            dot = (
                solid.sphere(shape.radius, _RGBA) if shape.radius else solid.box(np.full(3, 0.01 * L), _RGBA)
            )
            return merged(dot.moved(Pose(xyz=point).matrix) for point in shape.points)[0]
        found = surface(shape, _RGBA)
        assert found is not None, shape
        return found

    def _mesh(self, index: int, shape: Shape) -> Any:
        return self.setting.server.scene.add_mesh_simple(
            f"{self.root.name}/{index}",
            vertices=shape.vertices.astype(np.float32),
            faces=shape.triangles.astype(np.uint32),
            color=rgb255(shape.rgba),
            opacity=shape.rgba[3],
            side="double",
        )


def _within(normal: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The part of x (3,) in the plane."""
    return x - normal * (normal @ x)


def _with_z_along(axis: np.ndarray) -> np.ndarray:
    """A rotation (3, 3) whose third column is the unit axis (3,)."""
    x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    x = x / np.linalg.norm(x)
    return np.stack([x, np.cross(axis, x), axis], axis=1)
