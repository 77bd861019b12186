"""RKMK4 steps of a free-flying arm on an NVIDIA GPU, whole time loops in one kernel.

    python benchmarks/time_loop_cuda.py [--samples 131072] [--steps 200] [--json results.json]

Needs the extra `cuda`. States are C-ordered (samples, n) on the GPU, results are new arrays there; every hundredth
state is recorded. Figures are steps per second, the best of several rounds timed with CUDA events.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import unmoored as um
from unmoored import kernels
from unmoored.dynamics.recursive import forward_dynamics
from unmoored.integrators import Rate, State, method_named
from unmoored.trace import outlined

SYSTEM = "free_flyer_arm7"
ROUNDS, H, RECORD_EVERY, CHECKED = 7, 1e-3, 100, 200
#: largest error after the steps against NumPy in double precision, relative to the largest entry of a state
TOLERANCE = {"float64": 1e-11, "float32": 1e-3}


def main() -> None:
    parser = argparse.ArgumentParser(description="Time loops on an NVIDIA GPU")
    parser.add_argument("--samples", type=int, default=2**17)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [measured(dtype, options.samples, options.steps) for dtype in ("float64", "float32")]
    for row in rows:
        print(
            f"RKMK4 of {SYSTEM}, {row['dtype']}, {row['samples']} samples: {row['per_second']:.3g} steps/s,"
            f" {row['operations']} operations per step, first call {row['first_call']:.2f} s, error {row['error']:.1e}"
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2), encoding="utf-8")


def step_of(system: um.System) -> Any:
    """One RKMK4 step of the torque-free system as a function for `compile_loop`; the state is (q, v)."""
    rkmk4, nq = method_named("rkmk4"), system.nq
    accelerations = outlined(
        lambda q, v: forward_dynamics(system.tree, q, v, np.zeros(system.nv), np.zeros(3))
    )

    def step(t: Any, h: Any, y: np.ndarray, p: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, Any]:
        def rate(t: Any, at: State) -> Rate:
            return Rate(at.w, accelerations(at.q, at.w), at.x)

        after, _ = rkmk4(system.tree, rate, t, State(y[..., :nq], y[..., nq:], np.zeros(0)), h)
        return np.concatenate([after.q, after.w], axis=-1), 0.0

    return step


def random_states(system: um.System, samples: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    q = np.tile(system.random_configuration(rng), (samples, 1))
    q[:, 12:] = rng.uniform(-3.0, 3.0, (samples, system.nq - 12))
    return np.concatenate([q, 0.3 * rng.normal(size=(samples, system.nv))], axis=1)


def measured(dtype: str, samples: int, steps: int) -> dict[str, Any]:
    import cupy

    system = um.load(SYSTEM)
    step, states = step_of(system), random_states(system, samples)
    start = time.perf_counter()
    loop = kernels.compile_loop(
        step, lambda t, y, p, u: y, state=states.shape[1], name="rkmk4", dtype=dtype, backend="cuda"
    )
    y = cupy.asarray(states.astype(dtype))

    def run() -> Any:
        return loop(y, h=H, steps=steps, record_every=RECORD_EVERY)

    result = run()
    cupy.cuda.Device().synchronize()
    first, best = time.perf_counter() - start, np.inf
    for _ in range(ROUNDS):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        run()
        end.record()
        end.synchronize()
        best = min(best, cupy.cuda.get_elapsed_time(begin, end) / 1e3)
    return {
        "dtype": dtype, "samples": samples, "steps": steps, "per_second": samples * steps / best,
        "operations": loop.operations, "first_call": first,
        "error": error(step, states[:CHECKED].astype(dtype), result.state[:CHECKED].get(), steps, dtype),
    }  # fmt: skip


def error(step: Any, states: np.ndarray, result: np.ndarray, steps: int, dtype: str) -> float:
    """Largest difference from the same steps in NumPy."""
    y = states.astype(float)
    for k in range(steps):
        y, _ = step(k * H, H, y, np.zeros(0), np.zeros(0))
    found = float((np.abs(result - y) / np.abs(y).max(axis=-1, keepdims=True)).max())
    if not found <= TOLERANCE[dtype]:
        raise SystemExit(f"time loops in {dtype} are wrong: relative error {found:.2e}")
    return found


if __name__ == "__main__":
    main()
