"""Forces of the active DoFs for a desired end-effector acceleration.

Jain & Rodriguez 1993: section 6.2 (the task alone), section 7 (with least disturbance of the passive DoFs).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model import Tree
from ..kinematics import acceleration as frame_acceleration
from ..recursive import hybrid_dynamics
from ..wrenches import Wrenches
from .damped_least_squares import damped_least_squares, task_first_accelerations
from .generalized_jacobian import generalized_and_disturbance_jacobians
from .passive_dofs import active_dofs, passive_dofs, passive_mask


def plan_task(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    tool_acceleration: np.ndarray,
    preferred: np.ndarray,
    damping: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None,
    frame: str,
    passive: Sequence[int],
    rows: Sequence[int] = range(6),
) -> tuple[np.ndarray, np.ndarray]:
    """(acceleration, tau), both complete (..., nv), that give the frame the acceleration V̇ (..., 6).

    tau: forces of the passive DoFs (..., nv), other entries ignored.  preferred: accelerations (..., nv) that
    redundant active DoFs follow.  damping: λ (...) of the least-squares solve.  rows: the directions of V̇
    that matter.
    """
    J_G, _ = generalized_and_disturbance_jacobians(tree, q, frame, passive)
    drift = _without_active_acceleration(tree, q, v, tau, gravity, wrenches, passive)
    task = tool_acceleration - frame_acceleration(tree, q, v, drift, frame)
    rows, active = list(rows), active_dofs(tree, passive)
    a = damped_least_squares(J_G[..., rows, :], task[..., rows], damping, preferred[..., active])
    return _forces(tree, q, v, tau, a, gravity, wrenches, passive)


def plan_least_disturbance(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    tool_acceleration: np.ndarray,
    preferred: np.ndarray,
    weight: np.ndarray,
    regularization: np.ndarray,
    damping: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None,
    frame: str,
    passive: Sequence[int],
    rows: Sequence[int] = range(6),
) -> tuple[np.ndarray, np.ndarray]:
    """(acceleration, tau), both complete (..., nv): the frame's V̇ (..., 6) first, then ν̇_p as `preferred`.

    preferred: accelerations (..., nv): those that the passive DoFs should have (zero to hold the vehicle),
    and those that the active DoFs follow where neither aim decides.  weight: (..., nv) of the passive DoFs,
    other entries ignored.  regularization: ρ (...) > 0.  The other arguments as in `plan_task`.
    """
    J_G, J_D = generalized_and_disturbance_jacobians(tree, q, frame, passive)
    drift = _without_active_acceleration(tree, q, v, tau, gravity, wrenches, passive)
    task = tool_acceleration - frame_acceleration(tree, q, v, drift, frame)
    rows, a_, p_ = list(rows), active_dofs(tree, passive), passive_dofs(tree, passive)
    a = task_first_accelerations(
        J_G[..., rows, :],
        J_D,
        task[..., rows],
        (preferred - drift)[..., p_],
        weight[..., p_],
        regularization,
        damping,
        preferred[..., a_],
    )
    return _forces(tree, q, v, tau, a, gravity, wrenches, passive)


def _without_active_acceleration(tree, q, v, tau, gravity, wrenches, passive) -> np.ndarray:
    """Accelerations (..., nv) at zero accelerations of the active DoFs: the terms free of them."""
    mask = passive_mask(tree, passive)
    return hybrid_dynamics(tree, q, v, tau, np.zeros(tree.nv), mask, gravity, wrenches)[0]


def _forces(tree, q, v, tau, a_active, gravity, wrenches, passive) -> tuple[np.ndarray, np.ndarray]:
    """(acceleration, tau) when the active DoFs accelerate by a_active (..., n_active)."""
    spread = np.eye(tree.nv)[active_dofs(tree, passive)]
    mask = passive_mask(tree, passive)
    return hybrid_dynamics(tree, q, v, tau, a_active @ spread, mask, gravity, wrenches)
