"""Inverse kinematics: configurations that bring frames to poses (docs/inverse-kinematics.md)."""

from .ik_solution import IkSolution
from .solve_ik import solve_ik

__all__ = ["IkSolution", "solve_ik"]
