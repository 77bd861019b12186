"""The map of a step near a state, by differences of a run's own kernels, against derivatives of the step itself."""

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation.run_kernels import RunKernels
from unmoored.simulation.step_map import step_map
from unmoored.simulation.time_step import TimeStep


def craft():
    """Joints stored as they move before, between and after those that are not; a motor that lags."""
    b = um.SystemBuilder("craft")
    rod = um.Inertia(1.5, (0, 0.02, 0.2), np.diag([0.1, 0.12, 0.02]))
    b.vehicle("rail", um.Prismatic((1, 0, 0)), inertia=um.Inertia.box(20.0, (1, 0.8, 0.6)))
    b.link("ball", parent="rail", joint=um.Spherical(), at=um.Pose(xyz=(0, 0, 0.3)), inertia=rod)
    b.link("arm", parent="ball", joint=um.Revolute((0, 1, 0)), at=um.Pose(xyz=(0, 0, 0.4)), inertia=rod)
    b.link("free", parent="arm", joint=um.Free(), at=um.Pose(xyz=(0, 0.1, 0.4)), inertia=rod)
    b.link("last", parent="free", joint=um.Revolute((1, 0, 0)), at=um.Pose(xyz=(0, 0, 0.4)), inertia=rod)
    motors = [um.JointMotor("arm", lag=0.05), um.JointMotor("last")]
    return um.Plant(b.build(), um.Earth(), actuators=motors, free=["arm.mass"])


def given(plant, samples=2):
    rng = np.random.default_rng(4)
    q = np.stack([plant.system.random_configuration(rng) for _ in range(samples)])
    v = rng.normal(size=(samples, plant.nv))
    return q, v, rng.normal(size=(samples, plant.nx)), np.linspace(1.0, 2.0, samples)[:, None]


def rows_of(e, q, v, x):
    rows = np.zeros((len(q), e.layout.size))
    parts = e.layout.split(rows)
    parts.q[...], parts.w[...], parts.x[...] = q, v, x
    return rows


def test_the_map_is_the_derivative_of_the_step():
    plant, t, h = craft(), 0.3, 0.01
    e = TimeStep(plant, "heun", None, (), None, False)
    kernels = RunKernels(e, "numpy", {}, {})
    q, v, x, p = given(plant)
    asked = []

    def ends(rows, params):
        asked.append((len(rows), params[:: len(rows) // 2].tolist()))
        clock = np.broadcast_to([t, h], (len(rows), 2))
        return kernels.moved(clock, rows, params, np.zeros((len(rows), 0)))

    n = 2 * plant.nv + plant.nx
    found = step_map(e, t, rows_of(e, q, v, x), p, ends)
    assert asked == [(2 * (2 * n + 1), p.tolist())]  # both ways along each direction, and where it is
    assert found.shape == (2, n, n)
    for i in range(2):
        d = plant.step_derivatives(
            t, q[i], v[i], np.zeros(plant.nu), h, x=x[i], p=p[i], method="heun", backend="numpy"
        )
        np.testing.assert_allclose(found[i], d.state, atol=1e-7)
    rough = step_map(e, t, rows_of(e, q, v, x), p, ends, difference=1e-3)
    off = np.abs(rough - found).max()
    assert 1e-8 < off < 1e-3  # central differences, of second order
    rougher = step_map(e, t, rows_of(e, q, v, x), p, ends, difference=2e-3)
    assert np.abs(rougher - found).max() == pytest.approx(4.0 * off, rel=0.05)


def test_what_follows_the_first_parts_does_not_count():
    """Rows may be whole states: memories, codes and counts are none of the map's."""
    plant = craft()
    e = TimeStep(plant, "euler", None, (), None, False)
    q, v, x, p = given(plant, 3)
    n = 2 * plant.nv + plant.nx
    still = step_map(e, 0.0, rows_of(e, q, v, x), p, lambda rows, params: rows)
    np.testing.assert_allclose(still, np.broadcast_to(np.eye(n), (3, n, n)), atol=1e-8)
    cut = step_map(e, 0.0, rows_of(e, q, v, x), p, lambda rows, params: rows[:, :-2])
    np.testing.assert_array_equal(cut, still)


def test_a_step_that_ends_nowhere_has_no_map_and_says_nothing():
    plant = craft()
    e = TimeStep(plant, "euler", None, (), None, False)
    q, v, x, p = given(plant, 1)
    rows = rows_of(e, q, v, x)
    found = step_map(e, 0.0, rows, p, lambda rows, params: np.exp(1e9 * np.abs(rows)) - np.inf)
    assert np.isnan(found).any()
