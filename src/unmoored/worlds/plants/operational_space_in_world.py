"""Operational space of a plant: the dynamics of one frame with added mass, and with all that the world does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics.kinematics import acceleration
from ...dynamics.operational_space import OperationalSpace, operational_space
from ...dynamics.underactuated.passive_dofs import active_dofs, passive_mask
from ...lie.arrays import apply, transpose
from ..loads import at_place, refuse_closed, refuse_tied, setting
from .plant_equations import hybrid_dynamics

if TYPE_CHECKING:
    from .plant import Plant


def operational_space_in_world(
    plant: Plant,
    t: Any,
    q: np.ndarray,
    v: np.ndarray,
    damping: np.ndarray,
    p: np.ndarray,
    frame: str,
    passive: Sequence[int],
    rows: Sequence[int],
) -> OperationalSpace:
    """Λ V̇ + μ + p = F at t (...), q (..., nq), v (..., nv): p at rest in the world, μ what velocities add to it."""
    refuse_closed(plant, "operational_space")
    refuse_tied(plant, "operational_space")
    tree, still = at_place(setting(plant, p), t, q).tree, np.zeros(plant.nv)
    dry = operational_space(tree, q, still, np.zeros(3), damping, frame, passive, rows)
    mask, active = passive_mask(tree, passive), active_dofs(tree, passive)

    def load(v: np.ndarray) -> np.ndarray:
        """F (..., k) that keeps V̇ at zero: J̄ᵀ k − Λ b, k and b the forces and V̇ at a_active = 0."""
        a, tau = hybrid_dynamics(plant, t, q, v, still, still, mask, p)
        moved = acceleration(tree, q, v, a, frame)[..., list(rows)]
        return apply(transpose(dry.inverse), tau[..., active]) - apply(dry.inertia, moved)

    at_rest = load(still)
    return dry._replace(bias=load(v) - at_rest, gravity=at_rest)
