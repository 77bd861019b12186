"""Under-actuated systems and operational space as methods of `System`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..dynamics import operational_space, underactuated
from ..model import ModelError
from .base import NO_GRAVITY, SystemBase

ALL_ROWS = (0, 1, 2, 3, 4, 5)


class UnderactuatedMethods(SystemBase):
    """Systems with passive DoFs (force given) beside the active ones (acceleration given).

    passive: names of joints ("bus") and single DoFs ("bus.vx"). Frames move in their own axes. tau (..., nv)
    are the forces of the passive DoFs, zero if not given; its other entries are ignored. rows: those of the
    six directions (vx, vy, vz, wx, wy, wz) of the frame's acceleration that matter.
    """

    def generalized_jacobian(
        self,
        q: Any,
        frame: str,
        *,
        passive: str | Iterable[str],
        bias: bool = False,
        v: Any = None,
        tau: Any = None,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        backend: str | None = None,
    ) -> Any:
        """J_G (..., 6, n_active): the frame's acceleration per acceleration of the active DoFs.

        bias=True gives (J_G, b), V̇ = J_G a_active + b with b (..., 6) from velocities v, passive forces tau,
        gravity and wrenches.
        """
        self._only_with_bias(bias, v=v, tau=tau, wrenches=wrenches, gravity=gravity)
        dofs = self._dofs(passive)
        J_G = self._run(underactuated.generalized_jacobian, backend, frame, dofs, q=q)
        if not bias:
            return J_G
        forces = self._state(q, v, tau, gravity, wrenches)
        return J_G, self._run(underactuated.acceleration_bias, backend, frame, dofs, **forces)

    def disturbance_jacobian(
        self,
        q: Any,
        *,
        passive: str | Iterable[str],
        bias: bool = False,
        v: Any = None,
        tau: Any = None,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        backend: str | None = None,
    ) -> Any:
        """J_D (..., n_passive, n_active): accelerations of passive DoFs per acceleration of active ones.

        bias=True gives (J_D, b), a_passive = J_D a_active + b with b (..., n_passive) from velocities v,
        passive forces tau, gravity and wrenches.
        """
        self._only_with_bias(bias, v=v, tau=tau, wrenches=wrenches, gravity=gravity)
        dofs = self._dofs(passive)
        J_D = self._run(underactuated.disturbance_jacobian, backend, dofs, q=q)
        if not bias:
            return J_D
        forces = self._state(q, v, tau, gravity, wrenches)
        return J_D, self._run(underactuated.disturbance_bias, backend, dofs, **forces)

    def generalized_jacobian_product(
        self, q: Any, a: Any, frame: str, *, passive: str | Iterable[str], backend: str | None = None
    ) -> np.ndarray:
        """J_G a_active (..., 6) in one O(N) pass; a (..., nv), passive entries are ignored."""
        dofs = self._dofs(passive)
        return self._run(underactuated.generalized_jacobian_product, backend, frame, dofs, q=q, a=a)

    def disturbance_jacobian_product(
        self, q: Any, a: Any, *, passive: str | Iterable[str], backend: str | None = None
    ) -> np.ndarray:
        """J_D a_active (..., n_passive) in one O(N) pass; a (..., nv), passive entries are ignored."""
        return self._run(underactuated.disturbance_jacobian_product, backend, self._dofs(passive), q=q, a=a)

    def active_inertia(
        self, q: Any, *, passive: str | Iterable[str], backend: str | None = None
    ) -> np.ndarray:
        """S_aa (..., n_active, n_active): inertia that active DoFs feel while the passive ones give way."""
        return self._run(underactuated.active_inertia, backend, self._dofs(passive), q=q)

    def plan_task(
        self,
        q: Any,
        v: Any,
        tool_acceleration: Any,
        frame: str,
        *,
        passive: str | Iterable[str],
        tau: Any = None,
        preferred: Any = None,
        damping: Any = 0.0,
        rows: Sequence[int] = ALL_ROWS,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        backend: str | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """(acceleration, tau), both complete (..., nv), that give the frame the acceleration (..., 6).

        Redundant active DoFs stay as close as they can to the accelerations `preferred` (..., nv), zero if
        not given. damping (...) bounds the accelerations near dynamic singularities; with 0 the task is met
        exactly.
        """
        arrays = {
            "q": q,
            "v": v,
            "tau": self._or_zero(tau),
            "tool_acceleration": tool_acceleration,
            "preferred": self._or_zero(preferred),
            "damping": _as_vector(damping),
            "gravity": gravity,
            "wrenches": wrenches,
        }
        static = frame, self._dofs(passive), self._rows(rows)
        return self._run(underactuated.plan_task, backend, *static, **arrays)

    def plan_least_disturbance(
        self,
        q: Any,
        v: Any,
        tool_acceleration: Any,
        frame: str,
        *,
        passive: str | Iterable[str],
        tau: Any = None,
        preferred: Any = None,
        weight: Any = None,
        regularisation: Any = 1e-3,
        damping: Any = 0.0,
        rows: Sequence[int] = ALL_ROWS,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        backend: str | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """(acceleration, tau), both complete (..., nv): the task first, then least motion of passive DoFs.

        preferred (..., nv): accelerations that the passive DoFs should have, and that the active DoFs follow
        with what freedom is left; zero if not given. weight (..., nv): of the passive DoFs, one if not given.
        regularisation (...) > 0: how much the active DoFs' preference counts against the passive DoFs'.
        """
        arrays = {
            "q": q,
            "v": v,
            "tau": self._or_zero(tau),
            "tool_acceleration": tool_acceleration,
            "preferred": self._or_zero(preferred),
            "weight": [1.0] * self.nv if weight is None else weight,
            "regularisation": _as_vector(regularisation),
            "damping": _as_vector(damping),
            "gravity": gravity,
            "wrenches": wrenches,
        }
        static = frame, self._dofs(passive), self._rows(rows)
        return self._run(underactuated.plan_least_disturbance, backend, *static, **arrays)

    def operational_space(
        self,
        q: Any,
        v: Any,
        frame: str,
        *,
        passive: str | Iterable[str] = (),
        gravity: Any = NO_GRAVITY,
        damping: Any = 0.0,
        rows: Sequence[int] = ALL_ROWS,
        backend: str | None = None,
    ) -> operational_space.OperationalSpace:
        """Dynamics Λ V̇ + μ + p = F of the frame, with F applied by the active DoFs as τ = JᵀF.

        J is the Jacobian, or the generalized one where there are passive DoFs.
        Has .inertia, .bias, .gravity, .jacobian, .inverse (dynamically consistent) and .null_space.
        """
        arrays = {"q": q, "v": v, "gravity": gravity, "damping": _as_vector(damping)}
        static = frame, self._dofs(passive), self._rows(rows)
        return self._run(operational_space.operational_space, backend, *static, **arrays)

    def _state(self, q: Any, v: Any, tau: Any, gravity: Any, wrenches: Any) -> dict[str, Any]:
        v, tau = self._or_zero(v), self._or_zero(tau)
        return {"q": q, "v": v, "tau": tau, "gravity": gravity, "wrenches": wrenches}

    def _or_zero(self, x: Any) -> Any:
        return [0.0] * self.nv if x is None else x

    def _dofs(self, names: str | Iterable[str]) -> tuple[int, ...]:
        return tuple(int(dof) for dof in self._tree.dofs(names))

    def _rows(self, rows: Sequence[int]) -> tuple[int, ...]:
        rows = tuple(rows)
        if not rows or len(set(rows)) < len(rows) or not set(rows) <= set(ALL_ROWS):
            raise ModelError.single(
                self.name, "rows", expected="different numbers from 0 to 5", given=repr(rows)
            )
        return rows

    def _only_with_bias(self, bias: bool, **given: Any) -> None:
        unused = [name for name, x in given.items() if x is not None and x is not NO_GRAVITY]
        if unused and not bias:
            raise ModelError.single(
                self.name, ", ".join(unused), expected="only with bias=True", given="bias=False"
            )


def _as_vector(x: Any) -> Any:
    """Numbers (...) as (..., 1); a single number stays a list, of no precision of its own."""
    return [x] if isinstance(x, int | float) else np.asarray(x)[..., None]
