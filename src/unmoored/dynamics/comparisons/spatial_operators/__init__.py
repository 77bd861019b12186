"""Spatial operators: the recursions as matrices over all bodies (theory.md §12; Jain & Rodriguez 1993).

For study and for checking the recursions, on numbers, and for trees as well as chains. Bodies are stacked
from the tips to the vehicle, so that φ and ψ are lower triangular.
"""

from .operator_jacobians import (
    active_inertia,
    active_to_passive,
    disturbance_jacobian,
    generalized_jacobian,
    hybrid_by_operators,
    passive_mass_matrix_inverse,
    projection,
)
from .operator_stack import Stack, frame_operator, stack, stacked
from .passive_arm import PassiveArm, passive_arm

__all__ = [
    "PassiveArm",
    "Stack",
    "active_inertia",
    "active_to_passive",
    "disturbance_jacobian",
    "frame_operator",
    "generalized_jacobian",
    "hybrid_by_operators",
    "passive_arm",
    "passive_mass_matrix_inverse",
    "projection",
    "stack",
    "stacked",
]
