"""Joints that are always prescribed may have no inertia behind them: what then has no answer is refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..model import ModelError

#: methods of a system that never ask how a joint moves by itself
ASK_NOTHING = frozenset(
    """
    acceleration analytic_jacobian base_jacobian base_jacobian_derivative block_form centre_of_mass
    centre_of_mass_jacobian conditioning coriolis_matrix embedding energy energy_regressor forced_base
    generalized_momentum gravity_forces independent_velocity inertia_bounds inverse_dynamics
    inverse_dynamics_derivatives jacobian jacobian_derivative local local_coriolis_matrix local_derivatives
    local_velocity_map mass_matrix mass_matrix_derivatives mass_matrix_rate mixed_jacobian
    mixed_jacobian_derivative momentum momentum_in_frame momentum_matrix momentum_rate_regressor
    momentum_regressor pose potential_forces power_balance pull_back regressor retract retract_derivatives
    skew_symmetry_defect spatial_jacobian spatial_jacobian_derivative velocity wrench_forces
    """.split()  # noqa: SIM905
)


def refuse_massless(method: str, owner: Any, given: Mapping[str, Any]) -> None:
    """Refuse a method that would divide by the inertia behind a joint that has none (`owner._massless`)."""
    if method in ASK_NOTHING or not owner._solves(method):
        return
    moved = owner._massless if given.get("passive") is None else _passive_ones(owner, given["passive"])
    if moved:
        expected = "a Plant that prescribes the joint: there is no inertia behind it"
        raise ModelError.single(moved[0], method, expected=expected, given="the joint left to move by itself")


def _passive_ones(owner: Any, passive: Any) -> tuple[str, ...]:
    """The joints without inertia that are among the passive ones; all, where that cannot be told from names or
    numbers.
    """
    try:
        if isinstance(passive, np.ndarray):
            dofs = set(np.nonzero(np.asarray(passive, dtype=float))[-1])
        else:
            dofs = set(owner.tree.dofs(passive))
    except (TypeError, ValueError) as problem:
        if isinstance(problem, ModelError):
            raise
        return owner._massless
    return tuple(
        name for name in owner._massless if dofs & set(range(*owner.tree.link(name).v.indices(owner.tree.nv)))
    )
