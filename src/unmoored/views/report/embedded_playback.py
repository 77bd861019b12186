"""What the page's player needs: surfaces, poses over time, trails, stage and camera, as small as is good enough."""

from __future__ import annotations

import base64
from dataclasses import asdict
from typing import Any

import numpy as np

from ...lie import se3
from ...lie.conversions import quaternion_wxyz
from ...model import Tree
from ..render.camera import AZIMUTH, ELEVATION, FIELD_OF_VIEW, fitted
from ..render.filming import floor_height, grid_cell, system_size, trail_frames, wanders, with_targets
from ..render.interpolation import frame_path, poses_at, room
from ..render.stage import STAGES, stage_name
from ..render.surfaces import vertex_normals
from ..shapes import Shape, body_shapes
from ..tied_frames import acts, closes, drawn_as_lines, ties_of
from ..told_places import told_places

RATE = 50.0  # frames in a second of the run; the player turns and moves smoothly between them
_POSE_NUMBERS = 7
_POSE_BYTES = 4_000_000
_TRIANGLES = 60_000
_ASPECTS = (
    0.4,
    0.6,
    0.8,
    1.0,
    1.3,
    1.8,
    2.5,
    4.0,
)  # width/height of pictures; the page takes the nearest below


def playback(
    run: Any,
    *,
    stage: str | None = None,
    trails: Any = None,
    triangles: int = _TRIANGLES,
    pose_bytes: int = _POSE_BYTES,
) -> dict[str, Any]:
    """The player's data for a run of one trajectory, ready for JSON; arrays are base64 of float32 or uint32.

    triangles, pose_bytes: how many at most.
    """
    tree = run.system.tree
    shapes = within_budget(body_shapes(tree), triangles)
    start, end = float(run.t[0]), float(run.t[-1])
    count = frame_count(
        end - start, len(tree.bodies), rate=RATE, budget=pose_bytes, record_bytes=4 * _POSE_NUMBERS
    )
    times = np.linspace(start, end, count)
    poses = poses_at(run, times)
    corners = room(run, shapes)
    return {
        "times": packed(times, np.float32),
        "poses": packed(_as_numbers(poses), np.float32),
        "bodies": [
            {"name": tree.bodies[k].name, "shapes": [_shape(shape) for shape in own]}
            for k, own in enumerate(shapes)
        ],
        "trails": [
            {"name": frame, "points": packed(frame_path(tree, poses, frame), np.float32)}
            for frame in trail_frames(run.system, trails)
        ],
        "targets": _targets(run, times),
        "ties": _ties(run, times),
        "vehicle": tree.index(run.system.vehicles[0]),
        "stage": _stage(stage or stage_name(run), corners),
        "camera": _camera(run, with_targets(corners, told_places(run))),
    }


def packed(array: Any, kind: Any) -> str:
    """An array's bytes, little end first, as base64."""
    return base64.b64encode(
        np.ascontiguousarray(array, dtype=np.dtype(kind).newbyteorder("<")).tobytes()
    ).decode()


def _targets(run: Any, times: np.ndarray) -> list[dict[str, Any]]:
    """The places that the law wants, at the player's times (NaN where they are not in force), and their ways."""
    told = told_places(run)
    rows = [told.row(t) for t in times]
    return [
        {
            "name": track.name,
            "turns": track.turns,
            "poses": packed(np.swapaxes(track.poses[rows], 1, 2), np.float32),
            "path": packed(track.path, np.float32),
        }
        for track in told.targets
    ]


def _ties(run: Any, times: np.ndarray) -> list[dict[str, Any]]:
    """Springs, lines and closures: each end as (body, place on it), −1 the world, and whether it acts at the times."""
    tree = run.system.tree
    return [
        {
            "closes": closes(tie),
            "ends": [_end(tree, frame) for frame in (tie.frame_a, tie.frame_b)],
            "acts": packed([acts(run, tie, t) for t in times], np.uint8),
        }
        for tie in drawn_as_lines(ties_of(getattr(run, "plant", None)))
    ]


def _end(tree: Tree, frame: str) -> dict[str, Any]:
    body, on_body = tree.locate(frame)
    return {"body": body, "at": on_body[:3, 3].tolist()}


def _as_numbers(poses: np.ndarray) -> np.ndarray:
    """(n, bodies, 7): position, then quaternion wxyz, for poses (bodies, n, 4, 4)."""
    g = np.swapaxes(poses, 0, 1)
    return np.concatenate([se3.position(g), quaternion_wxyz(se3.rotation(g))], axis=-1)


def _shape(shape: Shape) -> dict[str, Any]:
    return {
        "rgba": [float(x) for x in shape.rgba],
        "vertices": packed(shape.vertices, np.float32),
        "normals": packed(np.round(127 * vertex_normals(shape)), np.int8),
        "triangles": packed(shape.triangles, np.uint32),
    }


def _stage(name: str, corners: np.ndarray) -> dict[str, Any]:
    scale = system_size(corners)
    return {
        **asdict(STAGES[name]),
        "height": floor_height(name, corners),
        "cell": grid_cell(scale),
        "scale": scale,
    }


def _camera(run: Any, corners: np.ndarray) -> dict[str, Any]:
    follow = wanders(run, corners)
    if follow:
        times = np.linspace(run.t[0], run.t[-1], len(corners))
        vehicle = run.system.tree.index(run.system.vehicles[0])
        corners = corners - poses_at(run, times)[vehicle, :, None, :3, 3]
    points = np.concatenate(corners)
    fits = {aspect: fitted(points, aspect, azimuth=AZIMUTH, elevation=ELEVATION) for aspect in _ASPECTS}
    return {
        "fits": [
            {"aspect": aspect, "target": camera.target.tolist(), "distance": camera.distance}
            for aspect, camera in fits.items()
        ],
        "azimuth": np.radians(AZIMUTH),
        "elevation": np.radians(ELEVATION),
        "fieldOfView": np.radians(FIELD_OF_VIEW),
        "follow": follow,
    }


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
    means = np.stack([np.bincount(index, shape.vertices[:, k]) for k in range(3)], axis=1) / count[:, None]
    triangles = index[shape.triangles]
    a, b, c = triangles.T
    kept = np.unique(triangles[(a != b) & (b != c) & (a != c)], axis=0)
    return Shape(means, kept, shape.rgba)
