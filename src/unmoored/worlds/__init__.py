"""What acts on a system: worlds, joints' own effects, actuators; and the `Plant` that joins them."""

from .actuators import Actuator, JointMotor, Rotor, Thruster, Wrench
from .current import Current, ShearedCurrent, UniformCurrent, VaryingCurrent
from .earth import Earth, Ground
from .joint_effects import JointEffects
from .ocean import Ocean
from .plant import Plant
from .space import Space
from .trajectory import Motion, Trajectory, UntilFailure
from .world import World

__all__ = [
    "Actuator", "Current", "Earth", "Ground", "JointEffects", "JointMotor", "Motion", "Ocean", "Plant", "Rotor",
    "ShearedCurrent", "Space", "Thruster", "Trajectory", "UniformCurrent", "UntilFailure", "VaryingCurrent", "World",
    "Wrench",
]  # fmt: skip
