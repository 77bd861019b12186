"""Spacecraft with arms, as methods of `System`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics import spacecraft
from ..dynamics.spacecraft import CentreOfMassForm, ControlledMotion, FreeFloating
from .base import SystemBase


class SpacecraftMethods(SystemBase):
    """Systems in space: no gravity, nothing to push against. Leading dimensions of arrays are a batch."""

    def free_floating(
        self,
        q: Any,
        v: Any = None,
        tau: Any = None,
        *,
        momentum: Any = None,
        vehicle: str | None = None,
        backend: str | None = None,
    ) -> FreeFloating:
        """The reduced system of the n joints beside a vehicle that nothing acts on, and the vehicle's motion.

        q (..., nq); v and tau (..., nv), zero if None, the vehicle's entries of tau are ignored. The
        momentum is that of v. Or give it: momentum μ (..., m), along the vehicle's DoFs in world axes about
        the world origin (in the frame `at` of the vehicle's joint); then the vehicle's entries of v are
        ignored too.
        """
        name = self._vehicle(vehicle)
        v, tau = ([0.0] * self.nv if x is None else x for x in (v, tau))
        if momentum is None:
            return self._run(spacecraft.free_floating, backend, name, q=q, v=v, tau=tau)
        y = self._with_momentum(v, momentum, name)
        return self._run(spacecraft.free_floating_at_momentum, backend, name, q=q, y=y, tau=tau)

    def free_flying(self, q: Any, v: Any, tau: Any, *, backend: str | None = None) -> ControlledMotion:
        """Thrusters give the vehicle's entries of tau (..., nv), in its axes; the accelerations follow."""
        return self._run(spacecraft.free_flying, backend, q=q, v=v, tau=tau)

    def attitude_controlled(
        self,
        q: Any,
        v: Any,
        tau: Any,
        acceleration: Any = None,
        *,
        vehicle: str | None = None,
        backend: str | None = None,
    ) -> ControlledMotion:
        """Torques give the vehicle the angular entries of acceleration (..., nv), zero if None.

        tau (..., nv) are the forces on everything else. Both results (..., nv) are complete: in tau, the
        torques.
        """
        acceleration = [0.0] * self.nv if acceleration is None else acceleration
        arrays = {"q": q, "v": v, "tau": tau, "acceleration": acceleration}
        return self._run(spacecraft.attitude_controlled, backend, self._vehicle(vehicle), **arrays)

    def held_fixed(
        self, q: Any, v: Any, tau: Any, *, vehicle: str | None = None, backend: str | None = None
    ) -> ControlledMotion:
        """The vehicle stands still; its entries of the resulting tau (..., nv) are the wrench that holds it.

        v, tau (..., nv): only the other joints' entries are used.
        """
        return self._run(spacecraft.held_fixed, backend, self._vehicle(vehicle), q=q, v=v, tau=tau)

    def centre_of_mass_form(self, q: Any, v: Any, *, backend: str | None = None) -> CentreOfMassForm:
        """Inertia blockdiag(m_t 1, M_red), Coriolis matrix and momentum of (ṙ_cm, ω, w) at v (..., nv)."""
        return self._run(spacecraft.centre_of_mass_form, backend, q=q, v=v)

    def attitude_dynamics(
        self, q: Any, v: Any, tau: Any, *, backend: str | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(ω̇, ẇ) (..., nv−3) and r̈_cm (..., 3) in world axes under tau (..., nv), in centre-of-mass form."""
        return self._run(spacecraft.attitude_dynamics, backend, q=q, v=v, tau=tau)

    def dynamically_equivalent_manipulator(self):
        """A new `System` on a passive spherical joint that moves like this one, at any constant momentum.

        Same names, same joint coordinates and joint forces; use it without gravity. It exists for one free
        vehicle with a serial arm of joints with at most one DoF and rigid bodies; anything else is refused.
        """
        return type(self)(spacecraft.equivalent_manipulator(self.tree))

    def equivalent_manipulator_state(self, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) of the dynamically equivalent manipulator at this system's q (..., nq), v (..., nv)."""
        spacecraft.equivalent_manipulator(self.tree)
        return spacecraft.equivalent_state(self.tree, self._array("q", q), self._array("v", v))

    def _with_momentum(self, v: Any, momentum: Any, vehicle: str) -> np.ndarray:
        """y = (μ, w) (..., nv): v with the vehicle's entries replaced."""
        link = self.tree.link(vehicle)
        μ, v = self._array("momentum", momentum, link.joint.nv), self._array("v", v)
        batch = np.broadcast_shapes(μ.shape[:-1], v.shape[:-1])
        y = np.broadcast_to(v, (*batch, self.nv)).copy()
        y[..., link.v] = μ
        return y
