"""Sensors and filters on the GPU: the bits of the processor, by a stand-in where there is no GPU."""

import numpy as np
import pytest
from tests.sensing import drifting
from tests.sensing.craft import plant, start
from tests.sensing.test_sampling import Damped
from tests.support.gpu_or_host import on_gpu_or_host

import unmoored as um
from unmoored.kernels.cuda import CudaError, device_array

SENSORS = [
    um.Gyro("gyro", "box", noise=1e-3, bias=1e-2, walk=1e-3, rate=50.0),
    um.Dvl("dvl", "wrist", noise=0.1, dropout=0.3, delay=0.02),
]


def on_host(x):
    return x.get() if hasattr(x, "get") else np.asarray(x)


def test_sensors(monkeypatch, tmp_path):
    on_gpu_or_host(monkeypatch, tmp_path)
    q, v = start(samples=3)
    options = {
        "duration": 0.1,
        "step": 0.01,
        "control_step": 0.01,
        "sensors": SENSORS,
        "controller": Damped(2.0),
    }
    here = um.simulate(plant(), q, v, **options)
    there = um.simulate(plant(), q, v, backend="cuda", keep="device", **options)
    for name in here.y:
        for part in ("value", "fresh", "stamp", "bias"):
            assert np.array_equal(on_host(getattr(there.y[name], part)), getattr(here.y[name], part)), (
                name,
                part,
            )
    stepper = um.Stepper(
        plant(),
        3,
        step=0.01,
        control_step=0.01,
        q=q,
        v=v,
        controller=Damped(2.0),
        sensors=SENSORS,
        backend="cuda",
    )
    for k in range(9):
        for name in here.y:
            assert np.array_equal(on_host(stepper.state.y[name].value), here.y[name].value[:, k])
        stepper.step()


def test_filters():
    try:
        device_array(np.zeros(1))
    except (CudaError, ImportError) as why:
        pytest.skip(str(why))
    q, V, options = drifting.start(8, 7, 0.06)
    filter_ = um.InvariantFilter(drifting.plant(), drifting.IMU, drifting.SENSORS[1:], **options)
    law = um.Estimated(filter_, um.Inputs(drifting.plant(), np.zeros(6))) + drifting.mover()
    runs = [
        um.simulate(
            drifting.plant(), q, V, duration=1.0, step=0.01, control_step=0.01, controller=law, backend=backend,
            sensors=drifting.SENSORS, record_every=10,
        )
        for backend in ("cpu", "cuda")
    ]  # fmt: skip
    assert np.array_equal(runs[0].estimate.q, runs[1].estimate.q)
    assert np.array_equal(runs[0].estimate.covariance, runs[1].estimate.covariance)
