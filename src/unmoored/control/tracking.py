"""Following references with all joints, vehicles included, with feed-forward (docs/laws/tracking.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..dynamics.configuration import pack
from ..dynamics.forced_base import PrescribedMotion
from ..dynamics.recursive.reference_forces import reference_forces
from ..lie import se3
from ..lie.arrays import join
from ..model import Link, ModelError, Pose
from ..model.field_types import NumberOrSeries
from ..model.joints import SubgroupJoint
from ..model.value import replace_arrays
from ..worlds import Trajectory
from ..worlds.law import Law
from .joint_errors import joint_error
from .law_parts import check_plant, gain, refuse_ties
from .pose_paths import PoseMotion, in_joint
from .pose_targets import FollowedFrame, PoseTarget, Relative, checked_target, pose_motion
from .potentials import KINDS, pulled


class Errors(NamedTuple):
    """Of all DoFs, each (..., nv): ν_r, ν̇_r, the potential's force f, the pull η and its rate; energy (...) of it."""

    velocity: np.ndarray
    acceleration: np.ndarray
    force: np.ndarray
    pull: np.ndarray
    pull_rate: np.ndarray
    energy: Any


class TreeLaw(Law):
    """A law for all joints of a plant, each toward a reference on its own group.

    plant: without constraints and joints that follow others.
    targets: {joint: reference}, for every joint that is not prescribed: a coordinate, a pose, a trajectory; of vehicles
    with all six DoFs also a `FollowedFrame`, or a motion `Relative` to one. Poses are in the joint's placement.
    stiffness, damping: one number, or one per DoF of these joints in velocity order; (samples, n) for a batch.
    """

    plant: Any
    targets: Annotated[Any, Mapping[str, PoseTarget | Pose | NumberOrSeries]]
    stiffness: NumberOrSeries
    damping: NumberOrSeries
    #: references by joint, and where the other joints are held (..., n): the targets, taken apart
    motions: Any = field(init=False, default=None, kw_only=True)
    target: Any = field(init=False, default=None, kw_only=True)

    def __post_init__(self) -> None:
        kind = type(self).__name__
        check_plant(kind, self.plant)
        refuse_ties(kind, self.plant)
        if not isinstance(self.targets, Mapping):
            raise ModelError.single(kind, "targets", expected="{joint: reference}", given=repr(self.targets))
        given = {self.plant.tree.link(name).name: getattr(x, "matrix", x) for name, x in self.targets.items()}
        links = [link for link in self.plant.tree.links if link.joint.nv and link.name not in self._moved]
        wrong = {link.name for link in links} ^ set(given)
        if wrong:
            expected = (
                f"exactly the joints that move and are not prescribed: {', '.join(x.name for x in links)}"
            )
            raise ModelError.single(
                kind, "targets", expected=expected, given=f"{', '.join(sorted(wrong))} amiss"
            )
        moving = {
            x.name: given[x.name] for x in links if isinstance(given[x.name], Trajectory | FollowedFrame)
        }
        for name, reference in moving.items():
            self._check(kind, self.plant.tree.link(name), reference)
        q = pack(self.plant.tree, {link.name: given[link.name] for link in links if link.name not in moving})
        held = [q[..., link.q] for link in links if link.name not in moving]
        n = sum(link.joint.nv for link in links)
        replace_arrays(
            self,
            targets=tuple(link.name for link in links),
            motions=tuple(moving.items()),
            target=join(held) if held else None,
            **{name: gain(kind, name, getattr(self, name), (n,)) for name in ("stiffness", "damping")},
        )

    def _check(self, kind: str, link: Link, reference: Any) -> None:
        if not isinstance(reference, FollowedFrame | Relative):
            reference.check(link.name, link.joint)
            return
        if link.parent >= 0 or link.joint.nv != 6:
            expected = "a trajectory: only vehicles with six DoFs follow frames"
            raise ModelError.single(kind, link.name, expected=expected, given=repr(reference))
        checked_target(kind, self.plant, link.name, reference)

    @property
    def _moved(self) -> set[str]:
        return {self.plant.tree.link(name).name for name, _ in self.plant.velocities.prescribed}

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

    def along(self, x: np.ndarray) -> np.ndarray:
        """Values (..., n) of the law's DoFs as (..., nv) of all, zero along prescribed ones."""
        parts, first = {}, 0
        for link in self.links:
            parts[link.index] = x[..., first : first + link.joint.nv]
            first += link.joint.nv
        return join([parts.get(link.index, np.zeros(link.joint.nv)) for link in self.plant.tree.links])

    def reference(self, link: Link, t: Any, q: np.ndarray, v: np.ndarray, held: int) -> PrescribedMotion:
        """What a joint should do at time t; of a fixed one the numbers from `held` on."""
        moving = dict(self.motions).get(link.name)
        if moving is None:
            still = np.zeros(link.joint.nv)
            return PrescribedMotion(self.target[..., held : held + link.joint.nq], still, still)
        if isinstance(moving, FollowedFrame | Relative):
            g, V, V_dot = pose_motion(self.plant, moving, t, q, v)
            return in_joint(link.joint, PoseMotion(se3.inverse(link.placement) @ g, V, V_dot))
        return moving.motion(np.asarray(t), link.joint)

    def errors(self, kind: str, t: Any, q: np.ndarray, v: np.ndarray) -> Errors:
        """Everything that the law needs of the references, with a potential of the kind "matrix" or "log".

        Prescribed joints have no error: ν_r is their velocity, ν̇_r the prescribed acceleration.
        """
        zero = {link.index: np.zeros(link.joint.nv) for link in self.plant.tree.links}
        given = self.plant.velocities.accelerations(t)
        velocity = {link.index: v[..., link.v] for link in self.plant.tree.links}
        acceleration = {link.index: given[..., link.v] for link in self.plant.tree.links}
        force, pull, pull_rate = dict(zero), dict(zero), dict(zero)
        first, held, energy, moving = 0, 0, 0.0, dict(self.motions)
        for link in self.links:
            i, n = link.index, link.joint.nv
            reference = self.reference(link, t, q, v, held)
            own = joint_error(link.joint, q[..., link.q], v[..., link.v], reference)
            velocity[i], acceleration[i] = own.velocity, own.acceleration
            k, rate = self.stiffness[..., first : first + n], own.velocity - v[..., link.v]
            toward = pulled(kind, link.joint, q[..., link.q], reference.configuration, k, rate)
            force[i], pull[i], pull_rate[i] = toward.force, toward.pull, toward.pull_rate
            energy = energy + toward.energy
            first, held = first + n, held + (0 if link.name in moving else link.joint.nq)
        v_r, a_r, f, η, η_dot = (
            join(x[i] for i in sorted(x)) for x in (velocity, acceleration, force, pull, pull_rate)
        )
        return Errors(v_r, a_r, f, η, η_dot, energy)


class Tracking(TreeLaw):
    """Follows references with all joints at once: τ = M ν̇_r + C(q, ν) ν_r + (rest) + K_D ν̃ + f.

    ν_r, ν̇_r are the references' motion seen from where the joints are, ν̃ = ν_r − ν, f the force of a potential on each
    joint's group. The rest is what the world does: weight, buoyancy, drag, current, springs, friction, all cancelled.
    Then d/dt(½ν̃ᵀMν̃ + potential) = −ν̃ᵀK_Dν̃.
    potential: "matrix", smooth everywhere: all errors but unstable equilibria settle; or "log", which pulls straight
    and jumps at half a turn.
    The stiffnesses of three axes of rotation must each be below the sum of the other two, for "matrix".
    The law gives forces (..., nv) along all DoFs, zero along prescribed ones.
    """

    potential: Literal["matrix", "log"] = "matrix"
    static: ClassVar[tuple[str, ...]] = ("potential",)

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = type(self).__name__
        if self.potential not in KINDS:
            expected = " or ".join(map(repr, KINDS))
            raise ModelError.single(kind, "potential", expected=expected, given=repr(self.potential))
        if self.potential == "matrix":
            self._check_stiffness(kind)

    def _check_stiffness(self, kind: str) -> None:
        """Of joints stored as poses: positive, and for three axes of rotation such that W is positive definite."""
        first = 0
        for link in self.links:
            k = self.stiffness[..., first : first + link.joint.nv]
            first += link.joint.nv
            if not (isinstance(link.joint, SubgroupJoint) and link.joint.nv > 1):
                continue
            about = k[..., [name.startswith("w") for name in link.joint.dof_names]]
            total = about.sum(axis=-1, keepdims=True)
            if np.any(k <= 0) or (about.shape[-1] == 3 and np.any(2 * about >= total)):
                expected = "> 0, each of three about axes below the sum of the other two"
                given = f"{k.tolist()} of {link.name}"
                raise ModelError.single(kind, "stiffness", expected=expected, given=given)

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        off = self.errors(self.potential, t, q, v)
        return self.forces(t, q, v, off.acceleration, off.velocity - v, off.force)

    def forces(
        self, t: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray, s: np.ndarray, f: np.ndarray
    ) -> np.ndarray:
        """M a + C(q, ν)(ν + s) + rest + K_D s + f (..., nv) for wanted accelerations a and velocities ν + s."""
        own = self.along(np.ones(self.stiffness.shape[-1]))
        needed = self.plant.inverse_dynamics(t, q, v, a)
        turning = reference_forces(self.plant.tree, q, v, s, 0.0 * s)
        return own * (needed + turning + self.along(self.damping) * s + f)
