"""Vehicles that cannot move in every direction: rolling constraints, by reduction (theory.md §13)."""

from .car import Car
from .constrained_dynamics import (
    ConstrainedMotion,
    check_constraints,
    constrained_coriolis_matrix,
    constrained_forward_dynamics,
    constrained_mass_matrix,
    constrained_velocity,
    embedding,
    embedding_rate,
    independent_speeds,
    speed_names,
)
from .constraint import VelocityConstraint
from .gliding_vehicles import ChaplyginSleigh, DifferentialDrive
from .omni_drive import OmniDrive
from .rolling_ball import RollingBall

__all__ = [
    "Car", "ChaplyginSleigh", "ConstrainedMotion", "DifferentialDrive", "OmniDrive", "RollingBall",
    "VelocityConstraint", "check_constraints",
    "constrained_coriolis_matrix", "constrained_forward_dynamics", "constrained_mass_matrix",
    "constrained_velocity", "embedding", "embedding_rate", "independent_speeds", "speed_names",
]  # fmt: skip
