"""Making data fit: fewer frames for many bodies, coarser surfaces for detailed meshes."""

from __future__ import annotations

import numpy as np

from ..shapes import Shape

_FINEST = 256  # cells along a shape's longest side at the first try


def frame_count(duration: float, bodies: int, *, rate: float, budget: int, record_bytes: int) -> int:
    """How many frames to keep: `rate` in a second (1/s), or as many as fit into the budget (bytes); at least 2."""
    wanted = int(np.ceil(duration * rate)) + 1
    return max(2, min(wanted, budget // max(bodies * record_bytes, 1)))


def within_budget(shapes: tuple[tuple[Shape, ...], ...], triangles: int) -> tuple[tuple[Shape, ...], ...]:
    """The same shapes, the detailed ones coarser until all have at most so many triangles together."""
    cells = _FINEST
    while total_triangles(shapes) > triangles and cells >= 4:
        largest = triangles // max(sum(len(own) for own in shapes), 1)
        shapes = tuple(
            tuple(clustered(shape, cells) if len(shape.triangles) > largest else shape for shape in own)
            for own in shapes
        )
        cells //= 2
    return shapes


def total_triangles(shapes: tuple[tuple[Shape, ...], ...]) -> int:
    """Number of triangles of all bodies."""
    return sum(len(shape.triangles) for own in shapes for shape in own)


def clustered(shape: Shape, cells: int) -> Shape:
    """The shape with all vertices in a cell of a grid made one, and triangles that vanish left out.

    cells: of the grid along the shape's longest side.
    """
    low = shape.vertices.min(axis=0)
    edge = max(float(np.ptp(shape.vertices, axis=0).max()), 1e-12) / cells
    cell = np.floor((shape.vertices - low) / edge).astype(np.int64)
    _, index, count = np.unique(cell, axis=0, return_inverse=True, return_counts=True)
    index = index.ravel()
    means = np.stack([np.bincount(index, shape.vertices[:, k]) for k in range(3)], axis=-1) / count[:, None]
    triangles = index[shape.triangles]
    a, b, c = triangles.T
    kept = np.unique(triangles[(a != b) & (b != c) & (a != c)], axis=0)
    return Shape(means, kept, shape.rgba)
