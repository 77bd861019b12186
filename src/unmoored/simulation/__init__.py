"""From a plant and an initial state to a trajectory with everything around it."""

from ..integrators.step_control import Tolerances
from .checkpoint import resume
from .dataset import load_run
from .events import Event
from .noise import Noise
from .run import Run
from .simulate import simulate

__all__ = ["Event", "Noise", "Run", "Tolerances", "load_run", "resume", "simulate"]
