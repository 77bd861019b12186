"""Distributions of what differs from episode to episode, as functions of uniform numbers, in traceable NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..model import ModelError
from ..simulation.scenario.random_values import InBall, Normal, Random, Uniform

__all__ = ["InBall", "Normal", "Uniform"]


def shape_of(distribution: Any, what: str) -> tuple[int, ...]:
    """Shape of what is drawn."""
    if isinstance(distribution, InBall | Uniform | Normal):
        return distribution.shape
    expected = "a distribution: Uniform, Normal or InBall"
    raise ModelError.single("Task", what, expected=expected, given=repr(distribution))


def numbers_for(distribution: Any, what: str) -> int:
    """How many uniform numbers a draw takes."""
    size = math.prod(shape_of(distribution, what))
    return 2 * size if isinstance(distribution, Normal) else size


def value_of(distribution: Random, r: np.ndarray) -> np.ndarray:
    """The draw that belongs to uniform numbers r (n,) in (0, 1)."""
    if isinstance(distribution, Normal):
        half = len(r) // 2
        normals = np.sqrt(-2.0 * np.log(r[:half])) * np.cos(2.0 * np.pi * r[half:])  # Box and Muller
        return distribution.mean + distribution.deviation * normals.reshape(np.shape(distribution.mean))
    return distribution.at(r)
