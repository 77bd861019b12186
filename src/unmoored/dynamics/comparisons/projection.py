"""Integration in the numbers of the rotation matrices, projected back onto the group.

From et al. 2010, after eq. (88). q̇ = (Ṙ, ṗ) = (R ω̂, R v) is integrated like any other vector; the matrices
leave the group with the integrator's own error and are put back after each step. It works for every tree.
"""

from __future__ import annotations

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import join
from ...model import Link, Tree
from ...model.joints import SubgroupJoint, numbers_from_pose, pose_from_numbers
from ..recursive import forward_dynamics
from ..tree_scans import split_configuration, split_velocity
from .classic_runge_kutta import rk4_step


def configuration_rates(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """q̇ (..., nq) of the stored numbers: ḣ = h hat(S u) for poses, u for coordinates."""
    parts = zip(tree.links, split_configuration(tree, q), split_velocity(tree, v), strict=True)
    return join([_joint_rate(link, q_i, u) for link, q_i, u in parts])


def projected(tree: Tree, q: np.ndarray) -> np.ndarray:
    """q (..., nq) with every stored rotation replaced by the nearest one. Numbers only."""
    return join(
        [_projected(link, q_i) for link, q_i in zip(tree.links, split_configuration(tree, q), strict=True)]
    )


def group_defect(tree: Tree, q: np.ndarray) -> np.ndarray:
    """Largest entry of |RᵀR − 1| (...) over all stored rotations."""
    defects = [
        _defect(q_i)
        for link, q_i in zip(tree.links, split_configuration(tree, q), strict=True)
        if _is_pose(link)
    ]
    return np.max(np.stack(defects), axis=0) if defects else np.zeros(q.shape[:-1])


def matrix_rates(tree: Tree, y: np.ndarray, tau: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """ẏ of y = (q, ν) (..., nq + nv) under forces tau (..., nv) and gravity (..., 3) in world axes [m/s²]."""
    q, v = y[..., : tree.nq], y[..., tree.nq :]
    return np.concatenate(
        [configuration_rates(tree, q, v), forward_dynamics(tree, q, v, tau, gravity)], axis=-1
    )


def projected_step(
    tree: Tree, y: np.ndarray, tau: np.ndarray, gravity: np.ndarray, step: float
) -> np.ndarray:
    """One Runge–Kutta step of `step` seconds of y = (q, ν) (..., nq + nv), then the projection.

    Constant forces tau (..., nv), gravity (..., 3) in world axes [m/s²]. Numbers only.
    """
    y = rk4_step(lambda y: matrix_rates(tree, y, tau, gravity), y, step)
    return np.concatenate([projected(tree, y[..., : tree.nq]), y[..., tree.nq :]], axis=-1)


def _is_pose(link: Link) -> bool:
    return isinstance(link.joint, SubgroupJoint) and link.joint.nv > 1


def _joint_rate(link: Link, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    if not _is_pose(link):
        return u
    R, twist = se3.rotation(pose_from_numbers(q)), (link.joint.basis(q) @ u[..., None])[..., 0]
    R_dot = R @ so3.hat(twist[..., 3:])
    return np.concatenate([R_dot.reshape(*R_dot.shape[:-2], 9), (R @ twist[..., :3, None])[..., 0]], axis=-1)


def _projected(link: Link, q: np.ndarray) -> np.ndarray:
    if not _is_pose(link):
        return q
    return numbers_from_pose(link.joint.group.project(pose_from_numbers(q)))  # type: ignore[attr-defined]


def _defect(q: np.ndarray) -> np.ndarray:
    R = se3.rotation(pose_from_numbers(q))
    return np.max(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)), axis=(-1, -2))
