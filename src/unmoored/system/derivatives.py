"""Derivatives of inverse and forward dynamics as methods of `System`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..dynamics.derivatives import (
    ForwardDynamicsDerivatives,
    InverseDynamicsDerivatives,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
)
from .base import NO_GRAVITY, SystemBase
from .quick import quick


class DerivativeMethods(SystemBase):
    """Exact derivatives of the dynamics, by the tangent of the configuration, by v, and by tau or a.

    gravity: (..., 3) in world axes (m/s²).  wrenches: {frame: (f, n) (..., 6) in that frame's axes} (N, N m);
    they turn with their frame.  out: three arrays (..., nv, nv) to write the result into.
    """

    @quick(forward_dynamics_derivatives, arrays=3)
    def forward_dynamics_derivatives(
        self,
        q: Any,
        v: Any,
        tau: Any,
        *,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        backend: str | None = None,
        out: Any = None,
    ) -> ForwardDynamicsDerivatives:
        """Derivatives (dq, dv, dtau), each (..., nv, nv), of the acceleration at q (..., nq), v, tau (..., nv).

        [..., j, k] is the derivative of acceleration j: in `dq` along retract(q, ε e_k) at fixed v and tau, in
        `dv` by v_k, in `dtau` by tau_k, which is the inverse of the mass matrix.
        """
        arrays = {"q": q, "v": v, "tau": tau, "gravity": gravity, "wrenches": wrenches}
        return self._run(forward_dynamics_derivatives, backend, **arrays, out=out)

    @quick(inverse_dynamics_derivatives, arrays=3)
    def inverse_dynamics_derivatives(
        self,
        q: Any,
        v: Any,
        a: Any,
        *,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        backend: str | None = None,
        out: Any = None,
    ) -> InverseDynamicsDerivatives:
        """Derivatives (dq, dv, da), each (..., nv, nv), of the forces tau at q (..., nq), v and a (..., nv).

        [..., j, k] is the derivative of tau_j: in `dq` along retract(q, ε e_k) at fixed v and a, in `dv` by v_k,
        in `da` by a_k, which is the mass matrix.
        """
        arrays = {"q": q, "v": v, "a": a, "gravity": gravity, "wrenches": wrenches}
        return self._run(inverse_dynamics_derivatives, backend, **arrays, out=out)
