"""Task priority and allocation on a GPU: the runs of the processor. Skipped without one."""

import numpy as np
import pytest
from tests.control.test_sharing_out import Push, Swing, jet, ship
from tests.control.test_task_priority import LEVEL, PLANT, POSE, POSTURE, SPEEDS

import unmoored as um

cupy = pytest.importorskip("cupy")


def laws():
    yield "levels", PLANT, um.TaskPriority(PLANT, [[POSE], [LEVEL], [POSTURE]], order="acceleration")
    yield "limits", PLANT, um.TaskPriority(PLANT, [[SPEEDS], [POSE], [POSTURE]])
    azimuth, pulsed = ship((-10.0, 10.0)), jet()
    yield "azimuths", azimuth, um.Allocated(azimuth, Swing(0.5), turn_rate=0.4, rates=20.0)
    yield "pulses", pulsed, um.Allocated(pulsed, Push([0.9, 0.2, 0.05]), on_off=["jet0", "jet1"])


def test_runs_on_the_gpu_are_those_of_the_processor():
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("no GPU")
    rng = np.random.default_rng(0)
    for name, plant, law in laws():
        start = plant.system.neutral()
        q = np.stack([plant.system.retract(start, 0.3 * rng.normal(size=plant.nv)) for _ in range(64)])
        options = {"duration": 0.1, "step": 0.005, "control_step": 0.01, "controller": law}
        runs = [um.simulate(plant, q, backend=backend, **options) for backend in ("cpu", "cuda")]
        np.testing.assert_allclose(cupy.asnumpy(runs[1].q), runs[0].q, rtol=1e-9, atol=1e-9, err_msg=name)
