"""Actuators: what drives the system (theory.md §21)."""

from .actuator import Actuator, Effort
from .joint_motor import JointMotor, Wrench
from .thruster import Rotor, Thruster

__all__ = ["Actuator", "Effort", "JointMotor", "Rotor", "Thruster", "Wrench"]
