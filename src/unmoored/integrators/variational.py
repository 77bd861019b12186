"""A variational integrator: order 2, keeps the momentum of every symmetry to rounding (theory.md §16).

All products are per joint block. With Q_m = Q exp(hν/2), p = M(Q_m)ν and the force G at Q_m (gradient of the kinetic
energy plus everything that is applied), π = p + h/2 dexp(hν/2)ᵀ G; ν solves

    P = dexp⁻¹(−hν)ᵀ π − h Ad_{exp(−hν/2)}ᵀ G,    then   Q⁺ = Q exp(hν),   P⁺ = dexp⁻¹(hν)ᵀ π.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.configuration import retract
from ..dynamics.configuration_derivatives import Ad_exp_inverse, commutes, dexp, dexp_inv
from ..dynamics.economy.cheap_frames import in_cheap_frames
from ..dynamics.joint_crossing import crossings, joint_force, wrench_inward
from ..dynamics.mass_matrix import mass_matrix
from ..dynamics.recursive import inverse_dynamics, inverse_mass
from ..dynamics.recursive.bias_wrenches import motions
from ..dynamics.tree_scans import inward, split_configuration, split_velocity
from ..lie import se3
from ..lie.arrays import apply, join, solved, transpose
from ..model import Link, ModelError, Tree
from ..trace import is_zero, repeat
from .iteration import ITERATIONS
from .state import RightHandSide, State, renormalised

_NO_GRAVITY = np.zeros(3)


def variational_step(
    tree: Tree,
    f: RightHandSide,
    t: Any,
    y: State,
    h: Any,
    iterations: int = ITERATIONS,
    embedding: np.ndarray | None = None,
) -> tuple[State, np.ndarray]:
    """One step of size h (s), and what its equation is off by (..., nv + nx), in the units of v and x.

    The velocities w must be all of v, or v = E w with a constant embedding E (..., nv, nw) of joints with one DoF that
    follow others: then the equations are those of Eᵀp, Eᵀπ and EᵀG. No other constraints, no prescribed joints. The
    equation is solved by Newton's method with M(Q) for its derivative, from which that differs by terms with h: every
    iteration gains a factor like h.
    """
    whole = independent(tree, embedding)
    P, speeds = whole.momenta(momentum(tree, y.q, whole.velocities(y.w))), whole.inverse_mass(y.q)

    def run(_: Any, carry: _Found) -> _Found:
        w, x_dot = carry.w + carry.left, carry.x_dot
        ν = whole.velocities(w)
        q_m = retract(tree, y.q, 0.5 * h * ν)
        rate = f(t + 0.5 * h, State(q_m, w, y.x + 0.5 * h * x_dot))
        π, G = midpoint_momentum(tree, q_m, ν, whole.velocities(rate.w_dot), h)
        left = speeds(P - whole.momenta(left_momentum(tree, ν, π, G, h)))
        return _Found(w, left, π, rate.x_dot, x_dot)

    none, still = np.zeros(y.x.shape[-1]), 0.0 * y.w
    found = _Found(*repeat(run, _Found(y.w, still, whole.velocities(still), none, none), iterations))
    ν = whole.velocities(found.w)
    q = renormalised(tree, retract(tree, y.q, h * ν))
    P_next = per_joint(
        tree, lambda link, ν_i, π_i: apply(transpose(dexp_inv(link, h * ν_i)), π_i), ν, found.π
    )
    left = join([whole.velocities(found.left), 0.5 * h * (found.x_dot - found.x_dot_before)])
    return State(q, whole.inverse_mass(q)(whole.momenta(P_next)), y.x + h * found.x_dot), left


def independent(tree: Tree, embedding: np.ndarray | None) -> Whole | Embedded:
    """How independent velocities make up all of v: they are v, or v = E w with an embedding E (..., nv, nw)."""
    return Whole(tree) if embedding is None else Embedded(tree, embedding)


class _Found(NamedTuple):
    """w, the change of w that its residual asks for, π, and ẋ with that of the iteration before."""

    w: np.ndarray
    left: np.ndarray
    π: np.ndarray
    x_dot: np.ndarray
    x_dot_before: np.ndarray


@dataclass(frozen=True)
class Whole:
    """All of v is independent."""

    tree: Tree

    def velocities(self, w: np.ndarray) -> np.ndarray:
        """v (..., nv) of w."""
        return w

    def momenta(self, p: np.ndarray) -> np.ndarray:
        """Momenta of w from those of v."""
        return p

    def inverse_mass(self, q: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """p (..., nv) → M⁻¹p."""
        return inverse_mass(self.tree, q)


@dataclass(frozen=True)
class Embedded:
    """v = E w with a constant E (..., nv, nw)."""

    tree: Tree
    embedding: np.ndarray

    def velocities(self, w: np.ndarray) -> np.ndarray:
        """E w (..., nv)."""
        return apply(self.embedding, w)

    def momenta(self, p: np.ndarray) -> np.ndarray:
        """Eᵀp (..., nw)."""
        return apply(transpose(self.embedding), p)

    def inverse_mass(self, q: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """p (..., nw) → (EᵀME)⁻¹p."""
        E = self.embedding
        M = transpose(E) @ mass_matrix(self.tree, q) @ E
        return lambda p: solved(M, p)


def check_suits(tree: Tree) -> None:
    """Refuse a tree in which a non-commuting joint has armature: a drive's inertia is no part of the momentum map."""
    for link in tree.links:
        if not is_zero(link.armature) and not commutes(link):
            expected = "no armature on a joint whose motions do not commute (variational integrator)"
            raise ModelError.single(
                link.name, "armature", expected=expected, given=str(link.armature.tolist())
            )


def kinetic_gradient(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """½ vᵀ ∂_k M v (..., nv) along retract, in O(N).

    Moving joint k turns the twist V' that arrives there from below against all that is outboard: with the
    momentum H of the subtree it is Sᵀ ad_{V'}ᵀ H, plus Hᵀ ∂S v for a varying basis.
    """
    tree, _ = in_cheap_frames(tree, q)
    xs = crossings(tree, q)
    twists = [motion.twist for motion in motions(tree, xs, q, v)]

    def step(link, arriving, x, V, q_i, u):
        H = arriving[0] + apply(link.inertia, V)
        below = V - apply(x.basis, u)
        gradient = joint_force(x, se3.ad_transpose_apply(below, H))
        dS = link.joint.basis_derivatives(q_i)
        varying = 0.0 if dS is None else np.einsum("...aik,...i,...k->...a", dS, H, u)
        return (wrench_inward(x, H),), gradient + varying

    parts = (twists, split_configuration(tree, q), split_velocity(tree, v))
    kept, _ = inward(tree, step, (np.zeros(6),), xs, *parts)
    return join(kept)


def momentum(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """M(q) v (..., nv)."""
    return inverse_dynamics(tree, q, 0.0 * v, v, _NO_GRAVITY)


def midpoint_momentum(
    tree: Tree, q: np.ndarray, ν: np.ndarray, a: np.ndarray, h: Any
) -> tuple[np.ndarray, np.ndarray]:
    """(π, G): everything applied is what the accelerations a take, M a + C ν."""
    p = momentum(tree, q, ν)
    G = kinetic_gradient(tree, q, ν) + inverse_dynamics(tree, q, ν, a, _NO_GRAVITY)
    pushed = per_joint(tree, lambda link, ν_i, G_i: apply(transpose(dexp(link, 0.5 * h * ν_i)), G_i), ν, G)
    return p + 0.5 * h * pushed, G


def left_momentum(tree: Tree, ν: np.ndarray, π: np.ndarray, G: np.ndarray, h: Any) -> np.ndarray:
    """The momentum (..., nv) that a step with ν must begin with."""

    def block(link: Link, ν_i: np.ndarray, π_i: np.ndarray, G_i: np.ndarray) -> np.ndarray:
        carried = apply(transpose(dexp_inv(link, -h * ν_i)), π_i)
        return carried - h * apply(transpose(Ad_exp_inverse(link, 0.5 * h * ν_i)), G_i)

    return per_joint(tree, block, ν, π, G)


def per_joint(tree: Tree, block: Callable[..., np.ndarray], *vectors: np.ndarray) -> np.ndarray:
    """block(link, …) of every joint's parts of vectors (..., nv), joined."""
    parts = [split_velocity(tree, x) for x in vectors]
    return join([block(link, *(part[link.index] for part in parts)) for link in tree.links])
