"""A campaign against the bare loop kernel of its own runs: what drawing, keeping and summing up cost."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...campaigns import Campaign, Keep
from ...campaigns.shard_data import computed
from ...kernels.cuda import device
from ...kernels.time_loop.loop_call import Prepared, Schedule
from ...simulation.scenario import Uniform, load_scenario
from ...simulation.task import Task

_CHANNELS = ("rov.x", "rov.y", "rov.z", "rov.roll", "rov.pitch", "tool.x")
_SAMPLES, _ROUNDS = 4096, 3
#: the campaign may take this many times as long as the kernel
_BAR = 0.85


def study(samples: int) -> Campaign:
    """A BlueROV2 with an Alpha 5 keeps its place in an unknown current: 2,000 steps of a sample, summaries kept."""
    scenario = load_scenario("station_keeping", settings=["duration=20"])
    vary = {"ocean.current": Uniform([-0.3, -0.3, 0.0], [0.3, 0.3, 0.0]), "rov.mass": Uniform(11.0, 13.0)}
    keep = Keep(channels=_CHANNELS, every=0.5, series=False, end=False)
    return Campaign(scenario, vary=vary, samples=samples, keep=keep)


def bare_loop(campaign: Campaign, samples: int, backend: str) -> Callable[[], None]:
    """A call that takes all steps of the first samples in the kernel of the campaign's runs, and keeps nothing."""
    task = _task(campaign, samples, backend)
    kernels, every, steps = task.kernels, task.schedule.update_every, task.schedule.steps
    xp: Any = np if backend == "cpu" else device.cupy()
    params, state = kernels.with_addresses(task._placed(task.params)), task._placed(task.state)
    t0, h = task.schedule.span.tolist()
    schedule = Schedule(t0, h, steps, steps, every, 0, every, end=False)
    rows = xp.empty((samples, len(schedule.recorded), kernels.loop(samples).sizes.record), state.dtype)
    noise = xp.zeros((samples, -(-steps // every), 0), state.dtype)
    counts = (xp.zeros(samples, np.int64), xp.zeros(samples, np.int64))
    call = Prepared(
        (samples,), state, params, params.shape[-1], (noise,), (0,), rows, xp.empty_like(state), *counts
    )
    bound = kernels.loop(samples).bound(call, schedule)

    def run() -> None:
        bound()
        if backend == "cuda":
            xp.cuda.Device().synchronize()

    return run


def _task(campaign: Campaign, samples: int, backend: str) -> Task:
    """What `simulate` makes of the first samples."""
    found: list[Task] = []
    drive, numbers = Task.drive, np.arange(samples)

    def watched(self: Task, *arguments: Any) -> Any:
        found.append(self)
        return drive(self, *arguments)

    Task.drive = watched  # type: ignore[method-assign]
    try:
        values = campaign.plan.variables.values(numbers)
        campaign.plan.run(numbers, values, backend, record_every=campaign.plan.steps)
    finally:
        Task.drive = drive  # type: ignore[method-assign]
    return found[0]


def rounds(samples: int, backend: str, count: int) -> list[tuple[float, float]]:
    """(seconds of the bare kernel, seconds of the campaign) for all samples; of processors on the CPU.

    Half of the kernel's calls come before the campaign and half after it: a shared processor is a quarter slower for
    some seconds, and would be so for one of them.
    """
    campaign = study(samples)
    shard = min(campaign.plan.shard_size(backend), samples)
    run, half = bare_loop(campaign, shard, backend), -(-samples // (2 * shard))
    clock, on = (time.process_time, "threads") if backend == "cpu" else (time.perf_counter, "cuda")

    def timed(call: Callable[[], Any], times: int) -> float:
        started = clock()
        for _ in range(times):
            call()
        return clock() - started

    def whole() -> None:
        with tempfile.TemporaryDirectory() as folder:
            campaign.run(Path(folder) / "study", on, shard=shard, progress=False)

    list(computed(campaign.plan, [(0, np.arange(shard))], backend))
    run()
    found = []
    for _ in range(count):
        before, own, after = timed(run, half), timed(whole, 1), timed(run, half)
        found.append(((before + after) * samples / (2 * half * shard), own))
    return found


def rows() -> list[dict[str, Any]]:
    """The row of the table: the worst round."""
    found = rounds(_SAMPLES, "cpu", _ROUNDS)
    kernel, whole = (x * 1e6 / (_SAMPLES * 2000) for x in min(found, key=lambda times: times[0] / times[1]))
    what = f"campaign, {_SAMPLES} samples × 2000 steps, per step"
    return [
        {
            "what": what, "system": "BlueROV2 + Alpha 5", "ours_us": whole, "peer": "its loop kernel, nothing kept",
            "peer_us": kernel, "ratio": kernel / whole, "bar": _BAR,
        }
    ]  # fmt: skip
