"""What recording every row costs on the GPU, with the rows kept there: at most 1.3 times the run without.

python benchmarks/recording_cuda.py
"""

import numpy as np

import unmoored as um
from unmoored.kernels.cuda.device import cupy
from unmoored.simulation.run_kernels import run_kernels
from unmoored.simulation.time_step import TimeStep

SAMPLES, STEPS, STEP = 2**14, 200, 1e-3


def milliseconds(call, repetitions=7):
    """Shortest time of a call on the GPU."""
    gpu = cupy()
    found = []
    for _ in range(repetitions + 1):
        begin, end = gpu.cuda.Event(), gpu.cuda.Event()
        begin.record()
        call()
        end.record()
        end.synchronize()
        found.append(gpu.cuda.get_elapsed_time(begin, end))
    return min(found[1:])


def main():
    """Print both times and their ratio, for both number formats."""
    gpu, system = cupy(), um.load("free_flyer_arm7")
    rng = np.random.default_rng(0)
    q = np.stack([system.random_configuration(rng) for _ in range(SAMPLES)])
    for dtype in ("float64", "float32"):
        time_step = TimeStep(um.Plant(system), "rkmk4", None, (), None, hold=False, dtype=dtype)
        loop, layout = run_kernels(time_step, "cuda").loop(SAMPLES), time_step.layout
        state = np.zeros((SAMPLES, layout.size))
        state[:, : system.nq] = q
        state[:, system.nq : system.nq + system.nv] = 0.1 * rng.normal(size=(SAMPLES, system.nv))
        state = gpu.asarray(state.astype(dtype))

        def run(record_every, loop=loop, state=state):
            return loop(state, None, t0=0.0, h=STEP, steps=STEPS, record_every=record_every)

        none, every = (milliseconds(lambda k=k: run(k)) for k in (STEPS, 1))
        print(f"{dtype}: {none:.2f} ms without, {every:.2f} ms with every row, {every / none:.2f} times")


if __name__ == "__main__":
    main()
