"""What laws know of a plant's reaction wheels: which they are, and the momentum in them, in their vehicle's axes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import join
from ...model import Link, ModelError
from ...model.joints import SubgroupJoint
from ...worlds import Plant, ReactionWheel
from ..law_parts import check_plant


class Wheels(NamedTuple):
    """states: places in x of the wheels' momenta.  axes (k, 3): in the vehicle's axes."""

    link: Link
    states: tuple[int, ...]
    axes: np.ndarray

    @property
    def turning(self) -> list[int]:
        """Velocity indices of the vehicle's rotations about x, y, z."""
        names = self.link.joint.dof_names
        return [self.link.v.start + names.index(name) for name in ("wx", "wy", "wz")]

    def momentum(self, x: np.ndarray) -> np.ndarray:
        """h_w (3,) of all wheels, in the vehicle's axes (N m s)."""
        total: Any = 0.0
        for k, axis in zip(self.states, self.axes, strict=True):
            total = total + x[k] * axis
        return total


def wheels_of(law: str, plant: Any, vehicle: str, needed: bool = True) -> Wheels:
    """The wheels on a vehicle; where they are needed a vehicle without three independent ones is refused."""
    check_plant(law, plant)
    tree = plant.tree
    if vehicle not in tree.vehicles:
        raise ModelError.single(
            law, "vehicle", expected=f"one of {', '.join(tree.vehicles)}", given=repr(vehicle)
        )
    link = tree.link(vehicle)
    if not isinstance(link.joint, SubgroupJoint) or not {"wx", "wy", "wz"} <= set(link.joint.dof_names):
        raise ModelError.single(
            law, "vehicle", expected="one that turns about x, y and z", given=link.joint.kind
        )
    states, axes, x = [], [], 0
    for actuator in plant.actuators or ():
        if isinstance(actuator, ReactionWheel) and tree.locate(actuator.frame)[0] == link.index:
            states.append(x)
            axes.append(actuator._axis(tree))
        x = x + len(actuator.states(tree))
    if needed and (len(axes) < 3 or np.linalg.matrix_rank(np.array(axes), tol=1e-6) < 3):
        expected = f"three or more reaction wheels on {vehicle!r} with independent axes"
        raise ModelError.single(law, "actuators", expected=expected, given=f"{len(axes)} on it")
    return Wheels(link, tuple(states), np.array(axes).reshape(-1, 3))


def torque_along_dofs(plant: Plant, link: Link, torque: np.ndarray) -> np.ndarray:
    """Forces (nv,) of a torque (3,) on a vehicle, in its axes."""
    first = link.v.start + link.joint.dof_names.index("wx")
    return join([np.zeros(first), torque, np.zeros(plant.nv - first - 3)])
