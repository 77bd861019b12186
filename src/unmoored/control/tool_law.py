"""Laws for a frame of the plant in operational space, with passive DoFs too (docs/laws/tool.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, ClassVar

import numpy as np

from ..dynamics.configuration import pack
from ..dynamics.jacobians import jacobian
from ..dynamics.kinematics import acceleration, velocity
from ..dynamics.kinematics import pose as pose_of
from ..dynamics.underactuated import active_dofs, active_inertia, generalized_jacobian, passive_dofs
from ..dynamics.underactuated.schur_complements import partitioned_mass_matrix
from ..lie.arrays import apply, solved, transpose
from ..model import ModelError, Pose
from ..model.field_types import NumberOrSeries
from ..model.value import replace_arrays
from ..trace import inverse_spd
from ..trace import solve_spd as solve
from ..worlds.goal import Goal
from ..worlds.law import Law
from .law_goals import pose_goal
from .law_parts import check_plant, refuse_ties
from .pose_targets import PoseTarget, checked_target, pose_motion
from .tool_errors import DIRECTIONS, ToolError, Wanted, tool_error


class ToolLaw(Law):
    """A law that gives a frame an acceleration, by forces of the active DoFs: τ_a = k + J_GᵀΛ(V̇ − b) + Nᵀ S a_0.

    k and b are the forces and the frame's acceleration without accelerations of the active DoFs, J_G the generalized
    Jacobian, S the inertia that the active DoFs feel, Λ = (J_G S⁻¹J_Gᵀ)⁻¹, and N = 1 − S⁻¹J_GᵀΛJ_G, so that what a_0
    does leaves the frame alone. Without passive DoFs J_G = J and S = M (Khatib 1987; Umetani & Yoshida 1989).

    plant: without constraints, prescribed joints and joints that follow others.  frame: the tool.
    pose: its target (4, 4) in the world, a trajectory of poses, or a `FollowedFrame`.
    passive: joints or DoFs that nothing drives.
    directions: of "x", "y", "z", "rx", "ry", "rz", along and about the frame's axes: those that the law is for. There
    must be as many active DoFs; what they leave does what the posture wants.
    posture: {joint: value}, where joints with nothing else to do go, with posture_stiffness (1/s²), posture_damping
    (1/s).
    regularization: λ in Λ = (J_G S⁻¹J_Gᵀ + λ²)⁻¹; zero is exact, and fails where J_G loses rank.
    """

    plant: Any
    frame: str
    pose: Annotated[Any, Pose | PoseTarget]
    passive: Annotated[Any, list[str]] = field(default=(), kw_only=True)
    directions: tuple[str, ...] = field(default=DIRECTIONS, kw_only=True)
    posture: Annotated[Any, Mapping[str, NumberOrSeries]] = field(default=None, kw_only=True)
    posture_stiffness: float = field(default=1.0, kw_only=True)
    posture_damping: float = field(default=2.0, kw_only=True)
    regularization: float = field(default=0.0, kw_only=True)
    static: ClassVar[tuple[str, ...]] = ("passive",)
    #: joints with a posture, and where it is (..., n): the posture, taken apart
    rested: Any = field(init=False, default=(), kw_only=True)
    resting: Any = field(init=False, default=None, kw_only=True)

    def __post_init__(self) -> None:
        kind, plant = type(self).__name__, self.plant
        check_plant(kind, plant)
        refuse_ties(kind, plant)
        if plant.velocities.prescribed:
            given = ", ".join(name for name, _ in plant.velocities.prescribed)
            raise ModelError.single(kind, "plant", expected="no prescribed joints", given=given)
        plant.tree.locate(self.frame)
        passive = tuple(int(k) for k in plant.tree.dofs(self.passive)) if len(self.passive) else ()
        directions = _checked_directions(kind, self.directions)
        if plant.nv - len(passive) < len(directions):
            expected = f"as many active DoFs as directions of the frame ({len(directions)})"
            given = f"{plant.nv - len(passive)}; see `directions`"
            raise ModelError.single(kind, "passive", expected=expected, given=given)
        pose = checked_target(kind, plant, self.frame, self.pose)
        rested, resting = (), None
        if self.posture:
            links = sorted((plant.tree.link(name) for name in self.posture), key=lambda link: link.index)
            rested = tuple(link.name for link in links)
            q = pack(
                plant.tree,
                {plant.tree.link(n).name: getattr(x, "matrix", x) for n, x in self.posture.items()},
            )
            resting = np.concatenate([q[..., link.q] for link in links], axis=-1)
        replace_arrays(
            self,
            passive=passive,
            pose=pose,
            posture=None,
            rested=rested,
            resting=resting,
            directions=directions,
        )

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        n = sum(self.plant.tree.link(name).joint.nq for name in self.rested)
        return {"pose": (4, 4), "resting": (n,)}

    def goals(self) -> tuple[Goal, ...]:
        """The frame at its pose."""
        return (pose_goal(self.plant, self.frame, self.pose),)

    @property
    def places(self) -> tuple[int, ...]:
        """Of the law's directions among the six."""
        return tuple(DIRECTIONS.index(name) for name in self.directions)

    def error(self, t: Any, q: np.ndarray, v: np.ndarray) -> ToolError:
        """How far the frame is off its target, and the target's motion seen from the frame."""
        tree = self.plant.tree
        target, V = pose_motion(self.plant, self.pose, t, q, v), velocity(tree, q, v, self.frame)
        return tool_error(pose_of(tree, q, self.frame), V, target)

    def forces(
        self, t: Any, q: np.ndarray, v: np.ndarray, wanted: Wanted, on_tool: np.ndarray | None = None
    ) -> np.ndarray:
        """Forces (..., nv) that give the frame T V̇ (..., k) as wanted, while a wrench `on_tool` (..., 6) acts."""
        tree, passive = self.plant.tree, self.passive
        still, names = np.zeros(self.plant.nv), [self.plant.dof_names[k] for k in passive]
        a, tau = self.plant.hybrid_dynamics(t, q, v, tau=still, acceleration=still, passive=names)
        active = active_dofs(tree, passive)
        b, k = acceleration(tree, q, v, a, self.frame), tau[..., active]
        J = generalized_jacobian(tree, q, self.frame, passive)
        S = active_inertia(tree, q, passive)
        if on_tool is not None:
            k = k - apply(transpose(J), on_tool)
            if len(passive):
                J_p = jacobian(tree, q, self.frame)[..., passive_dofs(tree, passive)]
                yields = solved(partitioned_mass_matrix(tree, q, passive).pp, apply(transpose(J_p), on_tool))
                b = b + apply(J_p, yields)
        if wanted.rows is not None:
            J, b = wanted.rows @ J, apply(wanted.rows, b)
        softness = solve(S, transpose(J))
        Λ = inverse_spd(J @ softness + self.regularization**2 * np.eye(J.shape[-2]))
        a_0 = self._posture(q, v)[..., active]
        a_a = a_0 + apply(softness, apply(Λ, wanted.value - b - apply(J, a_0)))
        return apply(np.eye(tree.nv)[:, active], k + apply(S, a_a))

    def mobility(self, q: np.ndarray) -> np.ndarray:
        """Λ⁻¹ = J_G S⁻¹ J_Gᵀ (..., 6, 6): accelerations of the frame per wrench of the active DoFs."""
        tree = self.plant.tree
        J, S = generalized_jacobian(tree, q, self.frame, self.passive), active_inertia(tree, q, self.passive)
        return J @ solve(S, transpose(J))

    def _posture(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Accelerations (..., nv) toward the posture."""
        tree, first = self.plant.tree, 0
        a = -self.posture_damping * v
        for name in self.rested:
            link = tree.link(name)
            goal = self.resting[..., first : first + link.joint.nq]
            first += link.joint.nq
            pull = self.posture_stiffness * link.joint.local(q[..., link.q], goal)
            a = a + apply(np.eye(tree.nv)[:, link.v], pull)
        return a


def _checked_directions(kind: str, given: Any) -> tuple[str, ...]:
    """Some of the six, in their own order."""
    names = (given,) if isinstance(given, str) else tuple(given)
    if not names or len(set(names)) < len(names) or not set(names) <= set(DIRECTIONS):
        expected = f"some of {', '.join(DIRECTIONS)}, each once"
        raise ModelError.single(kind, "directions", expected=expected, given=repr(given))
    return tuple(name for name in DIRECTIONS if name in names)
