"""One node of the backward pass against its equations in NumPy, alone, on lanes, and interpreted."""

import numpy as np
import pytest

from unmoored import kernels
from unmoored.planning.backward_pass import Hessian, entries_in, lower_runs, stepped_back
from unmoored.planning.costs import Terms
from unmoored.planning.riccati_programs import policy_size, values_size
from unmoored.planning.shooting import Shooting
from unmoored.planning.step_matrix import StepMatrix
from unmoored.trace import evaluate, trace

from .planning_plants import cart, turner

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


def one_stage(D, above, blocks, rng, h=0.1):
    """D with the rows of δq as a method of one stage leaves them."""
    D = D.copy()
    D[:above] = 0.0
    D[:above, :above], D[:above, above : 2 * above] = np.eye(above), h * np.eye(above)
    for first, size in blocks:
        for column in (first, above + first):
            D[first : first + size, column : column + size] = rng.normal(size=(size, size))
    return D


def function(n, m, H, known=None):
    runs = lower_runs(H)

    def step(values, D, entries, l, g, μ):
        return stepped_back(values, D, Hessian(entries, runs), l, g, μ[0], None, known)

    shapes = [(values_size(n),), (n, n + m), (sum(c for _, _, c in runs),), (n + m,), (n,), (1,)]
    return step, shapes, runs


@pytest.mark.parametrize(
    ("n", "m", "above", "blocks"),
    [(2, 1, 1, ()), (6, 3, 3, ((0, 3),)), (11, 4, 5, ((1, 3),)), (26, 13, 13, ((0, 6),)),
     (26, 8, 13, ((0, 6), (9, 3)))],
)  # fmt: skip
def test_zeros_of_a_step_of_one_stage_are_left_out(n, m, above, blocks):
    values, D, H, l, g, μ = problem(n, m)
    D = one_stage(D, above, blocks, np.random.default_rng(1))
    step, shapes, runs = function(n, m, H, StepMatrix(n, n + m, above, blocks))
    kernel = kernels.compile(step, shapes)
    given = values, D, entries_in(H, runs), l, g, np.array([μ])
    right = expected(values, D, H, l, g, μ)
    alone = kernel(*given)
    assert np.abs(alone - right).max() < 1e-11 * np.abs(right).max()
    assert np.array_equal(kernel(*(np.stack([x] * 3) for x in given)), np.stack([alone] * 3))
    other = D.copy()
    other[:above, 2 * above :] = 5.0  # what is known to be zero is not read
    assert np.array_equal(kernel(given[0], other, *given[2:]), alone)


def test_what_is_known_of_a_step_is_so():
    """The rows of δq of every method: those of one stage have the zeros that are said of them, others no such rows."""
    for plant in (turner(), cart()):
        q, v = plant.system.neutral(), np.full(plant.nv, 0.4)
        for method, steps in (("euler", 1), ("euler", 2), ("heun", 1)):
            known = Shooting(plant, method, steps, Terms(), False).step_matrix
            D = plant.step_derivatives(0.0, q, v, np.ones(plant.nu), 0.1, method=method, steps=steps)
            D = np.concatenate([D.state, D.input], axis=1)
            assert D.shape == (known.n, known.k)
            assert known.above == (plant.nv if (method, steps) == ("euler", 1) else 0)
            rng = np.random.default_rng(0)
            there = one_stage(np.ones_like(D), known.above, known.blocks, rng) != 0.0
            assert np.all(D[~there] == 0.0)


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
