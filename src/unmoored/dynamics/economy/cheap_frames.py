"""The same system with body frames that suit the recursions.

The frame of a body on a joint with one axis may slide along that axis and turn about it: such motions
commute with the joint, so coordinates, velocities and forces stay what they are. That freedom (Denavit and
Hartenberg's) brings every placement to Rx(α) Tx(a) Tz(d) Rz(θ), whatever frames a model was drawn with, and
kernels shrink accordingly.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ...lie import se3
from ...lie.checked_frames import axis_frame
from ...model import Body, Fixed, Frame, Inertia, Joint, Link, ModelWarning, Pose, Tree
from ...trace import is_symbolic
from ..wrenches import Wrenches, body_wrenches

_ROUNDING = 4e-15
_NEARLY_PARALLEL = 0.05
_Z_AXIS = (0.0, 0.0, 1.0)


def in_cheap_frames(tree: Tree, q: Any, wrenches: Wrenches | None = None) -> tuple[Tree, Wrenches | None]:
    """The tree, and the wrenches on it, for a recursion at q: reframed while it is traced, as they are on numbers."""
    if not is_symbolic(q) or tree.has_own_links:
        return tree, wrenches
    moved = [
        se3.Ad_transpose_apply(T, F) for T, F in zip(_moves(tree), body_wrenches(tree, wrenches), strict=True)
    ]
    return with_cheap_frames(tree), dict(zip(tree.names, moved, strict=True)) if wrenches else None


def cheap_place(tree: Tree, q: Any, index: int, at: np.ndarray) -> np.ndarray:
    """A pose `at` (..., 4, 4) on body `index` of the tree, as the body has it in `in_cheap_frames(tree, q)`."""
    if not is_symbolic(q) or tree.has_own_links or index < 0:
        return at
    moved = se3.inverse(_moves(tree)[index]) @ at
    return moved if is_symbolic(moved) else exact_pose(moved).matrix


@lru_cache(maxsize=64)
def with_cheap_frames(tree: Tree) -> Tree:
    """The tree with the frames of bodies on 1-DoF joints moved; q, v, tau and the dynamics stay the same.

    Named frames stay where they are in space. Visuals and fluid data, which nothing here needs, are left out.
    """
    moves = _moves(tree)
    bodies = [_moved_body(tree, link, moves) for link in tree.links]
    index = {body.name: i for i, body in enumerate(tree.bodies)}
    frames = [
        replace(
            frame, at=exact_pose(se3.inverse(_move(moves, index.get(frame.parent, -1))) @ frame.at.matrix)
        )
        for frame in tree.frames
    ]
    return redrawn(tree, bodies, frames)


def redrawn(tree: Tree, bodies: Iterable[Body], frames: Iterable[Frame]) -> Tree:
    """The tree with these bodies and frames; what it warns of, it has said itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return replace(tree, bodies=tuple(bodies), frames=tuple(frames))


def first_axis(tree: Tree) -> np.ndarray | None:
    """Pose (4, 4) on the first body of the axis outboard that carries most, as `with_cheap_frames` draws its frame."""
    following = _next_axes(tree)[0]
    return None if following is None else following[1] @ _moves(tree)[following[0]]


@lru_cache(maxsize=64)
def _moves(tree: Tree) -> list[np.ndarray]:
    """T_i (4, 4) of every body: the pose of its new frame in its old one."""
    aligned = [_aligned(link.joint) for link in tree.links]
    following = _next_axes(tree)
    slid = [
        A @ _slide(link, aligned, following[link.index]) for link, A in zip(tree.links, aligned, strict=True)
    ]
    moves: list[np.ndarray] = []
    for link, T in zip(tree.links, slid, strict=True):
        # a welded body takes over its parent's frame
        welded = isinstance(link.joint, Fixed)
        moves.append(se3.inverse(link.placement) @ _move(moves, link.parent) if welded else T)
    return moves


def _move(moves: list[np.ndarray], index: int) -> np.ndarray:
    return moves[index] if index >= 0 else np.eye(4)


def _has_one_axis(joint: Joint) -> bool:
    return joint.nv == 1 and hasattr(joint, "axis")


def _aligned(joint: Joint) -> np.ndarray:
    """Pose (4, 4) that takes z to the joint's axis."""
    return axis_frame(joint.axis) if _has_one_axis(joint) else np.eye(4)  # type: ignore[attr-defined]


def _slide(link: Link, aligned: list[np.ndarray], following: tuple[int, np.ndarray] | None) -> np.ndarray:
    """Tz(δ) Rz(ψ) (4, 4): brings x to the common normal of this axis and the next one outboard."""
    if not _has_one_axis(link.joint):
        return np.eye(4)
    if following is None:
        return _towards_com(link, aligned[link.index])
    index, pose = following
    C = se3.inverse(aligned[link.index]) @ pose @ aligned[index]
    (x, y, tilt), p = C[:3, 2], C[:3, 3]
    sine = float(np.hypot(x, y))
    if sine > _NEARLY_PARALLEL:
        c, s = -y / sine, x / sine
        d = (s * p[0] - c * p[1]) / sine
        return _about_z(c, s, p[2] - d * tilt)
    reach = float(np.hypot(p[0], p[1]))
    if sine > _ROUNDING or reach <= _ROUNDING:
        return np.eye(4)
    return _about_z(p[0] / reach, p[1] / reach, p[2])


def _towards_com(link: Link, aligned: np.ndarray) -> np.ndarray:
    """Rz(ψ) (4, 4) of a body at a tip: brings x below its centre of mass, unless that would spoil right angles."""
    x, y = (aligned[:3, :3].T @ link.com)[:2]
    reach = float(np.hypot(x, y))
    right_angles = np.all(np.isin(link.placement[:3, :3], (0.0, 1.0, -1.0)))
    return np.eye(4) if right_angles or reach <= _ROUNDING else _about_z(x / reach, y / reach, 0.0)


def _next_axes(tree: Tree) -> list[tuple[int, np.ndarray] | None]:
    """For every body (index, joint pose (4, 4) in this body) of the next axis outboard that carries most.

    Welds are passed. None where no axis follows.
    """
    carried = [1] * len(tree.links)  # bodies on and beyond a joint
    found: list[list[tuple[int, np.ndarray]]] = [[] for _ in tree.links]
    for link in reversed(tree.links):
        if link.parent < 0:
            continue
        carried[link.parent] += carried[link.index]
        if _has_one_axis(link.joint):
            found[link.parent].insert(0, (link.index, link.placement))
        elif isinstance(link.joint, Fixed) and found[link.index]:
            index, pose = _most_carrying(found[link.index], carried)
            found[link.parent].insert(0, (index, link.placement @ pose))
    return [_most_carrying(axes, carried) if axes else None for axes in found]


def _most_carrying(axes: list[tuple[int, np.ndarray]], carried: list[int]) -> tuple[int, np.ndarray]:
    return max(axes, key=lambda axis: carried[axis[0]])


def _about_z(c: float, s: float, height: float) -> np.ndarray:
    return se3.pose(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([0.0, 0.0, height]))


def _moved_body(tree: Tree, link: Link, moves: list[np.ndarray]) -> Body:
    body, T = tree.bodies[link.index], moves[link.index]
    joint = _along_z(body.joint) if _has_one_axis(body.joint) else body.joint
    at = se3.inverse(_move(moves, link.parent)) @ link.placement @ T
    return replace(
        body, joint=joint, at=exact_pose(at), inertia=moved_inertia(body.inertia, T), visuals=(), fluid=None
    )


@lru_cache(maxsize=256)
def _along_z(joint: Joint) -> Joint:
    return replace(joint, axis=_Z_AXIS)  # type: ignore[call-arg]


def moved_inertia(inertia: Inertia, T: np.ndarray) -> Inertia:
    """The inertia in a frame with the pose T (4, 4) in its own."""
    R, p = se3.rotation(T), se3.position(T)
    full = None if inertia.full is None else se3.Ad(T).T @ inertia.full @ se3.Ad(T)
    com = _without_rounding(R.T @ (inertia.com - p))
    return Inertia(inertia.mass, com, R.T @ inertia.tensor @ R, full)


def exact_pose(g: np.ndarray) -> Pose:
    """The pose g (4, 4) with entries that are 0 or ±1 but for rounding made exact, so that they fold."""
    R = se3.rotation(g)
    R = np.where(np.abs(np.abs(R) - 1.0) <= _ROUNDING, np.sign(R), _without_rounding(R))
    return Pose(xyz=_without_rounding(se3.position(g)), rotation=R)


def _without_rounding(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) <= _ROUNDING, 0.0, x)
