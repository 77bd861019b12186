"""Methods on an NVIDIA GPU as a user calls them: what the host adds to a call, and matrices.

    python benchmarks/cuda_calls.py [--samples 1048576] [--json results.json]

Needs the extra `cuda`. Arrays are C-ordered on the GPU. The kernel's own time is that of calls queued one after the
other, by CUDA events; "above the kernel" is the time of one call, from Python until its result is there, less that.
Medians of five rounds; the worst round is given, too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import unmoored as um

SYSTEM, ROUNDS, CALLS = "free_flyer_arm7", 5, 20
MATRICES = {"coriolis_matrix": 2, "mass_matrix": 1, "forward_dynamics": 3}


def main() -> None:
    import cupy

    parser = argparse.ArgumentParser(description="Calls on an NVIDIA GPU")
    parser.add_argument("--samples", type=int, default=2**20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    system, rows = um.load(SYSTEM), []
    rng = np.random.default_rng(1)
    q = np.tile(system.random_configuration(rng), (options.samples, 1))
    q[:, 12:] = rng.uniform(-3.0, 3.0, (options.samples, system.nq - 12))
    v, tau = rng.normal(size=(2, options.samples, system.nv))
    for dtype in ("float64", "float32"):
        given = [cupy.asarray(x.astype(dtype)) for x in (q, v, tau)]
        for name, count in MATRICES.items():
            rows.append(measured(system, name, given[:count]))
            print(
                "{what:16} {dtype}: {per_second:.3g}/s, {terabytes:.2f} TB/s (worst round {worst:.3g}/s); alone "
                "{above:.1f} µs above the kernel, worst round {above_worst:.1f}; host {host:.1f} µs".format(
                    **rows[-1]
                ),
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2), encoding="utf-8")


def measured(system: um.System, name: str, given: list[Any]) -> dict[str, Any]:
    call: Callable[..., Any] = getattr(system, name)
    result = call(*given)
    check(call, given, result)
    queued = [queued_seconds(lambda: call(*given, out=result)) for _ in range(ROUNDS)]
    alone = [alone_seconds(lambda: call(*given)) for _ in range(ROUNDS)]
    kernel = statistics.median(queued)
    samples, moved = len(result), result.nbytes + sum(x.nbytes for x in given)
    return {
        "what": name, "dtype": result.dtype.name, "per_second": samples / kernel, "worst": samples / max(queued),
        "terabytes": moved / kernel / 1e12, "host": statistics.median(h for h, _ in alone) * 1e6,
        "above": (statistics.median(t for _, t in alone) - kernel) * 1e6,
        "above_worst": (max(t for _, t in alone) - kernel) * 1e6,
    }  # fmt: skip


def queued_seconds(call: Callable[[], Any]) -> float:
    """Time of one of many calls in a row, on the GPU."""
    import cupy

    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    call()
    begin.record()
    for _ in range(CALLS):
        call()
    end.record()
    end.synchronize()
    return cupy.cuda.get_elapsed_time(begin, end) / 1e3 / CALLS


def alone_seconds(call: Callable[[], Any]) -> tuple[float, float]:
    """Medians over calls that find the GPU idle: until the call returns, and until its result is there."""
    import cupy

    device, times = cupy.cuda.Device(), []
    for _ in range(100):
        device.synchronize()
        start = time.perf_counter()
        result = call()
        returned = time.perf_counter() - start
        device.synchronize()
        times.append((returned, time.perf_counter() - start))
        del result
    return statistics.median(h for h, _ in times), statistics.median(t for _, t in times)


def check(call: Callable[..., Any], given: list[Any], result: Any) -> None:
    """The last samples have the bits of the processor."""
    expected = call(*(x[-999:].get() for x in given))
    if not np.array_equal(result[-999:].get(), expected):
        raise SystemExit(f"{call.__name__} is wrong on the GPU")


if __name__ == "__main__":
    main()
