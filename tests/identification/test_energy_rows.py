"""Work along recorded rows: weights of polynomials, and what is conserved where nothing does work."""

import numpy as np
import pytest

import unmoored as um
from unmoored.identification.energy_rows import _weights, work_done


def pendulum(mass=2.0, com=0.5, damping=0.0):
    b = um.SystemBuilder("pendulum")
    b.vehicle(
        "rod",
        um.Revolute((0, 1, 0), damping=damping),
        inertia=um.Inertia(mass, (0, 0, -com), (0.1, 0.1, 0.01)),
    )
    return um.Plant(b.build(), um.Earth())


def test_cubics_are_integrated_exactly_at_uneven_rows():
    t = np.sort(np.random.default_rng(0).uniform(0.0, 1.0, (5, 4)), axis=1)
    weights = _weights(t, t[:, 1], t[:, 2])
    for power in range(4):
        expected = (t[:, 2] ** (power + 1) - t[:, 1] ** (power + 1)) / (power + 1)
        np.testing.assert_allclose((weights * t**power).sum(axis=1), expected, atol=1e-12)


def test_the_work_of_damping_is_the_energy_that_is_lost():
    plant = pendulum(damping=0.4)
    run = um.simulate(plant, [1.2], duration=3.0, step=0.005, record_every=4)
    lost = plant.energy(run.t, run.q, run.v).total - plant.energy(run.t[0], run.q[0], run.v[0]).total
    np.testing.assert_allclose(work_done(plant, um.Recording(run.t, run.q, run.v)), lost, atol=1e-5)
    assert lost[-1] < -1.0


def test_a_swing_without_work_tells_where_its_mass_is_exactly():
    run = um.simulate(pendulum(), [1.2], duration=3.0, step=0.002, record_every=10)
    seen = um.Recording(run.t, run.q, run.v)
    found = um.identify(pendulum(com=0.35), seen, free=["rod.com"], by="energy")
    assert found.values[2] == pytest.approx(-0.5, abs=1e-7)
    assert abs(found.values[0]) < 1e-7


def test_what_takes_energy_may_not_be_free_and_gaps_are_refused():
    run = um.simulate(pendulum(damping=0.4), [1.2], duration=1.0, step=0.01)
    seen = um.Recording(run.t, run.q, run.v)
    with pytest.raises(um.ModelError, match=r"rod\.damping"):
        um.identify(pendulum(damping=0.1), seen, free=["rod.com", "rod.damping"], by="energy")
    gap = um.Recording(run.t, run.q, run.v, seen=run.t < 0.5)
    with pytest.raises(um.ModelError, match="without gaps"):
        um.identify(pendulum(damping=0.4), gap, free=["rod.com"], by="energy")
