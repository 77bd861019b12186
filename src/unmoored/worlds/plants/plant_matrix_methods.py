"""The matrices of a plant as methods: M a + C v + D v + n + current = τ, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from ...dynamics import lagrange_poincare as reduction
from ...dynamics import underactuated
from ...dynamics.closed_form import coriolis
from ...dynamics.lagrange_poincare import LagrangePoincare
from ...dynamics.mass_matrix import mass_matrix
from ...dynamics.operational_space import OperationalSpace
from ...system import System
from ...system.argument_kinds import ALL_ROWS, DOFS, FRAME, NUMBER, ROWS, VEHICLE, one_of
from ...system.closed_form_methods import FORM
from ...system.method import method
from ...system.signature_types import Array, ArrayLike, Backend, Names, Out
from ..coupled_joints import CoupledJoints
from ..loads import on_wet_tree, with_passive
from . import matrix_form, plant_equations, plant_regressor
from .operational_space_in_world import operational_space_in_world
from .plant_data import PARAMETERS
from .plant_dynamics_methods import PlantDynamicsMethods


class PlantMatrixMethods(PlantDynamicsMethods):
    """Matrices with added mass."""

    @method(on_wet_tree(mass_matrix, CoupledJoints.square), p=PARAMETERS, q="nq")
    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """M (..., nv, nv) with added mass; KᵀMK where joints follow others: rows and columns of followers are zero."""
        ...

    @method(
        on_wet_tree(coriolis.coriolis_matrix, CoupledJoints.square), p=PARAMETERS, q="nq", v="nv", form=FORM
    )
    def coriolis_matrix(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        form: str = "skew",
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """C (..., nv, nv) with added mass, Ṁ − 2C skew; other forms as in `System.coriolis_matrix`."""
        ...

    @method(matrix_form.damping_matrix, t=NUMBER, q="nq", v="nv", p=PARAMETERS)
    def damping_matrix(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        *,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """D (..., nv, nv): drag at the velocity relative to the water, and the joints' damping and friction.

        Coulomb friction and the damping of stops stand on the diagonal, as force over velocity.
        """
        ...

    @method(matrix_form.restoring_forces, t=NUMBER, q="nq", p=PARAMETERS)
    def restoring_forces(
        self,
        t: ArrayLike,
        q: ArrayLike,
        *,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """n = +∂U (..., nv) of weight, buoyancy, springs, stops and tide; it stands on the left side."""
        ...

    @method(matrix_form.current_forces, t=NUMBER, q="nq", v="nv", p=PARAMETERS)
    def current_forces(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        *,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """What moving water adds (..., nv): M a + C v + D v + n + current_forces = inverse_dynamics; zero at rest."""
        ...

    @method(plant_equations.allocation_matrix, q="nq", p=PARAMETERS)
    def allocation_matrix(
        self,
        q: ArrayLike,
        *,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """B (..., nv, n): forces along the DoFs per unit thrust, motor force, … (see `thrust_names`) at q (..., nq)."""
        ...

    @cached_property
    def wet_system(self) -> System:
        """The system with added mass (and without what reaction wheels take out) in its inertias; no buoyancy."""
        return System(self.tree)

    @method(
        with_passive(underactuated.generalized_jacobian),
        p=PARAMETERS,
        q="nq",
        frame=FRAME,
        passive=DOFS,
    )
    def generalized_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        *,
        passive: Names,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """J_G (..., 6, n_active) with added mass: the frame's acceleration per acceleration of the active DoFs."""
        ...

    @method(
        with_passive(underactuated.disturbance_jacobian),
        p=PARAMETERS,
        q="nq",
        passive=DOFS,
    )
    def disturbance_jacobian(
        self,
        q: ArrayLike,
        *,
        passive: Names,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """J_D (..., n_passive, n_active) with added mass: passive accelerations per active ones."""
        ...

    @method(
        operational_space_in_world,
        returns=OperationalSpace,
        t=NUMBER,
        q="nq",
        v="nv",
        damping=NUMBER,
        p=PARAMETERS,
        frame=FRAME,
        passive=DOFS,
        rows=ROWS,
    )
    def operational_space(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        *,
        passive: Names = (),
        damping: ArrayLike = 0.0,
        rows: Iterable[int] = ALL_ROWS,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> OperationalSpace:
        """Dynamics Λ V̇ + μ + p = F of the frame with added mass; all joints must be free to move on their own.

        `.bias` is what velocities add, drag included; `.gravity` all that acts at rest.
        """
        ...

    @method(
        on_wet_tree(reduction.lagrange_poincare, constant=True),
        returns=LagrangePoincare,
        p=PARAMETERS,
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
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> LagrangePoincare:
        """The reduced matrices with added mass (see `System.lagrange_poincare`): P is the vehicle's impulse."""
        ...

    @method(plant_regressor.regressor_matrix, t=NUMBER, q="nq", v="nv", a="nv", p=PARAMETERS)
    def regressor_matrix(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Y (..., nv, n) of `regressor`, for use in laws and batches."""
        ...

    def regressor(
        self, t: ArrayLike, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, p: ArrayLike | None = None
    ) -> plant_regressor.PlantRegressor:
        """What is linear in inertia, added mass, drag, volume, damping and friction: `.matrix .names .values .rest`.

        matrix (..., nv, n) @ values (n,) + rest (..., nv) = inverse_dynamics; rest has springs and stops.
        """
        Y = self.regressor_matrix(t, q, v, a, p=p)
        values, names = plant_regressor.parameters(self), plant_regressor.parameter_names(self)  # type: ignore[arg-type]
        rest = self.inverse_dynamics(t, q, v, a, p=p) - Y @ values
        return plant_regressor.PlantRegressor(Y, names, values, rest)
