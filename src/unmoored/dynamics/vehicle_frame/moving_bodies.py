"""Outward: every joint's twists in its vehicle's frame, and how they drift (docs/derivatives.md §2).

Twists of a joint are rows (..., nv_i, 6), one for each velocity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, transpose
from ...model import Tree
from ..joint_crossing import crossings, relative_pose, twist_outward
from ..kinematics import AT_REST, ORIGIN
from ..recursive.bias_wrenches import start_acceleration
from ..tree_scans import outward, split_configuration, split_velocity
from .varying_basis import bend


class Moving(NamedTuple):
    """A body and the joint that moves it, in the frame of the vehicle it hangs on.

    pose (..., 4, 4); twist V and twist of the parent V_λ (..., 6); the joint's twists b (..., nv_i, 6), their
    drift ψ̇ = [V_λ, b] + ∂S u, and its second part alone, the bend (..., nv_i, 6); the field Γ = (γ ; 0).
    """

    pose: np.ndarray
    twist: np.ndarray
    parent_twist: np.ndarray
    twists: np.ndarray
    drift: np.ndarray
    bend: np.ndarray
    field: np.ndarray


def seen(g: np.ndarray, S: np.ndarray) -> np.ndarray:
    """Rows (..., n, 6) in the common frame of twists that are columns S (..., 6, n) in the frame at g."""
    return se3.Ad_apply(g[..., None, :, :], transpose(S))


def moving(tree: Tree, q: np.ndarray, v: np.ndarray, gravity: np.ndarray) -> list[Moving]:
    """All bodies at q (..., nq), v (..., nv); gravity γ (..., 3) in world axes (m/s²)."""
    Γ_world = -start_acceleration(gravity)

    def step(link, parent, x, q_i, u):
        on_world = link.parent < 0
        still = np.broadcast_to(ORIGIN, (*q_i.shape[:-1], 4, 4))
        g = still if on_world else parent.pose @ relative_pose(x)
        Γ = twist_outward(x, Γ_world) if on_world else parent.field
        b = seen(g, x.basis)
        w = se3.Ad_apply(g[..., None, :, :], bend(link.joint, q_i, u))
        drift = se3.ad_apply(parent.twist[..., None, :], b) + w
        return Moving(g, parent.twist + apply(transpose(b), u), parent.twist, b, drift, w, Γ)

    nothing = np.zeros((0, 6))
    world = Moving(ORIGIN, AT_REST, AT_REST, nothing, nothing, nothing, Γ_world)
    parts = split_configuration(tree, q), split_velocity(tree, v)
    return outward(tree, step, world, crossings(tree, q), *parts)
