"""Holding a vehicle at a pose: on the group, without angles."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ..lie import se3
from ..lie.arrays import apply, join, transpose
from ..model import Link, ModelError, Pose
from ..model.errors import unknown_name
from ..model.field_types import Number, Six
from ..model.value import replace_arrays
from ..trace import greater, maximum, where
from ..worlds.goal import Goal
from ..worlds.law import Law
from .law_goals import pose_goal
from .law_parts import along_dofs, check_plant, gain
from .pose_targets import PoseTarget, checked_target, pose_motion

_TINY = 1e-12


class PoseLaw(Law):
    """A law for a vehicle's pose: wrench in the vehicle's axes from e = log(g⁻¹ g_d) and Ad_{g⁻¹g_d} V_d − V.

    plant: in which it acts.  body: the vehicle (a body whose joint is on the world).
    pose: target g_d (4, 4) in the world, a trajectory of poses, or a `FollowedFrame`; V_d is its twist.
    stiffness (N/m, N m/rad), damping (N s/m, N m s/rad): one number, or six in the order (x, y, z, about x, y, z), in
    the vehicle's axes; (samples, 6) for a batch.
    """

    plant: Any
    body: str
    pose: Annotated[Any, Pose | PoseTarget]
    stiffness: Six
    damping: Six

    def __post_init__(self) -> None:
        kind = type(self).__name__
        check_plant(kind, self.plant)
        tree = self.plant.tree
        if self.body not in tree.vehicles:
            raise unknown_name(
                kind, "vehicle", self.body, [*tree.vehicles, "or LinkKeeping for another body"]
            )
        replace_arrays(
            self,
            pose=checked_target(kind, self.plant, self.body, self.pose),
            stiffness=gain(kind, "stiffness", self.stiffness, (6,)),
            damping=gain(kind, "damping", self.damping, (6,)),
        )

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return {"pose": (4, 4), "stiffness": (6,), "damping": (6,)}

    @property
    def link(self) -> Link:
        """The vehicle."""
        return self.plant.tree.link(self.body)

    def errors(self, t: Any, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """e = log(g⁻¹ g_d), unique up to half a turn, and Ad_{g⁻¹g_d} V_d − V, each (..., 6) in the vehicle's axes."""
        g = self.link.placement @ self.link.joint.transform(q[..., self.link.q])
        target = pose_motion(self.plant, self.pose, t, q, v)
        g_e = se3.inverse(g) @ target.pose
        return se3.log(g_e), se3.Ad_apply(g_e, target.twist) - self.twist(q, v)

    def goals(self) -> tuple[Goal, ...]:
        """The vehicle at its pose."""
        return (pose_goal(self.plant, self.body, self.pose),)

    def forces(self, q: np.ndarray, wrench: np.ndarray) -> np.ndarray:
        """Forces (..., nv) of a wrench (..., 6) on the vehicle: its part along the vehicle's DoFs."""
        S = self.link.joint.basis(q[..., self.link.q])
        return along_dofs(self.plant, {self.link.index: apply(transpose(S), wrench)})

    def twist(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The vehicle's twist (..., 6), in its own axes."""
        return apply(self.link.joint.basis(q[..., self.link.q]), v[..., self.link.v])


class StationKeeping(PoseLaw):
    """Holds a vehicle at a pose, or takes it along: wrench K e + D (V_r − V), with what keeps vehicle and arm in place
    in the world added. It lags behind a target that accelerates; `Tracking` does not.

    compensation: add the forces against weight, buoyancy and the drag of a current, of the whole system.
    The law gives forces (..., nv) along all DoFs of the plant, zero along the arm's.
    """

    compensation: bool = True

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        e, e_rate = self.errors(t, q, v)
        forces = self.forces(q, self.stiffness * e + self.damping * e_rate)
        if not self.compensation:
            return forces
        mask = np.zeros(self.plant.nv)
        mask[self.link.v] = 1.0
        return forces + mask * self.plant.holding_forces(t, q)


class ReactionMode(PoseLaw):
    """Lets a vehicle drift, and pushes it back only beyond bounds on the distance (m) and the angle (rad) to a pose.

    Beyond a bound the force is that of `StationKeeping` for the part of the error outside of it; inside it is zero.
    """

    position_bound: Number = 0.0
    angle_bound: Number = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("position_bound", "angle_bound"):
            bound = gain("ReactionMode", name, getattr(self, name), ())
            if np.any(bound < 0):
                raise ModelError.single("ReactionMode", name, expected="≥ 0", given=repr(getattr(self, name)))
            replace_arrays(self, **{name: bound})

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | {"position_bound": (), "angle_bound": ()}

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        e, e_rate = self.errors(t, q, v)
        parts = ((e[..., :3], self.position_bound), (e[..., 3:], self.angle_bound))
        cut = [_outside(part, np.asarray(bound)) for part, bound in parts]
        wrench = self.stiffness * join([error for error, _ in cut])
        on = join([firing for _, firing in cut])
        return self.forces(q, wrench + on * self.damping * e_rate)


def _outside(e: np.ndarray, bound: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The part of e (..., 3) beyond the bound (...), and 1 (..., 3) where there is some, else 0."""
    size = np.asarray(np.sqrt((e * e).sum(axis=-1)))
    share = maximum(1.0 - bound / maximum(size, _TINY), 0.0)
    firing = np.asarray(where(greater(size, bound), 1.0, 0.0))
    return np.asarray(share)[..., None] * e, firing[..., None] + np.zeros(3)
