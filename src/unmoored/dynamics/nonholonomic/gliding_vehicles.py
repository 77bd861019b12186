"""Sleighs on a blade and pairs of driven wheels: a frame on the vehicle goes forward and turns, never sideways.

theory.md §13.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ...model import Link, Tree
from ...model.value import replace_arrays
from .castors import Fork, castor_dofs, castor_rates, castor_rates_rate, forks
from .constraint import VelocityConstraint, check_radius, frame_on, planar_motion, vehicle_link
from .wheels import rolling_rates


@dataclass(frozen=True, eq=False, repr=False)
class Gliding(VelocityConstraint):
    """Speeds (v_x, ω_z) of a frame on the vehicle that never moves along its y; wheels may roll."""

    @abstractmethod
    def _parts(self) -> tuple[str | None, tuple[str, ...], float | None]:
        """Name of the frame, names of the wheels, their radius (m)."""

    @property
    def speeds(self) -> tuple[str, ...]:
        return ("vx", "wz")

    def dofs(self, tree: Tree) -> np.ndarray:
        link, _ = self._located(tree)
        indices = [range(link.v.start, link.v.stop), *(tree.dofs(name) for name in self._parts()[1])]
        own = [int(i) for part in indices for i in part]
        return np.array([*own, *castor_dofs(self._forks(tree))])

    def embedding(self, tree: Tree, q: np.ndarray) -> np.ndarray:
        link, frame = self._located(tree)
        X, _ = planar_motion(tree, link, frame, type(self).__name__)
        P = np.concatenate([X, rolling_rates(tree, link, frame, *self._parts()[1:])])
        if not self._castors[0]:
            return P
        rows = castor_rates(self._forks(tree), self._castors[1], q)[..., [0, 2]]
        return np.concatenate([np.broadcast_to(P, (*q.shape[:-1], *P.shape)), rows], axis=-2)

    def embedding_rate(self, tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        count = len(self.dofs(tree))
        if not self._castors[0]:
            return np.zeros((count, 2))
        rows = castor_rates_rate(self._forks(tree), self._castors[1], q, v)[..., [0, 2]]
        return np.concatenate([np.zeros((*q.shape[:-1], count - rows.shape[-2], 2)), rows], axis=-2)

    def coordinates(self, tree: Tree, q: np.ndarray) -> np.ndarray:
        link, frame = self._located(tree)
        _, Y = planar_motion(tree, link, frame, type(self).__name__)
        rest = len(self._parts()[1]) + 2 * len(self._castors[0])
        return np.concatenate([Y, np.zeros((2, rest))], axis=1)

    @property
    def _castors(self) -> tuple[tuple[str, ...], float]:
        """Names of castor wheels, and their radius (m)."""
        return (), 0.0

    def _forks(self, tree: Tree) -> list[Fork]:
        return forks(tree, *self._located(tree), self._castors[0])

    def _located(self, tree: Tree) -> tuple[Link, np.ndarray]:
        link = vehicle_link(tree, self.vehicle, type(self).__name__)
        return link, frame_on(tree, link, self._parts()[0], type(self).__name__)


@dataclass(frozen=True, eq=False, repr=False)
class ChaplyginSleigh(Gliding):
    """A blade that glides along its x axis and turns about its z axis, never sideways: speeds (v_x, ω_z) of
    the blade.

    blade: a frame on the vehicle; the vehicle's own if None.
    """

    blade: str | None = None

    def _parts(self) -> tuple[str | None, tuple[str, ...], float | None]:
        return self.blade, (), None


@dataclass(frozen=True, eq=False, repr=False)
class DifferentialDrive(Gliding):
    """The axle moves along its x axis and turns about its z axis only: speeds (v_x, ω_z) of the axle frame.

    vehicle: its name; its joint must allow that motion (Planar, Free, …).
    axle: a frame on the vehicle at the middle of the axle, x forward, y along the axle; the vehicle's own if
    None.
    wheels: names of wheels that are bodies with a Revolute joint on the axle; they roll without slipping.
    radius: of the wheels (m), needed with wheels.
    castors: names of wheels on forks that steer themselves, of `castor_radius` (m).
    """

    axle: str | None = None
    wheels: tuple[str, ...] = ()
    radius: float | None = None
    castors: tuple[str, ...] = ()
    castor_radius: float | None = None

    def __post_init__(self) -> None:
        replace_arrays(self, wheels=tuple(self.wheels), castors=tuple(self.castors))
        check_radius(self.vehicle, "radius", self.radius, self.wheels)
        check_radius(self.vehicle, "castor_radius", self.castor_radius, self.castors)

    @property
    def _castors(self) -> tuple[tuple[str, ...], float]:
        return self.castors, self.castor_radius or 0.0

    def _parts(self) -> tuple[str | None, tuple[str, ...], float | None]:
        return self.axle, self.wheels, self.radius
