"""What can be drawn over a system."""

from .axes import Frames, JointAxes
from .centre_of_mass import CentreOfMass, Momentum
from .ellipsoids import GeneralizedManipulability, Manipulability, default_frame
from .forces import Buoyancy, Thrusters
from .menu import OverlayMenu
from .overlay import Overlay, Setting
from .ties import Ties
from .told import EstimatedPlace, Targets
from .touching import Touching

__all__ = [
    "Buoyancy", "CentreOfMass", "EstimatedPlace", "Frames", "GeneralizedManipulability", "JointAxes", "Manipulability",
    "Momentum", "Overlay", "OverlayMenu", "Setting", "Targets", "Thrusters", "Ties", "Touching",
    "default_frame",
]  # fmt: skip
