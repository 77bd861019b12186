"""Tasks for `TaskPriority`: one small class each. `TASKS` has them all by name."""

from .attitude_task import AttitudeTask
from .clearance_task import ClearanceTask
from .direction_task import DirectionTask
from .distance_task import DistanceTask
from .field_of_view_task import FieldOfViewTask
from .joint_limit_tasks import EffortLimitTask, JointLimitTask, SpeedLimitTask
from .manipulability_task import ManipulabilityTask
from .pose_task import PoseTask
from .position_task import PositionTask
from .posture_task import PostureTask
from .task_interface import Bounded, Task, Wanted

TASKS: tuple[type[Task], ...] = (
    PoseTask, PositionTask, DirectionTask, AttitudeTask, PostureTask, ManipulabilityTask, DistanceTask, ClearanceTask,
    FieldOfViewTask,    JointLimitTask, SpeedLimitTask, EffortLimitTask,
)  # fmt: skip

__all__ = [
    "TASKS", "AttitudeTask", "Bounded", "ClearanceTask", "DirectionTask", "DistanceTask", "EffortLimitTask",
    "FieldOfViewTask", "JointLimitTask", "ManipulabilityTask", "PoseTask", "PositionTask", "PostureTask",
    "SpeedLimitTask", "Task", "Wanted",
]  # fmt: skip
