"""Physics steps per second of `um.Stepper` on a GPU, with actions from a small torch network on the same GPU.

    python benchmarks/stepper_cuda.py [samples] [dtype]

BlueROV2 + Alpha 5 in the ocean, 2^16 environments, an action every 20 ms in RKMK4 steps of 1 ms. Nothing is copied to
the host between actions: the network reads the state by DLPack, and its output goes into the kernel the same way. At
the end samples whose vehicle is more than 20 m away start anew.
"""

import sys
import time

import cupy
import numpy as np
import torch

import unmoored as um

samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 16
dtype = sys.argv[2] if len(sys.argv) > 2 else "float64"
STEP, PERIOD, ACTIONS = 1e-3, 0.02, 50

plant = um.Plant(um.load("bluerov2_heavy_alpha5"), um.Ocean(current=(0.2, 0.0, 0.0)))
rng = np.random.default_rng(0)
v = 0.1 * rng.normal(size=(samples, plant.nv))
started = time.perf_counter()
stepper = um.Stepper(plant, samples, step=STEP, control_step=PERIOD, v=v, backend="cuda", dtype=dtype)
stepper.step()
cupy.cuda.Device().synchronize()
print(f"{stepper!r}, {dtype}: made and stepped once in {time.perf_counter() - started:.1f} s")

network = torch.nn.Sequential(
    torch.nn.Linear(plant.nq + plant.nv, 64), torch.nn.Tanh(), torch.nn.Linear(64, plant.nu), torch.nn.Tanh()
).to("cuda", getattr(torch, dtype))
q, speed = torch.from_dlpack(stepper.state.q), torch.from_dlpack(stepper.state.v)
stream = torch.cuda.ExternalStream(cupy.cuda.get_current_stream().ptr)


def actions(count: int, act: bool) -> float:
    """Seconds for so many control periods."""
    cupy.cuda.Device().synchronize()
    begin = time.perf_counter()
    with torch.no_grad(), torch.cuda.stream(stream):
        for _ in range(count):
            stepper.step(network(torch.cat([q, speed], dim=1)) if act else None)
    cupy.cuda.Device().synchronize()
    return time.perf_counter() - begin


for act in (False, True):
    actions(3, act)
    seconds = min(actions(ACTIONS, act) for _ in range(3))
    rate = samples * ACTIONS * round(PERIOD / STEP) / seconds
    what = "with the network's actions" if act else "without inputs"
    print(f"{what}: {rate:.3g} physics steps/s, {samples * ACTIONS / seconds:.3g} actions/s")
seconds = []
for _ in range(5):  # CuPy compiles its own functions at the first
    begin = time.perf_counter()
    far = cupy.abs(stepper.state.q[:, 9:12]).max(axis=1) > 20.0
    stepper.reset(mask=far | (stepper.state.status != 0))
    cupy.cuda.Device().synchronize()
    seconds.append(time.perf_counter() - begin)
print(f"a reset by mask: {1e3 * min(seconds):.2f} ms, the first {1e3 * seconds[0]:.0f} ms")
