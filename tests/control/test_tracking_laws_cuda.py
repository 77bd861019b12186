"""Laws that track, learn, adapt, fly and give way, on a GPU: the runs of the processor. Skipped without one."""

import numpy as np
import pytest
from tests.control.test_integral_tracking import GAINS, GAMMA, rov
from tests.control.test_thrust_vectoring import PLANT as MANTIS
from tests.control.test_thrust_vectoring import flown
from tests.control.test_tool_laws import PLANT as ARM
from tests.control.test_tool_laws import bent, moving
from tests.control.tracked_plants import DAMPING, STIFFNESS, moving_targets, plant_of

import unmoored as um

cupy = pytest.importorskip("cupy")


def laws():
    wet, driven = plant_of(wet=True), rov(8.0, 0.15)
    held = um.IntegralTracking(driven, {"rov": um.Pose(xyz=(1, 0, 0))}, **GAINS, integral=GAMMA)
    yield "tracking", wet, um.Tracking(wet, moving_targets(), STIFFNESS, DAMPING)
    yield "integral", driven, um.Allocated(driven, held)
    yield "computed torque", wet, um.ComputedTorque(wet, moving_targets(), 5.0, 4.0)
    yield (
        "adaptive",
        wet,
        um.AdaptiveTracking(wet, moving_targets(), DAMPING, adapted=["arm.*"], adaptation=2.0),
    )
    yield "thrust", MANTIS, flown(MANTIS)
    yield "tool", ARM, um.ToolTracking(ARM, "tip", moving(bent()[0]), passive=["bus"])


def test_runs_on_the_gpu_are_those_of_the_processor():
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("no GPU")
    rng = np.random.default_rng(0)
    for name, plant, law in laws():
        start = bent()[0] if plant is ARM else plant.system.neutral()
        q = np.stack([plant.system.retract(start, 0.1 * rng.normal(size=plant.nv)) for _ in range(64)])
        runs = [
            um.simulate(
                plant, q, None, duration=0.1, step=0.005, control_step=0.01, controller=law, backend=backend
            )
            for backend in ("cpu", "cuda")
        ]
        np.testing.assert_allclose(cupy.asnumpy(runs[1].q), runs[0].q, rtol=1e-10, atol=1e-10, err_msg=name)
