"""Joints that follow others, around the tree: motions expanded, forces projected (theory.md §26).

    q_f = k q_l + o,    v = K v,    forces Kᵀτ,    matrices KᵀMK

K (nv, nv) is the identity but for the rows of followers, which have k in the column of their leader: K K = K. A
follower of a follower follows the first leader, with the product of the multipliers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..lie.arrays import join, scale_vector, stacked_rows, transpose
from ..model import Mimic, ModelError, Tree


class Following(NamedTuple):
    """A follower with the joint that leads it in the end: indices in q and v, multiplier (...) and offset (...)."""

    q: int
    v: int
    leader_q: int
    leader_v: int
    multiplier: Any
    offset: Any


def followings(tree: Tree, couplings: Sequence[Mimic]) -> tuple[Following, ...]:
    """Every follower of the tree; the numbers of the couplings may be symbols or have a batch."""
    own = {tree.link(c.joint).name: c for c in couplings}

    def resolved(name: str) -> tuple[str, Any, Any]:
        """(first leader, multiplier, offset) of a joint."""
        if name not in own:
            return name, 1.0, 0.0
        c = own[name]
        first, k, o = resolved(tree.link(c.leader).name)
        return first, c.multiplier * k, c.multiplier * o + c.offset

    found = []
    for name in own:
        first, k, o = resolved(name)
        link, leader = tree.link(name), tree.link(first)
        found.append(Following(link.q.start, link.v.start, leader.q.start, leader.v.start, k, o))
    return tuple(found)


class CoupledJoints:
    """The followers of a tree. Everything is as it is given where there are none."""

    def __init__(self, tree: Tree, couplings: Sequence[Mimic]):
        self._nq, self._nv, self._names = tree.nq, tree.nv, tree.dof_names
        self._all = followings(tree, couplings)

    def __bool__(self) -> bool:
        return bool(self._all)

    @property
    def dofs(self) -> dict[int, int]:
        """{velocity index of a follower: that of its first leader}."""
        return {f.v: f.leader_v for f in self._all}

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """q (..., nq) with the followers where their leaders put them."""
        if not self._all:
            return q
        placed = {f.q: f.multiplier * q[..., f.leader_q] + f.offset for f in self._all}
        return join([np.asarray(placed.get(i, q[..., i]))[..., None] for i in range(self._nq)])

    def velocity(self, v: np.ndarray) -> np.ndarray:
        """K v (..., nv): of v (..., nv) the entries of followers do not count."""
        return self.rows(v[..., None])[..., 0] if self._all else v

    def forces(self, tau: np.ndarray) -> np.ndarray:
        """Kᵀτ (..., nv): what followers need or give is at their leaders, zero at the followers."""
        return self.columns(tau[..., None])[..., 0] if self._all else tau

    def rows(self, P: np.ndarray) -> np.ndarray:
        """K P (..., nv, n): columns of velocities."""
        led = {f.v: scale_vector(f.multiplier, P[..., f.leader_v, :]) for f in self._all}
        return _stacked([led.get(i, P[..., i, :]) for i in range(self._nv)]) if led else P

    def columns(self, B: np.ndarray) -> np.ndarray:
        """KᵀB (..., nv, n): columns of forces."""
        if not self._all:
            return B
        rows = [B[..., i, :] for i in range(self._nv)]
        for f in self._all:
            rows[f.leader_v] = rows[f.leader_v] + scale_vector(f.multiplier, B[..., f.v, :])
        none = np.zeros(B.shape[-1])
        return _stacked([none if i in self.dofs else row for i, row in enumerate(rows)])

    def square(self, M: np.ndarray, *_: Any) -> np.ndarray:
        """KᵀMK (..., nv, nv): rows and columns of followers are zero."""
        return transpose(self.columns(transpose(self.columns(M)))) if self._all else M

    def of_active(self, J: np.ndarray, *arguments: Any) -> np.ndarray:
        """J (..., k, n_active) K of the active DoFs; the last of the arguments are the passive ones.

        Neither followers nor their leaders may be passive: the other one's force would count there.
        """
        if not self._all:
            return J
        passive = set(arguments[-1])
        for dof, leader in self.dofs.items():
            if passive & {dof, leader}:
                follower, first = self._names[dof], self._names[leader]
                expected = f"{follower} and {first} active: the one follows the other"
                given = " and ".join(self._names[i] for i in sorted(passive & {dof, leader}))
                raise ModelError.single(follower, "passive", expected=expected, given=given)
        active = [i for i in range(self._nv) if i not in passive]
        whole = np.eye(self._nv)[:, active] @ transpose(J)  # the columns of J, as forces
        return transpose(self.columns(whole)[..., active, :])


def _stacked(rows: list[Any]) -> np.ndarray:
    """Matrix (..., n, m) of n rows (..., m), batches broadcast."""
    return stacked_rows([row[..., None, :] for row in rows])
