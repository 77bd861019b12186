"""Properties of a system's equations as methods of `System`. All of them are NumPy functions of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..dynamics import properties
from ..model import ModelError, Tree
from .argument_kinds import (
    ALL_ROWS,
    DOFS,
    FLAG,
    FRAME,
    GRAVITY,
    NO_GRAVITY,
    ROWS,
    VEHICLE,
    WRENCHES,
    Named,
    Owner,
    checked_array,
)
from .closed_form_methods import FORM
from .method import method
from .signature_types import Array, ArrayLike, Names, Wrenches
from .system_data import SystemData


def _passive(owner: Owner, names: Any) -> tuple[str, ...]:
    DOFS.read(owner, names)
    return (names,) if isinstance(names, str) else tuple(names)


_PASSIVE = Named(_passive)


def _conditioning(tree: Tree, q: Any, scaled: bool) -> Any:
    return properties.conditioning(tree, q, scaled=scaled)


class PropertyMethods(SystemData):
    """Boundedness, skew-symmetry, passivity, conditioning, coupling, singularities and balances."""

    @method(properties.inertia_bounds, numpy_only=True, q="nq")
    def inertia_bounds(self, q: ArrayLike) -> properties.InertiaBounds:
        """Smallest and largest eigenvalues of the mass matrix over samples q (samples, nq)."""
        ...

    @method(_conditioning, numpy_only=True, q="nq", scaled=FLAG)
    def conditioning(self, q: ArrayLike, *, scaled: bool = True) -> Array:
        """Condition number (...) of the mass matrix; scaled to unit diagonal it does not depend on units."""
        ...

    @method(properties.skew_symmetry_defect, numpy_only=True, q="nq", v="nv", form=FORM)
    def skew_symmetry_defect(self, q: ArrayLike, v: ArrayLike, *, form: str = "skew") -> Array:
        """Largest entry (...) of N + Nᵀ, N = Ṁ − 2C, relative to Ṁ and 2C, for a form of C."""
        ...

    @method(
        properties.power_balance,
        numpy_only=True,
        q="nq",
        v="nv",
        a="nv",
        gravity=GRAVITY,
        wrenches=WRENCHES,
    )
    def power_balance(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
    ) -> Array:
        """Power supplied minus rate of the total energy (...) [W] at accelerations a (..., nv): zero."""
        ...

    @method(properties.coupling, numpy_only=True, q="nq", vehicle=VEHICLE)
    def coupling(self, q: ArrayLike, *, vehicle: str | None = None) -> properties.Coupling:
        """Inertial coupling between a vehicle and all other joints at q (..., nq)."""
        ...

    @method(properties.dynamic_singularity, numpy_only=True, q="nq", frame=FRAME, passive=_PASSIVE, rows=ROWS)
    def dynamic_singularity(
        self, q: ArrayLike, frame: str, *, passive: Names, rows: Iterable[int] = ALL_ROWS
    ) -> properties.DynamicSingularity:
        """How near the generalized Jacobian of a frame is to losing rank at q (..., nq), for these rows of its V̇."""
        ...

    def energy_balance(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        *,
        tau: ArrayLike | None = None,
        gravity: ArrayLike = NO_GRAVITY,
    ) -> properties.Balance:
        """Total energy along T samples t (...), q (..., nq), v (..., nv) against the work of tau (..., nv) [J]."""
        work = None if tau is None else self._array("tau", tau, self.nv)
        return properties.energy_balance(
            self._tree, *self._motion(t, q, v), work, self._array("gravity", gravity, 3)
        )

    def momentum_balance(
        self, t: ArrayLike, q: ArrayLike, v: ArrayLike, *, wrench: ArrayLike | None = None
    ) -> properties.Balance:
        """World momentum along T samples t (...), q (..., nq), v (..., nv) against the impulse of a wrench (..., 6)."""
        pushed = None if wrench is None else self._array("wrench", wrench, 6)
        return properties.momentum_balance(self._tree, *self._motion(t, q, v), pushed)

    def _motion(self, t: ArrayLike, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array, Array]:
        """t (T,), q (T, nq), v (T, nv) of at least two samples."""
        times = checked_array(self.name, "t", t, ())
        state = self._array("q", q, self.nq), self._array("v", v, self.nv)
        if times.ndim != 1 or len(times) < 2 or any(x.shape[:-1] != times.shape for x in state):
            expected = "one time, q and v for each of at least two samples"
            given = f"t {times.shape}, q {state[0].shape}, v {state[1].shape}"
            raise ModelError.single(self.name, "motion", expected=expected, given=given)
        return times, *state
