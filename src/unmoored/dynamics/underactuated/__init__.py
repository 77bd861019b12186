"""Under-actuated systems: some DoFs passive (force given), the others active (theory.md §11)."""

from .damped_least_squares import (
    adaptive_damping,
    damped_least_squares,
    task_first_accelerations,
    weighted_accelerations,
)
from .generalized_jacobian import (
    acceleration_bias,
    disturbance_bias,
    disturbance_jacobian,
    disturbance_jacobian_product,
    generalized_and_disturbance_jacobians,
    generalized_jacobian,
    generalized_jacobian_product,
    mixed_acceleration_bias,
    mixed_generalized_jacobian,
)
from .passive_dofs import active_dofs, passive_dofs, passive_mask
from .reaction_null_space import reaction_null_space, reaction_null_space_basis
from .schur_complements import (
    active_inertia,
    disturbance_jacobian_dense,
    force_transmission,
    generalized_jacobian_dense,
    passive_mobility,
)
from .task_forces import plan_least_disturbance, plan_task

__all__ = [
    "acceleration_bias",
    "active_dofs",
    "active_inertia",
    "adaptive_damping",
    "damped_least_squares",
    "disturbance_bias",
    "disturbance_jacobian",
    "disturbance_jacobian_dense",
    "disturbance_jacobian_product",
    "force_transmission",
    "generalized_and_disturbance_jacobians",
    "generalized_jacobian",
    "generalized_jacobian_dense",
    "generalized_jacobian_product",
    "mixed_acceleration_bias",
    "mixed_generalized_jacobian",
    "passive_dofs",
    "passive_mask",
    "passive_mobility",
    "plan_least_disturbance",
    "plan_task",
    "reaction_null_space",
    "reaction_null_space_basis",
    "task_first_accelerations",
    "weighted_accelerations",
]
