"""Motions planned before they are made: inverse kinematics, and trajectory optimisation on the manifold."""

from .cost_terms import BaseDisturbance, Effort, Momentum, Posture, Speed, ToolPose, ToolTwist
from .costs import Cost, Inequality, Limit, Now, Penalty, Residual
from .inverse_kinematics import IkSolution, solve_ik
from .optimum import NotConvergedWarning, Optimum
from .state_limits import Clearance, JointLimits, SpeedLimits
from .trajectory_optimization import optimize

__all__ = [
    "BaseDisturbance", "Clearance", "Cost", "Effort", "IkSolution", "Inequality", "JointLimits", "Limit", "Momentum",
    "NotConvergedWarning", "Now", "Optimum", "Penalty", "Posture", "Residual", "Speed", "SpeedLimits", "ToolPose",
    "ToolTwist", "optimize", "solve_ik",
]  # fmt: skip
