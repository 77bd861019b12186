"""From a plant and an initial state to a trajectory with everything around it."""

from ..integrators.step_control import Tolerances
from .c_law import CLaw
from .checkpoint import resume
from .criterion import Criterion, Verdict
from .events import ChannelEvent, Event
from .metrics import Metrics
from .noise import Noise
from .rollout import Rollout, RolloutGradient
from .run import Run
from .saved_run import load_run
from .simulate import simulate
from .status import Status
from .stepper import Stepper
from .stepper_state import StepperState
from .switches import Close, Fail, Mode, Open

__all__ = [
    "CLaw", "ChannelEvent", "Close", "Criterion", "Event", "Fail", "Metrics", "Mode", "Noise", "Open", "Rollout",
    "RolloutGradient", "Run", "Status", "Stepper", "StepperState", "Tolerances", "Verdict", "load_run", "resume",
    "simulate",
]  # fmt: skip
