"""Units of inputs: N and N m where an input is a force or a moment, rad where it is an angle, else "command"."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...model.units import RADIAN, dof_units
from .actuator import Actuator
from .joint_motor import JointMotor, Wrench
from .thruster import Thruster

FORCE, MOMENT, COMMAND = "N", "N m", "command"


def input_units(tree: Tree, actuators: Sequence[Actuator] | None) -> list[str]:
    """The unit of every input of these actuators; None: of a force along every DoF."""
    along_dofs = [MOMENT if unit == RADIAN else FORCE for unit in dof_units(tree)]
    if actuators is None:
        return along_dofs
    return [unit for actuator in actuators for unit in _units_of(actuator, tree, along_dofs)]


def _units_of(actuator: Actuator, tree: Tree, along_dofs: list[str]) -> list[str]:
    match actuator:
        case JointMotor(gear=1.0):
            return [along_dofs[i] for i in tree.dofs(actuator.joint)]
        case Wrench():
            return [FORCE] * 3 + [MOMENT] * 3
        case Thruster():
            thrust = FORCE if actuator.curve is None else COMMAND
            return [thrust, RADIAN][: len(actuator.inputs(tree))]
    return [COMMAND] * len(actuator.inputs(tree))
