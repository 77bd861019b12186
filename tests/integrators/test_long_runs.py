"""What stays after a million steps: the group, energy and momentum (docs/theory.md §16)."""

import numpy as np
import pytest
from tests.support.random_trees import random_tree

import unmoored as um

STEPS = 1_000_000


def state_of(system, seed, speed):
    rng = np.random.default_rng(seed)
    return system.random_configuration(rng), rng.uniform(-speed, speed, system.nv)


@pytest.mark.parametrize("method", ["rkmk4", "lie_midpoint"])
def test_a_million_steps_stay_on_the_group(method):
    system = um.load("tumbling_brick")
    q, v = state_of(system, 0, 1.0)
    run = um.simulate(system, q, v, duration=1e-2 * STEPS, step=1e-2, method=method, record_every=50_000)
    assert run.completed
    assert run.invariants()["on_group_error"] <= 1e-14


@pytest.mark.long
def test_energy_of_the_free_flyer_over_a_million_steps():
    """From speeds up to 0.5; the wrist whirls with over 10 rad/s later."""
    system = um.load("free_flyer_arm7")
    q, v = state_of(system, 1, 0.5)
    run = um.simulate(system, q, v, duration=1e-3 * STEPS, step=1e-3, record_every=10_000)
    assert run.invariants()["energy_balance"] <= 1e-9


@pytest.mark.long
def test_momentum_of_the_free_flyer_over_a_million_steps():
    """With every joint at up to 0.5 m/s or rad/s all the time."""
    system = um.load("free_flyer_arm7")
    q, v = state_of(system, 1, 0.02)
    run = um.simulate(system, q, v, duration=1e-3 * STEPS, step=1e-3, record_every=10_000)
    assert 0.3 <= np.abs(run.v).max() <= 0.5
    found = run.invariants()
    assert found["energy_balance"] <= 1e-9
    assert found["linear_momentum_drift"] <= 1e-11
    assert found["angular_momentum_drift"] <= 2e-12
    assert found["on_group_error"] <= 1e-14


def test_the_variational_integrator_keeps_momentum_to_rounding():
    system = um.System(random_tree(5, ["Free", "Revolute", "Spherical"]))
    q, v = state_of(system, 2, 1.0)
    run = um.simulate(system, q, v, duration=10.0, step=1e-2, method="variational", record_every=10)
    P = run.momentum()
    assert np.abs(P - P[0]).max() <= 1e-13 * np.abs(P).max() * 10
    coarse = um.simulate(
        system, q, v, duration=10.0, step=1e-2, method="lie_midpoint", record_every=10
    ).momentum()
    assert np.abs(coarse - coarse[0]).max() > 1e-6 * np.abs(P).max()  # which others do not
