"""Seas that vary, orbits, bodies at a surface on the GPU: the bits of the processor; by a stand-in where none is."""

import numpy as np
import pytest
from tests.support.cuda_on_host import CupyOnHost, DeviceArray

import unmoored as um
from unmoored import kernels, trace
from unmoored.kernels import cuda
from unmoored.kernels.cuda import cuda_kernel, device


@pytest.fixture
def on_host(monkeypatch, tmp_path):
    cupy = CupyOnHost(tmp_path)
    monkeypatch.setattr(device, "cupy", lambda: cupy)
    monkeypatch.setattr(cuda_kernel, "cupy", lambda: cupy)


def ship_in_a_sea():
    b = um.SystemBuilder("crane")
    ship = b.vehicle("ship", um.Free(), inertia=um.Inertia.sphere(1e6, 5.0))
    boom = um.Inertia.sphere(100.0, 1.0, com=(3.0, 0, 0))
    b.link("boom", parent=ship, joint=um.Revolute((0, 1, 0)), inertia=boom)
    sea = um.Sea(um.Jonswap(3.0, 9.0), heading_rad=2.0, count=1, spreading=4.0)
    return um.Plant(b.build(), sea, free=["sea.significant_height", "sea.peak_period", "sea.heading_rad"])


def satellite_in_an_orbit():
    b = um.SystemBuilder("satellite")
    b.vehicle("bus", um.Free(), inertia=um.Inertia(100.0, (0, 0, 0), (20.0, 30.0, 40.0)))
    orbit = um.Orbit(8e6, eccentricity=0.1, inclination_rad=0.5, j2=1.0826e-3, duration=200.0)
    return um.Plant(b.build(), um.Space(orbit=orbit))


def floating_box():
    b = um.SystemBuilder("box")
    b.vehicle(
        "box",
        um.Free(),
        inertia=um.Inertia.box(30.0, (0.6, 0.4, 0.3)),
        fluid=um.Fluid.box((0.6, 0.4, 0.3), 1e3),
    )
    return um.Plant(b.build(), um.Ocean(density=1e3, surface=0.0, current=(0.2, 0, 0)))


PLANTS = {"sea": ship_in_a_sea, "orbit": satellite_in_an_orbit, "surface": floating_box}


def states(plant, count):
    rng = np.random.default_rng(3)
    q = np.stack([plant.system.random_configuration(k) for k in range(count)])
    q[:, 9:12] *= 0.1
    v = rng.normal(size=(count, plant.nv))
    p = plant.nominal_parameters * rng.uniform(0.7, 1.2, size=(count, len(plant.nominal_parameters)))
    return np.linspace(0.0, 150.0, count), q, v, p


@pytest.mark.parametrize("name", PLANTS)
def test_dynamics_have_the_same_bits(on_host, name):
    plant = PLANTS[name]()
    t, q, v, p = states(plant, 20)
    given = (t, q, v, p) if p.size else (t, q, v)

    def dynamics(t, q, v, *p):
        return plant.forward_dynamics(t, q, v, p=p[0] if p else None)

    traced = trace.trace(dynamics, *(x.shape[1:] for x in given))
    mine = cuda.compile(traced)(*map(DeviceArray, given))
    expected = kernels.compile(traced)(*given)
    assert np.isfinite(expected).all()
    assert np.array_equal(mine.host, expected)


@pytest.mark.parametrize("name", PLANTS)
def test_runs_on_a_gpu_have_the_same_bits(name):
    try:
        cuda.device_array(np.zeros(1))
    except (ImportError, RuntimeError):
        pytest.skip("no GPU")
    plant = PLANTS[name]()
    _, q, v, p = states(plant, 64)
    given = dict(zip(plant.parameter_names, p.T, strict=True))
    runs = [
        um.simulate(plant, q, v, duration=0.1, step=1e-3, record_every=10, parameters=given, backend=backend)
        for backend in ("cpu", "cuda")
    ]
    assert np.array_equal(runs[0].q, runs[1].q)
