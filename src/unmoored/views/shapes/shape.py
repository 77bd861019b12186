"""A coloured surface of triangles: what every picture of a body is drawn from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

Rgba = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Shape:
    """Triangles (m, 3) of indices into vertices (n, 3) in metres, counter-clockwise from outside; rgba in 0…1.

    Vertices are shared where the surface is smooth and repeated at sharp edges, so that averaged normals look right.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    rgba: Rgba

    def moved(self, g: np.ndarray) -> Shape:
        """The shape in another frame, g (4, 4) the pose of its own frame there."""
        return Shape(self.vertices @ g[:3, :3].T + g[:3, 3], self.triangles, self.rgba)

    @property
    def corners(self) -> np.ndarray:
        """Corners (m, 3, 3) of every triangle (m)."""
        return self.vertices[self.triangles]


def face_normals(corners: np.ndarray) -> np.ndarray:
    """Normals (m, 3) of triangles with corners (m, 3, 3), outwards, each as long as twice its triangle's area."""
    a, b, c = np.moveaxis(corners, 1, 0)
    return np.cross(b - a, c - a)


def right_handed(axes: np.ndarray) -> np.ndarray:
    """Orthogonal axes (3, 3, columns) as a rotation: turned round if they are left-handed."""
    return axes * np.sign(np.linalg.det(axes))


def merged(shapes: Iterable[Shape]) -> tuple[Shape, ...]:
    """One shape for each colour: fewer things to send and to draw."""
    by_colour: dict[Rgba, list[Shape]] = {}
    for shape in shapes:
        by_colour.setdefault(shape.rgba, []).append(shape)
    return tuple(_joined(rgba, parts) for rgba, parts in by_colour.items())


def _joined(rgba: Rgba, parts: list[Shape]) -> Shape:
    triangles, start = [], 0
    for part in parts:
        triangles.append(part.triangles + start)
        start += len(part.vertices)
    return Shape(np.concatenate([part.vertices for part in parts]), np.concatenate(triangles), rgba)
