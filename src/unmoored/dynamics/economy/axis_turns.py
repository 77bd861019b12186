"""Constant rotations as products of turns about coordinate axes, which are cheaper to trace than full matrices."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, reduce
from typing import NamedTuple

import numpy as np

from ...lie.arrays import matrix
from ...model import Joint

_ROUNDING = 2e-15


class Turn(NamedTuple):
    """A rotation (3, 3), and the coordinate axis (0, 1, 2) that it turns about, None for any other rotation."""

    axis: int | None
    rotation: np.ndarray


def turning_axis(joint: Joint) -> int | None:
    """The coordinate axis (0, 1, 2) of its own frame that a joint turns about; None if there is not just one."""
    if not joint.constant_basis:
        return None
    basis = joint.basis(joint.neutral())
    turning = np.flatnonzero(np.any(basis[3:] != 0.0, axis=1))
    return int(turning[0]) if len(turning) == 1 else None


def axis_turns(R: np.ndarray, last: int = 2) -> tuple[Turn, ...]:
    """Turns with the product R (3, 3), the last one about the axis `last` where R needs more than one.

    Right-angle rotations stay whole: they only exchange entries. So does an R that no product meets to
    rounding.
    """
    return _turns(np.ascontiguousarray(R, dtype=float).tobytes(), last)


@lru_cache(maxsize=4096)
def _turns(entries: bytes, last: int) -> tuple[Turn, ...]:
    R = np.frombuffer(entries).reshape(3, 3)
    whole = (Turn(None, R),)
    if _exchanges(R):
        return whole
    if (axis := _single_axis(R)) is not None:
        return (Turn(axis, R),)
    order = [(last + 1) % 3, (last + 2) % 3, last]
    to_standard = np.eye(3)[order]
    for factors in (_zxz, _xyz):
        found = [
            Turn(order[k], to_standard.T @ F @ to_standard)
            for k, F in factors(to_standard @ R @ to_standard.T)
        ]
        product = product_of(found)
        if np.abs(product - R).max() <= _ROUNDING:
            return tuple(_simplified(turn) for turn in found if not np.array_equal(turn.rotation, np.eye(3)))
    return whole


def product_of(factors: Iterable[Turn]) -> np.ndarray:
    """The rotation (3, 3) that the turns make up."""
    return reduce(np.matmul, [turn.rotation for turn in factors], np.eye(3))


def _simplified(turn: Turn) -> Turn:
    return Turn(None, turn.rotation) if _exchanges(turn.rotation) else turn


def _exchanges(R: np.ndarray) -> bool:
    """Whether R has only entries 0, 1 and −1."""
    return bool(np.all((R == 0.0) | (np.abs(R) == 1.0)))


def _single_axis(R: np.ndarray) -> int | None:
    for k in range(3):
        if R[k, k] == 1.0 and np.count_nonzero(R[k]) == 1 and np.count_nonzero(R[:, k]) == 1:
            return k
    return None


def _about(k: int, c: float, s: float) -> tuple[int, np.ndarray]:
    i, j = (k + 1) % 3, (k + 2) % 3
    c, s = (c, s) if c and s else (np.sign(c), np.sign(s))  # exact half and quarter turns
    R = np.zeros((3, 3))
    R[k, k], R[i, i], R[j, j], R[i, j], R[j, i] = 1.0, c, c, -s, s
    return k, R


def _zxz(R: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Rz Rx Rz; poor where R hardly tilts z."""
    tilt = np.copysign(np.hypot(R[2, 0], R[2, 1]), R[2, 1])
    if tilt == 0.0:
        return [_about(2, R[0, 0], R[1, 0])]
    return [
        _about(2, -R[1, 2] / tilt, R[0, 2] / tilt),
        _about(0, R[2, 2], tilt),
        _about(2, R[2, 1] / tilt, R[2, 0] / tilt),
    ]


def _xyz(R: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Rx Ry Rz; poor where R turns z by nearly a right angle about y."""
    flat = np.hypot(R[0, 0], R[0, 1])
    if flat == 0.0:
        return [_about(1, 0.0, R[0, 2])]
    return [
        _about(0, R[2, 2] / flat, -R[1, 2] / flat),
        _about(1, flat, R[0, 2]),
        _about(2, R[0, 0] / flat, -R[0, 1] / flat),
    ]


def turned(turn: Turn, A: np.ndarray) -> np.ndarray:
    """R A Rᵀ (..., 3, 3); about a coordinate axis at half the work."""
    k, R = turn
    if k is None:
        return R @ A @ np.swapaxes(R, -1, -2)
    i, j = (k + 1) % 3, (k + 2) % 3
    c, s = R[..., i, i], R[..., j, i]
    entry = {(row, column): A[..., row, column] for row in range(3) for column in range(3)}
    entries = {(k, k): entry[k, k]}
    for one, other in (((i, k), (j, k)), ((k, i), (k, j))):
        entries[one] = c * entry[one] - s * entry[other]
        entries[other] = s * entry[one] + c * entry[other]
    # the 2×2 block across the axis keeps its trace and its skew part; t turns the rest
    a, d, b, b_ = entry[i, i], entry[j, j], entry[i, j], entry[j, i]
    t = s * (d - a) - c * (b + b_)
    entries |= {(i, i): a + s * t, (j, j): d - s * t, (i, j): -(c * t + b_), (j, i): -(c * t + b)}
    return matrix([[entries[row, column] for column in range(3)] for row in range(3)])
