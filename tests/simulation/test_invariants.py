"""Energy balance, momentum and distance from the group, from the rows of a run."""

import numpy as np
from tests.simulation.arms import damper, small_arm, states

import unmoored as um
from unmoored.simulation.invariants import cumulative


def test_the_cumulative_integral_is_exact_for_cubics():
    t = np.sort(np.random.default_rng(0).uniform(0, 3, 12))
    y = 1 - 2 * t + 3 * t**2 + 0.5 * t**3
    exact = t - t**2 + t**3 + 0.125 * t**4
    assert np.abs(cumulative(t, y) - (exact - exact[0])).max() < 1e-12


def test_a_free_system_keeps_energy_and_momentum():
    system = small_arm()
    q, v = states(system, 3)
    run = um.simulate(system, q, v, duration=1.0, step=1e-3, record_every=10)
    found = run.invariants()
    assert np.all(found["energy_balance"] < 1e-12)
    assert np.all(found["linear_momentum_drift"] < 1e-12)
    assert np.all(found["angular_momentum_drift"] < 1e-12)
    assert np.all(found["on_group_error"] < 1e-15)
    assert run.momentum().shape == (3, 101, 6)


def test_energy_is_what_actuators_drag_and_damping_have_left():
    """In water with a current and a controller: E(t) − E(0) is the work of all of them."""
    system = um.load("bluerov2_heavy")
    plant = um.Plant(system, world=um.Ocean(current=(0.3, 0.1, 0.0)))
    rng = np.random.default_rng(1)
    q, v = system.random_configuration(rng), rng.uniform(-0.5, 0.5, system.nv)
    run = um.simulate(plant, q, v, duration=2.0, step=2e-3, controller=lambda t, q, v: -5.0 * v + np.cos(t))
    E = run.energy().total
    assert np.abs(E - E[0]).max() > 1.0
    assert run.invariants()["energy_balance"] < 1e-8


def test_a_wrong_trajectory_is_noticed():
    from dataclasses import replace

    system = small_arm()
    q, v = states(system, 1)
    run = um.simulate(system, q[0], v[0], duration=1.0, step=1e-2, controller=damper)
    wrong = replace(run, u=-run.u)
    assert run.invariants()["energy_balance"] < 1e-8
    assert wrong.invariants()["energy_balance"] > 1e-3
