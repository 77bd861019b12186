"""Outward: accelerations in the vehicle's frame, and the second drift of every joint (docs/derivatives.md §2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, transpose
from ...model import Tree
from ..common_frame.motion import Moving
from ..common_frame.varying_basis import bend_rate
from ..kinematics import AT_REST
from ..scans import outward, split_configuration, split_velocity


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
