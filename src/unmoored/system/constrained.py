"""Motion under velocity constraints (wheels, blades, rolling) as methods of `System`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..dynamics import nonholonomic
from ..dynamics.nonholonomic import ConstrainedMotion, VelocityConstraint
from .base import NO_GRAVITY, SystemBase


class ConstrainedMethods(SystemBase):
    """v = P(q) s: all velocities from r independent ones. Leading dimensions of arrays are a batch."""

    def speed_names(self, constraints: Sequence[VelocityConstraint]) -> tuple[str, ...]:
        """Names of the independent velocities s, in order."""
        return nonholonomic.speed_names(self.tree, constraints)

    def embedding(
        self, q: Any, constraints: Sequence[VelocityConstraint], *, backend: str | None = None
    ) -> np.ndarray:
        """P (..., nv, r) with v = P s at q (..., nq)."""
        return self._run(nonholonomic.embedding, backend, tuple(constraints), q=q)

    def independent_speeds(
        self, q: Any, v: Any, constraints: Sequence[VelocityConstraint], *, backend: str | None = None
    ) -> np.ndarray:
        """s (..., r) of a velocity v (..., nv) that keeps the constraints."""
        return self._run(nonholonomic.independent_speeds, backend, tuple(constraints), q=q, v=v)

    def constrained_mass_matrix(
        self, q: Any, constraints: Sequence[VelocityConstraint], *, backend: str | None = None
    ) -> np.ndarray:
        """PᵀMP (..., r, r) at q (..., nq)."""
        return self._run(nonholonomic.constrained_mass_matrix, backend, tuple(constraints), q=q)

    def constrained_coriolis_matrix(
        self, q: Any, v: Any, constraints: Sequence[VelocityConstraint], *, backend: str | None = None
    ) -> np.ndarray:
        """Pᵀ(C P + M Ṗ) (..., r, r) at q (..., nq), v (..., nv): d/dt(PᵀMP) minus twice it is skew."""
        return self._run(nonholonomic.constrained_coriolis_matrix, backend, tuple(constraints), q=q, v=v)

    def constrained_forward_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any,
        constraints: Sequence[VelocityConstraint],
        *,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        backend: str | None = None,
    ) -> ConstrainedMotion:
        """Accelerations (..., nv), speed rates (..., r) and constraint forces (..., nv) under tau (..., nv).

        Of v (..., nv) only the independent velocities count.
        """
        arrays = {"q": q, "v": v, "tau": tau, "gravity": gravity, "wrenches": wrenches}
        return self._run(nonholonomic.constrained_forward_dynamics, backend, tuple(constraints), **arrays)
