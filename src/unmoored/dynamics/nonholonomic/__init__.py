"""Vehicles that cannot move in every direction: rolling constraints, by reduction (theory.md §13)."""

from .car import Car
from .chaplygin_sleigh import ChaplyginSleigh
from .constraint import VelocityConstraint
from .differential_drive import DifferentialDrive
from .reduction import (
    ConstrainedMotion,
    constrained_coriolis_matrix,
    constrained_forward_dynamics,
    constrained_mass_matrix,
    constrained_velocity,
    embedding,
    embedding_rate,
    independent_speeds,
    speed_names,
)
from .rolling_ball import RollingBall

__all__ = [
    "Car", "ChaplyginSleigh", "ConstrainedMotion", "DifferentialDrive", "RollingBall", "VelocityConstraint",
    "constrained_coriolis_matrix", "constrained_forward_dynamics", "constrained_mass_matrix",
    "constrained_velocity", "embedding", "embedding_rate", "independent_speeds", "speed_names",
]  # fmt: skip
