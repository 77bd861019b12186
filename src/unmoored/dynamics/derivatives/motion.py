"""Outward: every joint's twists in its vehicle's frame, and how they drift (docs/derivatives.md §2).

Twists of a joint are rows (..., nv_i, 6), one for each velocity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, transpose
from ...model import Tree
from ..closed_form.common_frame import seen
from ..crossing import crossings, relative_pose, twist_outward
from ..kinematics import AT_REST, ORIGIN
from ..recursive.motion import start_acceleration
from ..scans import outward, split_configuration, split_velocity
from .varying_basis import bend, bend_rate


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


def moving(tree: Tree, q: np.ndarray, v: np.ndarray, gravity: np.ndarray) -> list[Moving]:
    """All bodies at q (..., nq), v (..., nv); gravity γ (..., 3) in world axes (m/s²)."""
    Γ_world = -start_acceleration(gravity)

    def step(link, parent, x, q_i, u):
        on_world = link.parent < 0
        g = ORIGIN if on_world else parent.pose @ relative_pose(x)
        Γ = twist_outward(x, Γ_world) if on_world else parent.field
        b = seen(g, x.basis)
        w = se3.Ad_apply(g[..., None, :, :], bend(link.joint, q_i, u))
        drift = se3.ad_apply(parent.twist[..., None, :], b) + w
        return Moving(g, parent.twist + apply(transpose(b), u), parent.twist, b, drift, w, Γ)

    nothing = np.zeros((0, 6))
    world = Moving(ORIGIN, AT_REST, AT_REST, nothing, nothing, nothing, Γ_world)
    parts = split_configuration(tree, q), split_velocity(tree, v)
    return outward(tree, step, world, crossings(tree, q), *parts)


class Accelerating(NamedTuple):
    """A body's acceleration A (..., 6), gravity's −Γ in it, and second drift ψ̈ (..., nv_i, 6) of its joint."""

    acceleration: np.ndarray
    drift: np.ndarray


def accelerating(
    tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray, bodies: list[Moving]
) -> list[Accelerating]:
    """A = A_λ + S a + ψ̇ u and ψ̈ = [A_λ, b] + [V_λ, ψ̇] + [V, ∂S u] + ∂(S a + Ṡ u) of all bodies.

    q (..., nq), v and a (..., nv), and the bodies as they move at that q and v.
    """

    def step(link, parent, body, q_i, u, a_i):
        A = -body.field if link.parent < 0 else parent.acceleration
        bent = se3.Ad_apply(body.pose[..., None, :, :], bend_rate(link.joint, q_i, u, a_i))
        drift = _brackets(A, body.twists) + _brackets(body.parent_twist, body.drift)
        drift = drift + _brackets(body.twist, body.bend) + bent
        return Accelerating(A + apply(transpose(body.twists), a_i) + apply(transpose(body.drift), u), drift)

    still = Accelerating(AT_REST, np.zeros((0, 6)))
    parts = split_configuration(tree, q), split_velocity(tree, v), split_velocity(tree, a)
    return outward(tree, step, still, bodies, *parts)


def _brackets(V: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """[V, row] (..., n, 6) of a twist V (..., 6) and twists as rows (..., n, 6)."""
    return se3.ad_apply(V[..., None, :], rows)
