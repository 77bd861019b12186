"""Lagrange–Poincaré reduction by a vehicle's group (theory.md §8; Moghaddam & Chhabra)."""

from .connection import curvature, locked_inertia, mechanical_connection, shape_inertia
from .reduced_equations import LagrangePoincare, lagrange_poincare
from .reduced_motion import recovered_velocity, reduced_forward_dynamics, reduced_state

__all__ = [
    "LagrangePoincare", "curvature", "lagrange_poincare", "locked_inertia",
    "mechanical_connection", "recovered_velocity", "reduced_forward_dynamics", "reduced_state",
    "shape_inertia",
]  # fmt: skip
