"""Triangles to pixels with a depth buffer, in NumPy: all fragments at once, in portions that fit into memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_PORTION = 1_500_000  # candidate fragments at a time
_NEAR = 1e-9


@dataclass(frozen=True, eq=False)
class Fragments:
    """Pixels covered by triangles: flat pixel index, triangle, weights (n, 3) of its corners, 1/depth; each (n,)."""

    pixel: np.ndarray
    triangle: np.ndarray
    weights: np.ndarray
    nearness: np.ndarray

    def __getitem__(self, chosen: np.ndarray) -> Fragments:
        return Fragments(
            self.pixel[chosen], self.triangle[chosen], self.weights[chosen], self.nearness[chosen]
        )


def fragments(points: np.ndarray, triangles: np.ndarray, width: int, height: int) -> Fragments:
    """All fragments of triangles (m, 3) over points (n, 3): pixels right and down, and 1/depth.

    Triangles that reach behind the eye are left out. The weights are right in perspective.
    """
    seen = np.all(points[triangles, 2] > _NEAR, axis=1)
    index = np.flatnonzero(seen)
    corners = points[triangles[index]]
    with np.errstate(invalid="ignore"):
        low = np.ceil(corners[..., :2].min(axis=1) - 0.5).clip(0, (width, height)).astype(int)
        high = (np.floor(corners[..., :2].max(axis=1) - 0.5) + 1).clip(0, (width, height)).astype(int)
    size = (high - low).clip(0)
    counts = size[:, 0] * size[:, 1]
    portions = np.cumsum(counts) // _PORTION
    found = [
        _covered(corners[part], index[part], low[part], size[part], counts[part], width)
        for part in (np.flatnonzero((portions == k) & (counts > 0)) for k in np.unique(portions))
    ]
    return joined(found)


def nearest(found: Fragments, pixels: int) -> np.ndarray:
    """For each pixel the index of its nearest fragment, −1 where there is none: (pixels,)."""
    order = np.argsort(found.nearness, kind="stable")
    buffer = np.full(pixels, -1)
    buffer[found.pixel[order]] = order  # the last one written, the nearest, stays
    return buffer


def joined(parts: list[Fragments]) -> Fragments:
    """Several sets of fragments as one."""
    if not parts:
        return Fragments(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 3)), np.zeros(0))
    return Fragments(
        np.concatenate([part.pixel for part in parts]),
        np.concatenate([part.triangle for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.nearness for part in parts]),
    )


def _covered(
    corners: np.ndarray, index: np.ndarray, low: np.ndarray, size: np.ndarray, counts: np.ndarray, width: int
) -> Fragments:
    """The pixels in each triangle's bounding box whose middle lies inside the triangle."""
    which = np.repeat(np.arange(len(corners)), counts)
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    column = low[which, 0] + offset % size[which, 0]
    row = low[which, 1] + offset // size[which, 0]
    a, b, c = np.moveaxis(corners, 1, 0)
    area = _turn(b - a, c - a)
    with np.errstate(divide="ignore"):
        inverse = np.where(area == 0.0, 0.0, 1.0 / area)
    x, y = column + 0.5, row + 0.5
    w_b = _edge(a, c, which, x, y) * -inverse[which]
    w_c = _edge(a, b, which, x, y) * inverse[which]
    inside = (w_b >= 0) & (w_c >= 0) & (w_b + w_c <= 1) & (inverse[which] != 0)
    which, w_b, w_c = which[inside], w_b[inside], w_c[inside]
    flat = np.stack([1.0 - w_b - w_c, w_b, w_c], axis=1)
    by_depth = flat * corners[which, :, 2]
    nearness = by_depth.sum(axis=1)
    pixel = row[inside] * width + column[inside]
    return Fragments(pixel, index[which], by_depth / nearness[:, None], nearness)


def _turn(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]


def _edge(a: np.ndarray, b: np.ndarray, which: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(b − a) × (p − a) for the pixel middles p, triangle by triangle."""
    d = b - a
    k = d[:, 0] * a[:, 1] - d[:, 1] * a[:, 0]
    return d[which, 0] * y - d[which, 1] * x - k[which]
