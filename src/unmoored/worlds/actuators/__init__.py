"""Actuators: what drives the system (theory.md §21)."""

from .actuator import Actuator, Effort
from .fin import Fin, Rudder
from .joint_motor import JointMotor, Wrench
from .propeller import Propeller
from .reaction_wheel import ReactionWheel
from .thrust_curve import ThrustCurve
from .thruster import Rotor, Thruster

__all__ = [
    "Actuator",
    "Effort",
    "Fin",
    "JointMotor",
    "Propeller",
    "ReactionWheel",
    "Rotor",
    "Rudder",
    "ThrustCurve",
    "Thruster",
    "Wrench",
]
