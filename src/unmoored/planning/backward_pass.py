"""The backward pass of the method: values and policies from the end to the start, one node at a time.

With z = (δ, δu), D = [A B], the node's cost l, H, and the gap g that follows it (docs/optimize.md):

    V_x⁺ = V_x + V_xx g ,   Q = H + Dᵀ V_xx D ,   (Q_x, Q_u) = l + Dᵀ V_x⁺
    δu = −κ − K δ :  κ, K = (Q_uu + μ diag Q_uu)⁻¹ (Q_u, Q_ux),  inputs at a limit held there, their rows of K zero
    (V_xx, V_x) = (Q_xx, Q_x) − (Q_ux + μ diag Q_uu K)ᵀ (K, κ)

The last line is Q_xx − Q_uxᵀ K − Kᵀ(Q_ux − Q_uu K), and so for V_x: in the rows that K has, Q_ux − Q_uu K is
μ diag Q_uu K. Beside it go two adjoints: η of the cost along the motion itself, for the gradient l_u + Bᵀη by the
inputs, and ω along the policy, for the slope of the cost in the direction of the step; and the change of the cost that
the model promises:

    slope += ωᵀg − (l_u + Bᵀω)ᵀκ ,   change += (V_x + ½ V_xx g)ᵀg − (Q_u − ½ Q_uu κ)ᵀκ
    ω ← l_x + Aᵀω − Kᵀ(l_u + Bᵀω)

Values at a node are one vector: V_xx (n, n), V_x, η, ω (n), slope, change. A policy is K (m, n), κ (m), and the
gradient (m) of the cost by the node's inputs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..integrators.tangent_programs import run
from ..lie.arrays import diagonal, join
from ..trace import clip, equal, greater, is_zero, less, matmul, where
from ..trace.linear import solved
from ..worlds.bounded_allocation import least_in_box
from .elimination import Eliminated
from .riccati_programs import Closed, Model, Runs, model_parts, policy_size, values_size
from .step_matrix import StepMatrix


class Hessian(NamedTuple):
    """H (k, k) by the entries of its lower triangle that are not structurally zero, one after the other, and where they
    are."""

    entries: np.ndarray
    runs: Runs


def lower_runs(H: np.ndarray) -> Runs:
    """Where the lower triangle of H (k, k) has entries that are not structurally zero."""
    found: list[tuple[int, int, int]] = []
    for i in range(len(H)):
        for j in range(i + 1):
            if is_zero(H[i, j]):
                continue
            if found and found[-1][0] == i and found[-1][1] + found[-1][2] == j:
                found[-1] = (i, found[-1][1], found[-1][2] + 1)
            else:
                found.append((i, j, 1))
    return tuple(found)


def entries_in(H: np.ndarray, runs: Runs) -> np.ndarray:
    """The entries of H (k, k) in these runs, one after the other. There must be no others."""
    if not set(lower_runs(H)) <= set(runs):
        known = {(i, j + c) for i, j, count in runs for c in range(count)}
        assert all((i, j + c) in known for i, j, count in lower_runs(H) for c in range(count))
    return join([np.zeros(0), *(H[i, j : j + count] for i, j, count in runs)])


def ended(H: np.ndarray, l: np.ndarray) -> np.ndarray:
    """The values at the end, where the cost is l (n,), H (n, n)."""
    return join([H.reshape(-1), l, l, l, np.zeros(2)])


def stepped_back(
    values: np.ndarray, D: np.ndarray, H: Hessian, l: np.ndarray, g: np.ndarray, μ: Any,
    room: tuple[np.ndarray, np.ndarray] | None, step: StepMatrix | None = None,
) -> np.ndarray:  # fmt: skip
    """Values and policy of a node, one after the other, and a zero, from the values after it. D (n, k).

    room: (lowest, highest) of δu (m,) each, None without limits.  step: what is known of D.
    """
    n = len(g)
    m = D.shape[1] - n
    model = Model(step or StepMatrix(n, n + m), H.runs)
    V_xx, X = values[: n * n], values[n * n : values_size(n)]
    found = run(model, (model.size,), V_xx, X[: 3 * n], D, H.entries, l, g, μ)
    Q = model_parts(found, n, m)
    if room is None:
        policy = run(Eliminated(m, n + 1), (m, n + 1), Q["Q_uu"], Q["Q_ux"])
    else:
        policy = _in_room(Q["Q_uu"], Q["Q_ux"][:, :n], Q["Q_ux"][:, n], room)
    closed = Closed(n, m)
    return run(closed, (closed.size,), found, policy, X, g)


def _in_room(
    A: np.ndarray, Q_ux: np.ndarray, Q_u: np.ndarray, room: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """[K κ] (m, n + 1) with limits."""
    lowest, highest = room
    δu = least_in_box(A, -Q_u, lowest, highest)
    slope = matmul(A, δu) + Q_u
    at_low, at_high = equal(δu, lowest) & greater(slope, 0.0), equal(δu, highest) & less(slope, 0.0)
    free = where(at_low | at_high, 0.0, 1.0)
    masked = free[:, None] * A * free[None, :] + diagonal(1.0 - free)
    K = solved(masked, free[:, None] * Q_ux, False, positive=True)
    return np.concatenate([K, -δu[:, None]], axis=1)


def split_policy(found: np.ndarray, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """(K (m, n), κ (m,)) of a policy."""
    return found[: m * n].reshape(m, n), found[m * n : m * n + m]


def policy_input(
    u: np.ndarray, δ: np.ndarray, policy: tuple[np.ndarray, np.ndarray], ε: Any,
    limits: tuple[np.ndarray, np.ndarray] | None,
) -> np.ndarray:  # fmt: skip
    """û = u − ε κ − K δ, within the limits."""
    K, κ = policy
    new = u - ε * κ - matmul(K, δ)
    return new if limits is None else clip(new, *limits)


__all__ = [
    "Hessian", "ended", "entries_in", "lower_runs", "policy_input", "policy_size", "split_policy", "stepped_back",
    "values_size",
]  # fmt: skip
