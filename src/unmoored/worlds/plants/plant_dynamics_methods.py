"""Forward, inverse and hybrid dynamics of a plant, and their derivatives, as methods."""

from __future__ import annotations

import numpy as np

from ...model import ModelError
from ...system.argument_kinds import NUMBER, PASSIVE_MASK
from ...system.method import method
from ...system.signature_types import Array, ArrayLike, Backend, Names, Out
from ..equilibria.linearization import Linearization
from . import closed_tangents, plant_derivatives, plant_equations
from .plant_data import INPUTS, PARAMETERS, STATES, PlantData
from .plant_derivatives import PlantDerivatives


class PlantDynamicsMethods(PlantData):
    """Accelerations and forces in the world."""

    @method(plant_equations.forward_dynamics, t=NUMBER, q="nq", v="nv", x=STATES, u=INPUTS, p=PARAMETERS)
    def forward_dynamics(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None = None,
        *,
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Acceleration (..., nv) at time t (...), q (..., nq), v (..., nv) under inputs u (..., nu), zero if not given.

        Of v only the independent part counts; the rest follows from constraints and trajectories.
        """
        ...

    @method(plant_equations.inverse_dynamics, t=NUMBER, q="nq", v="nv", a="nv", p=PARAMETERS)
    def inverse_dynamics(
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
        """Forces (..., nv) that the acceleration a (..., nv) takes beside those of the world and the joints."""
        ...

    @method(plant_equations.holding_forces, t=NUMBER, q="nq", p=PARAMETERS)
    def holding_forces(
        self,
        t: ArrayLike,
        q: ArrayLike,
        *,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Forces (..., nv) that hold the plant at rest: against weight, buoyancy, springs and the drag of a current."""
        ...

    @method(plant_equations.delivered_forces, t=NUMBER, q="nq", v="nv", x=STATES, u=INPUTS, p=PARAMETERS)
    def delivered_forces(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None = None,
        *,
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Forces (..., nv) that the actuators give along the DoFs, after limits, lag and failures; without any, u."""
        ...

    @method(
        plant_equations.hybrid_dynamics,
        t=NUMBER,
        q="nq",
        v="nv",
        tau="nv",
        acceleration="nv",
        passive=PASSIVE_MASK,
        p=PARAMETERS,
    )
    def hybrid_dynamics(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        *,
        tau: ArrayLike,
        acceleration: ArrayLike,
        passive: Names | ArrayLike,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> tuple[Array, Array]:
        """(acceleration, tau), both complete (..., nv), when each DoF has one of the two given.

        tau (..., nv) are forces beside those of the world and the joints; passive as in `System.hybrid_dynamics`.
        Prescribed joints move as prescribed, whatever is given for them; with constraints it is refused.
        """
        ...

    @method(plant_equations.reactions, t=NUMBER, q="nq", v="nv", x=STATES, u=INPUTS, p=PARAMETERS)
    def reactions(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None = None,
        *,
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Forces (..., nv) along the DoFs that keep constraints and prescribed motions; zero along free DoFs."""
        ...

    @method(
        plant_derivatives.forward_dynamics_jacobian,
        t=NUMBER,
        q="nq",
        v="nv",
        x=STATES,
        u=INPUTS,
        p=PARAMETERS,
    )
    def forward_dynamics_jacobian(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None = None,
        *,
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Derivatives (..., nv, 2 nv + nx + nu + n) of the acceleration by (δq, v, x, u, p), side by side."""
        ...

    def forward_dynamics_derivatives(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None = None,
        *,
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
    ) -> PlantDerivatives:
        """Derivatives of the acceleration: `.dq` along retract(q, ε e_k), `.dv`, `.dx`, `.du`, `.dp`, (..., nv, n)."""
        J = self.forward_dynamics_jacobian(t, q, v, u, x=x, p=p, backend=backend)
        sizes = (self.nv, self.nv, self.nx, self.nu)
        return PlantDerivatives(*np.split(J, np.cumsum(sizes), axis=-1))

    @method(plant_derivatives.linear_system, t=NUMBER, q="nq", v="nv", x=STATES, u=INPUTS, p=PARAMETERS)
    def linear_system(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None = None,
        *,
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """[A B] (..., n, n + nu) of d/dt (δq, δw, δx) = A (δq, δw, δx) + B δu, n = nv + nw + nx.

        With closures, for tangents that stay on them; A takes that part of others (`closure_projection`).
        """
        ...

    @method(closed_tangents.closure_projection, t=NUMBER, q="nq", v="nv", p=PARAMETERS)
    def closure_projection(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        *,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Π (..., n, n): what becomes of changes (δq, δw, δx) of a state on the closures in `closed_state`."""
        ...

    def linearize(
        self,
        t: float,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None = None,
        *,
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
    ) -> Linearization:
        """The plant near one state as a linear system, with its poles and modes; tangents (δq, δw, δx) by name.

        With closures, of as many tangents as can change independently, which `.names` tells: poles are those of motions
        that the closures allow. `.tangents` gives the others.
        """
        AB = self.linear_system(t, q, v, u, x=x, p=p)
        if AB.ndim != 2:
            expected = "one state; linear_system takes batches"
            raise ModelError.single(
                self.name, "linearize", expected=expected, given=f"a batch {AB.shape[:-2]}"
            )
        n, names = len(self.tangent_names), self.tangent_names
        A, B = AB[:, :n], AB[:, n:]
        if not self.closures:
            return Linearization(A, B, names, self.input_names, np.eye(n), names)
        Π = self.closure_projection(t, q, v, p=p)
        Z, chosen = closed_tangents.independent_tangents(self, Π)  # type: ignore[arg-type]
        own = tuple(names[k] for k in chosen)
        return Linearization(A[chosen] @ Z, B[chosen], own, self.input_names, Z, names)
