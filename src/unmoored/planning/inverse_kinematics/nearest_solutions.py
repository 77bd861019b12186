"""Of all solutions that were met, the nearest to where the search began, brought as near as redundancy allows."""

from __future__ import annotations

import numpy as np

from .lane_search import Found
from .pose_problem import Numbers, PoseProblem
from .search_kernels import SearchKernels

#: solutions are brought to this part of the tolerance before they count, so that rounding at the end does not undo them
INSIDE = 0.9
_SLIDES, _AT_REST = 40, 1e-9


def nearest_slid(
    kernels: SearchKernels, given: Numbers, found: Found, wanted: np.ndarray, tolerance: float
) -> Found:
    """Every solution brought as near to `wanted` (P, nq) as it goes; the nearest of each problem."""
    q, owner = found.solutions.copy(), found.owners
    numbers = [x[owner] if len(x) > 1 else x[0] for x in given]
    least = float(given.weights[0, : kernels.problem.targets.count].min())
    how = np.tile([1.0, 0.5 * (0.5 * INSIDE * tolerance * least) ** 2], (len(q), 1))
    todo, distance = np.arange(len(q)), np.full(len(q), np.inf)
    for _ in range(_SLIDES):
        some = [x if x.ndim == 1 else x[todo] for x in numbers]
        q[todo], facts = kernels.slide(q[todo], *some, wanted[owner[todo]], how[todo])
        distance[todo], how[todo, 0] = facts[:, 1], facts[:, 0]
        todo = todo[(facts[:, 2] > _AT_REST) & (facts[:, 0] > 1e-9)]
        if not todo.size:
            break
    return _least(found, q, distance)


def nearest_met(problem: PoseProblem, found: Found, wanted: np.ndarray) -> Found:
    """The nearest of the solutions as they were met."""
    way = problem.unknowns.tangent(found.solutions, wanted[found.owners])
    return _least(found, found.solutions, np.linalg.norm(way, axis=-1))


def _least(found: Found, q: np.ndarray, distance: np.ndarray) -> Found:
    order = np.argsort(-distance, kind="stable")
    best = found.q.copy()
    best[found.owners[order]] = q[order]
    return found._replace(q=best)
