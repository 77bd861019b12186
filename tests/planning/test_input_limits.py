"""Limits on inputs: optima at their limits, and the signs of what pushes against them."""

import numpy as np

import unmoored as um
from unmoored import planning

from .planning_plants import cart, turner

PLANT = cart()


def test_furthest_at_rest_is_bang_bang():
    """Farthest place at rest after T with |u| ≤ 3 on 2 kg: full ahead, then full astern, and a T²/4."""
    N, period, most = 20, 0.1, 3.0
    final = [planning.Posture(PLANT, [10.0], 1.0), planning.Speed(PLANT, 1e4)]
    found = um.optimize(
        PLANT, [0.0], duration=N * period, control_step=period, input_limits=(-most, most),
        running=[planning.Effort(PLANT, 1e-9)], final=final,
    )  # fmt: skip
    assert found.converged
    expected = np.where(np.arange(N) < N // 2, most, -most)[:, None]
    # the price of speed at the end is finite: the first period astern is short of full by 8.5 / 1e4 · m / Δ · …
    assert np.allclose(found.u, expected, atol=0.02)
    assert np.isclose(found.q[-1, 0], most / 2.0 * (N * period) ** 2 / 4, atol=2e-3)
    held = np.abs(found.u) == most
    assert held.sum() == N - 1
    assert np.all(found.gradient[held] * found.u[held] < 0)  # more would be gained beyond the limit
    assert found.kkt < 1e-6 * np.abs(found.gradient).max()
    assert not np.any(found.K[held[:, 0]])  # what is at its limit stays there


def test_limits_that_are_never_met_change_nothing():
    final = [planning.Posture(PLANT, [0.5], 3.0), planning.Speed(PLANT, 1.0)]
    given = {"duration": 1.0, "control_step": 0.1, "running": [planning.Effort(PLANT, 0.1)], "final": final}
    free = um.optimize(PLANT, [0.0], **given)
    wide = um.optimize(PLANT, [0.0], input_limits=([-50.0], [60.0]), **given)
    assert wide.converged
    assert np.allclose(wide.u, free.u, atol=1e-12)
    assert np.allclose(wide.K, free.K, atol=1e-12)


def test_conditions_at_limits_of_several_inputs():
    plant = turner()
    rng = np.random.default_rng(0)
    q0 = plant.system.retract(plant.system.neutral(), 0.4 * rng.normal(size=4))
    target = plant.system.retract(q0, np.array([0.5, -0.6, 0.4, 0.8]))
    low, high = -np.linspace(1.0, 3.0, plant.nu), np.linspace(4.0, 2.0, plant.nu)
    found = um.optimize(
        plant, q0, duration=0.6, control_step=0.05, input_limits=(low, high),
        running=[planning.Effort(plant, 0.01)],
        final=[planning.Posture(plant, target, 50.0), planning.Speed(plant, 1.0)],
    )  # fmt: skip
    assert found.converged
    assert np.all(found.u >= low)
    assert np.all(found.u <= high)
    at_low, at_high = found.u == low, found.u == high
    assert at_low.any()
    assert at_high.any()
    scale = np.abs(found.gradient).max()
    assert np.all(found.gradient[at_low] > -1e-6 * scale)
    assert np.all(found.gradient[at_high] < 1e-6 * scale)
    assert np.abs(found.gradient[~at_low & ~at_high]).max() < 1e-4 * scale


def test_actuators_bring_their_own_limits():
    plant = um.Plant(PLANT.system, actuators=[um.JointMotor("cart", name="motor", limits=(-0.5, 0.2))])
    final = [planning.Posture(plant, [0.05], 30.0), planning.Speed(plant, 5.0)]
    found = um.optimize(
        plant, [0.0], duration=1.0, control_step=0.1, running=[planning.Effort(plant, 1e-3)], final=final
    )
    assert found.converged
    assert np.isclose(found.u.max(), 0.2, rtol=1e-8)
    free = (found.u < 0.1999) & (found.u > -0.4999)
    assert free.any()
    assert np.abs(found.gradient[free]).max() < 1e-5
