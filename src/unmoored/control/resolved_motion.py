"""Moving a tool of a free-floating system with the generalized Jacobian."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np

from ..dynamics.kinematics import pose as pose_of
from ..dynamics.kinematics import velocity
from ..dynamics.underactuated import active_inertia, generalized_jacobian
from ..lie import se3
from ..lie.arrays import apply, solved, transpose
from ..model import ModelError, Pose
from ..model.field_types import NumberOrSeries, Six
from ..model.renamed import renamed_fields
from ..model.value import replace_arrays
from ..worlds.goal import Goal
from ..worlds.law import Law
from .law_goals import pose_goal
from .law_parts import check_plant, gain
from .pose_targets import PoseTarget, checked_target, pose_motion


@renamed_fields(regularisation="regularization", damping="bandwidth (1/s)")
class ResolvedMotion(Law):
    """Drives the joints so that a frame goes straight to a pose, or moves with it, while the passive DoFs give way.

    plant: in which it acts.  frame: the tool.
    pose: its target (4, 4) in the world, a trajectory of poses, or a `FollowedFrame`.
    passive: joints or DoFs that nothing drives, such as the bus of a free-floating satellite.
    rate: how fast the error log(g⁻¹ g_target) should shrink (1/s), one number or six in the tool's axes.
    bandwidth: of the loops that make the joints move at the wanted speed (1/s), one number or one per active DoF;
    several times `rate`.
    regularization: of the damped inverse of the generalized Jacobian, in the units of its entries.

    Wanted speeds are J_Gᵀ(J_G J_Gᵀ + regularization² 1)⁻¹ (V_r + rate · e − V_0): V_r the target's twist, V_0 the one
    that the frame has from momentum alone. Forces are the inertia that the active DoFs feel times bandwidth · (wanted −
    actual speed): a loop without feed-forward, which `ToolTracking` has. The law gives forces (..., nv) along all DoFs,
    zero along the passive ones.
    """

    plant: Any
    frame: str
    pose: Annotated[Any, Pose | PoseTarget]
    passive: Annotated[Any, list[str]]
    rate: Six = 1.0
    bandwidth: NumberOrSeries = 10.0
    regularization: float = 1e-2
    static: ClassVar[tuple[str, ...]] = ("passive",)

    def __post_init__(self) -> None:
        check_plant("ResolvedMotion", self.plant)
        tree = self.plant.tree
        tree.locate(self.frame)
        passive = tuple(int(k) for k in tree.dofs(self.passive))
        n = tree.nv - len(passive)
        if not n:
            raise ModelError.single(
                "ResolvedMotion", "passive", expected="some DoFs left to drive", given="all"
            )
        self.plant.velocities.refuse_passive(passive)
        self.plant.velocities.joints.of_active(np.eye(n), passive)  # refuses passive leaders and followers
        replace_arrays(
            self,
            passive=passive,
            pose=checked_target("ResolvedMotion", self.plant, self.frame, self.pose),
            rate=gain("ResolvedMotion", "rate", self.rate, (6,)),
            bandwidth=gain("ResolvedMotion", "bandwidth", self.bandwidth, (n,)),
        )

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        n = self.plant.tree.nv - len(self.passive)
        return {"pose": (4, 4), "rate": (6,), "bandwidth": (n,)}

    def goals(self) -> tuple[Goal, ...]:
        """The frame at its pose."""
        return (pose_goal(self.plant, self.frame, self.pose),)

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        tree = self.plant.tree
        active = [k for k in range(tree.nv) if k not in self.passive]
        target = pose_motion(self.plant, self.pose, t, q, v)
        g_e = se3.inverse(pose_of(tree, q, self.frame)) @ target.pose
        joints = self.plant.velocities.joints
        J = joints.of_active(generalized_jacobian(tree, q, self.frame, self.passive), self.passive)
        drift = velocity(tree, q, v, self.frame) - apply(J, v[..., active])
        task = se3.Ad_apply(g_e, target.twist) + self.rate * se3.log(g_e) - drift
        square = J @ transpose(J) + self.regularization**2 * np.eye(6)
        wanted = apply(transpose(J), solved(square, task))
        S_aa = joints.of_active(active_inertia(tree, q, self.passive), self.passive)
        S_aa = transpose(joints.of_active(transpose(S_aa), self.passive))
        forces = apply(S_aa, self.bandwidth * (wanted - v[..., active]))
        return apply(np.eye(tree.nv)[:, active], forces)
