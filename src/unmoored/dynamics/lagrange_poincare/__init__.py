"""Lagrange–Poincaré reduction by a vehicle's group (theory.md §8; Moghaddam & Chhabra)."""

from .connection import (
    connection_derivatives,
    curvature,
    horizontal_velocity,
    locked_inertia,
    locked_inertia_derivatives,
    mechanical_connection,
    shape_inertia,
    shape_inertia_derivatives,
    spatial_connection,
    vertical_velocity,
)
from .reduced_equations import LagrangePoincare, lagrange_poincare
from .reduced_motion import recovered_velocity, reduced_forward_dynamics, reduced_state

__all__ = [
    "LagrangePoincare", "connection_derivatives", "curvature", "horizontal_velocity", "lagrange_poincare",
    "locked_inertia", "locked_inertia_derivatives", "mechanical_connection", "recovered_velocity",
    "reduced_forward_dynamics", "reduced_state", "shape_inertia", "shape_inertia_derivatives", "spatial_connection",
    "vertical_velocity",
]  # fmt: skip
