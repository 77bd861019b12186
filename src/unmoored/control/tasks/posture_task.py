"""Joints at their places."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, Self

import numpy as np

from ...dynamics.configuration import pack
from ...dynamics.forced_base import PrescribedMotion
from ...lie import se3
from ...lie.arrays import apply, join
from ...model import Joint, ModelError, Pose
from ...model.field_types import NumberOrSeries
from ...model.value import replace_arrays
from ...worlds import Trajectory
from ...worlds.goal import Goal
from ..law_goals import joint_goals
from ..law_parts import gain
from .task_interface import Task, Wanted, goal_name


class PostureTask(Task):
    """Brings joints to places: {joint: coordinate (rad, m), pose (4, 4) of a joint stored as one, or a trajectory}.

    The error is on each joint's group. As the last level it uses up the freedom that the others leave.
    """

    targets: Annotated[Any, Mapping[str, Trajectory | Pose | NumberOrSeries]]
    #: the targets, taken apart: names in order, references by joint, and where the other joints are to be (..., n)
    joints: tuple[str, ...] = field(init=False, default=())
    motions: Any = field(init=False, default=())
    places: Any = field(init=False, default=None)
    dofs: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.targets, Mapping) or not self.targets:
            expected = "{joint: place}"
            raise ModelError.single("PostureTask", "targets", expected=expected, given=repr(self.targets))

    @property
    def size(self) -> int:
        return self.dofs

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | ({} if self.places is None else {"places": (np.shape(self.places)[-1],)})

    def on(self, plant: Any) -> Self:
        if self.joints:  # it is ready
            return self
        tree = plant.tree
        given = [(tree.link(name), getattr(x, "matrix", x)) for name, x in self.targets.items()]
        given.sort(key=lambda pair: pair[0].index)
        moving = tuple((link.name, x) for link, x in given if isinstance(x, Trajectory))
        for name, reference in moving:
            reference.check(name, tree.link(name).joint)
        fixed = {link.name: x for link, x in given if not isinstance(x, Trajectory)}
        q = pack(tree, fixed)
        places = [q[..., tree.link(name).q] for name in fixed]
        n = sum(link.joint.nv for link, _ in given)
        ready = copy.copy(self)
        replace_arrays(
            ready,
            targets=(),
            joints=tuple(link.name for link, _ in given),
            motions=moving,
            places=join(places) if places else None,
            dofs=n,
            rate=gain("PostureTask", "rate", self.rate, (n,)),
        )
        return ready

    def goals(self, plant: Any, level: int) -> tuple[Goal, ...]:
        """Every joint at its place."""
        links = [plant.tree.link(name) for name in self.joints]
        name = goal_name(self, level, "{}")
        return joint_goals(plant, links, self.motions, self.places, name=name, level=level)

    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Wanted:
        links = [plant.tree.link(name) for name in self.joints]
        J = np.concatenate([np.eye(plant.nv)[link.v] for link in links])
        parts, first, moving = [], 0, dict(self.motions)
        for link in links:
            joint, q_i = link.joint, q[..., link.q]
            if link.name in moving:
                parts.append(_following(joint, q_i, v[..., link.v], moving[link.name].motion(t, joint)))
                continue
            place = self.places[..., first : first + joint.nq]
            still = np.zeros(joint.nv)
            parts.append((joint.local(q_i, place), still, still))
            first += joint.nq
        e, rate, acceleration = (join([part[k] for part in parts]) for k in range(3))
        return Wanted(J, e, np.zeros(len(J)), rate, acceleration)


def _following(joint: Joint, q: np.ndarray, v: np.ndarray, target: PrescribedMotion) -> tuple[Any, Any, Any]:
    """Error, and velocity and acceleration of the target, each (..., n), in the axes of the joint at q.

    On a group V_r = Ad_{g_e} V_d and V̇_r = Ad_{g_e} V̇_d − ad_V V_r, along the joint's constant basis.
    """
    e = joint.local(q, target.configuration)
    if joint.nv == 1 or joint.nq == joint.nv:
        return e, target.velocity, target.acceleration
    H = joint.basis(joint.neutral())
    along = np.linalg.pinv(H)
    g_e = se3.inverse(joint.transform(q)) @ joint.transform(target.configuration)
    V_r = se3.Ad_apply(g_e, apply(H, target.velocity))
    rate = se3.Ad_apply(g_e, apply(H, target.acceleration)) - se3.ad_apply(apply(H, v), V_r)
    return e, apply(along, V_r), apply(along, rate)
