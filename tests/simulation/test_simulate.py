"""Steps, rows, batches and refusals of `simulate`."""

import numpy as np
import pytest
from tests.simulation.arms import damper, small_arm, states

import unmoored as um

SYSTEM = small_arm()
Q, V = states(SYSTEM, 5)


def test_rows_are_where_they_should_be():
    run = um.simulate(SYSTEM, Q[0], V[0], duration=0.5, step=0.01, record_every=7)
    assert np.allclose(run.t, [0, 0.07, 0.14, 0.21, 0.28, 0.35, 0.42, 0.49, 0.5], atol=1e-15)
    assert run.q.shape == (9, SYSTEM.nq)
    assert run.v.shape == (9, SYSTEM.nv)
    assert np.array_equal(run.q[0], Q[0])
    assert np.array_equal(run.v[0], V[0])
    assert run.completed
    assert run.u is None
    assert run.x is None
    plain = um.simulate(SYSTEM, Q[0])  # from rest, a second in steps of a millisecond
    assert np.array_equal(plain.v[0], np.zeros(SYSTEM.nv))
    assert np.allclose(plain.t, np.arange(1001) * 1e-3, rtol=0, atol=1e-14)


def test_how_often_rows_are_taken_changes_no_bit():
    fine, coarse = (um.simulate(SYSTEM, Q[0], V[0], duration=0.5, step=0.01, record_every=k) for k in (1, 10))
    assert np.array_equal(fine.q[::10], coarse.q)
    assert np.array_equal(fine.v[::10], coarse.v)


@pytest.mark.parametrize("method", ["rkmk4", "dopri5", "lie_midpoint"])
def test_a_batch_has_the_bits_of_its_samples_alone(method):
    batch = um.simulate(
        SYSTEM, Q, V, duration=0.3, step=0.01, method=method, controller=damper, control_step=0.02
    )
    assert batch.q.shape == (5, 31, SYSTEM.nq)
    for i in range(5):
        alone = um.simulate(
            SYSTEM, Q[i], V[i], duration=0.3, step=0.01, method=method, controller=damper, control_step=0.02
        )
        for name in ("q", "v", "u"):
            assert np.array_equal(getattr(batch, name)[i], getattr(alone, name))
        assert np.array_equal(batch.sample(i).q, alone.q)


def test_the_compiled_loop_agrees_with_numpy():
    compiled, reference = (
        um.simulate(SYSTEM, Q[:2], V[:2], duration=0.1, step=0.01, controller=damper, backend=backend)
        for backend in ("cpu", "numpy")
    )
    assert np.abs(compiled.q - reference.q).max() < 1e-14
    assert np.abs(compiled.v - reference.v).max() < 1e-14
    assert np.abs(compiled.u - reference.u).max() < 1e-14


def test_single_precision():
    single, double = (
        um.simulate(SYSTEM, Q[0], V[0], duration=0.5, step=0.01, dtype=dtype)
        for dtype in ("float32", "float64")
    )
    assert 1e-8 < np.abs(single.q - double.q).max() < 1e-4


def test_a_later_start_moves_the_clock_only():
    late = um.simulate(SYSTEM, Q[0], V[0], duration=0.5, step=0.01, t0=100.0)
    assert np.allclose(late.t, 100.0 + np.arange(51) * 0.01)
    assert np.array_equal(late.q, um.simulate(SYSTEM, Q[0], V[0], duration=0.5, step=0.01).q)


def test_parameters_vary_over_a_batch():
    plant = um.Plant(SYSTEM, world=um.Earth(), free=["gravity", "arm2.mass"])
    given = {"gravity": [[0, 0, -9.81], [0, 0, -1.62]], "arm2.mass": [2.0, 5.0]}
    run = um.simulate(plant, Q[0], V[0], duration=0.3, step=0.01, parameters=given)
    assert run.samples == 2
    nominal = um.simulate(plant, Q[0], V[0], duration=0.3, step=0.01)
    assert np.array_equal(run.q[0], nominal.q)
    alone = um.simulate(
        plant, Q[0], V[0], duration=0.3, step=0.01, parameters={"gravity": (0, 0, -1.62), "arm2.mass": 5.0}
    )
    assert np.array_equal(run.q[1], alone.q)
    assert np.all(run.invariants()["energy_balance"] < 1e-8)


def test_adaptive_steps_reach_their_tolerance_with_rows_by_dense_output():
    exact = um.simulate(SYSTEM, Q, V, duration=1.0, step=1e-4, record_every=130)
    for tolerance in (1e-6, 1e-9, 1e-12):
        run = um.simulate(
            SYSTEM, Q, V, duration=1.0, step=1e-4, method="dopri5", record_every=130, tolerance=tolerance
        )
        error = max(np.abs(run.q - exact.q).max(), np.abs(run.v - exact.v).max())
        assert error < 30 * tolerance
        assert np.array_equal(run.t, exact.t)


REFUSED = [
    ({"duration": 0.505}, "duration: expected a multiple of the step"),
    ({"duration": -1.0}, "duration: expected a number > 0"),
    ({"step": "fast"}, "step: expected a number > 0"),
    ({"method": "rk45"}, "unknown method: expected one of euler, heun, rkmk4"),
    ({"control_step": 0.015}, "control_step: expected a multiple of the step"),
    ({"record_every": 0}, "record_every: expected a whole number"),
    ({"backend": "gpu"}, "unknown backend: expected one of cpu, cuda, numpy"),
    ({"dtype": "float16"}, "unknown dtype"),
    ({"controller": 3.0}, "controller: expected a law"),
    ({"controller": lambda t, q, v: v[:2]}, "inputs: expected shape"),
    ({"controller_in": "c"}, "unknown controller_in"),
    ({"v0": np.zeros(3)}, "v0: expected shape"),
    ({"q0": 2.0 * Q[0]}, "bus: q0: expected a pose in SE"),
    ({"v0": np.full(8, np.nan)}, "v0\\[0\\] \\(bus.vx\\): expected a finite number"),
    ({"parameters": {"mass": 1.0}}, "unknown parameter"),
    ({"samples": [1, 2]}, "samples: expected 1 whole numbers"),
    ({"tolerance": -1.0, "method": "dopri5"}, "Tolerances: configuration: expected a number between"),
    ({"v0": V[:2], "q0": Q[:3]}, "samples: expected the same number everywhere"),
]


@pytest.mark.parametrize(("changed", "message"), REFUSED)
@pytest.mark.whole
def test_refusals_say_what_is_wrong(changed, message):
    given = {"q0": Q[0], "v0": V[0], "duration": 0.5, "step": 0.01, "controller": damper} | changed
    if "controller_in" not in changed and "controller" not in changed:
        given.pop("controller")
    with pytest.raises(um.ModelError, match=message):
        um.simulate(SYSTEM, **given)


def test_what_is_no_plant_is_refused():
    with pytest.raises(um.ModelError, match="plant: expected a Plant or a System"):
        um.simulate("small", Q[0])


def test_a_velocity_that_breaks_constraints_is_refused():
    builder = um.SystemBuilder("sleigh")
    builder.vehicle("sleigh", um.Planar(), inertia=um.Inertia.box(mass=2.0, size=(1, 0.5, 0.1)))
    system = builder.build()
    plant = um.Plant(system, world=um.Ground(), constraints=[um.ChaplyginSleigh("sleigh")])
    good = um.simulate(plant, system.neutral(), [1.0, 0.0, 0.5], duration=0.1, step=0.01)
    assert np.abs(good.v[:, 1]).max() < 1e-12
    with pytest.raises(um.ModelError, match="a velocity that keeps the plant's constraints"):
        um.simulate(plant, system.neutral(), [1.0, 0.3, 0.5], duration=0.1, step=0.01)
