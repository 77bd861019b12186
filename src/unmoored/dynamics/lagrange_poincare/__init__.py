"""Lagrange–Poincaré reduction by a vehicle's group (theory.md §8; Moghaddam & Chhabra)."""

from .connection import curvature, locked_inertia, mechanical_connection, shape_inertia
from .equations import LagrangePoincare, lagrange_poincare
from .motion import recovered_velocity, reduced_forward_dynamics, reduced_state
from .stacked import StackedOperators, stacked_derivatives, stacked_operators

__all__ = [
    "LagrangePoincare", "StackedOperators", "curvature", "lagrange_poincare", "locked_inertia",
    "mechanical_connection", "recovered_velocity", "reduced_forward_dynamics", "reduced_state",
    "shape_inertia", "stacked_derivatives", "stacked_operators",
]  # fmt: skip
