"""Actuators: what drives the system (theory.md §21)."""

from .actuator import Actuator, Effort
from .fin import Fin, Rudder
from .joint_motor import JointMotor, Wrench
from .reaction_wheel import ReactionWheel
from .thruster import Rotor, Thruster

__all__ = [
    "Actuator",
    "Effort",
    "Fin",
    "JointMotor",
    "ReactionWheel",
    "Rotor",
    "Rudder",
    "Thruster",
    "Wrench",
]
