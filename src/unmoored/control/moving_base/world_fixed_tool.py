"""Holding a tool or a load still in the world, or leading it through it, while the ship below it moves."""

from __future__ import annotations

from operator import index as whole_number
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from ...dynamics.jacobians import jacobian
from ...dynamics.kinematics import pose as pose_of
from ...dynamics.recursive import inverse_dynamics
from ...dynamics.underactuated.damped_least_squares import damped_inverse
from ...lie import se3
from ...lie.arrays import apply, join, vector
from ...model import ModelError, Pose
from ...model.errors import unknown_name
from ...model.field_types import Number, NumberOrSeries, Series
from ...model.joints import SubgroupJoint, numbers_from_pose
from ...model.value import replace_arrays
from ...trace import clip, greater, where
from ...worlds.goal import Goal
from ...worlds.law import Law
from ..law_goals import pose_goal
from ..law_parts import check_plant, gain
from ..pose_targets import PoseTarget, checked_pose, checked_target, pose_motion
from .ship_prediction import ahead

_ALL = (0, 1, 2, 3, 4, 5)
_FAR = 1e12


class WorldFixedTool(Law):
    """Drives the joints above a moving vehicle so that a frame stays at a pose of the world, or goes along poses there.

    The vehicle's motion is known from a sensor alone, `MotionUnit`, with its delay and noise; it is predicted to when
    the command takes effect, the age of the reading and `lead` later (see `ship_prediction`). Then

        q̇_w = J_q⁺(rate e + V_r − J_b u) , at most `fastest` ;   q̈ = bandwidth (q̇_w − q̇) + J_q⁺(V̇_r − J_b u̇) ,

    e = log(g⁻¹g_d), V_r and V̇_r the target's twist and its rate in the frame's axes, u and u̇ the predicted twist of
    the vehicle and its rate (products of speeds are left to the bandwidth), and forces by inverse dynamics.

    plant: in which it acts.  frame: the tool.  pose: where it stays (4, 4) in the world, or a trajectory of
    poses there.  vehicle: the ship.
    unit: name of the `MotionUnit` on the vehicle's body.  rows: of the frame's twist that are held.
    prediction: "none", "twist" or "oscillator" with `frequency` (rad/s) about the pose `mean` (4, 4) in the world.
    rate (1/s): of the error.  bandwidth (1/s): of the joints' speed loops.  lead (s): lag of drives, predicted too.
    fastest: speed limit of the joints (rad/s, m/s), one number or one per joint.  damping: of the inverse of J_q.
    The law gives forces (nv,) along all DoFs, zero along the vehicle's. It needs `control_step`: it sees a sensor.
    """

    plant: Any
    frame: str
    pose: Annotated[Any, Pose | PoseTarget]
    vehicle: str
    unit: str
    rows: Annotated[Any, Series] = _ALL
    prediction: Literal["none", "twist", "oscillator"] = "oscillator"
    frequency: Number = 0.7
    mean: Annotated[Any, Pose | None] = None
    rate: Number = 1.0
    bandwidth: NumberOrSeries = 10.0
    lead: Number = 0.0
    fastest: NumberOrSeries = _FAR
    damping: Number = 1e-4
    static: ClassVar[tuple[str, ...]] = ("rows",)
    memory = {}  # noqa: RUF012

    def __post_init__(self) -> None:
        name = "WorldFixedTool"
        check_plant(name, self.plant)
        tree = self.plant.tree
        tree.locate(self.frame)
        if self.vehicle not in tree.vehicles:
            raise unknown_name(name, "vehicle", self.vehicle, tree.vehicles)
        link = tree.link(self.vehicle)
        if not isinstance(link.joint, SubgroupJoint):
            raise ModelError.single(
                name, "vehicle", expected="a joint that is a subgroup", given=link.joint.kind
            )
        if self.plant.velocities.couplings:
            raise ModelError.single(name, "plant", expected="no joints that follow others", given="some")
        try:
            rows = tuple(map(whole_number, self.rows))
        except TypeError:
            rows = ()
        if not rows or len(set(rows)) != len(rows) or not set(rows) <= set(_ALL):
            raise ModelError.single(name, "rows", expected="some of 0 … 5, each once", given=repr(self.rows))
        n = len(self._driven)
        if not n:
            raise ModelError.single(
                name, "frame", expected="one that joints above the vehicle move", given=self.frame
            )
        mean = np.eye(4) if self.mean is None else checked_pose(name, self.mean, "mean")
        replace_arrays(
            self, pose=checked_target(name, self.plant, self.frame, self.pose), mean=mean, rows=rows,
            bandwidth=gain(name, "bandwidth", self.bandwidth, (n,)), fastest=gain(name, "fastest", self.fastest, (n,)),
            **{word: gain(name, word, getattr(self, word), ()) for word in ("frequency", "rate", "lead", "damping")},
        )  # fmt: skip
        if np.any(self.frequency <= 0):
            raise ModelError.single(name, "frequency", expected="> 0 (rad/s)", given=repr(self.frequency))

    @property
    def _driven(self) -> list[int]:
        """Velocity indices of the joints between the vehicle and the frame."""
        tree = self.plant.tree
        index = tree.locate(self.frame)[0]
        way = tree.ancestors[index] if index >= 0 else ()
        return [
            i
            for k in way
            if tree.links[k].parent >= 0
            for i in range(tree.links[k].v.start, tree.links[k].v.stop)
        ]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        n = len(self._driven)
        numbers = dict.fromkeys(("frequency", "rate", "lead", "damping"), ())
        still = {"pose": (4, 4)} if isinstance(self.pose, np.ndarray) else {}
        return {**still, "mean": (4, 4), "bandwidth": (n,), "fastest": (n,), **numbers}

    def goals(self) -> tuple[Goal, ...]:
        """The frame at its pose."""
        return (pose_goal(self.plant, self.frame, self.pose, rows=self.rows),)

    def __call__(self, seen: Any, memory: Any) -> Any:
        tree, driven, rows = self.plant.tree, self._driven, list(self.rows)
        link = tree.link(self.vehicle)
        ship = self._ship(seen)
        h = se3.inverse(link.placement) @ ship.pose
        stored = numbers_from_pose(h) if link.joint.nv > 1 else link.joint.group.log(h)  # type: ignore[attr-defined]
        along = link.joint.group.coordinates  # type: ignore[attr-defined]
        u, u_dot = apply(along, ship.twist), apply(along, ship.rate)
        q = join([seen.q[: link.q.start], stored, seen.q[link.q.stop :]])
        v = join([seen.v[: link.v.start], u, seen.v[link.v.stop :]])
        J = jacobian(tree, q, self.frame)[rows]
        J_b, inverse = J[:, link.v], damped_inverse(J[:, driven], self.damping)
        target = pose_motion(self.plant, self.pose, seen.t, q, v)
        g_e = se3.inverse(pose_of(tree, q, self.frame)) @ target.pose
        V_r, V_r_dot = se3.Ad_apply(g_e, target.twist)[rows], se3.Ad_apply(g_e, target.twist_rate)[rows]
        ways = apply(inverse, self.rate * se3.log(g_e)[rows] + V_r - apply(J_b, u))
        wanted = clip(ways, -self.fastest, self.fastest)
        a = self.bandwidth * (wanted - seen.v[driven]) + apply(inverse, V_r_dot - apply(J_b, u_dot))
        full: list[Any] = [0.0] * tree.nv
        for k, i in enumerate(range(link.v.start, link.v.stop)):
            full[i] = u_dot[k]
        for k, i in enumerate(driven):
            full[i] = a[k]
        tau = inverse_dynamics(tree, q, v, vector(full), self.plant.gravity, {})
        mask = np.zeros(tree.nv)
        mask[driven] = 1.0
        return mask * tau, memory

    def _ship(self, seen: Any) -> Any:
        """The vehicle's motion when the command takes effect; at its mean pose before anything was measured."""
        if self.unit not in seen.y:
            expected = f"one of the sensors of the run: {', '.join(seen.y) or 'none were given'}"
            raise ModelError.single("WorldFixedTool", "unit", expected=expected, given=repr(self.unit))
        y = seen.y[self.unit]
        some = greater((y.value[:9] * y.value[:9]).sum(), 1.0)
        read = se3.pose(y.value[:9].reshape(3, 3), y.value[9:12])
        g, V = where(some, read, self.mean), y.value[12:]
        return ahead(self.prediction, g, V, seen.t - y.stamp + self.lead, self.mean, self.frequency)
