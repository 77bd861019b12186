"""The system's triangles as arrays, ready to be moved from frame to frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..shapes import Shape
from ..shapes.shape import face_normals


@dataclass(frozen=True, eq=False)
class Surfaces:
    """Vertices (n, 3) and unit normals (n, 3) in body frames, the body (n,) of each, triangles (m, 3), rgba (m, 4)."""

    vertices: np.ndarray
    normals: np.ndarray
    body: np.ndarray
    triangles: np.ndarray
    rgba: np.ndarray

    def placed(self, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Vertices and normals (n, 3) in world axes for the bodies' poses (bodies, 4, 4)."""
        R, p = poses[self.body, :3, :3], poses[self.body, :3, 3]
        return (R @ self.vertices[..., None])[..., 0] + p, (R @ self.normals[..., None])[..., 0]


def surfaces(shapes: tuple[tuple[Shape, ...], ...]) -> Surfaces:
    """All bodies' shapes in one."""
    vertices, normals, body, triangles, rgba, start = [], [], [], [], [], 0
    for index, own in enumerate(shapes):
        for shape in own:
            vertices.append(shape.vertices)
            normals.append(vertex_normals(shape))
            body.append(np.full(len(shape.vertices), index))
            triangles.append(shape.triangles + start)
            rgba.append(np.tile(shape.rgba, (len(shape.triangles), 1)))
            start += len(shape.vertices)
    if not vertices:
        return Surfaces(
            np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, int), np.zeros((0, 3), int), np.zeros((0, 4))
        )
    parts = (np.concatenate(part) for part in (vertices, normals, body, triangles, rgba))
    return Surfaces(*parts)


def vertex_normals(shape: Shape) -> np.ndarray:
    """Unit normals (n, 3): the triangles' around each vertex, weighted by area."""
    faces = face_normals(shape.corners)
    total = np.zeros_like(shape.vertices)
    for k in range(3):
        np.add.at(total, shape.triangles[:, k], faces)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return total / np.where(length > 0, length, 1.0)
