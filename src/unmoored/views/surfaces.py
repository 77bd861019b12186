"""Visual shapes as polygons: vertices (n, 3) in metres and faces as lists of vertex indices."""

from __future__ import annotations

import numpy as np

from ..model import Box, Capsule, Cylinder, Inertia, Mesh, Sphere, Visual

_AROUND = 24
_ALONG = 12


def polygons(visual: Visual) -> list[np.ndarray]:
    """Faces of a shape, each (k, 3) in the body frame (m). A mesh file has none here: it is drawn by its inertia."""
    if isinstance(visual, Mesh):
        return []
    return [face @ visual.at.rotation.T + visual.at.xyz for face in _centred(visual)]


def inertia_ellipsoid(inertia: Inertia) -> list[np.ndarray]:
    """Faces of the uniform ellipsoid with this mass and tensor, each (k, 3) in the body frame (m)."""
    moments, axes = np.linalg.eigh(inertia.tensor)
    squares = 2.5 * (moments.sum() - 2 * moments) / max(inertia.mass, 1e-12)
    semi_axes = np.sqrt(np.clip(squares, 1e-6, None))
    return [(face * semi_axes) @ axes.T + inertia.com for face in _revolved(*_half_circle(1.0, 0.0))]


def _centred(visual: Visual) -> list[np.ndarray]:
    if isinstance(visual, Box):
        return _box(np.asarray(visual.size))
    if isinstance(visual, Sphere):
        return _revolved(*_half_circle(visual.radius, 0.0))
    if isinstance(visual, Capsule):
        return _revolved(*_half_circle(visual.radius, visual.length))
    if isinstance(visual, Cylinder):
        r, half = visual.radius, visual.length / 2
        return _revolved(np.array([0.0, r, r, 0.0]), np.array([-half, -half, half, half]))
    raise TypeError(f"no surface for {visual!r}")


def _box(size: np.ndarray) -> list[np.ndarray]:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size / 2
    sides = ([0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3])
    return [corners[list(side)] for side in sides]


def _half_circle(radius: float, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Profile (r, z) of a sphere whose halves are `gap` apart along z."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, 2 * (_ALONG // 2) + 2)
    return radius * np.cos(angle), radius * np.sin(angle) + np.where(angle < 0, -gap / 2, gap / 2)


def _revolved(r: np.ndarray, z: np.ndarray) -> list[np.ndarray]:
    """Quadrilaterals of the surface that the profile (r, z) sweeps about z."""
    φ = np.linspace(0, 2 * np.pi, _AROUND + 1)
    ring = np.stack([np.cos(φ), np.sin(φ)], axis=-1)
    points = np.concatenate(
        [r[:, None, None] * ring, np.broadcast_to(z[:, None, None], (len(z), len(φ), 1))], axis=-1
    )
    return [
        np.array([points[i, j], points[i, j + 1], points[i + 1, j + 1], points[i + 1, j]])
        for i in range(len(r) - 1)
        for j in range(_AROUND)
    ]
