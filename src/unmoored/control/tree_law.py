"""Laws for all joints of a plant: a reference for each joint, and how far each is off (docs/laws/tracking.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from ..dynamics.configuration import pack
from ..dynamics.forced_base import PrescribedMotion
from ..dynamics.recursive.reference_forces import reference_forces
from ..lie import se3
from ..lie.arrays import join
from ..model import Link, ModelError, Pose
from ..model.field_types import NumberOrSeries
from ..model.value import replace_arrays
from ..worlds import Trajectory
from ..worlds.goal import Goal
from ..worlds.law import Law
from .joint_errors import joint_error
from .law_goals import joint_goals
from .law_parts import check_plant, gain, refuse_ties
from .pose_paths import PoseMotion, in_joint
from .pose_targets import FollowedFrame, PoseTarget, Relative, checked_target, pose_motion
from .potentials import pulled


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
    passive: joints of other things in the world, which the law leaves alone: a valve, a target. Nothing that the law
    drives may carry them, or be carried by them.
    """

    plant: Any
    targets: Annotated[Any, Mapping[str, PoseTarget | Pose | NumberOrSeries]]
    passive: Annotated[Any, list[str]] = field(default=(), kw_only=True)
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
        passive = passive_joints(kind, self.plant, self.passive)
        left = {*passive, *self._moved}
        links = [link for link in self.plant.tree.links if link.joint.nv and link.name not in left]
        wrong = {link.name for link in links} ^ set(given)
        if wrong:
            names = ", ".join(link.name for link in links)
            expected = f"exactly the joints that move, neither prescribed nor passive: {names}"
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
        replace_arrays(
            self,
            targets=tuple(link.name for link in links),
            passive=passive,
            motions=tuple(moving.items()),
            target=join(held) if held else None,
        )
        for name in self.per_dof:
            replace_arrays(self, **{name: gain(kind, name, getattr(self, name), (self.dofs,))})

    #: gains with one entry per DoF of the law
    per_dof: ClassVar[tuple[str, ...]] = ()

    @property
    def dofs(self) -> int:
        """Number of DoFs that the law drives."""
        return sum(link.joint.nv for link in self.links)

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
        held = sum(link.joint.nq for link in self.links if link.name not in moving)
        return {"target": (held,)} | dict.fromkeys(self.per_dof, (self.dofs,))

    def goals(self) -> tuple[Goal, ...]:
        """Every joint at its reference."""
        return joint_goals(self.plant, self.links, self.motions, self.target)

    def along(self, x: np.ndarray) -> np.ndarray:
        """Values (..., n) of the law's DoFs as (..., nv) of all, zero along prescribed and passive ones."""
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

    def errors(self, kind: str, t: Any, q: np.ndarray, v: np.ndarray, stiffness: np.ndarray) -> Errors:
        """Everything that the law needs of the references, with a potential of the kind "matrix" or "log".

        stiffness: (..., n) of the law's DoFs.
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
            k, rate = stiffness[..., first : first + n], own.velocity - v[..., link.v]
            toward = pulled(kind, link.joint, q[..., link.q], reference.configuration, k, rate)
            force[i], pull[i], pull_rate[i] = toward.force, toward.pull, toward.pull_rate
            energy = energy + toward.energy
            first, held = first + n, held + (0 if link.name in moving else link.joint.nq)
        v_r, a_r, f, η, η_dot = (
            join(x[i] for i in sorted(x)) for x in (velocity, acceleration, force, pull, pull_rate)
        )
        return Errors(v_r, a_r, f, η, η_dot, energy)

    def forces_for(self, t: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray, s: np.ndarray) -> np.ndarray:
        """M a + C(q, ν)(ν + s) + rest (..., nv): what a and ν + s take; the rest is the world's."""
        needed = self.plant.inverse_dynamics(t, q, v, a)
        return needed + reference_forces(self.plant.tree, q, v, s, 0.0 * s)

    def driven(self, forces: np.ndarray) -> np.ndarray:
        """The forces (..., nv), zero along prescribed and passive DoFs."""
        some = self.plant.velocities.prescribed or self.passive
        return forces * self.along(np.ones(self.dofs)) if some else forces


def passive_joints(kind: str, plant: Any, names: Any) -> tuple[str, ...]:
    """Names of joints that a law for all others leaves alone; one on the same vehicle as others is refused."""
    if isinstance(names, str):
        raise ModelError.single(kind, "passive", expected="a list of joints", given=repr(names))
    tree = plant.tree
    found = tuple(dict.fromkeys(tree.link(name).name for name in names))
    roots = {link.name: min(tree.ancestors[link.index]) for link in tree.links}
    for link in tree.links:
        if link.joint.nv and link.name not in found and roots[link.name] in {roots[name] for name in found}:
            expected = (
                "joints of things that no driven joint carries: whole vehicles, or what is on the world"
            )
            given = f"{', '.join(found)}, but not {link.name}"
            raise ModelError.single(kind, "passive", expected=expected, given=given)
    return found
