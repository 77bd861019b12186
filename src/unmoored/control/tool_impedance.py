"""How a tool gives way: impedance by forces, admittance by motion (docs/laws/tool.md; Hogan 1985)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np

from ..dynamics.kinematics import pose as pose_of
from ..dynamics.kinematics import velocity
from ..lie import se3
from ..lie import special_euclidean as all_poses
from ..lie.arrays import apply, solved, transpose
from ..model import ModelError
from ..model.field_types import Numbers, Six
from ..model.joints import numbers_from_pose
from ..model.joints.subgroup_joint import pose_from_numbers
from ..model.value import replace_arrays
from ..trace import plain_numbers
from ..worlds import Trajectory
from ..worlds.law import Seen
from .law_parts import gain
from .pose_paths import PoseMotion
from .pose_targets import FollowedFrame, Relative
from .potentials import Pulled, matrix_potential
from .tool_errors import ToolError, Wanted, approach, tool_error
from .tool_law import ToolLaw

_POSES = all_poses()
_MASSES = Annotated[Any, Numbers((), (6,), (6, 6))]


class GivingTool(ToolLaw):
    """What impedance and admittance share: a spring, a damper and an inertia at the tool, in its axes.

    stiffness: along and about the frame's axes (N/m, N m/rad), those about them each below the sum of the other two.
    damping: (N s/m, N m s/rad).  Each one number, or six.
    inertia_wanted: M_d, one number, six, or (6, 6) symmetric positive definite; of it the part of the `directions`.
    sensor: name of a `ForceTorque` at the tool, whose frame is the law's: the wrench on it is minus what it reads,
    for what is beyond its cut is taken to weigh nothing.
    """

    stiffness: Six
    damping: Six
    inertia_wanted: _MASSES
    sensor: str | None = None
    static: ClassVar[tuple[str, ...]] = ("passive", "sensor")

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = type(self).__name__
        gains = {name: gain(kind, name, getattr(self, name), (6,)) for name in ("stiffness", "damping")}
        k = gains["stiffness"]
        if np.any(k <= 0) or np.any(2 * k[..., 3:] >= k[..., 3:].sum(axis=-1, keepdims=True)):
            expected = "> 0, each of three about axes below the sum of the other two"
            raise ModelError.single(kind, "stiffness", expected=expected, given=repr(self.stiffness))
        replace_arrays(self, inertia_wanted=self._checked_inertia(kind), **gains)

    def _checked_inertia(self, kind: str) -> Any:
        try:
            given = plain_numbers(self.inertia_wanted)
        except (TypeError, ValueError):
            given = np.array(np.nan)
        M = np.diag(np.broadcast_to(given, (6,))) if given.shape in ((), (1,), (6,)) else given
        if M.shape[-2:] != (6, 6) or not np.allclose(M, transpose(M)) or np.linalg.eigvalsh(M).min() <= 0:
            expected = "> 0: one number, six, or a symmetric positive definite (6, 6)"
            raise ModelError.single(
                kind, "inertia_wanted", expected=expected, given=repr(self.inertia_wanted)
            )
        return M

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | {"stiffness": (6,), "damping": (6,), "inertia_wanted": (6, 6)}

    @property
    def rows(self) -> np.ndarray | None:
        """Rows (k, 6) of the law's directions, None for all six."""
        return None if len(self.places) == 6 else np.eye(6)[list(self.places)]

    @property
    def mass(self) -> np.ndarray:
        """M_d (..., k, k) along the law's directions."""
        chosen = list(self.places)
        return self.inertia_wanted[..., chosen, :][..., chosen]

    def spring(self, off: ToolError) -> Pulled:
        """The smooth potential of the error."""
        return matrix_potential(_POSES, off.pose, self.stiffness, off.rate)

    def on_tool(self, seen: Seen) -> np.ndarray | None:
        """The measured wrench (..., 6) on the tool."""
        if self.sensor is None:
            return None
        if self.sensor not in seen.y:
            expected = f"a sensor of that name in the run: {', '.join(seen.y) or 'none'}"
            raise ModelError.single(type(self).__name__, "sensor", expected=expected, given=repr(self.sensor))
        return -seen.y[self.sensor].value


class ToolImpedance(GivingTool):
    """Lets a frame give way like a mass on a spring with a damper: M_d(V̇ − V̇_r) = K_D Ṽ + f(g_e) + F.

    F is the wrench on the tool that `sensor` measures; without one, exactly so where nothing touches the tool, and in
    contact as stiff along slow motions, with the arm's own inertia. Needs `control_step` with a sensor.
    inertia_wanted: if None, the arm's own Λ(q): then no force needs to be measured where no DoF is passive.
    d/dt(½ṼᵀM_dṼ + U_e) = −ṼᵀK_D Ṽ − ṼᵀF for a constant M_d.
    """

    inertia_wanted: _MASSES = None

    def _checked_inertia(self, kind: str) -> Any:
        if self.inertia_wanted is not None:
            return super()._checked_inertia(kind)
        if self.sensor is not None:
            raise ModelError.single(kind, "inertia_wanted", expected="given with a sensor", given="None")
        return None

    @property
    def has_memory(self) -> bool:
        """Whether a sensor is read."""
        return self.sensor is not None

    @property
    def memory(self) -> dict[str, Any]:
        """None."""
        return {}

    def __call__(self, *seen: Any) -> Any:
        if len(seen) == 3:
            return self._given(*seen, None)
        now, _ = seen
        return self._given(now.t, now.q, now.v, self.on_tool(now)), {}

    def _given(self, t: Any, q: np.ndarray, v: np.ndarray, on_tool: np.ndarray | None) -> np.ndarray:
        off = self.error(t, q, v)
        wanted = self.damping * off.rate + self.spring(off).force
        if on_tool is not None:
            wanted = wanted + on_tool
        rows, chosen = self.rows, list(self.places)
        wanted = wanted[..., chosen]
        if self.inertia_wanted is None:  # Λ⁻¹ = J S⁻¹Jᵀ
            yielding = apply(self.mobility(q)[..., chosen, :][..., chosen], wanted)
        else:
            yielding = solved(self.mass, wanted)
        return self.forces(t, q, v, Wanted(rows, off.acceleration[..., chosen] + yielding), on_tool)


class ToolAdmittance(GivingTool):
    """Moves a frame as a mass on a spring would under the wrench that `sensor` measures, and tracks that motion.

    M_d V̇_c = f(g_c⁻¹g_d) − K_D V_c + F, integrated once per control period from the target at rest; the frame follows
    g_c with the rates of a `ToolTracking`. For arms that are stiff in themselves, and soft by what they measure.
    pose: a pose that rests.  sensor: needed.  rate, bandwidth: as of `ToolTracking`.
    """

    rate: Six = 10.0
    bandwidth: Six = 30.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sensor is None:
            raise ModelError.single(
                "ToolAdmittance", "sensor", expected="the name of a ForceTorque", given="None"
            )
        if isinstance(self.pose, Trajectory | FollowedFrame | Relative) or np.ndim(self.pose) != 2:
            raise ModelError.single(
                "ToolAdmittance", "pose", expected="one pose that rests", given=repr(self.pose)
            )
        for name in ("rate", "bandwidth"):
            replace_arrays(self, **{name: gain("ToolAdmittance", name, getattr(self, name), (6,))})

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | {"rate": (6,), "bandwidth": (6,)}

    @property
    def memory(self) -> dict[str, Any]:
        """compliant_pose: g_c as 12 numbers.  compliant_twist: V_c."""
        return {"compliant_pose": numbers_from_pose(self.pose), "compliant_twist": 6}

    def __call__(self, seen: Seen, memory: Any) -> Any:
        t, q, v = seen.t, seen.q, seen.v
        g_c, V_c = pose_from_numbers(memory["compliant_pose"]), memory["compliant_twist"]
        given = tool_error(g_c, V_c, PoseMotion(self.pose, np.zeros(6), np.zeros(6)))
        F = self.on_tool(seen)
        push = (self.spring(given).force - self.damping * V_c + F)[..., list(self.places)]
        V_dot_c = apply(np.eye(6)[:, list(self.places)], solved(self.mass, push))
        tree = self.plant.tree
        g, V = pose_of(tree, q, self.frame), velocity(tree, q, v, self.frame)
        off = tool_error(g, V, PoseMotion(g_c, V_c, V_dot_c))
        forces = self.forces(t, q, v, approach(off, self.rate, self.bandwidth, self.places), F)
        h = seen.period
        new_twist = V_c + h * V_dot_c
        new_pose = g_c @ se3.exp(h * (V_c + 0.5 * h * V_dot_c))
        return forces, {"compliant_pose": numbers_from_pose(new_pose), "compliant_twist": new_twist}
