"""Under-actuated systems and operational space as methods of `System`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, overload

import numpy as np

from ..dynamics import operational_space as task_space
from ..dynamics import underactuated
from ..dynamics.operational_space import OperationalSpace
from ..dynamics.underactuated.reaction_null_space import ReactionNullSpace
from ..model import ModelError, Tree
from ..model.renamed import renamed_arguments
from .argument_kinds import (
    ALL_ROWS,
    DOFS,
    FLAG,
    FRAME,
    GRAVITY,
    NO_GRAVITY,
    NUMBER,
    ROWS,
    WRENCHES,
    ArrayOf,
    Named,
    Owner,
    optional,
)
from .method import method
from .signature_types import Array, ArrayLike, Backend, Names, Out, Wrenches
from .system_data import SystemData


def _only_with_bias(owner: Owner, given: Mapping[str, Any]) -> None:
    """Velocities and forces have a meaning only for the bias."""
    unused = [name for name in ("v", "tau", "wrenches") if given[name] is not None]
    unused += ["gravity"] if given["gravity"] is not NO_GRAVITY else []
    if unused and not FLAG.read(owner, given["bias"]):
        expected = "only with bias=True"
        raise ModelError.single(owner.name, ", ".join(unused), expected=expected, given="bias=False")


def _generalized_jacobian(
    tree: Tree, q: Any, v: Any, tau: Any, gravity: Any, wrenches: Any, frame: str, passive: Any, bias: bool
) -> Any:
    J_G = underactuated.generalized_jacobian(tree, q, frame, passive)
    if not bias:
        return J_G
    return J_G, underactuated.acceleration_bias(tree, q, v, tau, gravity, wrenches, frame, passive)


def _disturbance_jacobian(
    tree: Tree, q: Any, v: Any, tau: Any, gravity: Any, wrenches: Any, passive: Any, bias: bool
) -> Any:
    J_D = underactuated.disturbance_jacobian(tree, q, passive)
    if not bias:
        return J_D
    return J_D, underactuated.disturbance_bias(tree, q, v, tau, gravity, wrenches, passive)


#: passive DoFs that stay at rest, all of them if None
_AT_REST = Named(lambda owner, names: None if names is None else DOFS.read(owner, names))
_WEIGHT = ArrayOf("nv", default=lambda owner: np.ones(owner.tree.nv))


class UnderactuatedMethods(SystemData):
    """Systems with passive DoFs (force given) beside the active ones (acceleration given).

    passive: names of joints ("bus") and single DoFs ("bus.vx"). Frames move in their own axes. tau (..., nv)
    are the forces of the passive DoFs, zero if not given; its other entries are ignored. rows: those of the
    six directions (vx, vy, vz, wx, wy, wz) of the frame's acceleration that matter.
    """

    @overload
    def generalized_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        *,
        passive: Names,
        bias: Literal[False] = False,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array: ...

    @overload
    def generalized_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        *,
        passive: Names,
        bias: Literal[True],
        v: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> tuple[Array, Array]: ...

    @method(
        _generalized_jacobian,
        check=_only_with_bias,
        q="nq",
        v=optional("nv"),
        tau=optional("nv"),
        gravity=GRAVITY,
        wrenches=WRENCHES,
        frame=FRAME,
        passive=DOFS,
        bias=FLAG,
    )
    def generalized_jacobian(
        self,
        q: ArrayLike,
        frame: str,
        *,
        passive: Names,
        bias: bool = False,
        v: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Any:
        """J_G (..., 6, n_active): the frame's acceleration per acceleration of the active DoFs.

        bias=True gives (J_G, b), V̇ = J_G a_active + b with b (..., 6) from velocities v, passive forces tau,
        gravity and wrenches.
        """
        ...

    @overload
    def disturbance_jacobian(
        self,
        q: ArrayLike,
        *,
        passive: Names,
        bias: Literal[False] = False,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array: ...

    @overload
    def disturbance_jacobian(
        self,
        q: ArrayLike,
        *,
        passive: Names,
        bias: Literal[True],
        v: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> tuple[Array, Array]: ...

    @method(
        _disturbance_jacobian,
        check=_only_with_bias,
        q="nq",
        v=optional("nv"),
        tau=optional("nv"),
        gravity=GRAVITY,
        wrenches=WRENCHES,
        passive=DOFS,
        bias=FLAG,
    )
    def disturbance_jacobian(
        self,
        q: ArrayLike,
        *,
        passive: Names,
        bias: bool = False,
        v: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Any:
        """J_D (..., n_passive, n_active): accelerations of passive DoFs per acceleration of active ones.

        bias=True gives (J_D, b), a_passive = J_D a_active + b with b (..., n_passive) from velocities v,
        passive forces tau, gravity and wrenches.
        """
        ...

    @method(underactuated.generalized_jacobian_product, q="nq", a="nv", frame=FRAME, passive=DOFS)
    def generalized_jacobian_product(
        self,
        q: ArrayLike,
        a: ArrayLike,
        frame: str,
        *,
        passive: Names,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """J_G a_active (..., 6) in one O(N) pass; a (..., nv), passive entries are ignored."""
        ...

    @method(underactuated.disturbance_jacobian_product, q="nq", a="nv", passive=DOFS)
    def disturbance_jacobian_product(
        self,
        q: ArrayLike,
        a: ArrayLike,
        *,
        passive: Names,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """J_D a_active (..., n_passive) in one O(N) pass; a (..., nv), passive entries are ignored."""
        ...

    @method(underactuated.active_inertia, q="nq", passive=DOFS)
    def active_inertia(
        self, q: ArrayLike, *, passive: Names, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """S_aa (..., n_active, n_active): inertia that active DoFs feel while the passive ones give way."""
        ...

    @method(underactuated.force_transmission, q="nq", passive=DOFS)
    def force_transmission(
        self, q: ArrayLike, *, passive: Names, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """S_ap = M_ap M_pp⁻¹ (..., n_active, n_passive): forces that hold active DoFs per force on passive ones."""
        ...

    @method(underactuated.passive_mobility, q="nq", passive=DOFS)
    def passive_mobility(
        self, q: ArrayLike, *, passive: Names, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """S_pp = M_pp⁻¹ (..., n_passive, n_passive): accelerations of passive DoFs per force on them, others held."""
        ...

    @method(underactuated.mixed_generalized_jacobian, q="nq", frame=FRAME, passive=DOFS)
    def mixed_generalized_jacobian(
        self, q: ArrayLike, frame: str, *, passive: Names, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """J_G (..., 6, n_active) of the frame's origin and of its turning, in world axes (see `mixed_jacobian`)."""
        ...

    @method(
        underactuated.reaction_null_space,
        returns=ReactionNullSpace,
        q="nq",
        damping=NUMBER,
        passive=DOFS,
        at_rest=_AT_REST,
    )
    def reaction_null_space(
        self,
        q: ArrayLike,
        *,
        passive: Names,
        at_rest: Names | None = None,
        damping: ArrayLike = 0.0,
        backend: Backend | None = None,
        out: Out = None,
    ) -> ReactionNullSpace:
        """Motions of the active DoFs that leave passive ones at rest: `.projector`, `.inverse`, `.jacobian`.

        at_rest: which of the passive DoFs (all if None), such as ["bus.wx", "bus.wy", "bus.wz"] for the attitude.
        damping λ (...) bounds J⁺ = Jᵀ(JJᵀ + λ²)⁻¹; with 0 the projector is exact where J has full row rank.
        """
        ...

    @method(underactuated.reaction_null_space_basis, numpy_only=True, q="nq", passive=DOFS, at_rest=_AT_REST)
    def reaction_null_space_basis(
        self, q: ArrayLike, *, passive: Names, at_rest: Names | None = None
    ) -> Array:
        """Orthonormal columns (..., n, n − k) of active motions that leave `at_rest` alone; not continuous in q."""
        ...

    @method(
        underactuated.plan_task,
        q="nq",
        v="nv",
        tau=optional("nv"),
        tool_acceleration=6,
        preferred=optional("nv"),
        damping=NUMBER,
        gravity=GRAVITY,
        wrenches=WRENCHES,
        frame=FRAME,
        passive=DOFS,
        rows=ROWS,
    )
    def plan_task(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tool_acceleration: ArrayLike,
        frame: str,
        *,
        passive: Names,
        tau: ArrayLike | None = None,
        preferred: ArrayLike | None = None,
        damping: ArrayLike = 0.0,
        rows: Iterable[int] = ALL_ROWS,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> tuple[Array, Array]:
        """(acceleration, tau), both complete (..., nv), that give the frame the acceleration (..., 6).

        Redundant active DoFs stay as close as they can to the accelerations `preferred` (..., nv), zero if
        not given. damping (...) bounds the accelerations near dynamic singularities; with 0 the task is met
        exactly.
        """
        ...

    @renamed_arguments(regularisation="regularization")
    @method(
        underactuated.plan_least_disturbance,
        q="nq",
        v="nv",
        tau=optional("nv"),
        tool_acceleration=6,
        preferred=optional("nv"),
        weight=_WEIGHT,
        regularization=NUMBER,
        damping=NUMBER,
        gravity=GRAVITY,
        wrenches=WRENCHES,
        frame=FRAME,
        passive=DOFS,
        rows=ROWS,
    )
    def plan_least_disturbance(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tool_acceleration: ArrayLike,
        frame: str,
        *,
        passive: Names,
        tau: ArrayLike | None = None,
        preferred: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        regularization: ArrayLike = 1e-3,
        damping: ArrayLike = 0.0,
        rows: Iterable[int] = ALL_ROWS,
        gravity: ArrayLike = NO_GRAVITY,
        wrenches: Wrenches | None = None,
        backend: Backend | None = None,
        out: Out = None,
    ) -> tuple[Array, Array]:
        """(acceleration, tau), both complete (..., nv): the task first, then least motion of passive DoFs.

        preferred (..., nv): accelerations that the passive DoFs should have, and that the active DoFs follow
        with what freedom is left; zero if not given. weight (..., nv): of the passive DoFs, one if not given.
        regularization (...) > 0: how much the active DoFs' preference counts against the passive DoFs'.
        """
        ...

    @method(
        task_space.operational_space,
        returns=OperationalSpace,
        q="nq",
        v="nv",
        gravity=GRAVITY,
        damping=NUMBER,
        frame=FRAME,
        passive=DOFS,
        rows=ROWS,
    )
    def operational_space(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        *,
        passive: Names = (),
        gravity: ArrayLike = NO_GRAVITY,
        damping: ArrayLike = 0.0,
        rows: Iterable[int] = ALL_ROWS,
        backend: Backend | None = None,
        out: Out = None,
    ) -> OperationalSpace:
        """Dynamics Λ V̇ + μ + p = F of the frame at q (..., nq), v (..., nv), F applied by the active DoFs as τ = JᵀF.

        J is the Jacobian, or the generalized one where there are passive DoFs.
        Has .inertia, .bias, .gravity, .jacobian, .inverse (dynamically consistent) and .null_space.
        """
        ...
