"""The backward pass of the method: values and policies from the end to the start, one node at a time.

With z = (δ, δu), D = [A B], the node's cost l, H, and the gap g that follows it (docs/optimize.md):

    V_x⁺ = V_x + V_xx g ,   Q = H + Dᵀ V_xx D ,   (Q_x, Q_u) = l + Dᵀ V_x⁺
    δu = −κ − K δ :  κ, K = (Q_uu + μ diag Q_uu)⁻¹ (Q_u, Q_ux),  inputs at a limit held there, their rows of K zero
    (V_xx, V_x) = (Q_xx, Q_x) − (Q_ux + μ diag Q_uu K)ᵀ (K, κ)

The last line is Q_xx − Q_uxᵀ K − Kᵀ(Q_ux − Q_uu K), and so for V_x: in the rows that K has, Q_ux − Q_uu K is
μ diag Q_uu K.

Beside it go two adjoints: η of the cost along the motion itself, for the gradient l_u + Bᵀη by the inputs, and ω along
the policy, for the slope of the cost in the direction of the step; and the change of the cost that the model promises.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..lie.arrays import diagonal, join
from ..trace import clip, equal, greater, less, matmul, where
from ..trace.linear import solved
from ..worlds.bounded_allocation import least_in_box


class Values(NamedTuple):
    """At a node: V_xx (n, n), V_x (n,), adjoints η (n,) and ω (n,), slope () and change () of
    the cost from there on."""

    V_xx: np.ndarray
    V_x: np.ndarray
    η: np.ndarray
    ω: np.ndarray
    slope: Any
    change: Any


class Policy(NamedTuple):
    """Of a node: K (m, n), κ (m,), and the gradient (m,) of the cost by its inputs."""

    K: np.ndarray
    κ: np.ndarray
    gradient: np.ndarray


def ended(H: np.ndarray, l: np.ndarray) -> Values:
    """The values at the end, where the cost is l (n,), H (n, n)."""
    return Values(H, l, l, l, 0.0, 0.0)


def stepped_back(
    values: Values, D: tuple[np.ndarray, np.ndarray], H: np.ndarray, l: np.ndarray, g: np.ndarray, μ: Any,
    room: tuple[np.ndarray, np.ndarray] | None,
) -> tuple[Values, Policy]:  # fmt: skip
    """Values and policy of a node. D: A (n, n) and B (n, m).

    room: (lowest, highest) of δu (m,) each, None without limits.
    """
    n, (A, B) = len(g), D
    V = matmul(values.V_xx, np.concatenate([A, B, g[:, None]], axis=1))
    VA, VB, Vg = V[:, :n], V[:, n:-1], V[:, -1]
    vectors = np.stack([values.V_x + Vg, values.η, values.ω], axis=1)
    by_x, by_u = (
        matmul(A.T, np.concatenate([VA, vectors], axis=1)),
        matmul(B.T, np.concatenate([V, vectors], axis=1)),
    )
    Q_xx, Q_ux, Q_uu = (
        H[:n, :n] + by_x[:, :n],
        H[n:, :n] + by_u[:, :n],
        H[n:, n:] + by_u[:, n : n + VB.shape[1]],
    )
    (Q_x, η, ω), (Q_u, gradient, along) = (l[:n, None] + by_x[:, -3:]).T, (l[n:, None] + by_u[:, -3:]).T
    damping = μ * np.diagonal(Q_uu)
    K, κ = _policy(Q_uu + diagonal(damping), Q_ux, Q_u, room)
    new = matmul((Q_ux + damping[:, None] * K).T, np.concatenate([K, κ[:, None]], axis=1))
    V_xx = Q_xx - new[:, :n]
    slope = values.slope + values.ω @ g - along @ κ
    change = values.change + (values.V_x + 0.5 * Vg) @ g - (Q_u - 0.5 * matmul(Q_uu, κ)) @ κ
    ω = ω - matmul(K.T, along)
    return Values(0.5 * (V_xx + V_xx.T), Q_x - new[:, n], η, ω, slope, change), Policy(K, κ, gradient)


def _policy(
    A: np.ndarray, Q_ux: np.ndarray, Q_u: np.ndarray, room: tuple[np.ndarray, np.ndarray] | None
) -> tuple[np.ndarray, np.ndarray]:
    """K (m, n), κ (m,)."""
    m = len(Q_u)
    if room is None:
        found = solved(A, np.concatenate([Q_ux, Q_u[:, None]], axis=1), False, positive=True)
        return found[:, :-1], found[:, -1]
    lowest, highest = room
    δu = least_in_box(A, -Q_u, lowest, highest, 2 * m)
    slope = matmul(A, δu) + Q_u
    at_low, at_high = equal(δu, lowest) & greater(slope, 0.0), equal(δu, highest) & less(slope, 0.0)
    free = where(at_low | at_high, 0.0, 1.0)
    masked = free[:, None] * A * free[None, :] + diagonal(1.0 - free)
    return solved(masked, free[:, None] * Q_ux, False, positive=True), -δu


def policy_input(
    u: np.ndarray, δ: np.ndarray, policy: tuple[np.ndarray, np.ndarray], ε: Any,
    limits: tuple[np.ndarray, np.ndarray] | None,
) -> np.ndarray:  # fmt: skip
    """û = u − ε κ − K δ, within the limits."""
    K, κ = policy
    new = u - ε * κ - matmul(K, δ)
    return new if limits is None else clip(new, *limits)


def packed_values(values: Values) -> np.ndarray:
    """The values as one vector."""
    return join(
        [values.V_xx.reshape(-1), values.V_x, values.η, values.ω, np.array([values.slope, values.change])]
    )


def unpacked_values(vector: np.ndarray, n: int) -> Values:
    """The values of a vector."""
    a = n * n
    V_x, η, ω = (vector[a + k * n : a + (k + 1) * n] for k in range(3))
    return Values(vector[:a].reshape(n, n), V_x, η, ω, vector[a + 3 * n], vector[a + 3 * n + 1])
