"""The backward pass of the method: values and policies from the end to the start, one node at a time.

With z = (δ, δu), D = [A B], the node's cost l, H, and the gap g that follows it (docs/optimize.md):

    V_x⁺ = V_x + V_xx g ,   Q = H + Dᵀ V_xx D ,   (Q_x, Q_u) = l + Dᵀ V_x⁺
    δu = −κ − K δ :  κ, K = (Q_uu + μ diag Q_uu)⁻¹ (Q_u, Q_ux),  inputs at a limit held there, their rows of K zero
    V_x = Q_x − Q_uxᵀ κ − Kᵀ(Q_u − Q_uu κ) ,   V_xx = Q_xx − Q_uxᵀ K − Kᵀ(Q_ux − Q_uu K)

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
    values: Values, D: np.ndarray, H: np.ndarray, l: np.ndarray, g: np.ndarray, μ: Any,
    room: tuple[np.ndarray, np.ndarray] | None,
) -> tuple[Values, Policy]:  # fmt: skip
    """Values and policy of a node. room: (lowest, highest) of δu (m,) each, None without limits."""
    n = len(g)
    V = values.V_xx
    Vg = matmul(V, g)
    V_x = values.V_x + Vg
    Q = H + matmul(D.T, matmul(V, D))
    q = l + matmul(D.T, V_x)
    Q_uu, Q_ux, Q_u = Q[n:, n:], Q[n:, :n], q[n:]
    A = Q_uu + diagonal(μ * np.diagonal(Q_uu))
    K, κ = _policy(A, Q_ux, Q_u, room)
    rest, rest_u = Q_ux - matmul(Q_uu, K), Q_u - matmul(Q_uu, κ)
    V_xx = Q[:n, :n] - matmul(Q_ux.T, K) - matmul(K.T, rest)
    new_x = q[:n] - matmul(Q_ux.T, κ) - matmul(K.T, rest_u)
    Dη, Dω = matmul(D.T, values.η), matmul(D.T, values.ω)
    gradient = l[n:] + Dη[n:]
    along = l[n:] + Dω[n:]
    slope = values.slope + values.ω @ g - along @ κ
    change = values.change + (values.V_x + 0.5 * Vg) @ g - 0.5 * (Q_u + rest_u) @ κ
    ω = l[:n] + Dω[:n] - matmul(K.T, along)
    return Values(0.5 * (V_xx + V_xx.T), new_x, l[:n] + Dη[:n], ω, slope, change), Policy(K, κ, gradient)


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
