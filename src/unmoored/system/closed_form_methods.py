"""Mass matrix, Coriolis matrices and generalised forces as methods of `System`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dynamics import local_coordinates
from ..dynamics.closed_form import coriolis, vehicle_arm_blocks
from ..dynamics.closed_form.mass_matrix_from_jacobians import (
    mass_matrix_derivatives as derivatives_by_adjoint_rule,
)
from ..dynamics.closed_form.potential_forces import potential_forces
from ..dynamics.closed_form.vehicle_arm_blocks import BlockForm
from ..dynamics.gravity import gravity_forces
from ..dynamics.mass_matrix import inverse_mass_matrix, mass_matrix
from ..dynamics.wrenches import wrench_forces
from .argument_kinds import FUNCTION, GRAVITY, NO_GRAVITY, VEHICLE, WRENCHES, one_of
from .method import method
from .signature_types import Array, ArrayLike, Backend, Out, Wrenches
from .system_data import SystemData

FORM = one_of("form", "skew", "papers", "simple", "bodies")


class ClosedFormMethods(SystemData):
    """M v̇ + C v + n = τ with its matrices. Leading dimensions of arrays are a batch."""

    @method(mass_matrix, q="nq")
    def mass_matrix(self, q: ArrayLike, *, backend: Backend | None = None, out: Out = None) -> Array:
        """Mass matrix M (..., nv, nv) at q (..., nq): ½ vᵀ M v is the kinetic energy; armature is in."""
        ...

    @method(inverse_mass_matrix, q="nq")
    def inverse_mass_matrix(self, q: ArrayLike, *, backend: Backend | None = None, out: Out = None) -> Array:
        """M⁻¹ (..., nv, nv): accelerations per generalised force; armature is in."""
        ...

    @method(derivatives_by_adjoint_rule, q="nq")
    def mass_matrix_derivatives(
        self, q: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """∂M (..., nv, nv, nv): [..., k, i, j] is the derivative of M_ij along retract(q, ε e_k)."""
        ...

    @method(coriolis.mass_matrix_rate, q="nq", v="nv")
    def mass_matrix_rate(
        self, q: ArrayLike, v: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Time derivative Ṁ (..., nv, nv) at velocity v (..., nv)."""
        ...

    @method(coriolis.coriolis_matrix, q="nq", v="nv", form=FORM)
    def coriolis_matrix(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        form: str = "skew",
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Coriolis and centrifugal matrix C (..., nv, nv); all forms have the same C v.

        form: "skew" (Christoffel symbols, Ṁ − 2C skew), "papers" (From et al., corrected; Ṁ − 2C not skew),
        "simple" and "bodies" (two more with Ṁ − 2C skew).
        """
        ...

    @method(gravity_forces, q="nq", gravity=GRAVITY)
    def gravity_forces(
        self, q: ArrayLike, gravity: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """n = +∂U (..., nv) of uniform gravity (..., 3) in world axes (m/s²); it stands on the left side."""
        ...

    @method(potential_forces, q="nq", potential=FUNCTION)
    def potential_forces(
        self,
        q: ArrayLike,
        potential: Callable[[Any], Any],
        *,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """n = +∂U (..., nv) of any potential q (nq,) ↦ U (J) in traceable NumPy, differentiated exactly."""
        ...

    @method(wrench_forces, q="nq", wrenches=WRENCHES)
    def wrench_forces(
        self, q: ArrayLike, wrenches: Wrenches, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Generalised forces Σ Jᵀ F (..., nv) of {frame: wrench (..., 6) in that frame's axes} (N, N m)."""
        ...

    @method(
        vehicle_arm_blocks.block_form,
        returns=BlockForm,
        q="nq",
        v="nv",
        gravity=GRAVITY,
        vehicle=VEHICLE,
        form=FORM,
    )
    def block_form(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        gravity: ArrayLike = NO_GRAVITY,
        vehicle: str | None = None,
        form: str = "skew",
        backend: Backend | None = None,
        out: Out = None,
    ) -> BlockForm:
        """The matrices with the vehicle's and the arm's parts apart; `form` as in `coriolis_matrix`."""
        ...

    @method(local_coordinates.local_coriolis_matrix, q="nq", dq="nv", v="nv")
    def local_coriolis_matrix(
        self,
        q: ArrayLike,
        dq: ArrayLike,
        v: ArrayLike,
        *,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """C (..., nv, nv) at retract(q, dq), in the papers' local coordinates dq (..., nv) about q.

        Equals `coriolis_matrix(retract(q, dq), v, form="papers")`; the velocity is v = S(dq) d(dq)/dt.
        """
        ...

    @method(local_coordinates.local_velocity_map, dq="nv")
    def local_velocity_map(self, dq: ArrayLike, *, backend: Backend | None = None, out: Out = None) -> Array:
        """S (..., nv, nv) of the papers: v = S(dq) d(dq)/dt for local coordinates dq (..., nv)."""
        ...
