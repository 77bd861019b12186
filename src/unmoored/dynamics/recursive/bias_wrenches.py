"""What the recursions know before any force or acceleration: twists, velocity products, bias wrenches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import apply, blocks, join, scale, scale_vector, transpose
from ...model import Link, Tree
from ...trace import is_zero
from ..joint_crossing import Crossing, joint_twist, twist_outward
from ..kinematics import AT_REST, basis_rate_twist
from ..tree_scans import each, outward, split_configuration, split_velocity
from ..wrenches import Wrenches, body_wrenches


class Motion(NamedTuple):
    """A body's twist V (..., 6) and the acceleration c (..., 6) that its joint adds without any q̈."""

    twist: np.ndarray
    product: np.ndarray


def motions(tree: Tree, xs: list[Crossing], q: np.ndarray, v: np.ndarray) -> list[Motion]:
    """V_i = X̃ V_parent + S u and c_i = ad_{V_i} S u + Ṡ u (..., 6) of all bodies (theory.md §12).

    ad_{Su} Su = 0, so c is formed with the arriving twist alone, and vanishes for a joint on the world.
    """

    def step(link, parent, x, q_i, u):
        arriving, own = twist_outward(x, parent.twist), joint_twist(x, u)
        return Motion(arriving + own, se3.ad_apply(arriving, own) + basis_rate_twist(link.joint, q_i, u))

    at_rest = Motion(AT_REST, AT_REST)
    return outward(tree, step, at_rest, xs, split_configuration(tree, q), split_velocity(tree, v))


def accelerations(
    tree: Tree, xs: list[Crossing], moving: list[Motion], a: np.ndarray, gravity: np.ndarray
) -> list[np.ndarray]:
    """A_i = X̃ A_parent + c_i + S q̈ (..., 6) of all bodies at joint accelerations a (..., nv), gravity's opposite in
    them (`start_acceleration`)."""

    def step(_, A, x, motion, a_i):
        return twist_outward(x, A) + motion.product + joint_twist(x, a_i)

    return outward(tree, step, start_acceleration(gravity), xs, moving, split_velocity(tree, a))


def start_acceleration(gravity: np.ndarray) -> np.ndarray:
    """A_world = (−γ ; 0) (..., 6): a world that accelerates upward weighs on rigid bodies like gravity γ."""
    γ = np.asarray(gravity)
    return join([-γ, np.zeros(3)])


def bias_wrenches(
    tree: Tree,
    xs: list[Crossing],
    twists: list[np.ndarray],
    gravity: np.ndarray,
    wrenches: Wrenches | None,
    light: Tree | None = None,
) -> list[np.ndarray]:
    """β_i = −ad_{V_i}ᵀ I_i V_i − F_ext,i (..., 6), for accelerations that start from `start_acceleration`.

    That start weighs a body with its 6×6 inertia. Weight acts with the dry mass at the centre of mass, so a
    body whose 6×6 is not a rigid body's (added mass) gets the difference here (theory.md §6). light: the tree with the
    inertias that the recursion has (`with_light_bodies`), if they are not the tree's own.
    """

    def step(link, V, weight, F):
        return gyroscopic_wrench(link.inertia, V) + weight - F

    return each(
        light or tree, step, twists, _excess_weights(tree, xs, gravity), body_wrenches(tree, wrenches)
    )


def gyroscopic_wrench(I: np.ndarray, V: np.ndarray) -> np.ndarray:
    """−ad_Vᵀ I V (..., 6) of a symmetric inertia I (6, 6) = [[M, H], [Hᵀ, J]] and a twist V = (v, ω) (..., 6).

    With M = m + E, H = −d̂ + E': (m a + ω × (ω×d + e) ; d × a + v × e + ω × (E'ᵀv + Jω)), a = ω × v, e = Ev
    + E'ω. For a rigid body E and E' vanish exactly, and ω × Jω needs J only up to a multiple of the
    identity.
    """
    v, ω = V[..., :3], V[..., 3:]
    M, H, J = I[..., :3, :3], I[..., :3, 3:], I[..., 3:, 3:]
    m, d = M[..., 0, 0], so3.vee(0.5 * (transpose(H) - H))
    E = H + so3.hat(d)
    a, e = so3.cross(ω, v), apply(_less_identity(M), v) + apply(E, ω)
    force = scale_vector(m, a) + so3.cross(ω, so3.cross(ω, d) + e)
    moment = (
        so3.cross(d, a) + so3.cross(v, e) + so3.cross(ω, apply(transpose(E), v) + apply(_less_identity(J), ω))
    )
    return join([force, moment])


def _less_identity(A: np.ndarray) -> np.ndarray:
    return A - scale(A[..., 0, 0], np.eye(3))


def _excess_weights(tree: Tree, xs: list[Crossing], gravity: np.ndarray) -> list[np.ndarray]:
    """(I[:, :3] − (m ; m ĉ)) R_0iᵀ γ (..., 6) of all bodies: zero for rigid ones."""
    excess = [] if is_zero(gravity) else [link.inertia[..., :3] - _weight_matrix(link) for link in tree.links]
    if all(is_zero(E) for E in excess):
        return [AT_REST] * len(tree.links)
    turned = outward(tree, lambda _, Γ, x: twist_outward(x, Γ), -start_acceleration(gravity), xs)
    return each(tree, lambda _, E, Γ: apply(E, Γ[..., :3]), excess, turned)


def _weight_matrix(link: Link) -> np.ndarray:
    return blocks([[scale(link.mass, np.eye(3))], [scale(link.mass, so3.hat(link.com))]])
