"""Moving a tool of a free-floating system with a choice of what comes first: the vehicle at rest, or the tool's way."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from ...dynamics.kinematics import acceleration, velocity
from ...dynamics.kinematics import pose as pose_of
from ...dynamics.underactuated import generalized_and_disturbance_jacobians, task_first_accelerations
from ...dynamics.underactuated.damped_least_squares import damped_inverse
from ...lie import se3
from ...lie.arrays import apply, scale_vector
from ...model import ModelError, Pose
from ...model.errors import unknown_name
from ...model.field_types import Number, Series, Six
from ...model.joints import SubgroupJoint
from ...model.value import replace_arrays
from ...worlds.goal import Goal
from ...worlds.law import Law
from ..law_goals import pose_goal
from ..law_parts import check_plant, gain
from ..pose_targets import checked_pose
from .rank_damping import rank_damping

_ALL = (0, 1, 2, 3, 4, 5)
_NUMBERS = ("holding", "settling", "threshold", "damping", "tool_threshold", "tool_damping", "regularization")


class FloatingTool(Law):
    """Drives the joints so that a frame goes to a pose while nothing acts on the vehicle.

    With a the accelerations of the joints, J the rows of the disturbance Jacobian of the vehicle's DoFs in `at_rest`,
    b and b_G what these DoFs and the frame do at a = 0 (momentum is in them), and V̇* = rate² e − 2 rate V:

        first="vehicle":  a = J⁺(r − b) + N y ,  N = 1 − J⁺J ,  y of least |J_G a + b_G − V̇*|     (reaction null space)
        first="tool":     a meets V̇* as well as it can, then of least |J a + b − r|               (least disturbance)

    r = −2 holding ν + holding² e_v brings the vehicle's rates ν, and its place if `stance` is given, back to rest.
    J⁺ is damped with λ = damping · max(0, 1 − s/threshold²), s a lower bound of the square of J's least singular value:
    above the threshold J⁺ is exact, and the DoFs at rest stay at rest to rounding; below it joints stay bounded. The
    inverse for the tool is damped alike, by tool_threshold and tool_damping.

    plant: in which it acts.  frame: the tool.  pose: its target (4, 4) in the world.  vehicle: the body that floats.
    at_rest: DoFs of the vehicle that must not move, its rotations if None.  rows: of the tool's twist that count.
    rate (1/s): of the tool's error, critically damped, one number or six.  holding (1/s): of the vehicle's.
    stance: pose (4, 4) of the vehicle that is held along `at_rest`, None for rates alone.
    settling (1/s): how joints whose motion no task needs come to rest.
    regularization: of first="tool": how much that counts against the vehicle's rest.
    The law gives forces (..., nv) along all DoFs, zero along the vehicle's.
    """

    plant: Any
    frame: str
    pose: Annotated[Any, Pose]
    vehicle: str
    first: Literal["vehicle", "tool"] = "vehicle"
    at_rest: Annotated[Any, list[str] | None] = None
    rows: Annotated[Any, Series] = _ALL
    rate: Six = 1.0
    holding: Number = 2.0
    stance: Annotated[Any, Pose | None] = None
    settling: Number = 1.0
    threshold: Number = 1e-5
    damping: Number = 1e-5
    tool_threshold: Number = 1e-2
    tool_damping: Number = 1e-1
    regularization: Number = 1e-2
    static: ClassVar[tuple[str, ...]] = ("at_rest", "rows")

    def __post_init__(self) -> None:
        name = "FloatingTool"
        check_plant(name, self.plant)
        if self.plant.closures or self.plant.velocities.constraints:
            given = "closures or rolling constraints"
            raise ModelError.single(
                name, "plant", expected="one in which every joint moves on its own", given=given
            )
        tree = self.plant.tree
        tree.locate(self.frame)
        if self.vehicle not in tree.vehicles:
            raise unknown_name(name, "vehicle", self.vehicle, tree.vehicles)
        link = tree.link(self.vehicle)
        if not isinstance(link.joint, SubgroupJoint) or link.joint.nv < 2:
            raise ModelError.single(name, "vehicle", expected="one with several DoFs", given=link.joint.kind)
        own = list(range(link.v.start, link.v.stop))
        self.plant.velocities.refuse_passive(own)
        moves = self.plant.velocities.joints.of_active(np.eye(tree.nv - len(own)), own)
        joints = int(moves.any(axis=0).sum())  # that move on their own: followers have columns of zeros
        turning = [i for i, dof in zip(own, link.joint.dof_names, strict=True) if dof.startswith("w")]
        rest = turning if self.at_rest is None else [int(i) for i in tree.dofs(self.at_rest)]
        if not rest or not set(rest) <= set(own):
            expected = f"some of {', '.join(tree.dof_names[i] for i in own)}"
            raise ModelError.single(name, "at_rest", expected=expected, given=repr(self.at_rest))
        rows = tuple(int(k) for k in self.rows)
        if not rows or len(set(rows)) != len(rows) or not set(rows) <= set(_ALL):
            raise ModelError.single(name, "rows", expected="some of 0 … 5, each once", given=repr(self.rows))
        if self.first == "vehicle" and len(rest) > joints:
            expected = f"at most as many DoFs at rest as joints that move on their own ({joints})"
            raise ModelError.single(name, "at_rest", expected=expected, given=str(len(rest)))
        numbers = {word: gain(name, word, getattr(self, word), ()) for word in _NUMBERS}
        for word in ("threshold", "tool_threshold", "regularization"):
            if np.any(numbers[word] <= 0):
                raise ModelError.single(name, word, expected="> 0", given=repr(getattr(self, word)))
        stance = None if self.stance is None else checked_pose(name, self.stance, "stance")
        replace_arrays(
            self, pose=checked_pose(name, self.pose), rate=gain(name, "rate", self.rate, (6,)), stance=stance,
            at_rest=tuple(rest), rows=rows, **numbers,
        )  # fmt: skip

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        numbers = dict.fromkeys(_NUMBERS, ())
        stance = {} if self.stance is None else {"stance": (4, 4)}
        return {"pose": (4, 4), "rate": (6,), **stance, **numbers}

    def goals(self) -> tuple[Goal, ...]:
        """The frame at its pose, and the vehicle at its stance if it has one."""
        stance = () if self.stance is None else (pose_goal(self.plant, self.vehicle, self.stance),)
        return (pose_goal(self.plant, self.frame, self.pose, rows=self.rows), *stance)

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        tree = self.plant.tree
        link = tree.link(self.vehicle)
        passive = list(range(link.v.start, link.v.stop))
        active = [i for i in range(tree.nv) if i not in passive]
        still = 0.0 * v
        free, _ = self.plant.hybrid_dynamics(t, q, v, tau=still, acceleration=still, passive=[self.vehicle])
        J_G, J_D = generalized_and_disturbance_jacobians(tree, q, self.frame, passive)
        followers = self.plant.velocities.joints
        J_G, J_D = (followers.of_active(J, passive) for J in (J_G, J_D))
        rows, rest = list(self.rows), [passive.index(i) for i in self.at_rest]
        J_G, J = J_G[..., rows, :], J_D[..., rest, :]
        task = (self._tool(q, v) - acceleration(tree, q, v, free, self.frame))[..., rows]
        calm = self._vehicle(q, v) - free[..., list(self.at_rest)]
        wished = scale_vector(-self.settling, v[..., active])
        if self.first == "vehicle":
            a = self._vehicle_first(J_G, J, task, calm, wished)
        else:
            λ, ones = self._tool_damping(J_G), np.ones(len(rest))
            a = task_first_accelerations(J_G, J, task, calm, ones, self.regularization, λ, wished)
        spread = apply(np.eye(tree.nv)[:, active], a)
        full = followers.velocity(spread)
        _, tau = self.plant.hybrid_dynamics(t, q, v, tau=still, acceleration=full, passive=[self.vehicle])
        mask = np.zeros(tree.nv)
        mask[active] = 1.0
        return mask * tau

    def _vehicle_first(self, J_G: Any, J: Any, task: Any, calm: Any, wished: Any) -> Any:
        inverse = damped_inverse(J, rank_damping(J, self.threshold, self.damping))
        N = np.eye(J.shape[-1]) - inverse @ J
        base = apply(inverse, calm) + apply(N, wished)
        left = J_G @ N
        y = apply(damped_inverse(left, self._tool_damping(left)), task - apply(J_G, base))
        return base + apply(N, y)

    def _tool_damping(self, J: np.ndarray) -> Any:
        """λ of the tool's rows J (..., k, n)."""
        if J.shape[-2] > J.shape[-1]:
            return self.tool_damping
        return rank_damping(J, self.tool_threshold, self.tool_damping)

    def _tool(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """V̇* (..., 6) of the frame."""
        e = se3.log(se3.inverse(pose_of(self.plant.tree, q, self.frame)) @ self.pose)
        V = velocity(self.plant.tree, q, v, self.frame)
        return self.rate * (self.rate * e - 2.0 * V)

    def _vehicle(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Accelerations (..., k) of the DoFs at rest that bring them back to rest."""
        link = self.plant.tree.link(self.vehicle)
        back = scale_vector(-2.0 * self.holding, v[..., list(self.at_rest)])
        if self.stance is None:
            return back
        here = link.placement @ link.joint.transform(q[..., link.q])
        e = apply(link.joint.group.coordinates, se3.log(se3.inverse(here) @ self.stance))  # type: ignore[attr-defined]
        return back + scale_vector(self.holding**2, e[..., [i - link.v.start for i in self.at_rest]])
