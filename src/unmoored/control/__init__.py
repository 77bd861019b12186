"""Control laws in traceable NumPy, so that they run inside the kernels, and references for them."""

from .allocation import Allocated
from .computed_torque import ComputedTorque
from .free_floating import Detumbling, DetumblingFigures, FloatingTool, Unloading, detumbling_figures
from .inputs import Inputs
from .integral_tracking import IntegralTracking
from .joint_pd import JointPD
from .law_goals import joint_goals, pose_goal, position_goal
from .link_keeping import LinkKeeping
from .model_predictive import ModelPredictive
from .moving_base import Shaped, WorldFixedTool, residual_ratio
from .passivity_tracking import AdaptiveTracking, PassivityTracking
from .phases import Phases
from .pose_paths import PosePath, ScrewPath, StraightPath
from .pose_splines import PoseBSpline, PoseSpline
from .pose_targets import FollowedFrame, Relative
from .priority import TaskPriority
from .references import Constant, Quintic, Reference, Sampled, Sine
from .resolved_motion import ResolvedMotion
from .retimed import Retimed, Timing
from .station_keeping import ReactionMode, StationKeeping
from .tasks import (
    AttitudeTask,
    ClearanceTask,
    DirectionTask,
    DistanceTask,
    EffortLimitTask,
    FieldOfViewTask,
    JointLimitTask,
    ManipulabilityTask,
    PoseTask,
    PositionTask,
    PostureTask,
    SpeedLimitTask,
    Task,
)
from .thrust_vectoring import ThrustVectoring
from .time_scaling import FastestTiming, fastest_timing
from .tool_impedance import ToolAdmittance, ToolImpedance
from .tool_tracking import ToolTracking
from .tracking import Tracking

__all__ = [
    "AdaptiveTracking",
    "Allocated",
    "AttitudeTask",
    "ClearanceTask",
    "ComputedTorque",
    "Constant",
    "Detumbling",
    "DetumblingFigures",
    "DirectionTask",
    "DistanceTask",
    "EffortLimitTask",
    "FastestTiming",
    "FieldOfViewTask",
    "FloatingTool",
    "FollowedFrame",
    "Inputs",
    "IntegralTracking",
    "JointLimitTask",
    "JointPD",
    "LinkKeeping",
    "ManipulabilityTask",
    "ModelPredictive",
    "PassivityTracking",
    "Phases",
    "PoseBSpline",
    "PosePath",
    "PoseSpline",
    "PoseTask",
    "PositionTask",
    "PostureTask",
    "Quintic",
    "ReactionMode",
    "Reference",
    "Relative",
    "ResolvedMotion",
    "Retimed",
    "Sampled",
    "ScrewPath",
    "Shaped",
    "Sine",
    "SpeedLimitTask",
    "StationKeeping",
    "StraightPath",
    "Task",
    "TaskPriority",
    "ThrustVectoring",
    "Timing",
    "ToolAdmittance",
    "ToolImpedance",
    "ToolTracking",
    "Tracking",
    "Unloading",
    "WorldFixedTool",
    "detumbling_figures",
    "fastest_timing",
    "joint_goals",
    "pose_goal",
    "position_goal",
    "residual_ratio",
]
