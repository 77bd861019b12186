"""Control laws in traceable NumPy, so that they run inside the kernels, and references for them."""

from .allocated import Allocated
from .inputs import Inputs
from .joint_pd import JointPD
from .link_keeping import LinkKeeping
from .model_predictive import ModelPredictive
from .references import Constant, Quintic, Reference, Sampled, Sine
from .resolved_motion import ResolvedMotion
from .station_keeping import ReactionMode, StationKeeping

__all__ = [
    "Allocated", "Constant", "Inputs", "JointPD", "LinkKeeping", "ModelPredictive", "Quintic", "ReactionMode",
    "Reference", "ResolvedMotion", "Sampled", "Sine", "StationKeeping",
]  # fmt: skip
