"""Motions through many points in a plant's own methods: operands of the kernels, and constants of C source."""

import warnings

import numpy as np
import pytest
from tests.kernels.test_c_export import called
from tests.simulation.arms import small_arm, states
from tests.support.compilers import shared_library
from tests.support.cuda_on_host import CupyOnHost, DeviceArray
from tests.system.test_c_bits import STRICT

import unmoored as um
from unmoored.kernels import cuda, machine_code
from unmoored.kernels.cuda import cuda_kernel, device

SYSTEM = small_arm()
S, POINTS = 5, 400
Q, V = states(SYSTEM, S, seed=6)
T = np.linspace(-0.2, 1.1, S)
U = np.random.default_rng(1).normal(size=(S, SYSTEM.nv))


def moved(seed, points=POINTS):
    t = np.linspace(-0.1, 1.0, points)
    path = um.Sampled(t, 0.1 * seed * np.sin((2.0 + seed) * t)[:, None])
    other = um.Sampled(t[::2], 0.2 * np.cos(seed * t[::2])[:, None])
    return um.Plant(SYSTEM, um.Earth(), prescribed={"arm1": path, "arm2": other}, free=["gravity"])


def arguments(plant, k=slice(None)):
    p = plant.nominal_parameters + 0.1 * np.arange(3.0)
    return {
        "configuration": (T[k], Q[k], p), "full_velocity": (T[k], Q[k], plant.velocities.independent(Q[k], V[k]), p),
    }  # fmt: skip


def results(plant, method, k=slice(None), **options):
    """What the methods that depend on time give, by name."""
    p = {"p": plant.nominal_parameters + 0.1 * np.arange(3.0)}
    found = {name: getattr(plant, name)(*given, **options) for name, given in arguments(plant, k).items()}
    found["forward_dynamics"] = plant.forward_dynamics(T[k], Q[k], V[k], U[k], **p, **options)
    found["derivatives"] = plant.forward_dynamics_jacobian(T[k], Q[k], V[k], U[k], **p, **options)
    found["step"] = plant.step(T[k], Q[k], V[k], U[k], 0.01, **p, **options).q
    found[method] = plant.step_jacobian(T[k], Q[k], V[k], U[k], 0.01, method=method, **p, **options)
    return found


@pytest.fixture(autouse=True)
def nothing_is_announced():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.long
@pytest.mark.parametrize("method", ["heun", "lie_midpoint"])
def test_methods_read_the_points_as_data(monkeypatch, tmp_path, method):
    monkeypatch.setenv("UNMOORED_CACHE_DIR", str(tmp_path))
    made, assemble = [], machine_code.assemble
    monkeypatch.setattr(machine_code, "assemble", lambda text: (made.append(text), assemble(text))[1])
    counts, kept = [], []
    for seed in (1, 2):
        plant = moved(seed)
        found, reference = results(plant, method), results(plant, method, backend="numpy")
        for name, value in found.items():
            scale = np.abs(reference[name]).max()
            assert np.abs(value - reference[name]).max() < 1e-11 * scale, name
        alone = results(plant, method, 2)
        again = results(plant, method, 2)  # by the compiled entry
        for name, value in alone.items():
            assert np.array_equal(value, found[name][2]), name
            assert np.array_equal(again[name], value), name
        out = np.empty_like(found["configuration"])
        plant.configuration(T, Q, plant.nominal_parameters, out=out)
        assert np.array_equal(out, plant.configuration(T, Q))
        kept.append(found)
        counts.append(len(made))
    assert counts[0] == counts[1] > 0
    assert np.abs(kept[0]["derivatives"] - kept[1]["derivatives"]).max() > 1e-3
    assert not any(" x double] [double" in text for text in made)  # the points are in none of them


def test_few_points_and_many_give_the_bits_of_each_other():
    """The first 60 points of a motion, and the same with points behind them that are not reached."""
    t = np.linspace(-0.1, 1.0, 60)
    values = np.sin(3 * t)[:, None]
    short = um.Quintic(t, values)
    more = um.Quintic(np.append(t, 2.0 + np.arange(40.0)), np.append(values, np.zeros((40, 1)), axis=0))
    plants = [um.Plant(SYSTEM, um.Earth(), prescribed={"arm1": path}) for path in (short, more)]
    few, many = (plant.forward_dynamics(0.9 * T, Q, V, U) for plant in plants)
    assert not plants[0]._tables_given
    assert plants[1]._tables_given
    assert np.array_equal(few, many)


def test_in_single_precision():
    plant = moved(1)
    given = [x.astype("float32") for x in (T, Q, V, U)]
    found = plant.forward_dynamics(*given)
    assert found.dtype == np.float32
    assert np.abs(found - plant.forward_dynamics(T, Q, V, U)).max() < 1e-3


def test_a_cost_or_a_law_may_use_them():
    plant = moved(1)

    def law(t, q, v):
        return 0.1 * plant.forward_dynamics(t, q, v)

    run = um.simulate(plant, plant.configuration(0.0, Q[0]), duration=0.05, step=0.01, controller=law)
    assert run.completed
    u = 0.1 * plant.forward_dynamics(run.t[3], run.q[3], run.v[3])
    assert np.abs(run.u[3] - u).max() < 1e-12 * np.abs(u).max()


def test_c_source_holds_them_as_a_table(tmp_path):
    plant = moved(3)
    source, _ = um.export_c(plant, ["forward_dynamics"], tmp_path / "moved.c", prefix="x")
    text = source.read_text()
    assert "static const double" in text
    assert text.count(" ? ") < 500  # of select for every point there would be thousands
    library = shared_library(text, ".c", tmp_path, *STRICT, "-O0")
    p = plant.nominal_parameters
    for t in (*T, 0.31, 5.0):
        expected = plant.forward_dynamics(t, Q[0], V[0], U[0])
        given = [np.atleast_1d(t), Q[0], V[0], U[0], p]
        (got,) = called(library, "x_forward_dynamics", given, [plant.nv])
        assert np.array_equal(got, expected)


def test_on_a_gpu_the_points_are_read_from_a_copy_there():
    try:
        cuda.device_array(np.zeros(1))
    except (ImportError, RuntimeError):
        pytest.skip("no GPU")
    for seed in (1, 2):
        plant = moved(seed)
        assert (
            np.abs(
                plant.forward_dynamics(T, Q, V, U, backend="cuda").get() - plant.forward_dynamics(T, Q, V, U)
            ).max()
            < 1e-12
        )


def test_source_for_a_gpu_has_the_bits(monkeypatch, tmp_path):
    """By a stand-in: the addresses are those of the host."""
    cupy = CupyOnHost(tmp_path)
    monkeypatch.setattr(device, "cupy", lambda: cupy)
    monkeypatch.setattr(cuda_kernel, "cupy", lambda: cupy)
    plant = moved(2)
    given = [DeviceArray(x) for x in (T, Q, plant.velocities.independent(Q, V))]
    assert np.array_equal(plant.full_velocity(*given).host, plant.full_velocity(*(x.host for x in given)))
