"""Forward dynamics by articulated bodies, and hybrid dynamics, of which it is the case with every DoF passive.

In hybrid dynamics some DoFs have their acceleration given, the others their force (theory.md §12; Jain & Rodriguez
1993, section 5).
"""

from __future__ import annotations

import numpy as np

from ...lie.arrays import apply, join
from ...model import Tree
from ..economy.cheap_frames import in_cheap_frames
from ..economy.light_bodies import with_light_bodies
from ..economy.skew_mounts import at_skew_mount
from ..joint_crossing import crossings, joint_force, joint_twist
from ..tree_scans import each, split_velocity
from ..wrenches import Wrenches
from .articulated_bodies import hinges, residuals, responses
from .bias_wrenches import bias_wrenches, motions, start_acceleration


def forward_dynamics(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None = None,
) -> np.ndarray:
    """Accelerations (..., nv) = M⁻¹(τ − C v − gravity_forces + Σ Jᵀ F) at q (..., nq), v and tau (..., nv).

    gravity: γ (..., 3) in world axes (m/s²).  wrenches: {frame: F (..., 6) in that frame's axes} (N, N m).
    """
    everything, nothing = np.ones(tree.nv), np.zeros(tree.nv)
    moved = at_skew_mount(tree, q)
    if moved is None:
        return hybrid_dynamics(tree, q, v, tau, nothing, everything, gravity, wrenches)[0]
    q, v, tau, wrenches = (
        moved.configuration(q), moved.velocity(v), moved.forces(tau), moved.wrenches(wrenches),
    )  # fmt: skip
    a = hybrid_dynamics(moved.tree, q, v, tau, nothing, everything, gravity, wrenches)[0]
    return moved.acceleration_as_drawn(a)


def hybrid_dynamics(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    acceleration: np.ndarray,
    passive: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(acceleration, tau), both complete (..., nv), from the given ones at q (..., nq), v (..., nv).

    passive: mask (..., nv), 1 where the force tau is given, 0 where the acceleration is; entries of tau and
    acceleration of the other kind are ignored.  gravity: γ (..., 3) in world axes (m/s²).
    wrenches: {frame: F (..., 6) in that frame's axes} (N, N m).
    """
    tree, wrenches = in_cheap_frames(tree, q, wrenches)
    active = 1.0 - passive
    given = active * acceleration
    xs = crossings(tree, q)
    moving = motions(tree, xs, q, v)
    products = each(
        tree,
        lambda _, motion, x, a: motion.product + joint_twist(x, a),
        moving,
        xs,
        split_velocity(tree, given),
    )
    light = with_light_bodies(tree, q)
    biases = bias_wrenches(tree, xs, [motion.twist for motion in moving], gravity, wrenches, light)

    hinged = hinges(light, xs, passive)
    left = residuals(tree, xs, hinged, passive, passive * tau, biases, products)
    moved = responses(tree, xs, hinged, left, products, start_acceleration(gravity), at_last=True)

    total = given + join(response.passive for response in moved)

    def reaction(_, x, hinge, residual, response):
        return joint_force(x, apply(hinge.inertia, response.body) + residual.wrench)

    reactions = join(each(tree, reaction, xs, hinged, left, moved))
    armature = join(link.armature for link in tree.links)
    return total, passive * tau + active * (reactions + armature * total)
