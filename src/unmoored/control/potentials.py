"""Potentials of an error on a group, and their forces (docs/laws/tracking.md; Bullo & Murray 1995; Koditschek 1989).

With g_e = g⁻¹g_d and ν̃ = ν_r − ν: ġ_e = hat(ν̃) g_e, and the rate of the potential is forceᵀν̃.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..lie import Subgroup, se3, so3
from ..lie.arrays import apply, diagonal, join, transpose
from ..model import Joint
from ..model.joints import SubgroupJoint
from ..model.joints.subgroup_joint import pose_from_numbers

KINDS = ("matrix", "log")


class Pulled(NamedTuple):
    """energy: (...).  force: f (..., m), toward the reference.  pull: η (..., m), like e near it, with fᵀη > 0 away
    from critical points.  pull_rate: η̇ at the rate ν̃."""

    energy: np.ndarray
    force: np.ndarray
    pull: np.ndarray
    pull_rate: np.ndarray


def pulled(
    kind: str, joint: Joint, q: np.ndarray, q_d: np.ndarray, k: np.ndarray, rate: np.ndarray
) -> Pulled:
    """The potential of a joint at q toward q_d (..., nq_i) with stiffness k (..., nv_i), at the rate ν̃ (..., nv_i)."""
    if not (isinstance(joint, SubgroupJoint) and joint.nv > 1):
        e = joint.local(q, q_d)
        return Pulled(0.5 * (k * e * e).sum(axis=-1), k * e, e, rate)
    g_e = se3.inverse(pose_from_numbers(q)) @ pose_from_numbers(q_d)
    return (matrix_potential if kind == "matrix" else log_potential)(joint.group, g_e, k, rate)


def log_potential(group: Subgroup, g_e: np.ndarray, k: np.ndarray, rate: np.ndarray) -> Pulled:
    """½ eᵀKe, e = log g_e: f = dexp⁻¹(−e)ᵀK e. It jumps where g_e has turned by half a turn."""
    e = group.log(g_e)
    slope = group.dexp_inv(-e)
    force = apply(transpose(slope), k * e)
    return Pulled(0.5 * (k * e * e).sum(axis=-1), force, e, apply(slope, rate))


def matrix_potential(group: Subgroup, g_e: np.ndarray, k: np.ndarray, rate: np.ndarray) -> Pulled:
    """½tr(W(1 − R_e)) + ½p_eᵀKp_e: f = (K p_e ; ½vee(R_eW − WR_eᵀ) + p_e × K p_e), smooth everywhere.

    In the group's standard position. W = tr K_ω − 2 K_ω: near the reference the stiffness about the axes is K_ω.
    """
    A = group.frame
    h = se3.inverse(A) @ g_e @ A
    R, p = se3.rotation(h), se3.position(h)
    rows = transpose(group.standard_coordinates)  # (6, m): where each DoF's own row is
    stiff, V = apply(rows, k), apply(group.standard_basis, rate)
    K, K_ω = stiff[..., :3], stiff[..., 3:]
    W = np.asarray(K_ω.sum(axis=-1))[..., None] - 2.0 * K_ω
    R_dot, p_dot = so3.hat(V[..., 3:]) @ R, so3.cross(V[..., 3:], p) + V[..., :3]
    diagonal_R = join([R[..., i, i : i + 1] for i in range(3)])
    energy = 0.5 * (W * (1.0 - diagonal_R)).sum(axis=-1) + 0.5 * (K * p * p).sum(axis=-1)
    S = transpose(group.standard_basis)
    force = apply(S, join([K * p, _moment(R, W) + so3.cross(p, K * p)]))
    turned = _moment(R_dot, W) + so3.cross(p_dot, K * p) + so3.cross(p, K * p_dot)
    return Pulled(energy, force, force / k, apply(S, join([K * p_dot, turned])) / k)


def _moment(R: np.ndarray, w: np.ndarray) -> np.ndarray:
    """½ vee(R W − W Rᵀ) (..., 3), W = diag(w)."""
    RW = R @ diagonal(w)
    return 0.5 * so3.vee(RW - transpose(RW))
