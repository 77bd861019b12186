"""Uniform gravity: in the air, and on the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import ModelError, Tree
from ..model.field_types import Vector
from ..model.value import replace_arrays
from .world import STANDARD_GRAVITY, World, checked_gravity

_LEVEL = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Earth(World):
    """Uniform gravity (3,), world axes (m/s²), and nothing else."""

    gravity: Vector = STANDARD_GRAVITY

    def __post_init__(self) -> None:
        replace_arrays(self, gravity=checked_gravity(self.gravity, type(self).__name__))

    @property
    def uniform_gravity(self) -> np.ndarray:
        return self.gravity


@dataclass(frozen=True, eq=False, repr=False)
class Ground(Earth):
    """Gravity, and a floor that carries the vehicles: none of them may fall.

    Nothing pushes back here, so a vehicle's joint must not move along gravity (Planar, Translation(2), …), unless a
    constraint ties it (RollingBall, Car, …).
    """

    def check(self, tree: Tree, constraints: tuple[Any, ...]) -> None:
        """Refuse a vehicle that would fall through the floor."""
        size = np.linalg.norm(self.gravity)
        down = self.gravity / size if size else np.zeros(3)
        tied = {constraint.vehicle for constraint in constraints}
        for link in (tree.link(name) for name in tree.vehicles):
            falling = (link.placement[:3, :3].T @ down) @ link.joint.basis(link.joint.neutral())[:3]
            if link.name not in tied and np.any(np.abs(falling) > _LEVEL):
                expected = "a vehicle joint that cannot move along gravity, or a constraint that ties it"
                raise ModelError.single(link.name, "Ground", expected=expected, given=link.joint.kind)
