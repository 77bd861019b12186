"""What inverse kinematics solves for: DoFs of a tree, each within a box, joint by joint on its group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...dynamics.configuration_derivatives import commutes, dexp
from ...lie import se3, so3
from ...lie.arrays import join, transpose, vector
from ...model import Link, Tree
from ...model.joints import numbers_from_pose, pose_from_numbers
from ...trace import clip
from ...worlds.coupled_joints import CoupledJoints, followings

#: stands for no limit
FAR = 1e20


@dataclass(frozen=True, eq=False)
class Unknowns:
    """The DoFs (velocity indices) of a tree that are solved for; joints that follow others follow.

    Unknowns of a joint with limits are its coordinates (exponential ones of a joint stored as a pose), so that the
    limits are a box; of a joint without limits they are steps along its group.
    """

    tree: Tree
    dofs: tuple[int, ...]

    @property
    def count(self) -> int:
        """Their number n."""
        return len(self.dofs)

    @cached_property
    def followers(self) -> CoupledJoints:
        """The joints that follow others."""
        return CoupledJoints(self.tree, self.tree.couplings)

    @cached_property
    def by_link(self) -> tuple[tuple[Link, tuple[int, ...], tuple[int, ...]], ...]:
        """(link, places among the unknowns, the same places among the joint's DoFs) of every link that moves."""
        found = []
        for link in self.tree.links:
            own = [
                (k, dof - link.v.start)
                for k, dof in enumerate(self.dofs)
                if link.v.start <= dof < link.v.stop
            ]
            if own:
                found.append((link, tuple(k for k, _ in own), tuple(i for _, i in own)))
        return tuple(found)

    @cached_property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """(lowest, highest) of the unknowns (n,), ± FAR where there is no limit; those of followers count."""
        low, high = np.full(self.count, -FAR), np.full(self.count, FAR)
        for link, places, own in self.by_link:
            if link.joint.limits is not None:
                low[list(places)], high[list(places)] = link.joint.limits[:, list(own)]
        at = {dof: k for k, dof in enumerate(self.dofs)}
        by_dof = {link.v.start: link for link in self.tree.links if link.joint.nv}
        for f in followings(self.tree, self.tree.couplings):
            limits = by_dof[f.v].joint.limits
            if f.leader_v in at and limits is not None and f.multiplier != 0.0:
                k, ends = at[f.leader_v], np.sort((limits[:, 0] - f.offset) / f.multiplier)
                low[k], high[k] = max(low[k], ends[0]), min(high[k], ends[1])
        return low, high

    def columns(self, q: np.ndarray, J: np.ndarray) -> np.ndarray:
        """Columns (..., r, n) of the unknowns, of rows J (..., r, nv) by the tree's velocities."""
        J = transpose(self.followers.columns(transpose(J))) if self.followers else J
        parts: list[Any] = [None] * self.count
        for link, places, own in self.by_link:
            block = J[..., link.v]
            if _charted(link) and not commutes(link):
                block = block @ dexp(link, link.joint.coordinates(q[..., link.q]))
            for k, i in zip(places, own, strict=True):
                parts[k] = block[..., i]
        return np.stack(parts, axis=-1)

    def coordinates(self, q: np.ndarray) -> np.ndarray:
        """The unknowns (..., n) at q (..., nq) as the box sees them; zero for joints without limits."""
        parts: list[Any] = [np.zeros(q.shape[:-1])] * self.count
        for link, places, own in self.by_link:
            if in_coordinates(link):
                x = link.joint.coordinates(q[..., link.q])
                for k, i in zip(places, own, strict=True):
                    parts[k] = x[..., i][()]
        return vector(parts)

    def moved(self, q: np.ndarray, step: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """q (..., nq) after a step (..., n) of the unknowns, no further than the box (..., n)."""
        new = {link.index: self._moved(link, q, step, low, high, *at) for link, *at in self.by_link}
        full = join([new.get(link.index, q[..., link.q]) for link in self.tree.links])
        return self.followers.configuration(full)

    def _moved(
        self, link: Link, q: np.ndarray, step: np.ndarray, low: np.ndarray, high: np.ndarray,
        places: tuple[int, ...], own: tuple[int, ...],
    ) -> np.ndarray:  # fmt: skip
        q_i = q[..., link.q]
        joint, at = link.joint, dict(zip(own, places, strict=True))
        if in_coordinates(link):
            x = joint.coordinates(q_i)
            entries = [
                clip(x[..., i] + step[..., at[i]], low[..., at[i]], high[..., at[i]])
                if i in at
                else x[..., i]
                for i in range(joint.nv)
            ]
            return joint.from_coordinates(vector(entries))
        zero = np.zeros(q_i.shape[:-1])
        h = pose_from_numbers(
            joint.retract(q_i, vector([step[..., at[i]] if i in at else zero for i in range(joint.nv)]))
        )
        return numbers_from_pose(se3.pose(so3.renormalise(se3.rotation(h)), se3.position(h)))

    def tangent(self, q: np.ndarray, to: np.ndarray) -> np.ndarray:
        """The unknowns (..., n) that lead from q to the configuration `to`, both (..., nq)."""
        parts: list[Any] = [None] * self.count
        for link, places, own in self.by_link:
            if in_coordinates(link):
                x = link.joint.coordinates(to[..., link.q]) - link.joint.coordinates(q[..., link.q])
            else:
                x = link.joint.local(q[..., link.q], to[..., link.q])
            for k, i in zip(places, own, strict=True):
                parts[k] = x[..., i][()]
        return vector(parts)


def in_coordinates(link: Link) -> bool:
    """Whether the unknowns of a joint are its coordinates, and not steps along its group."""
    return link.joint.nq == link.joint.nv or _charted(link)


def _charted(link: Link) -> bool:
    """Whether the unknowns of a joint that is stored as a pose are its exponential coordinates."""
    return link.joint.limits is not None and link.joint.nq > link.joint.nv
