"""Multirotors that cannot push sideways: thrust is turned to where force is wanted (docs/laws/thrust-vectoring.md)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..dynamics.centre_of_mass_motion import centre_of_mass_motion
from ..lie import se3, so3
from ..lie import spherical as spherical_group
from ..lie.arrays import apply, join, scale_vector, transpose, vector
from ..model import Link, ModelError
from ..model.errors import unknown_name
from ..model.field_types import Number, NumberOrSeries, Numbers
from ..model.value import replace_arrays
from ..worlds.goal import Goal
from .arm_balance import balance_jerk
from .law_goals import position_goal
from .law_parts import gain
from .potentials import matrix_potential
from .references import Reference
from .thrust_attitude import thrust_attitude
from .tree_law import TreeLaw

HELD = ("vehicle", "centre_of_mass")
_TURNS = spherical_group()
_UP = np.array([0.0, 0.0, 1.0])
Three = Annotated[Any, Numbers((), (3,))]


class Wanted(NamedTuple):
    """thrust: (...) along the body's z axis (N).  turning: angular acceleration (..., 3) in body axes.

    rate_error: ω̃ (..., 3).  energy: ½|ω̃|² + potential (...) of the attitude's error.
    """

    thrust: np.ndarray
    turning: np.ndarray
    rate_error: np.ndarray
    energy: Any


class ThrustVectoring(TreeLaw):
    """Flies a multirotor whose thrust is along its z axis, with an arm, along a position and a heading.

    The centre of mass of vehicle and arm is pushed by weight and thrust alone, whatever the arm does: the thrust is the
    part along the z axis of the force F that position and velocity call for; the attitude turns z toward F. Moments and
    joint torques are those of the whole plant, with the motion of the arm in them.

    plant: on Earth.  targets: {joint: reference} of all joints beside the vehicle.  body: the vehicle, with six DoFs.
    position: three numbers or a `Reference` of three (m).  yaw: a number or a `Reference` (rad), of the x axis.
    stiffness, damping: of the position (1/s², 1/s), one number or three along the axes of the world.
    attitude_stiffness, attitude_damping: (1/s², 1/s), one number or three about the body's axes; ten times as stiff.
    joint_stiffness, joint_damping: of the other joints (1/s², 1/s), one number or one per DoF.
    held: what follows the position: the "vehicle" (its origin, when it is level: where the arm moves the centre of mass
    is fed forward, with derivatives from references of joints with one coordinate), or the "centre_of_mass".
    feed_forward: False leaves out what the arm's motion does to the vehicle: for comparison.

    The attitude's error loses energy exactly: d/dt(½|ω̃|² + U_e) = −ω̃ᵀK_ω ω̃ (held="centre_of_mass"). The law gives
    forces (..., nv) along all DoFs, none along x and y of the vehicle.
    """

    body: str
    position: Annotated[Any, Reference | Three]
    yaw: Annotated[Any, Reference | Number] = 0.0
    stiffness: Three = 4.0
    damping: Three = 3.0
    attitude_stiffness: Three = 100.0
    attitude_damping: Three = 20.0
    joint_stiffness: NumberOrSeries = 100.0
    joint_damping: NumberOrSeries = 20.0
    held: Literal["vehicle", "centre_of_mass"] = "vehicle"
    feed_forward: bool = True
    per_dof: ClassVar[tuple[str, ...]] = ("joint_stiffness", "joint_damping")
    static: ClassVar[tuple[str, ...]] = ("held",)
    _three: ClassVar[tuple[str, ...]] = ("stiffness", "damping", "attitude_stiffness", "attitude_damping")

    def __post_init__(self) -> None:
        known = [link.name for link in self.plant.tree.links if link.parent < 0 and link.joint.nv == 6]
        if self.body not in known:
            raise unknown_name("ThrustVectoring", "vehicle with six DoFs", self.body, known)
        super().__post_init__()
        if self.held not in HELD:
            expected = " or ".join(map(repr, HELD))
            raise ModelError.single("ThrustVectoring", "held", expected=expected, given=repr(self.held))
        if not self.plant.gravity[2] < 0:
            expected = "a world with weight, z up"
            raise ModelError.single(
                "ThrustVectoring", "plant", expected=expected, given=str(self.plant.gravity)
            )
        for name, size in (("position", 3), ("yaw", 1)):
            x = getattr(self, name)
            if isinstance(x, Reference) and x.size != size:
                expected = f"a reference with {size} coordinates"
                raise ModelError.single("ThrustVectoring", name, expected=expected, given=f"{x.size}")
            if not isinstance(x, Reference):
                shape = (3,) if size == 3 else ()
                replace_arrays(self, **{name: gain("ThrustVectoring", name, x, shape)})
        for name in self._three:
            replace_arrays(self, **{name: gain("ThrustVectoring", name, getattr(self, name), (3,))})
        k = self.attitude_stiffness
        if np.any(2 * k >= k.sum(axis=-1, keepdims=True)):
            expected = "each below the sum of the other two"
            given = repr(k.tolist())
            raise ModelError.single("ThrustVectoring", "attitude_stiffness", expected=expected, given=given)

    @property
    def _moved(self) -> set[str]:
        return super()._moved | {self.body}

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | dict.fromkeys((*self._three, "position"), (3,)) | {"yaw": ()}

    @property
    def link(self) -> Link:
        """The vehicle."""
        return self.plant.tree.link(self.body)

    def goals(self) -> tuple[Goal, ...]:
        """The position of the vehicle (or of the centre of mass, which is no frame), and the other joints."""
        others = super().goals()
        if self.held == "vehicle":
            return (position_goal(self.plant, self.body, self.position), *others)
        return others

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        arm, moved = self._arm(t, q, v), v
        wanted = self.wanted(t, q, v, arm)
        if not self.feed_forward:  # as if the arm stood still
            on = np.zeros(self.plant.nv)
            on[self.link.v] = 1.0
            arm, moved = np.zeros(self.plant.nv), on * v
        i, n = self.link.v.start, self.plant.nv
        lift = np.asarray(wanted.thrust)[..., None] * np.eye(n)[i + 2]
        a = arm + apply(np.eye(n)[:, i + 3 : i + 6], wanted.turning)
        passive = [f"{self.body}.{axis}" for axis in ("vx", "vy", "vz")]
        forces = self.plant.hybrid_dynamics(t, q, moved, tau=lift, acceleration=a, passive=passive)[1]
        if not self.feed_forward:
            own = self.plant.inverse_dynamics(t, q, v, self._arm(t, q, v))
            forces = forces * on + own * (1.0 - on)
        return forces

    def _arm(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Accelerations (..., nv) of the other joints, zero for the vehicle: ν̇_r + K_D ν̃ + K_P e."""
        off = self.errors("log", t, q, v, self.joint_stiffness)
        K_P, K_D = self.along(self.joint_stiffness), self.along(self.joint_damping)
        return off.acceleration + K_D * (off.velocity - v) + K_P * off.pull

    def wanted(self, t: Any, q: np.ndarray, v: np.ndarray, arm: np.ndarray) -> Wanted:
        """Thrust and angular acceleration of the vehicle, where the other joints accelerate by `arm` (..., nv)."""
        link, γ = self.link, self.plant.gravity
        R, ω = se3.rotation(link.placement @ link.joint.transform(q[..., link.q])), v[..., link.v][..., 3:]
        p, p_dot, _ = centre_of_mass_motion(self.plant.system.tree, q, v, 0.0 * v)
        way, heading = list(_derivatives(self.position, t, 4)), self._heading(t, 2)
        if self.held == "vehicle":
            offset = [*self._balance(heading, q, v, arm), *self._balance_jerk(t, q)]
            way = list(map(np.add, way, offset))
        K, D, m = self.stiffness, self.damping, np.asarray(self.plant.system.tree.mass)[..., None]
        z, z_dot = R[..., :, 2], apply(R, so3.cross(ω, _UP))
        e, e_dot = way[0] - p, way[1] - p_dot
        F = m * (way[2] + D * e_dot + K * e - γ)
        T = _along(F, z)
        e_ddot = way[2] - (scale_vector(T, z) / m + γ)
        F_dot = m * (way[3] + D * e_ddot + K * e_dot)
        T_dot = _along(F_dot, z) + _along(F, z_dot)
        e_dddot = way[3] - (scale_vector(T_dot, z) + scale_vector(T, z_dot)) / m
        F_ddot = m * (way[4] + D * e_dddot + K * e_ddot)
        R_d, ω_d, ω_dot_d = thrust_attitude((F, F_dot, F_ddot), tuple(x[..., 0] for x in heading))
        R_e = transpose(R) @ R_d
        ω_r = apply(R_e, ω_d)
        ω_dot_r = apply(R_e, ω_dot_d) - so3.cross(ω, ω_r)
        off = matrix_potential(_TURNS, se3.pose(R_e, np.zeros(3)), self.attitude_stiffness, ω_r - ω)
        turning = ω_dot_r + self.attitude_damping * (ω_r - ω) + off.force
        return Wanted(T, turning, ω_r - ω, 0.5 * _along(ω_r - ω, ω_r - ω) + off.energy)

    def _balance(self, heading: Any, q: np.ndarray, v: np.ndarray, arm: np.ndarray) -> list[np.ndarray]:
        """Where the centre of mass is from the vehicle's origin when it stands level, and two derivatives (..., 3)."""
        tree, link = self.plant.system.tree, self.link
        on = np.ones(self.plant.nv)
        on[link.v] = 0.0
        level = join([link.joint.neutral() if x.index == link.index else q[..., x.q] for x in tree.links])
        c, c_dot, c_ddot = centre_of_mass_motion(tree, level, on * v, arm)
        c = c - se3.position(link.placement)
        ψ, ψ_dot, ψ_ddot = (np.asarray(x) for x in heading)
        turn = so3.exp(vector([0.0, 0.0, ψ[..., 0]]))
        z_c, z_c_dot = so3.cross(_UP, c), so3.cross(_UP, c_dot)
        rate = c_dot + ψ_dot * z_c
        second = c_ddot + 2.0 * ψ_dot * z_c_dot + ψ_ddot * z_c + ψ_dot * ψ_dot * so3.cross(_UP, z_c)
        return [apply(turn, x) for x in (c, rate, second)]

    def _balance_jerk(self, t: Any, q: np.ndarray) -> list[np.ndarray]:
        """Third and fourth derivative (..., 3) of the same along the references; joints without a `Reference` rest."""
        tree, ways = self.plant.system.tree, []
        moving = dict(self.motions) | dict(self.plant.velocities.prescribed)
        for link in tree.links:
            if link.joint.nv == 1 and link.index != self.link.index:
                own = moving.get(link.name)
                ways.append(_derivatives(own if isinstance(own, Reference) else q[..., link.q], t, 4))
        return balance_jerk(tree, self.link.index, [*ways, self._heading(t, 4)])

    def _heading(self, t: Any, count: int) -> list[np.ndarray]:
        """The yaw with derivatives, each (..., 1)."""
        yaw = self.yaw if isinstance(self.yaw, Reference) else np.asarray(self.yaw)[..., None]
        return _derivatives(yaw, t, count)


def _derivatives(x: Any, t: Any, count: int) -> list[np.ndarray]:
    """A reference or constant numbers (..., n) with derivatives, each (..., n)."""
    if isinstance(x, Reference):
        return x.derivatives(t, count)
    return [x, *([np.zeros(np.shape(x)[-1])] * count)]


def _along(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a·b (...) of vectors (..., 3)."""
    return np.asarray((a * b).sum(axis=-1))
