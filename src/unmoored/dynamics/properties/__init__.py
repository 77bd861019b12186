"""Properties of a system's equations: bounds, skew-symmetry, passivity, conditioning, coupling,
singularities.

These functions judge numbers (eigenvalues, singular values); they are not for traced symbols.
"""

from .conservation import Balance, energy_balance, momentum_balance, power_balance
from .coupling import Coupling, DynamicSingularity, coupling, dynamic_singularity
from .matrix_properties import InertiaBounds, conditioning, inertia_bounds, skew_symmetry_defect

__all__ = [
    "Balance",
    "Coupling",
    "DynamicSingularity",
    "InertiaBounds",
    "conditioning",
    "coupling",
    "dynamic_singularity",
    "energy_balance",
    "inertia_bounds",
    "momentum_balance",
    "power_balance",
    "skew_symmetry_defect",
]
