"""An inverse kinematics problem as traceable functions of a configuration: its rows, the room of a step, the step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import apply, join
from .balanced_dofs import BalancedDofs
from .boxed_steps import Rows
from .frame_targets import FrameTargets
from .unknowns import Unknowns


class Numbers(NamedTuple):
    """The run-time numbers of one problem.

    targets (12 F,): poses of the frames.  box (2 n,): lowest, then highest unknowns.  weights (m + n,): of the rows,
    then the scales of the unknowns.  world (1 + np,): time (s) and free parameters of the plant.
    """

    targets: np.ndarray
    box: np.ndarray
    weights: np.ndarray
    world: np.ndarray


@dataclass(frozen=True, eq=False)
class PoseProblem:
    """What is solved for, what it must meet, what balances meanwhile.  scaled: weights are not all one."""

    unknowns: Unknowns
    targets: FrameTargets
    balanced: BalancedDofs | None
    scaled: bool

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of `Numbers`."""
        n, m = self.unknowns.count, self.targets.count
        world = 1 + (len(self.balanced.plant.nominal_parameters) if self.balanced else 0)
        return [(self.targets.size,), (2 * n,), (m + n,), (world,)]

    def rows(self, q: np.ndarray, given: Numbers) -> Rows:
        """The rows at q (nq,), weighted, by scaled steps; `rest` holds δ_0 and X of the balance."""
        m = self.targets.count
        e, J = self.targets.at(self.unknowns.tree, q, given.targets)
        J_a, rest, off = self.unknowns.columns(q, J), np.zeros(0), 0.0
        if self.balanced is not None:
            δ_0, X, _ = self.balanced.eliminated(q, given.world, self.unknowns)
            J_p = J[:, list(self.balanced.dofs)]
            e, J_a, off = e - apply(J_p, δ_0), J_a - J_p @ X, (δ_0 * δ_0).sum()
            rest = join([δ_0, (X * given.weights[m:] if self.scaled else X).reshape(-1)])
        if self.scaled:
            e, J_a = given.weights[:m] * e, given.weights[:m, None] * J_a * given.weights[m:]
        return Rows(J_a, e, rest, off)

    def room(self, q: np.ndarray, given: Numbers) -> tuple[np.ndarray, np.ndarray]:
        """(lowest, highest) scaled step (n,) from q (nq,) within the box."""
        n, x = self.unknowns.count, self.unknowns.coordinates(q)
        low, high = given.box[:n] - x, given.box[n:] - x
        scales = given.weights[self.targets.count :]
        return (low / scales, high / scales) if self.scaled else (low, high)

    def moved(self, q: np.ndarray, step: np.ndarray, rows: Rows, given: Numbers) -> np.ndarray:
        """q (nq,) after a scaled step (n,), with what balances moved along."""
        n = self.unknowns.count
        own = given.weights[self.targets.count :] * step if self.scaled else step
        new = self.unknowns.moved(q, own, given.box[:n], given.box[n:])
        if self.balanced is None:
            return new
        k = len(self.balanced.dofs)
        δ_p = rows.rest[:k] - apply(rows.rest[k:].reshape(k, n), step)
        return self.balanced.moved(new, δ_p)

    def plain_error(self, rows: Rows, given: Numbers) -> Any:
        """e (m,) without weights."""
        return rows.e / given.weights[: self.targets.count] if self.scaled else rows.e
