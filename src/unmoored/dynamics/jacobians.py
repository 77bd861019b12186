"""Jacobians of frames and their time derivatives; the name says in which frame (theory.md §3, §18)."""

from __future__ import annotations

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import scale
from ..model import Link, Tree
from .joint_crossing import Crossing, columns_outward, crossings, joint_twist
from .kinematics import at_frame, body_poses, pose
from .tree_scans import outward, split_configuration, split_velocity


def selector(tree: Tree, link: Link) -> np.ndarray:
    """Constant (nv_i, nv) matrix that picks a joint's velocity out of v."""
    return np.eye(tree.nv)[link.v]


def body_jacobians(tree: Tree, xs: list[Crossing]) -> list[np.ndarray]:
    """B_i = X̃_i B_parent + S_i·selector (..., 6, nv) of all bodies: V_i = B_i v."""

    def step(link, B, x):
        return columns_outward(x, B) + x.basis @ selector(tree, link)

    return outward(tree, step, np.zeros((6, tree.nv)), xs, unrolled=True)


def body_jacobian_rates(
    tree: Tree, q: np.ndarray, v: np.ndarray
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """(B_i, Ḃ_i), each (..., 6, nv), of all bodies: Ḃ_i = X̃ Ḃ_parent − ad_{S u} X̃ B_parent + Ṡ·selector."""
    xs = crossings(tree, q)

    def step(link, carry, x, q_i, u):
        B, B_dot = carry
        moved = columns_outward(x, B)
        turning = se3.ad(joint_twist(x, u)) @ moved
        rate = columns_outward(x, B_dot) - turning + basis_rate(link, q_i, u) @ selector(tree, link)
        return moved + x.basis @ selector(tree, link), rate

    still = np.zeros((6, tree.nv))
    parts = split_configuration(tree, q), split_velocity(tree, v)
    carries = outward(tree, step, (still, still), xs, *parts, unrolled=True)
    return [B for B, _ in carries], [B_dot for _, B_dot in carries]


def basis_rate(link: Link, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Ṡ (..., 6, nv_i) of one joint; zero for a constant basis."""
    dS = link.joint.basis_derivatives(q)
    return np.zeros((6, link.joint.nv)) if dS is None else np.einsum("...aik,...a->...ik", dS, u)


def jacobian(tree: Tree, q: np.ndarray, frame: str) -> np.ndarray:
    """Body Jacobian (..., 6, nv): twist of the frame at its own origin, in its own axes."""
    return world_and_jacobian(tree, q, frame)[1]


def world_and_jacobian(tree: Tree, q: np.ndarray, frame: str) -> tuple[np.ndarray, np.ndarray]:
    """(pose of the world seen from the frame (..., 4, 4), body Jacobian (..., 6, nv)).

    The columns of a joint are Ad_g S_i, g the pose of its body seen from the frame: from the frame's body to the root
    one pose is carried along, so that the work grows with the joints on the way and not with their square.
    """
    index, on_body = tree.locate(frame)
    xs, columns = crossings(tree, q), {}
    g = se3.inverse(on_body)
    while index >= 0:
        link, x = tree.links[index], xs[index]
        columns[index] = se3.Ad(g) @ x.basis
        g = g @ se3.inverse(x.pose) @ se3.inverse(x.placement)
        index = link.parent
    shapes = [(*q.shape[:-1], 6, link.joint.nv) for link in tree.links]
    found = [np.broadcast_to(columns.get(k, 0.0), shape) for k, shape in enumerate(shapes)]
    J = np.concatenate(found, axis=-1) if found else np.zeros((*q.shape[:-1], 6, 0))
    return np.broadcast_to(g, (*q.shape[:-1], 4, 4)), J


def jacobian_derivative(tree: Tree, q: np.ndarray, v: np.ndarray, frame: str) -> np.ndarray:
    """Time derivative (..., 6, nv) of the body Jacobian at velocity v (..., nv)."""
    index, on_body = tree.locate(frame)
    B_dot = at_frame(body_jacobian_rates(tree, q, v)[1], index, np.zeros((6, tree.nv)), q)
    return se3.Ad(se3.inverse(on_body)) @ B_dot


def spatial_jacobian(tree: Tree, q: np.ndarray, frame: str) -> np.ndarray:
    """Spatial Jacobian (..., 6, nv): twist at the world origin, in world axes."""
    return se3.Ad(pose(tree, q, frame)) @ jacobian(tree, q, frame)


def spatial_jacobian_derivative(tree: Tree, q: np.ndarray, v: np.ndarray, frame: str) -> np.ndarray:
    """Time derivative (..., 6, nv) of the spatial Jacobian: d/dt Ad_g = Ad_g ad_V."""
    J = jacobian(tree, q, frame)
    V = (J @ v[..., None])[..., 0]
    return se3.Ad(pose(tree, q, frame)) @ (jacobian_derivative(tree, q, v, frame) + se3.ad(V) @ J)


def mixed_jacobian(tree: Tree, q: np.ndarray, frame: str) -> np.ndarray:
    """Mixed Jacobian (..., 6, nv): velocity of the frame's origin and angular velocity, both in world axes."""
    return in_world_axes(pose(tree, q, frame)) @ jacobian(tree, q, frame)


def mixed_jacobian_derivative(tree: Tree, q: np.ndarray, v: np.ndarray, frame: str) -> np.ndarray:
    """Time derivative (..., 6, nv) of the mixed Jacobian: Ṙ = R ω̂ in both rows."""
    J = jacobian(tree, q, frame)
    V = (J @ v[..., None])[..., 0]
    spin = np.concatenate([np.zeros_like(V[..., :3], dtype=float), V[..., 3:]], axis=-1)
    return in_world_axes(pose(tree, q, frame)) @ (jacobian_derivative(tree, q, v, frame) + se3.ad(spin) @ J)


def base_jacobian(tree: Tree, q: np.ndarray, frame: str, vehicle: str) -> np.ndarray:
    """Jacobian (..., 6, nv) of the frame's absolute twist, at the vehicle's origin in the vehicle's axes.

    It is [H, J_i] of theory.md §3.
    """
    return se3.Ad(_from_vehicle(tree, q, frame, vehicle)) @ jacobian(tree, q, frame)


def base_jacobian_derivative(
    tree: Tree, q: np.ndarray, v: np.ndarray, frame: str, vehicle: str
) -> np.ndarray:
    """Time derivative (..., 6, nv) of the base Jacobian."""
    J = jacobian(tree, q, frame)
    to_base = se3.Ad(_from_vehicle(tree, q, frame, vehicle))
    V = (J @ v[..., None])[..., 0]
    V_base = (jacobian(tree, q, vehicle) @ v[..., None])[..., 0]
    relative = V - (se3.Ad(se3.inverse(_from_vehicle(tree, q, frame, vehicle))) @ V_base[..., None])[..., 0]
    return to_base @ (jacobian_derivative(tree, q, v, frame) + se3.ad(relative) @ J)


def centre_of_mass_jacobian(tree: Tree, q: np.ndarray) -> np.ndarray:
    """Jacobian (..., 3, nv) of the centre of mass in world axes (m/s per unit velocity)."""
    rows = []
    poses, jacobians = body_poses(tree, q), body_jacobians(tree, crossings(tree, q))
    for link, g, B in zip(tree.links, poses, jacobians, strict=True):
        at_com = B[..., :3, :] - so3.hat(link.com) @ B[..., 3:, :]
        rows.append(scale(link.mass, se3.rotation(g)) @ at_com)
    return sum(rows[1:], rows[0]) / np.asarray(tree.mass)[..., None, None]


def _from_vehicle(tree: Tree, q: np.ndarray, frame: str, vehicle: str) -> np.ndarray:
    return se3.inverse(pose(tree, q, vehicle)) @ pose(tree, q, frame)


def in_world_axes(g: np.ndarray) -> np.ndarray:
    """blockdiag(R, R) (..., 6, 6): turns a twist in a frame's axes, the frame at g (..., 4, 4), into world axes."""
    return se3.Ad(se3.pose(se3.rotation(g), np.zeros_like(se3.position(g), dtype=float)))
