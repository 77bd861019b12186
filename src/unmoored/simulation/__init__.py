"""From a plant and an initial state to a trajectory with everything around it."""

from .events import Event
from .noise import Noise
from .run import Run
from .simulate import simulate

__all__ = ["Event", "Noise", "Run", "simulate"]
