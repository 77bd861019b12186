"""Predictive control on the GPU: the inputs of the processor. Skipped without one."""

import numpy as np
import pytest

import unmoored as um
from unmoored import planning

cupy = pytest.importorskip("cupy")


def test_a_batch_on_the_gpu_is_that_of_the_processor():
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("no GPU")
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia(2.0, (0, 0, 0), np.eye(3)))
    plant = um.Plant(b.build())
    targets = np.linspace(-1.0, 1.0, 32)[:, None]
    law = um.ModelPredictive(
        plant,
        6,
        (planning.Effort(plant, 0.1), planning.Posture(plant, targets, 3.0)),
        input_limits=(-1.0, 1.0),
    )
    found = {}
    for backend in ("cpu", "cuda"):
        stepper = um.Stepper(plant, 32, step=0.1, control_step=0.1, controller=law, backend=backend)
        for _ in range(10):
            state = stepper.step()
        found[backend] = cupy.asnumpy(state.q)
    np.testing.assert_allclose(found["cuda"], found["cpu"], rtol=1e-12, atol=1e-12)
