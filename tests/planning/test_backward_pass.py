"""One node of the backward pass against its equations in NumPy, alone, on lanes, and interpreted."""

import numpy as np
import pytest

from unmoored import kernels
from unmoored.planning.backward_pass import Hessian, entries_in, lower_runs, stepped_back
from unmoored.planning.riccati_programs import policy_size, values_size
from unmoored.trace import evaluate, trace

#: sizes below, at and above those of the lanes and tiles
SIZES = [(1, 1), (4, 2), (9, 8), (26, 13)]


def problem(n, m, seed=0):
    """Values after a node, and the node: D, H (some entries zero), l, g, μ."""
    rng = np.random.default_rng(seed)
    k = n + m
    V = rng.normal(size=(n, n))
    J = rng.normal(size=(k, k)) * (rng.random((k, k)) < 0.5)
    H = J.T @ J + np.eye(k)
    return (
        np.concatenate([(V @ V.T).ravel(), rng.normal(size=3 * n + 2)]),
        np.eye(n, k) + 0.3 * rng.normal(size=(n, k)), H, rng.normal(size=k), rng.normal(size=n), 0.7,
    )  # fmt: skip


def expected(values, D, H, l, g, μ):
    """The equations as they stand in `backward_pass`."""
    n = len(g)
    V, (V_x, η, ω), (slope, change) = (
        values[: n * n].reshape(n, n), values[n * n :][: 3 * n].reshape(3, n), values[-2:],
    )  # fmt: skip
    Q, q = H + D.T @ V @ D, l + D.T @ (V_x + V @ g)
    damping = np.diag(μ * np.diag(Q)[n:])
    F = np.linalg.solve(Q[n:, n:] + damping, np.column_stack([Q[n:, :n], q[n:]]))
    K, κ = F[:, :n], F[:, n]
    along, L = (l + D.T @ ω)[n:], Q[n:, :n] + damping @ K
    vectors = q[:n] - L.T @ κ, (l + D.T @ η)[:n], (l + D.T @ ω)[:n] - K.T @ along
    sums = (
        slope + ω @ g - along @ κ, change + (V_x + 0.5 * V @ g) @ g - (q[n:] - 0.5 * Q[n:, n:] @ κ) @ κ,
    )  # fmt: skip
    return np.concatenate(
        [(Q[:n, :n] - L.T @ K).ravel(), *vectors, sums, K.ravel(), κ, (l + D.T @ η)[n:], [0.0]]
    )


def function(n, m, H):
    runs = lower_runs(H)

    def step(values, D, entries, l, g, μ):
        return stepped_back(values, D, Hessian(entries, runs), l, g, μ[0], None)

    shapes = [(values_size(n),), (n, n + m), (sum(c for _, _, c in runs),), (n + m,), (n,), (1,)]
    return step, shapes, runs


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_a_node_is_that_of_the_equations(n, m):
    values, D, H, l, g, μ = problem(n, m)
    step, shapes, runs = function(n, m, H)
    kernel = kernels.compile(step, shapes)
    given = values, D, entries_in(H, runs), l, g, np.array([μ])
    right = expected(values, D, H, l, g, μ)
    assert len(right) == values_size(n) + policy_size(n, m) + 1
    alone = kernel(*given)
    assert np.abs(alone - right).max() < 1e-11 * np.abs(right).max()
    V_xx = alone[: n * n].reshape(n, n)
    assert np.array_equal(V_xx, V_xx.T)
    together = kernel(*(np.stack([x] * 5) for x in given))
    assert np.array_equal(together, np.stack([alone] * 5))
    if n < 10:
        read = evaluate(trace(step, *shapes, name="node"), *given)
        assert np.abs(read - alone).max() < 1e-11 * np.abs(right).max()
        assert np.abs(step(*given) - alone).max() < 1e-11 * np.abs(right).max()
