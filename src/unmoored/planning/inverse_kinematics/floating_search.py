"""Bursts of the search where a vehicle floats: unknowns are where the joints end, frames are seen at the path's end."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics.configuration import local
from ...lie import se3, so3
from ...lie.arrays import join
from .boxed_steps import boxed_step, next_damping, step_damping
from .floating_path import FloatingPath
from .frame_targets import pose_of
from .lane_search import Burst
from .pose_problem import Numbers
from .search_kernels import SearchKernels
from .unknowns import FAR

#: of the central differences (rad, m)
_DIFFERENCE = 1e-4
_STEPS = 3


class FloatingEnds:
    """What joints that go from q0 (P, nq) to a goal lead to, with momentum μ (P, m) and duration T (P,)."""

    def __init__(
        self, kernels: SearchKernels, path: FloatingPath, q0: np.ndarray, μ: np.ndarray, T: np.ndarray
    ) -> None:
        self.kernels, self.path = kernels, path
        self.q0, self.μ, self.T = q0, μ, T

    def travelled(self, goals: np.ndarray, owner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(ends (..., nq), paths (..., steps, nq)) of goals (L, ..., nq) of problems (L,)."""
        inner = (slice(None), *[None] * (goals.ndim - 2))
        q0 = np.broadcast_to(self.q0[owner][inner], goals.shape)
        δ = local(self.path.tree, q0, goals)
        return self.path.kernel(q0, δ, self.μ[owner][inner], self.T[owner][inner])

    def errors(self, goals: np.ndarray, owner: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """e (..., m) of the frames at the ends; targets (L, 12 F)."""
        shown = self.kernels.poses(self.travelled(goals, owner)[0])
        wanted = np.broadcast_to(targets[(slice(None), *[None] * (goals.ndim - 2))], shown.shape)
        parts = []
        for k, rows in enumerate(self.kernels.problem.targets.rows):
            here, there = (pose_of(x[..., 12 * k : 12 * k + 12]) for x in (shown, wanted))
            g_e = se3.inverse(here) @ there
            parts.append(join([se3.position(g_e), so3.log(se3.rotation(g_e))])[..., list(rows)])
        return join(parts)


def floating_burst(ends: FloatingEnds, given: Numbers) -> Burst:
    """Damped steps of the goals; given: numbers of all problems, (P, …) each."""
    problem = ends.kernels.problem
    unknowns, m = problem.unknowns, problem.targets.count
    n = unknowns.count
    far = np.full(n, FAR)
    moves = _DIFFERENCE * np.concatenate([np.zeros((1, n)), np.eye(n), -np.eye(n)])

    def rows_at(goals: np.ndarray, owner: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        around = np.broadcast_to(goals[:, None], (len(goals), len(moves), goals.shape[-1]))
        e = ends.errors(
            unknowns.moved(around, np.broadcast_to(moves, (*around.shape[:-1], n)), -far, far),
            owner,
            given.targets[owner],
        )
        slope = (e[:, 1 + n :] - e[:, 1 : 1 + n]) / (2.0 * _DIFFERENCE)
        J = np.swapaxes(slope, -1, -2)
        return weights[:, :m] * e[:, 0], weights[:, :m, None] * J * weights[:, None, m:]

    def burst(q: np.ndarray, owner: np.ndarray, s: np.ndarray) -> tuple[Any, ...]:
        weights, box = given.weights[owner], given.box[owner]
        e, J = rows_at(q, owner, weights)
        f = 0.5 * (e * e).sum(-1)
        for _ in range(_STEPS):
            x = unknowns.coordinates(q)
            scales = weights[:, m:]
            Δ = boxed_step(J, e, step_damping(s, f), (box[:, :n] - x) / scales, (box[:, n:] - x) / scales)
            new = unknowns.moved(q, scales * Δ, box[:, :n], box[:, n:])
            new_e, new_J = rows_at(new, owner, weights)
            new_f = 0.5 * (new_e * new_e).sum(-1)
            nearer = new_f < f
            q, e, J = (
                np.where(nearer.reshape(-1, *[1] * (a.ndim - 1)), a, b)
                for a, b in ((new, q), (new_e, e), (new_J, J))
            )
            f, s = np.where(nearer, new_f, f), next_damping(nearer, s)
        return q, s, f, e / weights[:, :m], np.zeros(len(q)), _STEPS

    return burst
