"""Regressors as methods of `System`: what is linear in the bodies' inertial parameters."""

from __future__ import annotations

from ..dynamics import regressors
from .argument_kinds import GRAVITY, NO_GRAVITY
from .method import method
from .signature_types import Array, ArrayLike, Backend, Out
from .system_data import SystemData


class RegressorMethods(SystemData):
    """Ten parameters ζ for each of the n bodies, fixed ones included: m, m c, and the tensor about the body's origin.

    Refused for bodies with a full 6×6 inertia. Leading dimensions of arrays are a batch.
    """

    def inertial_parameters(self) -> Array:
        """ζ (10 n,) of the system as built: m, mcx, mcy, mcz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz of every body in turn."""
        return regressors.inertial_parameters(self.tree)

    @property
    def inertial_parameter_names(self) -> tuple[str, ...]:
        """Names of the entries of `inertial_parameters()`: "elbow.m", "elbow.mcx", …"""
        return tuple(f"{name}.{entry}" for name in self.names for entry in regressors.PARAMETER_NAMES)

    @method(regressors.regressor, q="nq", v="nv", a="nv", gravity=GRAVITY)
    def regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        gravity: ArrayLike = NO_GRAVITY,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Y (..., nv, 10 n) with Y ζ + armature · a = inverse_dynamics(q, v, a, gravity=gravity)."""
        ...

    @method(regressors.momentum_regressor, q="nq", v="nv")
    def momentum_regressor(
        self, q: ArrayLike, v: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Y_p (..., nv, 10 n) with Y_p ζ = generalized_momentum(q, v): no accelerations in it."""
        ...

    @method(regressors.momentum_rate_regressor, q="nq", v="nv", gravity=GRAVITY)
    def momentum_rate_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        gravity: ArrayLike = NO_GRAVITY,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Y_r (..., nv, 10 n) with d/dt p = τ − armature · a + Y_r ζ."""
        ...

    @method(regressors.energy_regressor, q="nq", v="nv", gravity=GRAVITY)
    def energy_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        gravity: ArrayLike = NO_GRAVITY,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """y (..., 10 n) with y ζ = kinetic and potential energy [J], without that of armature."""
        ...
