"""Recursive O(N) dynamics: inverse, forward and hybrid, and forward by composite inertias (theory.md §12)."""

from .composite_forward_dynamics import forward_dynamics_composite
from .forward_dynamics import forward_dynamics, hybrid_dynamics
from .inverse_dynamics import inverse_dynamics
from .inverse_mass import inverse_mass

__all__ = [
    "forward_dynamics",
    "forward_dynamics_composite",
    "hybrid_dynamics",
    "inverse_dynamics",
    "inverse_mass",
]
