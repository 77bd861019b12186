"""Motions planned before they are made: trajectory optimisation on the manifold."""

from .cost_terms import BaseDisturbance, Effort, Momentum, Posture, Speed, ToolPose, ToolTwist
from .costs import Cost, Inequality, Limit, Now, Penalty, Residual
from .optimum import NotConvergedWarning, Optimum
from .state_limits import Clearance, JointLimits, SpeedLimits
from .trajectory_optimization import optimize

__all__ = [
    "BaseDisturbance", "Clearance", "Cost", "Effort", "Inequality", "JointLimits", "Limit", "Momentum",
    "NotConvergedWarning", "Now", "Optimum", "Penalty", "Posture", "Residual", "Speed", "SpeedLimits", "ToolPose",
    "ToolTwist", "optimize",
]  # fmt: skip
