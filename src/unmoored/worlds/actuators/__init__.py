"""Actuators: what drives the system (theory.md §21)."""

from .actuator import Actuator, Effort
from .elastic_motor import ElasticMotor
from .fin import Fin, Rudder
from .joint_motor import JointMotor, Wrench
from .propeller import Propeller
from .reaction_control import ReactionControl
from .reaction_wheel import ReactionWheel
from .stiction import Brake, Clutch, Stiction
from .thrust_curve import ThrustCurve
from .thruster import Rotor, Thruster

__all__ = [
    "Actuator",
    "Brake",
    "Clutch",
    "Effort",
    "ElasticMotor",
    "Fin",
    "JointMotor",
    "Propeller",
    "ReactionControl",
    "ReactionWheel",
    "Rotor",
    "Rudder",
    "Stiction",
    "ThrustCurve",
    "Thruster",
    "Wrench",
]
