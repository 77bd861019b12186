"""Along the solutions of a redundant arm to the one that is nearest to a wished configuration.

    min ½|x − x_w|²  where e(x) = 0 ,  lowest ≤ x ≤ highest     (x: scaled unknowns)

A step goes a share of (1 − J⁺J)(x_w − x), the way that the rows leave, and comes back to the solutions by two Newton
steps. It is taken if it ends nearer and solves as well; else the next one is shorter. At the end the way that is left
is zero: the gradient of the distance is a combination of the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lie.arrays import apply
from ...trace import greater, less, less_equal, minimum, repeat, where
from .boxed_steps import Rows, damped, half_square
from .pose_problem import Numbers, PoseProblem

_TINY = 1e-14


def slid(
    problem: PoseProblem,
    q: np.ndarray,
    given: Numbers,
    wanted: np.ndarray,
    share: Any,
    tolerance: Any,
    times: int,
) -> tuple[np.ndarray, np.ndarray]:
    """(q (nq,), (share, distance to `wanted`, length of the way that is left) (3,)) after `times` steps from q (nq,).

    wanted (nq,).  share: of the way that the first step takes.  tolerance: of half the sum of the rows' squares.
    """
    scales = given.weights[problem.targets.count :]

    def way(q: np.ndarray) -> np.ndarray:
        d = problem.unknowns.tangent(q, wanted)
        return d / scales if problem.scaled else d

    def open_ways(q: np.ndarray, d: np.ndarray) -> np.ndarray:
        low, high = problem.room(q, given)
        return np.asarray(where(less(np.asarray(where(greater(d, 0.0), -high, low)), 0.0), 1.0, 0.0))

    def left(d: np.ndarray, rows: Rows, free: np.ndarray) -> np.ndarray:
        J = rows.J * free
        return free * d - damped(J, apply(J, d), _TINY)

    def step(_: Any, at: Any) -> Any:
        q, rows, share = at[0], Rows(*at[1]), at[2]
        d = way(q)
        free = open_ways(q, d)

        def onward(_: Any, at: Any) -> Any:
            """Along the way that is given, and back to the solutions."""
            q, rows, along = at[0], Rows(*at[1]), at[2]
            new = problem.moved(q, along + damped(rows.J * free, rows.e, _TINY), rows, given)
            return new, tuple(problem.rows(new, given)), 0.0 * along

        new, new_rows, _ = repeat(onward, (q, tuple(rows), share * left(d, rows, free)), 3)
        solves = less_equal(half_square(Rows(*new_rows)), tolerance)
        nearer = less((way(new) ** 2).sum(), (d * d).sum())
        taken = greater(where(solves, where(nearer, 1.0, 0.0), 0.0), 0.5)
        kept = [where(taken, a, b) for a, b in zip((new, *new_rows), (q, *rows), strict=True)]
        return kept[0], tuple(kept[1:]), where(taken, minimum(1.0, 1.5 * share), 0.3 * share)

    q, rows, share = repeat(step, (q, tuple(problem.rows(q, given)), share), times)
    d = way(q)
    remains = left(d, Rows(*rows), open_ways(q, d))
    return q, np.array([share, np.sqrt((d * d).sum()), np.sqrt((remains * remains).sum())])
