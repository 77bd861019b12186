"""Motion under velocity constraints (wheels, blades, rolling) as methods of `System`."""

from __future__ import annotations

from collections.abc import Sequence

from ..dynamics import nonholonomic
from ..dynamics.nonholonomic import ConstrainedMotion, VelocityConstraint
from .argument_kinds import CONSTRAINTS, GRAVITY, NO_GRAVITY, WRENCHES
from .method import method
from .signature_types import Array, ArrayLike, Backend, Out, Wrenches
from .system_data import SystemData


class ConstraintMethods(SystemData):
    """v = P(q) w: all velocities from nw independent ones. Leading dimensions of arrays are a batch."""

    def speed_names(self, constraints: Sequence[VelocityConstraint]) -> tuple[str, ...]:
        """Names of the independent velocities w, in order."""
        return nonholonomic.speed_names(self.tree, CONSTRAINTS.read(self, constraints))

    @method(nonholonomic.embedding, q="nq", constraints=CONSTRAINTS)
    def embedding(
        self,
        q: ArrayLike,
        constraints: Sequence[VelocityConstraint],
        *,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """P (..., nv, nw) with v = P w at q (..., nq)."""
        ...

    @method(nonholonomic.independent_speeds, q="nq", v="nv", constraints=CONSTRAINTS)
    def independent_velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        constraints: Sequence[VelocityConstraint],
        *,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """w (..., nw) of a velocity v (..., nv) that keeps the constraints."""
        ...

    @method(nonholonomic.constrained_mass_matrix, q="nq", constraints=CONSTRAINTS)
    def constrained_mass_matrix(
        self,
        q: ArrayLike,
        constraints: Sequence[VelocityConstraint],
        *,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """PᵀMP (..., nw, nw) at q (..., nq)."""
        ...

    @method(nonholonomic.constrained_coriolis_matrix, q="nq", v="nv", constraints=CONSTRAINTS)
    def constrained_coriolis_matrix(
        self,
        q: ArrayLike,
        v: ArrayLike,
        constraints: Sequence[VelocityConstraint],
        *,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Pᵀ(C P + M Ṗ) (..., nw, nw) at q (..., nq), v (..., nv): d/dt(PᵀMP) minus twice it is skew."""
        ...

    @method(
        nonholonomic.constrained_forward_dynamics,
        returns=ConstrainedMotion,
        q="nq",
        v="nv",
        tau="nv",
        gravity=GRAVITY,
        wrenches=WRENCHES,
        constraints=CONSTRAINTS,
    )
    def constrained_forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        constraints: Sequence[VelocityConstraint],
        *,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> ConstrainedMotion:
        """Accelerations (..., nv), rates of w (..., nw) and constraint forces (..., nv) under tau (..., nv).

        Of v (..., nv) only the independent velocities count.
        """
        ...
