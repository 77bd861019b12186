"""A run at any times, on the group between its records, and the room that it takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics.configuration import local, retract
from ...dynamics.kinematics import body_poses
from ...model import Tree
from ..shapes import Shape

_LOOKS = 60  # instants at which a run's extent is taken


def configurations_at(run: Any, times: Any) -> np.ndarray:
    """q (n, nq) of a run of one trajectory at times (n,), on the shortest way between its records."""
    tree, t, q = run.system.tree, run.t, run.q
    times = np.asarray(times).clip(t[0], t[-1])
    before = np.searchsorted(t[1:-1], times, side="right")
    after = np.minimum(before + 1, len(t) - 1)
    gap = t[after] - t[before]
    part = np.where(gap > 0, (times - t[before]) / np.where(gap > 0, gap, 1.0), 0.0)
    return retract(tree, q[before], part[:, None] * local(tree, q[before], q[after]))


def poses_at(run: Any, times: Any) -> np.ndarray:
    """World poses (bodies, n, 4, 4) at times (n,)."""
    q = configurations_at(run, times)
    return np.stack([np.broadcast_to(g, (len(q), 4, 4)) for g in body_poses(run.system.tree, q)])


def frame_path(tree: Tree, poses: np.ndarray, frame: str) -> np.ndarray:
    """Positions (n, 3) of a frame for the bodies' poses (bodies, n, 4, 4)."""
    index, on_body = tree.locate(frame)
    g = poses[index] @ on_body if index >= 0 else np.broadcast_to(on_body, poses.shape[1:])
    return g[:, :3, 3]


def room(run: Any, shapes: tuple[tuple[Shape, ...], ...]) -> np.ndarray:
    """Corners (instants, k, 3) of the boxes around all bodies at instants spread over the run, world axes (m)."""
    times = np.linspace(run.t[0], run.t[-1], _LOOKS)
    poses = poses_at(run, times)
    corners = [
        np.einsum("tij,kj->tki", poses[k, :, :3, :3], _box(own)) + poses[k, :, None, :3, 3]
        for k, own in enumerate(shapes)
    ]
    return np.concatenate(corners, axis=1)


def _box(shapes: tuple[Shape, ...]) -> np.ndarray:
    """The eight corners (8, 3) of the box around a body's shapes; its origin if it has none."""
    if not shapes:
        return np.zeros((1, 3))
    points = np.concatenate([shape.vertices for shape in shapes])
    ends = np.stack([points.min(axis=0), points.max(axis=0)])
    picks = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)])
    return ends[picks, np.arange(3)]
