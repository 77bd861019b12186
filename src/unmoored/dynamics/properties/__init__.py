"""Properties of a system's equations: bounds, skew-symmetry, passivity, conditioning, coupling,
singularities.

These functions judge numbers (eigenvalues, singular values); they are not for traced symbols.
"""

from .balance import Balance, energy_balance, momentum_balance, power_balance
from .coupling import Coupling, coupling
from .inertia import InertiaBounds, conditioning, inertia_bounds
from .singularity import DynamicSingularity, dynamic_singularity
from .skewness import skew_symmetry_defect

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
