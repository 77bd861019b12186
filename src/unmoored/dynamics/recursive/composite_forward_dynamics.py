"""Forward dynamics by composite inertias in the vehicle's frame, and an LDLᵀ solve (theory.md §12).

In one common frame nothing has to be carried across joints: twists, wrenches and inertias just add up. An
independent way to the accelerations of the articulated recursion, which takes fewer operations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import apply, blocks, join, mirrored, scale, solved, stacked_rows, transpose
from ...model import Link, Tree
from ...trace import is_zero
from ..economy.cheap_frames import in_cheap_frames
from ..jacobians import selector
from ..joint_crossing import carried, crossings, relative_pose, twist_outward
from ..kinematics import AT_REST, ORIGIN, basis_rate_twist
from ..tree_scans import inward, outward, split_configuration, split_velocity
from ..wrenches import Wrenches, body_wrenches
from .bias_wrenches import start_acceleration


class InVehicle(NamedTuple):
    """A body seen in its vehicle's frame.

    pose (..., 4, 4), joint basis (..., 6, r), twist V and acceleration A at zero q̈ (..., 6), and the gravity
    field Γ = (γ ; 0) (..., 6).
    """

    pose: np.ndarray
    basis: np.ndarray
    twist: np.ndarray
    acceleration: np.ndarray
    gravity: np.ndarray


def forward_dynamics_composite(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None = None,
) -> np.ndarray:
    """Accelerations (..., nv) as `forward_dynamics` gives them, by M⁻¹(τ − bias) in O(N³).

    gravity: γ (..., 3) in world axes (m/s²).  wrenches: {frame: F (..., 6) in that frame's axes} (N, N m).
    """
    tree, wrenches = in_cheap_frames(tree, q, wrenches)
    seen = _outward(tree, q, v, gravity)

    def step(link, arriving, body, F_ext):
        rigid, excess = _inertias(link, body.pose)
        I = rigid + excess
        momentum = apply(I, body.twist)
        F = arriving[2] + apply(I, body.acceleration) - se3.ad_transpose_apply(body.twist, momentum)
        F = F + apply(excess, body.gravity) - se3.Ad_inv_transpose_apply(body.pose, F_ext)
        composite, own = arriving[0] + I, selector(tree, link)
        columns = arriving[1] + composite @ body.basis @ own
        rows = transpose(body.basis) @ columns + link.armature[..., :, None] * own
        return (composite, columns, F), (rows, apply(transpose(body.basis), F))

    zero = (np.zeros((6, 6)), np.zeros((6, tree.nv)), AT_REST)
    kept, _ = inward(tree, step, zero, seen, body_wrenches(tree, wrenches), unrolled=True)
    M = mirrored(stacked_rows([rows for rows, _ in kept]))
    return _solved_tips_first(M, tau - join([bias for _, bias in kept]))


def _outward(tree: Tree, q: np.ndarray, v: np.ndarray, gravity: np.ndarray) -> list[InVehicle]:
    def step(link, parent, x, q_i, u):
        on_world = link.parent < 0
        g = ORIGIN if on_world else parent.pose @ relative_pose(x)
        S = x.basis if on_world else _columns_moved(g, x.basis)
        A = twist_outward(x, start_acceleration(gravity)) if on_world else parent.acceleration
        own = apply(S, u)
        c = se3.ad_apply(parent.twist, own) + se3.Ad_apply(g, basis_rate_twist(link.joint, q_i, u))
        Γ = twist_outward(x, -start_acceleration(gravity)) if on_world else parent.gravity
        return InVehicle(g, S, parent.twist + own, A + c, Γ)

    world = InVehicle(ORIGIN, np.zeros((6, 0)), AT_REST, AT_REST, AT_REST)
    parts = split_configuration(tree, q), split_velocity(tree, v)
    return outward(tree, step, world, crossings(tree, q), *parts)


def _columns_moved(g: np.ndarray, S: np.ndarray) -> np.ndarray:
    return transpose(se3.Ad_apply(g[..., None, :, :], transpose(S)))


def _inertias(link: Link, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inertias (..., 6, 6) in the vehicle's frame: of a rigid body with the link's mass, and what exceeds it.

    A rigid body keeps its ten numbers in every frame, so its 6×6 is not carried as such.
    """
    J, c_hat = link.inertia[..., 3:, 3:], so3.hat(link.com)
    mass, moment = scale(link.mass, np.eye(3)), scale(link.mass, c_hat)
    excess = link.inertia - blocks([[mass, -moment], [moment, J]])
    R = se3.rotation(g)
    about_com = mirrored(R @ (J + moment @ c_hat) @ transpose(R))
    c_hat = so3.hat(se3.position(g) + apply(R, link.com))
    moment = scale(link.mass, c_hat)
    rigid = blocks([[mass, -moment], [moment, mirrored(about_com - moment @ c_hat)]])
    return rigid, excess if is_zero(excess) else carried(g, excess)


def _solved_tips_first(M: np.ndarray, b: np.ndarray) -> np.ndarray:
    """M⁻¹ b (..., nv), eliminating tips before vehicles: branches that do not couple then stay uncoupled."""
    return solved(M[..., ::-1, ::-1], b[..., ::-1])[..., ::-1]
