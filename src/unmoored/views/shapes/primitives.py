"""Surfaces of boxes and bodies of revolution, centred at the origin; lengths in metres."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .shape import Rgba, Shape, face_normals

AROUND = 32
_ALONG = 8  # rings on a quarter circle


def box(size: Any, rgba: Rgba) -> Shape:
    """A box with edges `size` (3,)."""
    vertices, triangles = [], []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (-1.0, 1.0):
            corners = np.zeros((4, 3))
            corners[:, axis] = side
            corners[:, u] = side * np.array([-1.0, 1.0, 1.0, -1.0])
            corners[:, v] = (-1.0, -1.0, 1.0, 1.0)
            triangles += [[len(vertices) * 4 + i for i in face] for face in ((0, 1, 2), (0, 2, 3))]
            vertices.append(corners)
    return Shape(np.concatenate(vertices) * np.asarray(size) / 2, np.array(triangles), rgba)


def cylinder(radius: float, length: float, rgba: Rgba) -> Shape:
    """A closed cylinder along z."""
    half = length / 2
    profiles = [
        ((0.0, -half), (radius, -half)),
        ((radius, -half), (radius, half)),
        ((radius, half), (0.0, half)),
    ]
    return revolved([np.array(profile) for profile in profiles], rgba)


def capsule(radius: float, length: float, rgba: Rgba) -> Shape:
    """A cylinder of `length` along z with half spheres on both ends."""
    angles = np.linspace(-np.pi / 2, 0.0, _ALONG + 1)
    quarter = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    quarter[0, 0] = 0.0  # the pole is one point exactly, so that its triangles without area are known as such
    half = np.array([0.0, length / 2])
    lower, upper = quarter - half, (quarter * (1.0, -1.0))[::-1] + half
    return revolved([np.concatenate([lower, upper if length else upper[1:]])], rgba)


def sphere(radius: float, rgba: Rgba) -> Shape:
    """A sphere."""
    return capsule(radius, 0.0, rgba)


def ellipsoid(semi_axes: Any, rgba: Rgba) -> Shape:
    """An ellipsoid with semi-axes (3,) along x, y, z."""
    unit = sphere(1.0, rgba)
    return Shape(unit.vertices * np.asarray(semi_axes), unit.triangles, rgba)


def revolved(profiles: Sequence[np.ndarray], rgba: Rgba) -> Shape:
    """The surface that profiles, each (k, 2) points (r, z) from bottom to top, sweep about z; sharp between."""
    φ = np.linspace(0.0, 2 * np.pi, AROUND, endpoint=False)
    ring = np.stack([np.cos(φ), np.sin(φ)], axis=1)
    vertices, triangles, start = [], [], 0
    for profile in profiles:
        r, z = profile[:, 0], profile[:, 1]
        xy = r[:, None, None] * ring
        heights = np.broadcast_to(z[:, None, None], (len(z), AROUND, 1))
        vertices.append(np.concatenate([xy, heights], axis=-1).reshape(-1, 3))
        triangles += [start + _band(i) for i in range(len(profile) - 1)]
        start += len(profile) * AROUND
    shape = Shape(np.concatenate(vertices), np.concatenate(triangles), rgba)
    return Shape(shape.vertices, shape.triangles[face_normals(shape.corners).any(axis=1)], rgba)


def _band(i: int) -> np.ndarray:
    """Triangles between ring i and ring i + 1."""
    a = np.arange(AROUND)
    b = (a + 1) % AROUND
    low, high = i * AROUND, (i + 1) * AROUND
    return np.concatenate([
        np.stack([low + a, low + b, high + b], axis=1),
        np.stack([low + a, high + b, high + a], axis=1),
    ])  # fmt: skip
