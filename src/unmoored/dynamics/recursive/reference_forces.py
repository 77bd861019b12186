"""Forces of a reference motion, M a_R + C(q, v) v_R with Ṁ − 2C skew, in one pass out and one in (theory.md §5)."""

from __future__ import annotations

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, join
from ...model import Tree
from ..jacobians import basis_rate
from ..joint_crossing import crossings, joint_force, joint_twist, twist_outward, wrench_inward
from ..tree_scans import inward, outward, split_configuration, split_velocity


def reference_forces(
    tree: Tree, q: np.ndarray, v: np.ndarray, v_R: np.ndarray, a_R: np.ndarray
) -> np.ndarray:
    """M a_R + C v_R (..., nv) at q (..., nq) and velocity v, for another velocity v_R and a_R, each (..., nv).

    A_R,i = X̃ A_R,λ + S a_R − ad_{S u} X̃ V_R,λ + Ṡ u_R, and F_i = I A_R,i − ad_{V_R,i}ᵀ I V_i: the matrix is
    C = Σ Bᵀ(I Ḃ + K6(I V) B). The arguments of C do not commute: C(q, v) v_R is not C(q, v_R) v on a group.
    """
    xs = crossings(tree, q)
    parts = [split_velocity(tree, x) for x in (v, v_R, a_R)]

    def move(link, carry, x, q_i, u, u_R, a):
        V, V_R, A_R = carry
        from_parent, own = twist_outward(x, V_R), joint_twist(x, u)
        turning = se3.ad_apply(own, from_parent)
        A = twist_outward(x, A_R) + joint_twist(x, a) - turning + apply(basis_rate(link, q_i, u), u_R)
        return twist_outward(x, V) + own, from_parent + joint_twist(x, u_R), A

    still = (np.zeros(6), np.zeros(6), np.zeros(6))
    moving = outward(tree, move, still, xs, split_configuration(tree, q), *parts)

    def collect(link, arriving, x, carry, a):
        V, V_R, A_R = carry
        F = arriving[0] + apply(link.inertia, A_R) - se3.ad_transpose_apply(V_R, apply(link.inertia, V))
        return (wrench_inward(x, F),), joint_force(x, F) + link.armature * a

    forces, _ = inward(tree, collect, (np.zeros(6),), xs, moving, parts[2])
    return join(forces)
