"""Reduction by a vehicle's group, and vehicles whose motion is given, as methods of `System`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dynamics import forced_base as forced
from ..dynamics import lagrange_poincare as reduction
from ..dynamics.forced_base import ForcedMotion, PrescribedMotion
from ..dynamics.lagrange_poincare import LagrangePoincare
from .argument_kinds import GRAVITY, NO_GRAVITY, VEHICLE, WRENCHES, one_of
from .method import method
from .signature_types import Array, ArrayLike, Backend, Out, Wrenches
from .system_data import SystemData


class ReductionMethods(SystemData):
    """One vehicle (m DoFs) against all other joints (n DoFs). Leading dimensions of arrays are a batch.

    vehicle: which one, when there are several.
    """

    @method(
        reduction.lagrange_poincare,
        returns=LagrangePoincare,
        q="nq",
        v="nv",
        vehicle=VEHICLE,
        form=one_of("form", "skew", "papers"),
    )
    def lagrange_poincare(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        vehicle: str | None = None,
        form: str = "skew",
        backend: Backend | None = None,
        out: Out = None,
    ) -> LagrangePoincare:
        """The terms of M̂ ẇ + Ĉ w + N̂ = F_w − Aᵀ F_u and Ṗ = ad_uᵀ P + F_u at q (..., nq), v (..., nv).

        form: "skew" for the Ĉ with dM̂/dt − 2Ĉ skew, "papers" for that of Moghaddam & Chhabra; Ĉ w is the same.
        """
        ...

    @method(reduction.mechanical_connection, q="nq", vehicle=VEHICLE)
    def connection(
        self, q: ArrayLike, *, vehicle: str | None = None, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """A (..., m, n) of the mechanical connection: u = −A w at zero momentum."""
        ...

    @method(reduction.connection_derivatives, q="nq", vehicle=VEHICLE)
    def connection_derivatives(
        self, q: ArrayLike, *, vehicle: str | None = None, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """∂A (..., n, m, n): [..., k, :, :] is the derivative along the shape velocity k."""
        ...

    @method(reduction.locked_inertia, q="nq", vehicle=VEHICLE)
    def locked_inertia(
        self, q: ArrayLike, *, vehicle: str | None = None, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """M₀ (..., m, m): inertia of the whole system at the vehicle, all other joints locked."""
        ...

    @method(reduction.locked_inertia_derivatives, q="nq", vehicle=VEHICLE)
    def locked_inertia_derivatives(
        self, q: ArrayLike, *, vehicle: str | None = None, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """∂M₀ (..., n, m, m): [..., k, :, :] is the derivative along the shape velocity k."""
        ...

    @method(reduction.shape_inertia, q="nq", vehicle=VEHICLE)
    def shape_inertia(
        self, q: ArrayLike, *, vehicle: str | None = None, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """M̂ (..., n, n): what the other joints feel while the vehicle gives way."""
        ...

    @method(reduction.shape_inertia_derivatives, q="nq", vehicle=VEHICLE)
    def shape_inertia_derivatives(
        self, q: ArrayLike, *, vehicle: str | None = None, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """∂M̂ (..., n, n, n): [..., k, :, :] is the derivative along the shape velocity k."""
        ...

    @method(reduction.spatial_connection, q="nq", vehicle=VEHICLE)
    def spatial_connection(
        self, q: ArrayLike, *, vehicle: str | None = None, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """𝒜 (..., m, nv): 𝒜 v = Ad_h(u + A w), the locked velocity in the frame that the joint sits in."""
        ...

    @method(reduction.vertical_velocity, q="nq", v="nv", vehicle=VEHICLE)
    def vertical_velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        vehicle: str | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """(u + A w, 0) (..., nv): the part of v that moves all bodies like one, and has all the momentum."""
        ...

    @method(reduction.horizontal_velocity, q="nq", v="nv", vehicle=VEHICLE)
    def horizontal_velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        vehicle: str | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """(−A w, w) (..., nv): the part of v that changes the shape without momentum of the vehicle."""
        ...

    @method(reduction.curvature, q="nq", vehicle=VEHICLE)
    def connection_curvature(
        self, q: ArrayLike, *, vehicle: str | None = None, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Curvature (..., n, n, m) of the mechanical connection: the drift from a loop of shapes."""
        ...

    @method(reduction.reduced_state, q="nq", v="nv", vehicle=VEHICLE)
    def reduced_state(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        vehicle: str | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """y = (P, w) (..., nv): v with the vehicle's momentum in place of its velocity."""
        ...

    @method(reduction.recovered_velocity, q="nq", y="nv", vehicle=VEHICLE)
    def recovered_velocity(
        self,
        q: ArrayLike,
        y: ArrayLike,
        *,
        vehicle: str | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """v (..., nv) from the reduced state y = (P, w) (..., nv): the vehicle's part is M₀⁻¹ P − A w."""
        ...

    @method(
        reduction.reduced_forward_dynamics,
        q="nq",
        y="nv",
        tau="nv",
        gravity=GRAVITY,
        wrenches=WRENCHES,
        vehicle=VEHICLE,
    )
    def reduced_forward_dynamics(
        self,
        q: ArrayLike,
        y: ArrayLike,
        tau: ArrayLike,
        *,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        vehicle: str | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """(Ṗ, ẇ) (..., nv) of the reduced state y (..., nv) under the forces tau (..., nv)."""
        ...

    @method(
        forced.forced_base,
        returns=ForcedMotion,
        q="nq",
        v="nv",
        tau="nv",
        acceleration="nv",
        gravity=GRAVITY,
        wrenches=WRENCHES,
        vehicle=VEHICLE,
    )
    def forced_base(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        tau: ArrayLike,
        acceleration: ArrayLike,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        vehicle: str | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> ForcedMotion:
        """All accelerations (..., nv), and the reaction (..., m) that moves the vehicle as prescribed.

        tau (..., nv): only the other joints' entries are used; acceleration (..., nv): only the vehicle's.
        """
        ...

    def prescribed_motion(
        self, pose: Callable[[Any], Any], *, vehicle: str | None = None
    ) -> Callable[..., PrescribedMotion]:
        """The function t (...) ↦ configuration, velocity u and acceleration u̇ (..., m) of a vehicle.

        pose: t (a number, s) ↦ the vehicle's pose (4, 4) in its joint's placement, in traceable NumPy; it is
        differentiated exactly.
        """
        return forced.prescribed_motion(self.tree, VEHICLE.read(self, vehicle), pose)
