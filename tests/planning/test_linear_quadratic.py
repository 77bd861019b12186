"""Linear plants with quadratic costs: one iteration, and Riccati's closed form."""

import numpy as np
import pytest

import unmoored as um
from unmoored import planning

from .planning_plants import cart

PERIOD, N = 0.1, 12
EFFORT, SPEED, PLACE, TARGET = 0.3, 0.2, 5.0, 0.8


def problem(lag, **options):
    plant = cart(lag)
    running = [planning.Effort(plant, EFFORT), planning.Speed(plant, SPEED)]
    final = [planning.Posture(plant, [TARGET], PLACE), planning.Speed(plant, 2.0)]
    x0 = np.full(plant.nx, 0.4)
    found = um.optimize(
        plant,
        [0.1],
        [-0.3],
        x0=x0,
        duration=N * PERIOD,
        control_step=PERIOD,
        running=running,
        final=final,
        **options,
    )
    return plant, x0, found


def riccati(A, B, Q, R, Q_end, offset):
    """Policies (K, k) with u = −K y − k for costs ½yᵀQy + ½uᵀRu and ½(y − offset)ᵀQ_end(y − offset)."""
    P, s, rows = Q_end, -Q_end @ offset, []
    for _ in range(N):
        S = R + B.T @ P @ B
        K, k = np.linalg.solve(S, B.T @ P @ A), np.linalg.solve(S, B.T @ s)
        rows.append((K, k))
        s = A.T @ (s - P @ B @ k)
        P = Q + A.T @ P @ (A - B @ K)
    return rows[::-1]


@pytest.mark.parametrize(("lag", "steps"), [(None, 1), (0.15, 4)])
def test_the_solution_is_riccatis_after_one_iteration(lag, steps):
    plant, x0, found = problem(lag, step=PERIOD / steps)
    d = plant.step_derivatives(0.0, [0.0], [0.0], None, PERIOD / steps, steps=steps)
    A, B = d.state, d.input
    Q = PERIOD * np.diag([0.0, SPEED, 0.0][: len(A)])
    end = np.diag([PLACE, 2.0, 0.0][: len(A)])
    offset = np.array([TARGET, 0.0, 0.0][: len(A)])
    y = np.array([0.1, -0.3, *x0])
    for k, (K, feed) in enumerate(riccati(A, B, Q, PERIOD * EFFORT * np.eye(1), end, offset)):
        u = -K @ y - feed
        assert np.allclose(found.u[k], u, atol=1e-11, rtol=0)
        assert np.allclose(found.K[k], K, atol=1e-11, rtol=0)
        y = A @ y + B @ u
    assert np.allclose([found.q[-1, 0], found.v[-1, 0]], y[:2], atol=1e-12)
    assert found.converged
    assert found.iterations == 1
    assert found.gap < 1e-14
    assert found.kkt < 1e-12


def test_the_cost_is_that_of_the_motion():
    _plant, _, found = problem(None)
    running = 0.5 * PERIOD * (EFFORT * found.u**2 + SPEED * found.v[:-1] ** 2).sum()
    final = 0.5 * (PLACE * (found.q[-1, 0] - TARGET) ** 2 + 2.0 * found.v[-1, 0] ** 2)
    assert np.isclose(found.cost, running + final, rtol=1e-13)
    assert found.history[0][2] == 1.0
    assert np.allclose(found.t, PERIOD * np.arange(N + 1))


def test_any_guess_leads_there_in_one_iteration():
    _, _, found = problem(None)
    rng = np.random.default_rng(0)
    guess = {"u": rng.normal(size=(N, 1)), "q": rng.normal(size=(N + 1, 1)), "v": rng.normal(size=(N + 1, 1))}
    _, _, other = problem(None, **guess)
    assert other.history[0][1] > 0.5
    assert other.iterations == 1
    assert np.allclose(other.u, found.u, atol=1e-11)
    assert other.gap < 1e-13


def test_periods_without_end_are_refused():
    plant = cart()
    for duration in (1e308, 1e9):
        with pytest.raises(um.ModelError, match=r"at most 10,000,000 times 0\.1 s"):
            um.optimize(plant, [0.1], duration=duration, control_step=0.1, final=[planning.Speed(plant, 2.0)])
