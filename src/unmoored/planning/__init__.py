"""What is found out before a motion is made: inverse kinematics, workspaces, capability, trajectory optimisation."""

from .capability import Capability, current_capability, force_capability
from .cost_terms import BaseDisturbance, Effort, Momentum, Posture, Speed, ToolPose, ToolTwist
from .costs import Cost, Inequality, Limit, Now, Penalty, Residual
from .floating_workspace import FloatingWorkspace, floating_workspace
from .inverse_kinematics import IkSolution, solve_ik
from .optimum import NotConvergedWarning, Optimum
from .quadratic_program import QPSolution, solve_qp
from .reach_map import ReachMap, reach_map, spread_rotations
from .reorientation import Reorientation, reorient
from .state_limits import Clearance, JointLimits, SpeedLimits
from .trajectory_optimization import optimize

__all__ = [
    "BaseDisturbance",
    "Capability",
    "Clearance",
    "Cost",
    "Effort",
    "FloatingWorkspace",
    "IkSolution",
    "Inequality",
    "JointLimits",
    "Limit",
    "Momentum",
    "NotConvergedWarning",
    "Now",
    "Optimum",
    "Penalty",
    "Posture",
    "QPSolution",
    "ReachMap",
    "Reorientation",
    "Residual",
    "Speed",
    "SpeedLimits",
    "ToolPose",
    "ToolTwist",
    "current_capability",
    "floating_workspace",
    "force_capability",
    "optimize",
    "reach_map",
    "reorient",
    "solve_ik",
    "solve_qp",
    "spread_rotations",
]
