"""Vehicles on wheels with rollers, which go in every direction of the plane (theory.md §39)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...lie import se3
from ...model import Link, ModelError, Revolute, Tree
from ...model.field_types import NumberOrSeries
from ...model.value import frozen_array, replace_arrays
from .castors import castor_dofs, castor_rates, castor_rates_rate, forks
from .constraint import (
    VelocityConstraint,
    check_radius,
    frame_on,
    planar_motion,
    refuse_run_time_place,
    vehicle_link,
)

_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class OmniDrive(VelocityConstraint):
    """A vehicle that moves in its plane, with wheels that follow: speeds (v_x, v_y, ω_z) of a frame on it.

    vehicle: its name; its joint must allow that motion (Planar, Free, …).
    wheels: names of wheels that are bodies with a Revolute joint on the vehicle, their axles level. A wheel with axle a
    at p rolls with r ω_r = d·v_p + tan γ a·v_p, d = a × z: what the axis of its rollers at the floor allows.
    radius: of the wheels (m).
    rollers: angle γ (rad) from the driving direction d to the axis of the rollers at the floor, positive toward a, of
    all wheels or of each: 0 of omni wheels, ±π/4 of mecanum wheels.
    frame: on the vehicle, z up; its own if None.
    castors: names of wheels on forks that steer themselves, of `castor_radius` (m).
    """

    wheels: tuple[str, ...] = ()
    radius: float | None = None
    rollers: NumberOrSeries = 0.0
    frame: str | None = None
    castors: tuple[str, ...] = ()
    castor_radius: float | None = None

    def __post_init__(self) -> None:
        replace_arrays(self, wheels=tuple(self.wheels), castors=tuple(self.castors))
        given: Any = self.rollers if np.ndim(self.rollers) else [self.rollers] * len(self.wheels)
        angles = frozen_array(given, (len(self.wheels),), where=self.vehicle, what="rollers")
        if np.any(np.abs(angles) > 0.49 * np.pi):
            expected = "less than a quarter turn (rad): rollers along the axle would not drive"
            raise ModelError.single(self.vehicle, "rollers", expected=expected, given=str(angles.tolist()))
        replace_arrays(self, rollers=angles)
        for names, what in ((self.wheels, "radius"), (self.castors, "castor_radius")):
            check_radius(self.vehicle, what, getattr(self, what), names)

    @property
    def speeds(self) -> tuple[str, ...]:
        return ("vx", "vy", "wz")

    def dofs(self, tree: Tree) -> np.ndarray:
        link, frame = self._located(tree)
        own = [*range(link.v.start, link.v.stop), *(int(tree.dofs(name)[0]) for name in self.wheels)]
        return np.array([*own, *castor_dofs(forks(tree, link, frame, self.castors))])

    def embedding(self, tree: Tree, q: np.ndarray) -> np.ndarray:
        link, frame = self._located(tree)
        X, _ = planar_motion(tree, link, frame, type(self).__name__, axes=(0, 1, 5))
        P = np.concatenate([X, *(self._row(tree, link, frame, k) for k in range(len(self.wheels)))])
        if not self.castors:
            return P
        rows = castor_rates(forks(tree, link, frame, self.castors), self.castor_radius or 0.0, q)
        return np.concatenate([np.broadcast_to(P, (*q.shape[:-1], *P.shape)), rows], axis=-2)

    def embedding_rate(self, tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        count = len(self.dofs(tree))
        if not self.castors:
            return np.zeros((count, 3))
        link, frame = self._located(tree)
        rows = castor_rates_rate(forks(tree, link, frame, self.castors), self.castor_radius or 0.0, q, v)
        return np.concatenate([np.zeros((*q.shape[:-1], count - rows.shape[-2], 3)), rows], axis=-2)

    def coordinates(self, tree: Tree, q: np.ndarray) -> np.ndarray:
        link, frame = self._located(tree)
        _, Y = planar_motion(tree, link, frame, type(self).__name__, axes=(0, 1, 5))
        return np.concatenate([Y, np.zeros((3, len(self.wheels) + 2 * len(self.castors)))], axis=1)

    def _located(self, tree: Tree) -> tuple[Link, np.ndarray]:
        link = vehicle_link(tree, self.vehicle, type(self).__name__)
        return link, frame_on(tree, link, self.frame, type(self).__name__)

    def _row(self, tree: Tree, carrier: Link, frame: np.ndarray, k: int) -> np.ndarray:
        """ω_r (1, 3) of wheel k over (v_x, v_y, ω_z)."""
        name, link = self.wheels[k], tree.link(self.wheels[k])
        if link.parent != carrier.index or not isinstance(link.joint, Revolute):
            expected = f"a Revolute joint on {carrier.name}"
            given = f"{link.joint.kind} on {tree.bodies[link.index].parent}"
            raise ModelError.single(name, "wheel", expected=expected, given=given)
        refuse_run_time_place(name, link.placement)
        g = se3.inverse(frame) @ link.placement
        a, p = se3.rotation(g) @ link.joint.axis, se3.position(g)
        if abs(a[2]) > _TOLERANCE:
            raise ModelError.single(name, "wheel", expected="a level axle", given=str(a.round(6).tolist()))
        ρ = np.array([a[1], -a[0]]) + np.tan(self.rollers[k]) * a[:2]
        return np.array([[ρ[0], ρ[1], ρ[1] * p[0] - ρ[0] * p[1]]]) / self.radius
