"""Motors in joints, and a wrench as an input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...lie import se3
from ...model import ModelError, Tree
from ...model.value import frozen_array, replace_arrays
from ...trace import clip
from ..scene import Scene
from .actuator import Actuator, Effort
from .thruster import on_body


@dataclass(frozen=True, eq=False, repr=False)
class JointMotor(Actuator):
    """Drives all DoFs of a joint ("elbow"), or one ("bus.vx"): force = gear · command, one command per DoF.

    gear: force at the joint per unit of command; the drive's inertia seen at the joint is the joint's armature.
    Beside the motor's own limits on the command, the joint's `effort` limits the force.
    """

    suffix: ClassVar[str] = "motor"

    joint: str
    gear: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        gear = float(frozen_array(self.gear, (), where=self.label, what="gear"))
        if gear == 0:
            raise ModelError.single(self.label, "gear", expected="≠ 0", given="0")
        replace_arrays(self, gear=gear)

    @property
    def label(self) -> str:
        return self.name or f"{self.joint}_{self.suffix}"

    def inputs(self, tree: Tree) -> tuple[str, ...]:
        """One command per DoF."""
        dofs = tree.dofs(self.joint)
        return ("",) if len(dofs) == 1 else tuple(tree.dof_names[i].rpartition(".")[2] for i in dofs)

    def check(self, tree: Tree) -> None:
        """The joint must have a DoF."""
        if len(tree.dofs(self.joint)) == 0:
            raise ModelError.single(
                self.label, "joint", expected="a joint that moves", given=f"{self.joint!r}, Fixed"
            )

    def effort(self, scene: Scene, y: np.ndarray) -> Effort:
        """gear · y within the joint's effort, along the DoFs."""
        dofs = scene.tree.dofs(self.joint)
        force, largest = self.gear * y, efforts(scene.dry)[dofs]
        if np.isfinite(largest).any():
            force = clip(force, -largest, largest)
        return Effort({}, (np.eye(scene.tree.nv)[:, dofs] @ force[..., None])[..., 0])

    def bounds(self, tree: Tree) -> tuple[np.ndarray, np.ndarray]:
        """Those of the motor, and the commands at which the joint's effort is reached."""
        lowest, highest = super().bounds(tree)
        largest = efforts(tree)[tree.dofs(self.joint)] / abs(self.gear)
        return np.maximum(lowest, -largest), np.minimum(highest, largest)

    def unit_efforts(self, scene: Scene) -> list[Effort]:
        """Forces along the DoFs per unit of command."""
        return [Effort({}, self.gear * row) for row in np.eye(scene.tree.nv)[scene.tree.dofs(self.joint)]]


@dataclass(frozen=True, eq=False, repr=False)
class Wrench(Actuator):
    """A wrench (force, moment) (6 inputs) on a frame or body, in its axes: a payload, a pull, an ideal drive."""

    suffix: ClassVar[str] = "wrench"

    frame: str

    @property
    def label(self) -> str:
        return self.name or self.frame

    def inputs(self, tree: Tree) -> tuple[str, ...]:
        """Force and moment."""
        return ("fx", "fy", "fz", "nx", "ny", "nz")

    def check(self, tree: Tree) -> None:
        """The frame must be on a body."""
        on_body(tree, self.frame, self.label)

    def effort(self, scene: Scene, y: np.ndarray) -> Effort:
        """The wrench y (..., 6), on the body."""
        index, pose = scene.dry.locate(self.frame)
        return Effort({index: se3.Ad_inv_transpose_apply(pose, y)})


def efforts(tree: Tree) -> np.ndarray:
    """Largest force (nv,) that the drives of all DoFs give, infinite where the joint does not say."""
    unlimited = [np.full(link.joint.nv, np.inf) for link in tree.links]
    given = [link.joint.effort for link in tree.links]
    return np.concatenate([u if e is None else e for u, e in zip(unlimited, given, strict=True)])
