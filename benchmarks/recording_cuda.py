"""What recording every row of a run costs on the GPU, with the rows kept there: at most 1.3 times the run without.

    python benchmarks/recording_cuda.py

Whole calls of `um.simulate(..., keep="device")`, starts on the GPU, in turn; the worst of five rounds.
"""

import time

import numpy as np

import unmoored as um
from unmoored.kernels.cuda.device import cupy

SAMPLES, STEPS, STEP, ROUNDS = 2**15, 1000, 1e-3, 5


def main():
    """Print both times and their ratio, for both number formats."""
    gpu, system = cupy(), um.load("free_flyer_arm7")
    rng = np.random.default_rng(0)
    q = np.stack([system.random_configuration(rng) for _ in range(SAMPLES)])
    v = 0.1 * rng.normal(size=(SAMPLES, system.nv))
    for dtype in ("float64", "float32"):
        start = [gpu.asarray(x.astype(dtype)) for x in (q, v)]
        plant = um.Plant(system)

        def seconds(record_every, start=start, plant=plant, dtype=dtype):
            gpu.cuda.Device().synchronize()
            begin = time.perf_counter()
            run = um.simulate(
                plant, *start, duration=STEPS * STEP, step=STEP, record_every=record_every,
                backend="cuda", keep="device", dtype=dtype, progress=False,
            )  # fmt: skip
            gpu.cuda.Device().synchronize()
            del run
            return time.perf_counter() - begin

        for record_every in (STEPS, 1):  # compiled, and memory is there
            seconds(record_every)
        rounds = [(seconds(STEPS), seconds(1)) for _ in range(ROUNDS)]
        none, every = max(rounds, key=lambda both: both[1] / both[0])
        print(
            f"{dtype}: {1e3 * none:.1f} ms without, {1e3 * every:.1f} ms with every row, {every / none:.2f} times"
        )


if __name__ == "__main__":
    main()
