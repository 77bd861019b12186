"""Terms of costs that are wanted most: the tool's pose, posture, speeds, effort, the base, momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..lie import se3
from ..model import ModelError, Pose
from ..model.errors import unknown_name
from ..model.value import replace_arrays
from ..trace import plain_numbers
from .costs import Cost, Now, check_weight


class ToolPose(Cost):
    """½ Σ w_i e_i², e = log(g⁻¹ g_d) (6,) from the pose g of a frame to its target, in the frame's axes.

    plant: whose system the frame is of.  pose: g_d (4, 4) in the world.  weight: one number or six, along and about the
    frame's axes; zero leaves one free. Rotations by π from the target have no direction: begin nearer.
    """

    plant: Any
    frame: str
    pose: Any
    weight: Any = 1.0

    def __post_init__(self) -> None:
        check_frame(self)
        check_weight(self)
        try:
            pose = self.pose.matrix if isinstance(self.pose, Pose) else plain_numbers(self.pose)
        except (TypeError, ValueError):
            pose = np.zeros(())
        R = pose[..., :3, :3] if pose.shape[-2:] == (4, 4) else np.zeros((3, 3))
        if np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max() > 1e-9:
            raise ModelError.single("ToolPose", "pose", expected="poses (4, 4)", given=f"shape {pose.shape}")
        replace_arrays(self, pose=pose)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the gains for one problem."""
        return {"pose": (4, 4), "weight": (6,)}

    def __call__(self, now: Now) -> np.ndarray:
        g = self.plant.system.pose(now.q, self.frame)
        return np.sqrt(self.weight) * se3.log(se3.inverse(g) @ self.pose)


class ToolTwist(Cost):
    """½ Σ w_i V_i² of the body twist V (6,) of a frame: at the end it says how slowly the tool arrives."""

    plant: Any
    frame: str
    weight: Any = 1.0

    def __post_init__(self) -> None:
        check_frame(self)
        check_weight(self)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the gains for one problem."""
        return {"weight": (6,)}

    def __call__(self, now: Now) -> np.ndarray:
        return np.sqrt(self.weight) * self.plant.system.velocity(now.q, now.v, self.frame)


class Posture(Cost):
    """½ Σ w_i d_i², d = local(target, q) (nv,) on the group.

    target: configuration (nq,).  weight: one number or nv.
    """

    plant: Any
    target: Any
    weight: Any = 1.0

    def __post_init__(self) -> None:
        check_weight(self)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the gains for one problem."""
        return {"target": (self.plant.nq,), "weight": (self.plant.nv,)}

    def __call__(self, now: Now) -> np.ndarray:
        return np.sqrt(self.weight) * self.plant.system.local(self.target, now.q)


class Speed(Cost):
    """½ Σ w_i v_i² of the velocities (nv,).  weight: one number or nv."""

    plant: Any
    weight: Any = 1.0

    def __post_init__(self) -> None:
        check_weight(self)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the gains for one problem."""
        return {"weight": (self.plant.nv,)}

    def __call__(self, now: Now) -> np.ndarray:
        return np.sqrt(self.weight) * now.v


class Effort(Cost):
    """½ Σ w_i (u_i − around_i)² of the inputs (nu,).  weight, around: one number or nu."""

    plant: Any
    weight: Any = 1.0
    around: Any = 0.0

    def __post_init__(self) -> None:
        check_weight(self)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the gains for one problem."""
        return {"weight": (self.plant.nu,), "around": (self.plant.nu,)}

    def __call__(self, now: Now) -> np.ndarray:
        if now.u is None:
            raise ModelError.single("Effort", "final", expected="a running term", given="no input at the end")
        return np.sqrt(self.weight) * (now.u - self.around)


class BaseDisturbance(Cost):
    """½ Σ w_i V_i² of a vehicle's velocities: how much the base moves.  vehicle: its name; None: the only one.

    weight: one number, or one per DoF of the vehicle, in its own axes.
    """

    plant: Any
    weight: Any = 1.0
    vehicle: str | None = None

    def __post_init__(self) -> None:
        check_weight(self)
        vehicles = [link.name for link in self.plant.tree.links if link.parent < 0]
        if self.vehicle is None and len(vehicles) != 1:
            expected = f"one of {', '.join(vehicles)}"
            raise ModelError.single("BaseDisturbance", "vehicle", expected=expected, given="none")
        if self.vehicle is not None and self.vehicle not in vehicles:
            raise unknown_name("BaseDisturbance", "vehicle", self.vehicle, vehicles)
        replace_arrays(self, vehicle=self.vehicle or vehicles[0])

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the gains for one problem."""
        return {"weight": (self.plant.tree.link(self.vehicle).joint.nv,)}

    def __call__(self, now: Now) -> np.ndarray:
        return np.sqrt(self.weight) * now.v[self.plant.tree.link(self.vehicle).v]


class Momentum(Cost):
    """½ Σ w_i (μ_i − target_i)² of the momentum μ (6,) in world axes about the origin, linear part first."""

    plant: Any
    weight: Any = 1.0
    target: Any = 0.0

    def __post_init__(self) -> None:
        check_weight(self)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the gains for one problem."""
        return {"weight": (6,), "target": (6,)}

    def __call__(self, now: Now) -> np.ndarray:
        return np.sqrt(self.weight) * (self.plant.momentum(now.t, now.q, now.v, now.x, p=now.p) - self.target)


def check_frame(term: Any) -> None:
    """Refuse a name that is neither a body nor a frame."""
    known = [*term.plant.system.names, *term.plant.system.frames]
    if term.frame not in known:
        raise unknown_name(type(term).__name__, "frame", term.frame, known)
