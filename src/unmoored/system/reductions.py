"""Reduction by a vehicle's group, and vehicles whose motion is given, as methods of `System`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..dynamics import forced_base, lagrange_poincare
from ..dynamics.forced_base import ForcedMotion, PrescribedMotion
from ..dynamics.lagrange_poincare import LagrangePoincare
from .base import NO_GRAVITY, SystemBase


class ReductionMethods(SystemBase):
    """One vehicle (m DoFs) against all other joints (n DoFs). Leading dimensions of arrays are a batch.

    vehicle: which one, when there are several.
    """

    def lagrange_poincare(
        self, q: Any, v: Any, *, vehicle: str | None = None, form: str = "papers", backend: str | None = None
    ) -> LagrangePoincare:
        """The terms of M̂ ẇ + Ĉ w + N̂ = F_w − Aᵀ F_u and Ṗ = ad_uᵀ P + F_u at q (..., nq), v (..., nv).

        form: "papers" (Moghaddam & Chhabra), or "skew" for the Ĉ with dM̂/dt − 2Ĉ skew; Ĉ w is the same.
        """
        name = self._vehicle(vehicle)
        return self._run(lagrange_poincare.lagrange_poincare, backend, name, form, q=q, v=v)

    def connection_curvature(
        self, q: Any, *, vehicle: str | None = None, backend: str | None = None
    ) -> np.ndarray:
        """Curvature (..., n, n, m) of the mechanical connection: the drift from a loop of shapes."""
        return self._run(lagrange_poincare.curvature, backend, self._vehicle(vehicle), q=q)

    def reduced_state(
        self, q: Any, v: Any, *, vehicle: str | None = None, backend: str | None = None
    ) -> np.ndarray:
        """y = (P, w) (..., nv): v with the vehicle's momentum in place of its velocity."""
        return self._run(lagrange_poincare.reduced_state, backend, self._vehicle(vehicle), q=q, v=v)

    def recovered_velocity(
        self, q: Any, y: Any, *, vehicle: str | None = None, backend: str | None = None
    ) -> np.ndarray:
        """v (..., nv) from the reduced state y = (P, w) (..., nv): the vehicle's part is M₀⁻¹ P − A w."""
        return self._run(lagrange_poincare.recovered_velocity, backend, self._vehicle(vehicle), q=q, y=y)

    def reduced_forward_dynamics(
        self,
        q: Any,
        y: Any,
        tau: Any,
        *,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        vehicle: str | None = None,
        backend: str | None = None,
    ) -> np.ndarray:
        """(Ṗ, ẇ) (..., nv) of the reduced state y (..., nv) under the forces tau (..., nv)."""
        arrays = {"q": q, "y": y, "tau": tau, "gravity": gravity, "wrenches": wrenches}
        function = lagrange_poincare.reduced_forward_dynamics
        return self._run(function, backend, self._vehicle(vehicle), **arrays)

    def forced_base(
        self,
        q: Any,
        v: Any,
        *,
        tau: Any,
        acceleration: Any,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        vehicle: str | None = None,
        backend: str | None = None,
    ) -> ForcedMotion:
        """All accelerations (..., nv), and the reaction (..., m) that moves the vehicle as prescribed.

        tau (..., nv): only the other joints' entries are used; acceleration (..., nv): only the vehicle's.
        """
        arrays = {"q": q, "v": v, "tau": tau, "acceleration": acceleration}
        outside = {"gravity": gravity, "wrenches": wrenches}
        return self._run(forced_base.forced_base, backend, self._vehicle(vehicle), **arrays, **outside)

    def prescribed_motion(
        self, pose: Callable[[np.ndarray], np.ndarray], *, vehicle: str | None = None
    ) -> Callable[..., PrescribedMotion]:
        """The function t (...) ↦ configuration, velocity u and acceleration u̇ (..., m) of a vehicle.

        pose: t (a number, s) ↦ the vehicle's pose (4, 4) in its joint's placement, in traceable NumPy; it is
        differentiated exactly.
        """
        return forced_base.prescribed_motion(self.tree, self._vehicle(vehicle), pose)
