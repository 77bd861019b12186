"""Where searches begin: configurations drawn within the limits, those first whose frames are nearest to the targets.

The same seed draws the same configurations, whatever the targets: a problem has the same starts alone and among others.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...model import Link
from .frame_targets import numbers_of, pose_of
from .pose_problem import Numbers, PoseProblem
from .search_kernels import SearchKernels
from .unknowns import FAR, in_coordinates

#: configurations in a table, and targets that are compared with it at once: few, so that one thread is enough
TABLE, _AT_ONCE = 256, 64


class Table(NamedTuple):
    """q (N, nq): configurations.  poses (N, 12 F): of the frames there."""

    q: np.ndarray
    poses: np.ndarray


def table(kernels: SearchKernels, around: np.ndarray, seed: int) -> Table:
    """The table for problems whose other DoFs are as in `around` (nq,)."""
    key = seed, around.tobytes()
    if key not in kernels.tables:
        if len(kernels.tables) >= 8:
            kernels.tables.clear()
        q = drawn(kernels.problem, around, np.random.default_rng(seed), TABLE)
        kernels.tables[key] = Table(q, kernels.poses(q))
    return kernels.tables[key]


def drawn(problem: PoseProblem, around: np.ndarray, rng: np.random.Generator, count: int) -> np.ndarray:
    """Configurations (count, nq): unknowns even within their limits, within half a turn or a metre without.

    Vehicles without limits, and everything that is not solved for, are as in `around` (nq,).
    """
    unknowns = problem.unknowns
    low, high = unknowns.box
    x = unknowns.coordinates(around)
    reach = np.zeros(unknowns.count)
    for link, places, own in unknowns.by_link:
        for k, i in zip(places, own, strict=True):
            if link.joint.nq == link.joint.nv:
                reach[k] = np.pi if link.joint.dof_names[i].startswith("w") else 1.0
    open_ = (low <= -FAR) | (high >= FAR)
    low, high = (
        np.where(open_, np.maximum(x - reach, low), low),
        np.where(open_, np.minimum(x + reach, high), high),
    )
    step = rng.uniform(low, high, (count, unknowns.count)) - x
    return unknowns.moved(np.broadcast_to(around, (count, len(around))), step, low, high)


def nearest_first(
    kernels: SearchKernels, found: Table, targets: np.ndarray, weights: np.ndarray, first: int, last: int
) -> np.ndarray:
    """Places in a table (P, last − first): from the first to the last nearest to targets (P, 12 F).

    weights (m,): of the rows; a frame's place and turn count by the means of theirs.
    """
    scale = _scales(kernels.problem, weights)
    rows = found.poses * scale
    size = 0.5 * (rows * rows).sum(-1)
    parts = []
    for k in range(0, len(targets), _AT_ONCE):
        off = size - (targets[k : k + _AT_ONCE] * scale) @ rows.T
        if last == 1:
            parts.append(off.argmin(1)[:, None])
            continue
        some = (
            off.argpartition(last, axis=1)[:, :last]
            if last < off.shape[1]
            else np.tile(np.arange(last), (len(off), 1))
        )
        order = np.take_along_axis(off, some, 1).argsort(1, kind="stable")[:, first:]
        parts.append(np.take_along_axis(some, order, 1))
    return np.concatenate(parts)


def _scales(problem: PoseProblem, weights: np.ndarray) -> np.ndarray:
    """Scales (12 F,) of stored poses; |R − R_d|² is twice the square of a small angle."""
    scales, first = [], 0
    for rows in problem.targets.rows:
        own = dict(zip(rows, weights[first : first + len(rows)], strict=True))
        first += len(rows)
        turn, place = (
            np.sqrt(np.mean([own.get(k, 0.0) ** 2 for k in some])) for some in ((3, 4, 5), (0, 1, 2))
        )
        scales += [turn / np.sqrt(2.0)] * 9 + [place] * 3
    return np.array(scales)


class Starts:
    """Configurations to start from, by problem and place in line: q (P, nq) itself if `own`, then those of tables."""

    def __init__(
        self,
        kernels: SearchKernels,
        q: np.ndarray,
        given: Numbers,
        weights: np.ndarray,
        own: bool,
        count: int,
        seed: int,
    ) -> None:
        self._q, self._own, self._seed, self._weights = q, own, seed, weights
        self._kernels, self.count = kernels, min(count, TABLE + own)
        self._vehicle = _shared_vehicle(kernels.problem)
        self._targets = (
            given.targets
            if self._vehicle is None
            else _seen_from(kernels.problem, self._vehicle, q, given.targets)
        )

    def __call__(self, problems: np.ndarray, first: int, last: int) -> np.ndarray:
        """(k, last − first, nq) of problems (k,)."""
        parts = [self._q[problems][:, None]] if self._own and first == 0 else []
        first, last = max(0, first - self._own), last - self._own
        if last > first:
            parts.append(self._from_tables(problems, first, last))
        return np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]

    @cached_property
    def _groups(self) -> tuple[np.ndarray, np.ndarray]:
        """(what tells tables apart (G, nq), which of them each problem has (P,))."""
        rest = self._rest(self._q)
        if np.all(rest == rest[0]):
            return rest[:1], np.zeros(len(rest), dtype=int)
        different, group = np.unique(rest, axis=0, return_inverse=True)
        return different, group.ravel()

    def _from_tables(self, problems: np.ndarray, first: int, last: int) -> np.ndarray:
        q = self._q[problems]
        found = np.empty((len(problems), last - first, q.shape[-1]))
        different, group = self._groups
        for k in np.unique(group[problems]):
            here, around = np.flatnonzero(group[problems] == k), different[k]
            known, own = table(self._kernels, around, self._seed), problems[here]
            found[here] = known.q[
                nearest_first(self._kernels, known, self._targets[own], self._weights, first, last)
            ]
        if self._vehicle is not None:
            found[..., self._vehicle.q] = q[:, None, self._vehicle.q]
        return found

    def _rest(self, q: np.ndarray) -> np.ndarray:
        """Configurations (k, nq) that tell tables apart: all that tables draw, and the vehicle, at one place."""
        unknowns = self._kernels.problem.unknowns
        low, high = unknowns.box
        x = unknowns.coordinates(q)
        q = unknowns.moved(q, np.clip(0.0, low, high) - x, low, high)
        if self._vehicle is not None:
            q[..., self._vehicle.q] = self._vehicle.joint.neutral()
        return q


def _shared_vehicle(problem: PoseProblem) -> Link | None:
    """The vehicle that all frames are on, if tables do not draw its configurations: one table then serves all."""
    tree = problem.unknowns.tree
    bodies = [tree.locate(frame)[0] for frame in problem.targets.frames]
    roots = {tree.ancestors[i][0] if i >= 0 else -1 for i in bodies}
    if len(roots) != 1 or -1 in roots:
        return None
    link = tree.links[roots.pop()]
    own = {moving.index for moving, _, _ in problem.unknowns.by_link if in_coordinates(moving)}
    return None if link.index in own else link


def _seen_from(problem: PoseProblem, vehicle: Link, q: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Targets (P, 12 F) where the vehicle is at its neutral place instead of where q (P, nq) has it."""
    back = (
        vehicle.placement
        @ vehicle.joint.transform(vehicle.joint.neutral())
        @ se3.inverse(vehicle.placement @ vehicle.joint.transform(q[..., vehicle.q]))
    )
    poses = [pose_of(targets[..., 12 * k : 12 * k + 12]) for k in range(len(problem.targets.frames))]
    return np.concatenate([numbers_of(back @ g) for g in poses], axis=-1)
