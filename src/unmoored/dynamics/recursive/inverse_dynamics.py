"""Inverse dynamics: the forces that a motion takes (theory.md §12)."""

from __future__ import annotations

import numpy as np

from ...lie.arrays import apply, join
from ...model import Tree
from ..economy.cheap_frames import in_cheap_frames
from ..economy.light_bodies import with_light_bodies
from ..joint_crossing import crossings, joint_force, wrench_inward
from ..tree_scans import inward, split_velocity
from ..wrenches import Wrenches
from .bias_wrenches import accelerations, bias_wrenches, motions


def inverse_dynamics(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None = None,
) -> np.ndarray:
    """Generalised forces τ (..., nv) = M a + C v + gravity_forces − Σ Jᵀ F at q (..., nq), v and a (..., nv).

    gravity: γ (..., 3) in world axes (m/s²).  wrenches: {frame: F (..., 6) in that frame's axes} (N, N m).
    Outward V and A, inward F_i = I_i A_i + β_i + Σ X̃ᵀ F of the children, τ_i = S_iᵀ F_i + Ia q̈_i.
    """
    tree, wrenches = in_cheap_frames(tree, q, wrenches)
    xs = crossings(tree, q)
    moving = motions(tree, xs, q, v)
    As = accelerations(tree, xs, moving, a, gravity)
    light = with_light_bodies(tree, q)
    βs = bias_wrenches(tree, xs, [motion.twist for motion in moving], gravity, wrenches, light)

    def collect(link, arriving, x, A, β, a_i):
        F = arriving[0] + apply(link.inertia, A) + β
        return (wrench_inward(x, F),), joint_force(x, F) + link.armature * a_i

    forces, _ = inward(light, collect, (np.zeros(6),), xs, As, βs, split_velocity(tree, a))
    return join(forces)
