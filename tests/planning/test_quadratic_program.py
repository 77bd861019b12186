"""Quadratic programs with a fixed number of iterations, against an exact active-set solver."""

import numpy as np
import pytest
from scipy.optimize import nnls

import unmoored as um
from unmoored import kernels

N, M = 7, 9


def exact(Q, c, G, h):
    """The least ½ xᵀQx + cᵀx with G x ≤ h: least distance programming by non-negative least squares, an active set."""
    L = np.linalg.cholesky(Q)
    x_free = -np.linalg.solve(Q, c)
    A, b = -np.linalg.solve(L, G.T).T, -(h - G @ x_free)  # A y ≥ b, x = x_free + L⁻ᵀ y
    if np.all(b <= 0):
        return x_free
    u, _ = nnls(np.vstack([A.T, b]), np.append(np.zeros(len(c)), 1.0), maxiter=1000)
    r = np.append(A.T @ u, b @ u - 1.0)
    return x_free + np.linalg.solve(L.T, -r[:-1] / r[-1])


def problems(count, posture, seed, size=20.0):
    """Tasks J x = b that are mostly out of reach: a box and a few rows, one-sided some of them."""
    rng = np.random.default_rng(seed)
    J, b = rng.normal(size=(count, 6, N)), size * rng.normal(size=(count, 6))
    half = 10.0 ** rng.uniform(-0.5, 0.5, (count, N))
    E = rng.normal(size=(count, M - N + 2, N))
    reach = 0.5 * np.abs(E * half[:, None]).sum(-1)
    lo = np.where(rng.random(reach.shape) < 0.3, -np.inf, -reach * rng.uniform(0.2, 1, reach.shape))
    hi = reach * rng.uniform(0.2, 1, reach.shape)
    Q = np.swapaxes(J, 1, 2) @ J + posture * np.einsum("ki,ij->kij", half**-2.0, np.eye(N))
    return Q, -np.einsum("kij,ki->kj", J, b), E, lo, hi, half


def compare(Q, c, E, lo, hi, half, x):
    """(error of x in half ranges, error of the objective in its size, violation), the largest of each."""
    worst = np.zeros(3)
    for k in range(len(Q)):
        G = np.vstack([E[k], -E[k], np.eye(N), -np.eye(N)])
        h = np.concatenate([hi[k], -lo[k], half[k], half[k]])
        G, h = G[np.isfinite(h)], h[np.isfinite(h)]
        best = exact(Q[k], c[k], G, h)
        cost = [0.5 * y @ Q[k] @ y + c[k] @ y for y in (x[k], best)]
        errors = [
            np.abs((x[k] - best) / half[k]).max(),
            (cost[0] - cost[1]) / abs(cost[1]),
            (G @ x[k] - h).max(),
        ]
        worst = np.maximum(worst, errors)
    return worst


@pytest.fixture(scope="module")
def kernel():
    def solve(Q, c, E, lo, hi, half):
        return tuple(um.solve_qp(Q, c, E, lo, hi, lowest=-half, highest=half))

    m = M - N + 2
    return kernels.compile(solve, [(N, N), (N,), (m, N), (m,), (m,), (N,)])


def test_unreachable_tasks_are_met_as_well_as_they_can_be(kernel):
    given = problems(200, 1e-4, 0)
    x, residual, solved = kernel(*given)
    error, objective, violation = compare(*given, x)
    assert error < 2e-5
    assert abs(objective) < 1e-9
    assert violation < 1e-9
    assert solved.min() == 1.0
    assert residual.max() < 1e-9
    at_bounds = (np.abs(x) > given[-1] * (1 - 1e-6)).sum(-1)
    assert at_bounds.mean() > 2  # the bounds matter


def test_numbers_and_kernels_give_the_same(kernel):
    Q, c, E, lo, hi, half = problems(20, 1e-2, 1)
    x = kernel(Q, c, E, lo, hi, half)[0]
    by_numpy = um.solve_qp(Q, c, E, lo, hi, lowest=-half, highest=half)
    assert np.abs(x - by_numpy.x).max() < 1e-6
    one = um.solve_qp(Q[3], c[3], E[3], lo[3], hi[3], lowest=-half[3], highest=half[3])
    assert np.allclose(one.x, by_numpy.x[3], atol=1e-9)
    assert one.solved == 1.0


def test_few_iterations_give_a_point_within_the_bounds_and_say_so():
    Q, c, E, lo, hi, half = problems(50, 1e-2, 2)
    few = um.solve_qp(Q, c, E, lo, hi, lowest=-half, highest=half, iterations=4)
    late = few.solved == 0
    assert late.any()
    values = np.einsum("kij,kj->ki", E, few.x)
    assert np.all(values <= hi + 1e-8)
    assert np.all(values >= lo - 1e-8)
    assert np.all(np.abs(few.x) <= half)
    assert np.all(few.residual[late] >= 1e-6)
    start = 0.01 * half  # a point within the bounds comes back if there is nothing better
    none = um.solve_qp(Q, c, E, lo, hi, lowest=-half, highest=half, iterations=1, start=start)
    assert np.all(np.abs(none.x) <= half)


def test_contradictions_are_not_solved():
    E = np.array([[1.0, 1.0], [1.0, 1.0]])
    bad = um.solve_qp(np.eye(2), np.zeros(2), E, [2.0, -np.inf], [np.inf, 1.0])
    assert bad.solved == 0.0
    assert bad.residual > 1e-3
    assert np.all(bad.x == 0.0)  # the start


def test_without_bounds_and_with_equal_ones():
    Q, c = np.diag([2.0, 4.0]), np.array([-2.0, 4.0])
    assert np.allclose(um.solve_qp(Q, c).x, [1.0, -1.0], atol=1e-12)
    fixed = um.solve_qp(Q, c, np.array([[1.0, 1.0]]), [0.5], [0.5])
    assert np.allclose(fixed.x, [4 / 3, -5 / 6], atol=1e-7)  # by Lagrange: 2x − 2 = 4y + 4, x + y = ½
    held = um.solve_qp(Q, c, lowest=[0.25, -5.0], highest=[0.25, 5.0])
    assert held.x[0] == 0.25
    assert abs(held.x[1] + 1.0) < 1e-8


def test_size_does_not_matter():
    Q, c, E, lo, hi, half = problems(10, 1e-3, 3)
    x = um.solve_qp(Q, c, E, lo, hi, lowest=-half, highest=half).x
    big = um.solve_qp(1e6 * Q, 1e6 * c, 1e-3 * E, 1e-3 * lo, 1e-3 * hi, lowest=-half, highest=half).x
    units = um.solve_qp(1e-6 * Q, 1e-3 * c, 1e-3 * E, lo, hi, lowest=-1e3 * half, highest=1e3 * half).x
    assert np.abs(big - x).max() < 1e-6
    assert np.abs(units / 1e3 - x).max() < 1e-6


def test_refusals():
    for wrong, what in (
        (lambda: um.solve_qp(np.eye(2), np.zeros(3)), "Q, c"),
        (lambda: um.solve_qp(np.eye(2), np.zeros(2), np.ones((1, 3)), [0.0], [1.0]), "E"),
        (lambda: um.solve_qp(np.eye(2), np.zeros(2), np.ones((1, 2)), [0.0, 1.0], [1.0]), "lo, hi"),
        (
            lambda: um.solve_qp(np.eye(2), np.zeros(2), lowest=[1.0, 1.0], highest=[0.0, 2.0]),
            "lowest ≤ highest",
        ),
        (lambda: um.solve_qp(np.eye(2), np.zeros(2), iterations=0), "iterations"),
    ):
        with pytest.raises(um.ModelError, match=what):
            wrong()


def test_what_is_no_number_is_named_in_a_problem_alone_and_not_solved_in_a_batch():
    Q, c, bounds = np.eye(2), np.zeros(2), (np.eye(2), -np.ones(2), np.ones(2))
    with pytest.raises(um.ModelError, match="solve_qp: Q"):
        um.solve_qp(np.nan * Q, c, *bounds)
    with pytest.raises(um.ModelError, match="solve_qp: c"):
        um.solve_qp(Q, np.array([0.0, np.inf]), *bounds)
    found = um.solve_qp(np.stack([np.nan * Q, Q]), np.stack([c, c + 0.5]), *bounds)
    assert found.solved.tolist() == [0.0, 1.0]
    assert np.allclose(found.x[1], -0.5)
