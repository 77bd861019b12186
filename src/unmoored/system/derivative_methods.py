"""Derivatives on the manifold, and of inverse and forward dynamics, as methods of `System`."""

from __future__ import annotations

from ..dynamics.configuration_derivatives import (
    LocalDerivatives,
    RetractDerivatives,
    local_derivatives,
    pull_back,
    retract_derivatives,
)
from ..dynamics.derivatives import (
    ForwardDynamicsDerivatives,
    InverseDynamicsDerivatives,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
)
from .argument_kinds import GRAVITY, NO_GRAVITY, WRENCHES
from .method import method
from .signature_types import Array, ArrayLike, Backend, Out, Wrenches
from .system_data import SystemData


class DerivativeMethods(SystemData):
    """Exact derivatives of the dynamics, by the tangent of the configuration, by v, and by tau or a.

    gravity: (..., 3) in world axes (m/s²).  wrenches: {frame: (force, moment) (..., 6) in that frame's axes} (N, N m);
    they turn with their frame.  out: three arrays (..., nv, nv) to write the result into.
    """

    @method(
        forward_dynamics_derivatives,
        returns=ForwardDynamicsDerivatives,
        q="nq",
        v="nv",
        tau="nv",
        gravity=GRAVITY,
        wrenches=WRENCHES,
    )
    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> ForwardDynamicsDerivatives:
        """Derivatives (dq, dv, dtau), each (..., nv, nv), of the acceleration at q (..., nq), v, tau (..., nv).

        [..., j, k] is the derivative of acceleration j: in `dq` along retract(q, ε e_k) at fixed v and tau, in
        `dv` by v_k, in `dtau` by tau_k, which is the inverse of the mass matrix.
        """
        ...

    @method(
        inverse_dynamics_derivatives,
        returns=InverseDynamicsDerivatives,
        q="nq",
        v="nv",
        a="nv",
        gravity=GRAVITY,
        wrenches=WRENCHES,
    )
    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> InverseDynamicsDerivatives:
        """Derivatives (dq, dv, da), each (..., nv, nv), of the forces tau at q (..., nq), v and a (..., nv).

        [..., j, k] is the derivative of tau_j: in `dq` along retract(q, ε e_k) at fixed v and a, in `dv` by v_k,
        in `da` by a_k, which is the mass matrix.
        """
        ...

    @method(retract_derivatives, returns=RetractDerivatives, q="nq", dq="nv")
    def retract_derivatives(
        self, q: ArrayLike, dq: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> RetractDerivatives:
        """Derivatives (q, dq), each (..., nv, nv), of retract(q, dq): by the tangent at q, and by dq (..., nv).

        Tangents are along retract at both ends. They are block diagonal, Ad_{exp(−dq)} and dexp(dq) joint by joint.
        """
        ...

    @method(local_derivatives, returns=LocalDerivatives, q0="nq", q1="nq")
    def local_derivatives(
        self, q0: ArrayLike, q1: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> LocalDerivatives:
        """Derivatives (q0, q1), each (..., nv, nv), of local(q0, q1) by the tangents at q0 and at q1 (..., nq).

        With d = local(q0, q1) they are −dexp⁻¹(−d) and dexp⁻¹(d), joint by joint; no rotation may reach π.
        """
        ...

    @method(pull_back, q="nq", gradient="nq")
    def pull_back(
        self, q: ArrayLike, gradient: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """The gradient (..., nv) along retract(q, ε e_k) of one by the stored numbers of q, both (..., nq)."""
        ...
