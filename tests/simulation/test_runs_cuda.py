"""Implicit methods and motions through many points on a GPU: the bits of the processor."""

import numpy as np
import pytest
from tests.control.test_motion_tables import sampled
from tests.dynamics.test_omni_and_castors import drive, platform
from tests.simulation.arms import damper, small_arm, states

import unmoored as um
from unmoored.kernels.cuda import CudaError, device_array

SYSTEM = small_arm()
Q, V = states(SYSTEM, 5, seed=4)


@pytest.fixture(autouse=True)
def gpu():
    try:
        device_array(np.zeros(1))
    except (CudaError, ImportError) as why:
        pytest.skip(str(why))


@pytest.mark.parametrize("method", ["lie_midpoint", "variational"])
@pytest.mark.parametrize("control_step", [None, 0.02])
def test_implicit_methods(method, control_step):
    options = {"duration": 0.2, "step": 0.01, "method": method, "control_step": control_step}
    runs = [um.simulate(SYSTEM, Q, V, controller=damper, backend=b, **options) for b in ("cpu", "cuda")]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    stiff = um.simulate(
        SYSTEM, Q, V, controller=lambda t, q, v: -5e3 * v, backend="cuda", **(options | {"step": 0.02})
    )
    assert {found.kind for found in stiff.status} == {"not_converged"}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_motions_through_many_points(dtype):
    a, b = sampled(5000, 1), sampled(6000, 2)
    plant = um.Plant(SYSTEM, prescribed={"arm1": a, "arm2": b})
    q = np.tile(plant.configuration(0.0, SYSTEM.neutral(), backend="numpy"), (9, 1))
    v = np.tile(plant.full_velocity(0.0, q[0], 0.1 * np.ones(plant.nw), backend="numpy"), (9, 1))
    law = um.JointPD(um.Plant(SYSTEM), {"arm1": a, "arm2": b}, stiffness=3.0, damping=1.0)
    for given in ({"plant": plant, "v0": v}, {"plant": SYSTEM, "controller": law}):
        runs = [
            um.simulate(q0=q, duration=0.2, step=0.01, dtype=dtype, backend=where, **given)
            for where in ("cpu", "cuda")
        ]
        np.testing.assert_array_equal(runs[0].q, runs[1].q)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_runs_that_stay_there_from_a_start_that_is_there(dtype):
    """Rows of several chunks, samples side by side, and a check of q by a kernel: the bits of the processor."""
    options = {"duration": 0.3, "step": 0.01, "controller": damper, "control_step": 0.02, "dtype": dtype}
    here = um.simulate(SYSTEM, Q, V, **options)
    there = um.simulate(SYSTEM, device_array(Q), device_array(V), backend="cuda", keep="device", **options)
    for name in ("q", "v", "u"):
        np.testing.assert_array_equal(getattr(there, name).get(), getattr(here, name))
    bad = Q.copy()
    bad[3, :9] *= -1.0
    with pytest.raises(um.ModelError, match="a pose in SE"):
        um.simulate(SYSTEM, device_array(bad), backend="cuda", keep="device", **options)


def test_constant_momentum_and_work():
    """Reduced equations, work integrated along, and castors: the bits of the processor."""
    options = {"duration": 0.2, "step": 0.01, "balance": True}
    for equations in ("full", "reduced"):
        runs = [um.simulate(SYSTEM, Q, V, equations=equations, backend=b, **options) for b in ("cpu", "cuda")]
        np.testing.assert_array_equal(runs[0].v, runs[1].v)
        np.testing.assert_array_equal(runs[0].work, runs[1].work)
    plant = um.Plant(um.System(platform()), constraints=[drive()])
    q = np.tile(plant.system.neutral(), (5, 1))
    v = plant.full_velocity(0.0, q, np.random.default_rng(0).normal(size=(5, plant.nw)))
    runs = [um.simulate(plant, q, v, backend=b, **options) for b in ("cpu", "cuda")]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
