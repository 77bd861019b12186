"""Light on surfaces and on the floor; colours in 0…1."""

from __future__ import annotations

import numpy as np

from .stage import Stage

LIGHT = np.array([0.30, 0.42, 0.855])  # of the camera's axes: right, up, towards the eye
SUN = np.array([0.25, -0.35, 0.90]) / np.linalg.norm([0.25, -0.35, 0.90])  # world axes; throws the shadows


def lit(rgb: np.ndarray, normals: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Colours (n, 3) of surfaces with colours rgb (n, 3) and normals (n, 3) in world axes.

    axes: the camera's (3, 3). Two-sided: a light from above, one at the camera, a little gloss.
    """
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    n = normals / np.where(length > 0, length, 1.0)
    n = np.where((n @ axes[2])[:, None] < 0, -n, n)
    above = np.clip(n @ SUN, 0.0, 1.0)
    facing = np.clip(n @ (LIGHT @ axes), 0.0, 1.0)
    gloss = facing**24
    brightness = 0.34 + 0.14 * n[:, 2] + 0.34 * above + 0.38 * facing
    return np.clip(rgb * brightness[:, None] + 0.16 * gloss[:, None], 0.0, 1.0)


def background(stage: Stage, width: int, height: int) -> np.ndarray:
    """The empty picture (height, width, 3): one colour above, one below."""
    part = np.linspace(0.0, 1.0, height)[:, None, None]
    rows = (1 - part) * np.array(stage.top) + part * np.array(stage.bottom)
    return np.broadcast_to(rows, (height, width, 3)).copy()


def floor_colours(
    stage: Stage, where: np.ndarray, depth: np.ndarray, pixel: float, cell: float
) -> np.ndarray:
    """Colours (n, 3) of the floor at points where (n, 2) (m): grid lines `cell` (m) apart that fade where they crowd.

    depth: (n,) of the points (m).  pixel: size of a pixel at unit depth.
    """
    width = (depth * pixel)[:, None]
    off = np.abs((where / cell + 0.5) % 1.0 - 0.5) * cell
    line = np.clip(1.5 - off / width, 0.0, 1.0).max(axis=-1, keepdims=True)
    strength = line * np.clip(cell / width / 30.0 - 0.2, 0.0, 1.0)
    return (1 - strength) * np.array(stage.floor) + strength * np.array(stage.grid)
