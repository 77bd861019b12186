"""Springs and dampers toward references of joints, with weight and buoyancy compensated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any

import numpy as np

from ..dynamics.configuration import pack
from ..lie.arrays import join
from ..model import Link, ModelError, Pose
from ..model.field_types import NumberOrSeries
from ..model.value import replace_arrays
from ..worlds import Trajectory
from ..worlds.goal import Goal
from ..worlds.law import Law
from .joint_errors import joint_error
from .law_goals import joint_goals
from .law_parts import along_dofs, check_plant, gain


class JointPD(Law):
    """Forces K e + D (ν_r − ν) along the DoFs of some joints, e toward the reference on the joint's group.

    ν_r is the velocity of the reference, seen from where the joint is.

    plant: in which the forces act.
    targets: {joint: reference}: a coordinate (rad, m), a pose (4, 4) of a joint stored as one, or a trajectory.
    stiffness, damping: one number, or one per DoF of these joints in velocity order; (samples, n) for a batch.
    compensation: add what holds the joints still in the world: weight, buoyancy, springs, drag of the current.

    The law gives forces (..., nv) along all DoFs of the plant, zero along the others.
    """

    plant: Any
    targets: Annotated[Any, Mapping[str, Trajectory | Pose | NumberOrSeries]]
    stiffness: NumberOrSeries
    damping: NumberOrSeries
    compensation: bool = True
    #: references by joint, and where the other joints are held (..., n): the targets, taken apart
    motions: Any = field(init=False, default=None)
    target: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        check_plant("JointPD", self.plant)
        if not isinstance(self.targets, Mapping) or not self.targets:
            raise ModelError.single(
                "JointPD", "targets", expected="{joint: reference}", given=repr(self.targets)
            )
        tree = self.plant.tree
        given = [(tree.link(name), getattr(x, "matrix", x)) for name, x in self.targets.items()]
        given.sort(key=lambda pair: pair[0].index)
        self._check_leaders([link for link, _ in given])
        moving = tuple((link.name, x) for link, x in given if isinstance(x, Trajectory))
        for name, reference in moving:
            reference.check(name, tree.link(name).joint)
        fixed = {link.name: x for link, x in given if not isinstance(x, Trajectory)}
        q = pack(tree, fixed)
        held = [q[..., tree.link(name).q] for name in fixed]
        n = sum(link.joint.nv for link, _ in given)
        replace_arrays(
            self,
            targets=tuple(link.name for link, _ in given),
            motions=moving,
            target=join(held) if held else None,
            stiffness=gain("JointPD", "stiffness", self.stiffness, (n,)),
            damping=gain("JointPD", "damping", self.damping, (n,)),
        )

    def _check_leaders(self, links: list[Link]) -> None:
        """What holds a joint that follows another stands at the leader: without it nothing would be compensated."""
        held = {i for link in links for i in range(link.v.start, link.v.stop)}
        names = self.plant.dof_names
        for follower, leader in self.plant.velocities.joints.dofs.items() if self.compensation else ():
            if follower in held and leader not in held:
                expected = f"{names[leader]!r} too, which leads it, or compensation=False"
                raise ModelError.single("JointPD", "targets", expected=expected, given=repr(names[follower]))

    @property
    def links(self) -> list[Link]:
        """The joints that the law acts on."""
        return [self.plant.tree.link(name) for name in self.targets]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        moving = dict(self.motions)
        n = sum(link.joint.nv for link in self.links)
        held = sum(link.joint.nq for link in self.links if link.name not in moving)
        return {"stiffness": (n,), "damping": (n,), "target": (held,)}

    def goals(self) -> tuple[Goal, ...]:
        """Every joint at its reference."""
        return joint_goals(self.plant, self.links, self.motions, self.target)

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        forces, first, held, moving = {}, 0, 0, dict(self.motions)
        for link in self.links:
            n = link.joint.nv
            error, rate = self._error(link, moving.get(link.name), t, q[..., link.q], v[..., link.v], held)
            K, D = self.stiffness[..., first : first + n], self.damping[..., first : first + n]
            forces[link.index] = K * error + D * rate
            first, held = first + n, held + (0 if link.name in moving else link.joint.nq)
        if self.compensation:
            holding = self.plant.holding_forces(t, q)
            forces = {i: f + holding[..., self.plant.tree.links[i].v] for i, f in forces.items()}
        return along_dofs(self.plant, forces)

    def _error(
        self, link: Link, moving: Trajectory | None, t: Any, q: np.ndarray, v: np.ndarray, held: int
    ) -> tuple[Any, Any]:
        """The way to the reference (..., nv_i) on the group, and how fast it shrinks by itself."""
        if moving is None:
            return link.joint.local(q, self.target[..., held : held + link.joint.nq]), -v
        reference = joint_error(link.joint, q, v, moving.motion(t, link.joint))
        return reference.error, reference.velocity - v
