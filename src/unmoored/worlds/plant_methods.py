"""The methods of a plant: the equations of a system in its world, as kernels like those of `System`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from ..dynamics import lagrange_poincare as reduction
from ..dynamics import underactuated
from ..dynamics.closed_form import coriolis
from ..dynamics.lagrange_poincare import LagrangePoincare
from ..dynamics.mass_matrix import mass_matrix
from ..dynamics.operational_space import OperationalSpace
from ..model.identity import digest_of
from ..system import System
from ..system.argument_kinds import (
    ALL_ROWS,
    DOFS,
    FRAME,
    NUMBER,
    PASSIVE_MASK,
    ROWS,
    VEHICLE,
    ArrayOf,
    one_of,
)
from ..system.closed_form_methods import FORM
from ..system.method import Method, method
from ..system.signature_types import Array, ArrayLike, Backend, Names, Out
from . import energy_balance, matrix_form, plant_derivatives, plant_equations, plant_momentum, plant_regressor
from .energy_balance import Energy, Power
from .linearization import Linearization
from .loads import on_wet_tree, velocities_at
from .operational_space_in_world import operational_space_in_world
from .plant_derivatives import PlantDerivatives
from .plant_names import PlantNames
from .plant_parameters import numbers, worlds_at

STATES = ArrayOf("nx", default=lambda plant: np.zeros(plant.nx))
INPUTS = ArrayOf("nu", default=lambda plant: np.zeros(plant.nu))
PARAMETERS = ArrayOf("np", default=lambda plant: plant.nominal_parameters)


class PlantMethods(PlantNames):
    """What a plant offers beside its data. Leading dimensions of arrays are a batch.

    t: time (...) [s].  q (..., nq), v (..., nv): configuration and full velocity.  u (..., nu): inputs, zero if not
    given.  x (..., nx): states of the actuators, zero if not given.  p (..., n): free parameters, as the plant was
    built if not given.
    """

    worlds: Any
    gravity: Any
    stop_stiffness: Any

    def available_parameters(self) -> dict[str, np.ndarray]:
        """Every number of the plant that can be free (`Plant(..., free=[names or globs])`), with its value as built.

        What is free is run-time data: it costs speed (8 masses 1.4 times, all numbers of a 6+7 system 5 times the run).
        """
        known = numbers(self.system.tree, self.worlds, self.actuators or (), self.gravity)
        return {name: value.copy() for name, (_, value) in known.items()}

    def full_velocity(self, t: Any, q: Any, w: Any, p: Any = None) -> np.ndarray:
        """Full velocity v (..., nv) of independent velocities w (..., nw); traceable.

        p (..., n) counts only if a parameter changes a prescribed motion, such as "sea.phases".
        """
        return self._velocities(p).full(t, q, w)

    def independent_velocity(self, q: Any, v: Any) -> np.ndarray:
        """Independent velocities w (..., nw) of a full velocity v (..., nv); traceable."""
        return self.velocities.independent(q, v)

    def configuration(self, t: Any, q: Any, p: Any = None) -> np.ndarray:
        """q (..., nq) with prescribed joints where they are at time t (and parameters p, see `full_velocity`)."""
        return self._velocities(p).configuration(t, q)

    def _velocities(self, p: Any) -> Any:
        if p is None:
            return self.velocities
        return velocities_at(self, worlds_at(self.worlds, self.declared, p))  # type: ignore[arg-type]

    @method(on_wet_tree(mass_matrix), p=PARAMETERS, q="nq")
    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """M (..., nv, nv) with added mass."""
        ...

    @method(on_wet_tree(coriolis.coriolis_matrix), p=PARAMETERS, q="nq", v="nv", form=FORM)
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

    @method(energy_balance.energy, returns=Energy, t=NUMBER, q="nq", v="nv", x=STATES, p=PARAMETERS)
    def energy(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        *,
        x: ArrayLike | None = None,
        p: ArrayLike | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Energy:
        """`.kinetic` with added mass, `.potential` of weight, buoyancy, springs and tide, `.total`, each (...) [J]."""
        ...

    @method(
        energy_balance.power,
        returns=Power,
        t=NUMBER,
        q="nq",
        v="nv",
        x=STATES,
        u=INPUTS,
        p=PARAMETERS,
    )
    def power(
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
    ) -> Power:
        """Where the energy comes from and goes, each (...) [W]; `.total` is the rate of `energy(...).total`."""
        ...

    @method(
        plant_momentum.momentum,
        t=NUMBER,
        q="nq",
        v="nv",
        x=STATES,
        p=PARAMETERS,
        about=one_of("point (about=…)", "world", "com"),
    )
    def momentum(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        x: ArrayLike | None = None,
        *,
        p: ArrayLike | None = None,
        about: str = "world",
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Momentum (..., 6) in world axes, (linear, angular), with added mass (in water: the impulse) and wheels.

        about: the point of the angular part, "world" (its origin) or "com" (the centre of the bodies' own mass).
        """
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
        """[A B] (..., n, n + nu) of d/dt (δq, δw, δx) = A (δq, δw, δx) + B δu, n = nv + nw + nx."""
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
        """The plant near one state as a linear system, with its poles and modes; tangents (δq, δw, δx) by name."""
        AB = self.linear_system(t, q, v, u, x=x, p=p)
        n = len(self.tangent_names)
        return Linearization(AB[..., :n], AB[..., n:], self.tangent_names, self.input_names)

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

    @method(
        on_wet_tree(underactuated.generalized_jacobian),
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

    @method(on_wet_tree(underactuated.disturbance_jacobian), p=PARAMETERS, q="nq", passive=DOFS)
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
        """Dynamics Λ V̇ + μ + p = F of the frame with added mass.

        `.bias` is what velocities add, drag included; `.gravity` all that acts at rest.
        """
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

    @cached_property
    def wet_system(self) -> System:
        """The system with added mass (and without what reaction wheels take out) in its inertias; no buoyancy."""
        return System(self.tree)

    @method(
        on_wet_tree(reduction.lagrange_poincare),
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

    def reference(self, method: Method, arrays: list[Any], names: tuple[Any, ...]) -> Any:
        """The method in NumPy, one sample after the other where free numbers vary over a batch."""
        given = dict(zip(method.arrays, arrays, strict=True))
        if not self.declared or np.ndim(given["p"]) < 2:
            return method.function(self, *arrays, *names)
        return _by_sample(lambda *one: method.function(self, *one, *names), given)

    @property
    def subject(self) -> Any:
        """What the functions behind the methods are functions of."""
        return self

    @cached_property
    def digest(self) -> str | None:
        """Digest of everything that the equations depend on; None if a function of the user's is part of it."""
        content = self.worlds, self.actuators, self.constraints, self.prescribed, self.free, self.joints  # type: ignore[attr-defined]
        return None if self.tree.digest is None else digest_of(self.tree.digest, content)


def _by_sample(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    """function(*arrays) of one sample after the other; the time t has no dimension of its own."""
    cores = [0 if name == "t" else 1 for name in given]
    arrays = [np.asarray(x) for x in given.values()]
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - n] for x, n in zip(arrays, cores, strict=True)))
    full = [np.broadcast_to(x, (*batch, *x.shape[x.ndim - n :])) for x, n in zip(arrays, cores, strict=True)]
    results = [function(*(x[i] for x in full)) for i in np.ndindex(batch)]
    if not isinstance(results[0], tuple):
        return np.reshape(results, (*batch, *np.shape(results[0])))
    parts = [np.reshape(part, (*batch, *np.shape(part[0]))) for part in zip(*results, strict=True)]
    return type(results[0])(*parts) if hasattr(results[0], "_fields") else tuple(parts)
