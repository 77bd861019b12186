"""Control laws in traceable NumPy, so that they run inside the kernels, and references for them."""

from .inputs import Allocated, Inputs
from .joint_pd import JointPD
from .references import Constant, Quintic, Reference, Sampled, Sine
from .resolved_motion import ResolvedMotion
from .station_keeping import ReactionMode, StationKeeping

__all__ = [
    "Allocated", "Constant", "Inputs", "JointPD", "Quintic", "ReactionMode", "Reference", "ResolvedMotion",
    "Sampled", "Sine", "StationKeeping",
]  # fmt: skip
