"""Data in other people's conventions, converted at the border (theory.md §22). Inside, all is FLU with world z up."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Half a turn about x: front-right-down axes to front-left-up axes, and north-east-down to north-west-up.
FRD_TO_FLU = np.diag([1.0, -1.0, -1.0])
_TWIST = np.diag([1.0, -1.0, -1.0, 1.0, -1.0, -1.0])


def vector_frd_to_flu(x: Any) -> np.ndarray:
    """A position, velocity, force or moment (..., 3) from front-right-down to front-left-up axes, same unit."""
    return np.asarray(x) @ FRD_TO_FLU + 0.0


def twist_frd_to_flu(x: Any) -> np.ndarray:
    """A twist (v, ω) or wrench (force, moment) (..., 6) from front-right-down to front-left-up axes, same unit."""
    return np.asarray(x) @ _TWIST + 0.0


def tensor_frd_to_flu(tensor: Any) -> np.ndarray:
    """A 3×3 tensor, such as a rotational inertia (..., 3, 3), from front-right-down to front-left-up axes."""
    return FRD_TO_FLU @ np.asarray(tensor) @ FRD_TO_FLU + 0.0


def matrix_frd_to_flu(matrix: Any) -> np.ndarray:
    """A 6×6 matrix, such as added mass or drag (..., 6, 6), from front-right-down to front-left-up axes: TᵀAT."""
    return _TWIST @ np.asarray(matrix) @ _TWIST + 0.0


def rotation_ned_frd_to_flu(rotation: Any) -> np.ndarray:
    """Attitude (..., 3, 3) of FRD body axes in a north-east-down world, as FLU axes in a north-west-up world."""
    return tensor_frd_to_flu(rotation)


def pose_ned_frd_to_flu(pose: Any) -> np.ndarray:
    """Pose (..., 4, 4) of FRD body axes in a north-east-down world, as FLU axes in a north-west-up world (m)."""
    turn = np.diag([1.0, -1.0, -1.0, 1.0])
    return turn @ np.asarray(pose) @ turn + 0.0
