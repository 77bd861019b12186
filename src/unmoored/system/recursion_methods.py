"""Inverse, forward and hybrid dynamics as methods of `System`."""

from __future__ import annotations

from ..dynamics import recursive
from .argument_kinds import GRAVITY, NO_GRAVITY, PASSIVE_MASK, WRENCHES
from .method import method
from .signature_types import Array, ArrayLike, Backend, Names, Out, Wrenches
from .system_data import SystemData


class RecursionMethods(SystemData):
    """O(N) dynamics. Leading dimensions of arrays are a batch.

    gravity: (..., 3) in world axes (m/s²).  wrenches: {frame: (force, moment) (..., 6) in that frame's axes} (N, N m).
    """

    @method(recursive.inverse_dynamics, q="nq", v="nv", a="nv", gravity=GRAVITY, wrenches=WRENCHES)
    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Forces tau (..., nv) = M a + C v + gravity_forces − Σ Jᵀ wrench for accelerations a (..., nv)."""
        ...

    @method(recursive.forward_dynamics, q="nq", v="nv", tau="nv", gravity=GRAVITY, wrenches=WRENCHES)
    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Acceleration (..., nv) under the forces tau (..., nv); the inverse of `inverse_dynamics`."""
        ...

    @method(
        recursive.hybrid_dynamics,
        q="nq",
        v="nv",
        tau="nv",
        acceleration="nv",
        passive=PASSIVE_MASK,
        gravity=GRAVITY,
        wrenches=WRENCHES,
    )
    def hybrid_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        tau: ArrayLike,
        acceleration: ArrayLike,
        passive: Names | ArrayLike,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> tuple[Array, Array]:
        """(acceleration, tau), both complete (..., nv), when each DoF has one of the two given.

        passive: joints ("arm1") and single DoFs ("bus.vx") whose force tau is given; all others are active,
        their acceleration is given. Or an array (..., nv), 1 for passive and 0 for active, which may differ
        from sample to sample. Entries of tau and acceleration of the other kind are ignored.
        """
        ...
