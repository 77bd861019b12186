"""Poses, velocities and accelerations of bodies and frames, and the centre of mass (theory.md §3, §18)."""

from __future__ import annotations

import numpy as np

from ..lie import se3
from ..lie.arrays import apply, scale_vector
from ..model import Joint, Tree
from .joint_crossing import Crossing, crossings, joint_twist, relative_pose, twist_outward
from .tree_scans import each, outward, split_configuration, split_velocity, total

ORIGIN = np.eye(4)
AT_REST = np.zeros(6)


def body_poses(tree: Tree, q: np.ndarray) -> list[np.ndarray]:
    """World poses g_0i (..., 4, 4) of all bodies at q (..., nq)."""
    return outward(tree, lambda _, g, x: g @ relative_pose(x), ORIGIN, crossings(tree, q))


def body_velocities(tree: Tree, q: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    """Body twists V_i (..., 6) of all bodies, each in its own frame, at velocity v (..., nv)."""
    return velocities_across(tree, crossings(tree, q), v)


def velocities_across(tree: Tree, xs: list[Crossing], v: np.ndarray) -> list[np.ndarray]:
    """V_i = X̃_i V_parent + S_i u_i (..., 6) for all bodies, from crossings already at hand."""

    def step(_, V, x, u):
        return twist_outward(x, V) + joint_twist(x, u)

    return outward(tree, step, AT_REST, xs, split_velocity(tree, v))


def velocity_products(
    tree: Tree, xs: list[Crossing], q: np.ndarray, v: np.ndarray, Vs: list[np.ndarray]
) -> list[np.ndarray]:
    """c_i = ad_{V_i} S_i u_i + Ṡ_i u_i (..., 6): what a joint adds to V̇_i without any acceleration (theory.md §12)."""

    def step(link, x, q_i, u, V):
        return se3.ad_apply(V, joint_twist(x, u)) + basis_rate_twist(link.joint, q_i, u)

    return each(tree, step, xs, split_configuration(tree, q), split_velocity(tree, v), Vs)


def basis_rate_twist(joint: Joint, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Ṡ u (..., 6) of one joint; zero for a constant basis."""
    dS = joint.basis_derivatives(q)
    return AT_REST if dS is None else np.einsum("...aik,...a,...k->...i", dS, u, u)


def body_accelerations(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> list[np.ndarray]:
    """Derivatives V̇_i (..., 6) of the body twists, each in its own frame, at acceleration a (..., nv)."""
    xs = crossings(tree, q)
    Vs = velocities_across(tree, xs, v)
    cs = velocity_products(tree, xs, q, v, Vs)

    def step(_, A, x, a_i, c):
        return twist_outward(x, A) + joint_twist(x, a_i) + c

    return outward(tree, step, AT_REST, xs, split_velocity(tree, a), cs)


def pose(tree: Tree, q: np.ndarray, frame: str) -> np.ndarray:
    """World pose (..., 4, 4) of a frame or body at q (..., nq)."""
    index, on_body = tree.locate(frame)
    return at_frame(body_poses(tree, q), index, ORIGIN, q) @ on_body


def velocity(tree: Tree, q: np.ndarray, v: np.ndarray, frame: str) -> np.ndarray:
    """Body twist (..., 6) of a frame or body, in that frame's own axes."""
    index, on_body = tree.locate(frame)
    return se3.Ad_inv_apply(on_body, at_frame(body_velocities(tree, q, v), index, AT_REST, q))


def acceleration(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray, frame: str) -> np.ndarray:
    """Time derivative (..., 6) of the body twist of a frame or body, in that frame's own axes."""
    index, on_body = tree.locate(frame)
    return se3.Ad_inv_apply(on_body, at_frame(body_accelerations(tree, q, v, a), index, AT_REST, q))


def centre_of_mass(tree: Tree, q: np.ndarray) -> np.ndarray:
    """Centre of mass (..., 3) of the whole system in world axes (m), without added mass."""

    def moment(link, g):
        return scale_vector(link.mass, se3.position(g) + apply(se3.rotation(g), link.com))

    return total(each(tree, moment, body_poses(tree, q))) / np.asarray(tree.mass)[..., None]


def at_frame(values: list[np.ndarray], index: int, at_world: np.ndarray, q: np.ndarray) -> np.ndarray:
    """values[index], or for index −1 the world's value broadcast over the batch of q (..., nq)."""
    if index >= 0:
        return values[index]
    return np.broadcast_to(at_world, (*q.shape[:-1], *at_world.shape))
