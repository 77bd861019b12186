"""Data in other people's conventions, converted at the border (theory.md §22). Inside, all is FLU with world z up."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Signs of half a turn about x: front-right-down axes to front-left-up ones, north-east-down to north-west-up.
_VECTOR = np.array([1.0, -1.0, -1.0])
_TWIST = np.tile(_VECTOR, 2)
_POINT = np.append(_VECTOR, 1.0)


def vector_frd_to_flu(x: Any) -> np.ndarray:
    """A position, velocity, force or moment (..., 3) from front-right-down to front-left-up axes, same unit."""
    return _turned(x, _VECTOR)


def twist_frd_to_flu(x: Any) -> np.ndarray:
    """A twist (v, ω) or wrench (force, moment) (..., 6) from front-right-down to front-left-up axes, same unit."""
    return _turned(x, _TWIST)


def tensor_frd_to_flu(tensor: Any) -> np.ndarray:
    """A 3×3 tensor, such as a rotational inertia (..., 3, 3), from front-right-down to front-left-up axes."""
    return _turned(tensor, np.outer(_VECTOR, _VECTOR))


def matrix_frd_to_flu(matrix: Any) -> np.ndarray:
    """A 6×6 matrix, such as added mass or drag (..., 6, 6), from front-right-down to front-left-up axes: TᵀAT."""
    return _turned(matrix, np.outer(_TWIST, _TWIST))


def rotation_ned_frd_to_flu(rotation: Any) -> np.ndarray:
    """Attitude (..., 3, 3) of FRD body axes in a north-east-down world, as FLU axes in a north-west-up world."""
    return tensor_frd_to_flu(rotation)


def pose_ned_frd_to_flu(pose: Any) -> np.ndarray:
    """Pose (..., 4, 4) of FRD body axes in a north-east-down world, as FLU axes in a north-west-up world (m)."""
    return _turned(pose, np.outer(_POINT, _POINT))


def _turned(x: Any, signs: np.ndarray) -> np.ndarray:
    """Numbers with these signs; no zero gets one."""
    return np.asarray(x) * signs + 0.0
