"""Laws of free-floating systems and moving bases on a GPU: the runs of the processor. Skipped without one."""

import numpy as np
import pytest
from tests.control.test_free_floating import GOAL, PLANT, Q, wheeled
from tests.control.test_moving_base import MIXED, POSE

import unmoored as um

cupy = pytest.importorskip("cupy")


def runs():
    """(name, plant, start, law, sensors)."""
    tool = um.FloatingTool(PLANT, "tool", GOAL, "bus", rows=(0, 1, 2), rate=0.5, stance=np.eye(4))
    yield "floating tool", PLANT, Q, tool, ()
    plant = wheeled()
    q, hold = plant.system.neutral(), um.StationKeeping(plant, "bus", np.eye(4), 5.0, 20.0)
    yield "unloading", plant, q, um.Unloading(plant, hold, "bus", rate=0.05), ()
    yield "detumbling", plant, q, um.Allocated(plant, um.Detumbling(plant, "bus", 0.4)), ()
    still = um.WorldFixedTool(MIXED, "load", POSE, "ship", "mru", rows=(2,), frequency=0.8)
    yield "world", MIXED, MIXED.system.neutral(), still, (um.MotionUnit("mru", "ship", delay=0.02),)


def test_runs_on_the_gpu_are_those_of_the_processor():
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("no GPU")
    rng = np.random.default_rng(0)
    for name, plant, start, law, sensors in runs():
        v = 0.05 * rng.normal(size=(64, plant.nv)) * (plant is not MIXED)
        q = np.broadcast_to(start, (64, plant.nq)).copy()
        both = [
            um.simulate(
                plant,
                q,
                v,
                duration=0.2,
                step=0.01,
                control_step=0.02,
                controller=law,
                sensors=sensors,
                backend=b,
            )
            for b in ("cpu", "cuda")
        ]
        np.testing.assert_allclose(cupy.asnumpy(both[1].q), both[0].q, rtol=1e-9, atol=1e-9, err_msg=name)
