"""Properties of a system's equations as methods of `System`. All of them are NumPy functions of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..dynamics import properties
from .base import NO_GRAVITY, SystemBase


class PropertyMethods(SystemBase):
    """Boundedness, skew-symmetry, passivity, conditioning, coupling, singularities and balances."""

    def inertia_bounds(self, q: Any) -> properties.InertiaBounds:
        """Smallest and largest eigenvalues of the mass matrix over samples q (samples, nq)."""
        return self._run(properties.inertia_bounds, "numpy", q=q)

    def conditioning(self, q: Any, *, scaled: bool = True) -> np.ndarray:
        """Condition number (...) of the mass matrix; scaled to unit diagonal it does not depend on units."""
        return properties.conditioning(self._tree, self._array("q", q), scaled=scaled)

    def skew_symmetry_defect(self, q: Any, v: Any, *, form: str = "skew") -> np.ndarray:
        """Largest entry (...) of N + Nᵀ, N = Ṁ − 2C, relative to Ṁ and 2C, for a form of C."""
        return self._run(properties.skew_symmetry_defect, "numpy", form, q=q, v=v)

    def power_balance(
        self,
        q: Any,
        v: Any,
        a: Any,
        *,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
    ) -> np.ndarray:
        """Power supplied minus rate of the total energy (...) [W] at accelerations a (..., nv): zero."""
        arrays = {"q": q, "v": v, "a": a, "gravity": gravity, "wrenches": wrenches}
        return self._run(properties.power_balance, "numpy", **arrays)

    def coupling(self, q: Any, *, vehicle: str | None = None) -> properties.Coupling:
        """Inertial coupling between a vehicle and all other joints at q (..., nq)."""
        return self._run(properties.coupling, "numpy", self._vehicle(vehicle), q=q)

    def dynamic_singularity(
        self, q: Any, frame: str, *, passive: Iterable[str], rows: Iterable[int] = range(6)
    ) -> properties.DynamicSingularity:
        """How near the generalized Jacobian of a frame is to losing rank, for these rows of its twist."""
        return self._run(properties.dynamic_singularity, "numpy", frame, passive, rows, q=q)

    def energy_balance(
        self, t: Any, q: Any, v: Any, *, tau: Any = None, gravity: Any = NO_GRAVITY
    ) -> properties.Balance:
        """Total energy along samples t (T,), q (T, nq), v (T, nv) against the work of tau (T, nv)."""
        tau = None if tau is None else self._array("tau", tau)
        state = self._array("q", q), self._array("v", v)
        return properties.energy_balance(
            self._tree, np.asarray(t), *state, tau, self._array("gravity", gravity)
        )

    def momentum_balance(self, t: Any, q: Any, v: Any, *, wrench: Any = None) -> properties.Balance:
        """World momentum along samples against the impulse of a wrench (T, 6) about the world origin."""
        wrench = None if wrench is None else self._array("wrench", wrench, 6)
        state = self._array("q", q), self._array("v", v)
        return properties.momentum_balance(self._tree, np.asarray(t), *state, wrench)
