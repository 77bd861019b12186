"""A still picture of a system, without a screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..dynamics.kinematics import body_poses
from ..model import Tree
from ..system import System
from .letters import plain
from .shapes import body_shapes
from .shapes.shape import face_normals

_DARK = (0.15, 0.17, 0.2)
_LIGHT = np.array([0.35, -0.5, 0.79])


def save_picture(
    system: System, q: Any, path: str | Path, *, title: str | None = None, dpi: int = 150
) -> Path:
    """Write a picture (.png, .svg, .pdf) of the system at q (nq,), with its frames' names, and return its path."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    q = np.asarray(q)
    faces, colours = _scene(system.tree, q)
    figure = Figure(figsize=(8, 6))
    FigureCanvasAgg(figure)
    axes: Any = figure.add_axes((0.0, 0.0, 1.0, 0.95), projection="3d", computed_zorder=False)
    axes.add_collection3d(Poly3DCollection(faces, facecolors=colours, edgecolors=colours, linewidths=0.2))
    _joints(axes, system.tree, q)
    _frame_names(axes, system, q)
    _equal_axes(axes, faces)
    axes.set_title(plain(title if title is not None else system.name))
    figure.savefig(path, dpi=dpi)
    return Path(path)


def _scene(tree: Tree, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Triangles (m, 3, 3) in world axes (m) and their shaded colours (m, 4)."""
    faces, colours = [], []
    poses = body_poses(tree, q)
    for index, shapes in enumerate(body_shapes(tree)):
        for shape in shapes:
            corners = shape.moved(poses[index]).corners
            faces.append(corners)
            colours.append(_shaded(corners, shape.rgba))
    return np.concatenate(faces), np.concatenate(colours)


def _shaded(corners: np.ndarray, rgba: Any) -> np.ndarray:
    normals = face_normals(corners)
    lengths = np.linalg.norm(normals, axis=1)
    towards = np.abs(normals @ _LIGHT) / np.where(lengths > 0, lengths, 1.0)
    brightness = 0.62 + 0.38 * towards
    return np.concatenate([brightness[:, None] * rgba[:3], np.full((len(corners), 1), rgba[3])], axis=1)


def _joints(axes: Any, tree: Tree, q: np.ndarray) -> None:
    origins = [g[:3, 3] for g in body_poses(tree, q)]
    for link in tree.links:
        if link.parent >= 0 and not tree.bodies[link.index].visuals:
            line = np.stack([origins[link.parent], origins[link.index]])
            axes.plot(*line.T, color=_DARK, linewidth=1.0, marker="o", markersize=2.5, zorder=10)


def _frame_names(axes: Any, system: System, q: Any) -> None:
    for frame in system.frames:
        g = system.pose(q, frame)
        axes.text(*g[:3, 3], plain(f" {frame}"), fontsize=8, color=_DARK, zorder=11)


def _equal_axes(axes: Any, faces: np.ndarray) -> None:
    low, high = faces.min(axis=(0, 1)), faces.max(axis=(0, 1))
    centre, half = (low + high) / 2, max(0.52 * (high - low).max(), 1e-3)
    for k, set_limits in enumerate((axes.set_xlim, axes.set_ylim, axes.set_zlim)):
        set_limits(centre[k] - half, centre[k] + half)
    axes.set_box_aspect((1, 1, 1), zoom=0.92)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.set_zlabel("z [m]")
    axes.view_init(elev=22, azim=-60)
