"""Distributions of what differs from episode to episode, as functions of uniform numbers, in traceable NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..lie.arrays import vector
from ..model import ModelError
from ..simulation.scenario.sweeps import Normal, Random, Uniform

__all__ = ["InBall", "Normal", "Uniform"]


@dataclass(frozen=True, eq=False, repr=False)
class InBall(Random):
    """A vector (3,) in the ball of this radius about the origin, all places equally likely."""

    radius: float

    def __post_init__(self) -> None:
        if not (isinstance(self.radius, int | float) and 0.0 <= self.radius < math.inf):
            raise ModelError.single("InBall", "radius", expected="a number ≥ 0", given=repr(self.radius))

    def drawn(self, count: int, rng: np.random.Generator) -> np.ndarray:
        return np.stack([value_of(self, r) for r in rng.random((count, 3))])


def shape_of(distribution: Any, what: str) -> tuple[int, ...]:
    """Shape of what is drawn."""
    if isinstance(distribution, InBall):
        return (3,)
    if isinstance(distribution, Uniform):
        return np.shape(distribution.low)
    if isinstance(distribution, Normal):
        return np.shape(distribution.mean)
    expected = "a distribution: Uniform, Normal or InBall"
    raise ModelError.single("Task", what, expected=expected, given=repr(distribution))


def numbers_for(distribution: Any, what: str) -> int:
    """How many uniform numbers a draw takes."""
    size = math.prod(shape_of(distribution, what))
    return 2 * size if isinstance(distribution, Normal) else size


def value_of(distribution: Any, r: np.ndarray) -> np.ndarray:
    """The draw that belongs to uniform numbers r (n,) in (0, 1)."""
    if isinstance(distribution, Normal):
        half = len(r) // 2
        normals = np.sqrt(-2.0 * np.log(r[:half])) * np.cos(2.0 * np.pi * r[half:])  # Box and Muller
        return distribution.mean + distribution.deviation * normals.reshape(np.shape(distribution.mean))
    if isinstance(distribution, InBall):
        height, angle = 2.0 * r[0] - 1.0, 2.0 * np.pi * r[1]
        across = np.sqrt(1.0 - height * height)
        length = distribution.radius * np.exp(np.log(r[2]) / 3.0)
        return length * vector([across * np.cos(angle), across * np.sin(angle), height])
    low, high = distribution.low, distribution.high
    return low + (high - low) * r.reshape(np.shape(low))
