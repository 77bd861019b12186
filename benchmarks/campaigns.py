"""A campaign against the bare loop kernel, and what a shard costs on a Dask cluster: `python benchmarks/campaigns.py`.

The study is that of a BlueROV2 with an Alpha 5 that keeps its place in an unknown current: 2,000 steps of a sample,
its mass and the current drawn, summaries of six channels at 41 times kept. The bare kernel takes the same steps of the
same samples in one call and keeps nothing. Both are measured in turn, on one core, in processor time.
--samples, --cuda (on the GPU, on the clock), --dask (overhead of a shard), --basilisk PYTHON (its Monte Carlo).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import unmoored as um
from unmoored.campaigns.shard_data import computed
from unmoored.campaigns.shard_file import shard_bytes
from unmoored.campaigns.traveling import packed_plan, unpacked_plan
from unmoored.cli.bench.campaign_cases import rounds, study


def against_the_kernel(samples: int, backend: str, count: int) -> None:
    parts = []
    for kernel, whole in rounds(samples, backend, count):
        per = 1e6 / (samples * 2000)
        parts.append(kernel / whole)
        print(
            f"  kernel {kernel * per:.4f} µs, campaign {whole * per:.4f} µs a step: {100 * kernel / whole:.1f} %"
        )
    print(f"{backend}: {samples:,} samples × 2,000 steps: worst {100 * min(parts):.1f} %")


def overhead_on_dask(shards: int = 200) -> None:
    """Of a shard on a cluster of one worker beyond its runs: on the clock, and in processor time of all processes."""
    from distributed import Client, LocalCluster

    plan = study(8 * shards).plan
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        LocalCluster(**options) as cluster,
        Client(cluster) as client,
        tempfile.TemporaryDirectory() as folder,
    ):
        content = packed_plan(plan)

        def all_processors() -> float:
            return time.process_time() + sum(client.run(time.process_time).values())

        def measured(call: Any) -> tuple[float, float]:
            clocks = time.perf_counter(), all_processors()
            call()
            return (time.perf_counter() - clocks[0]) / shards, (all_processors() - clocks[1]) / shards

        study(64).run(Path(folder) / "warm", client, shard=8, progress=False)
        again = study(8 * shards)
        wall, processor = measured(lambda: again.run(Path(folder) / "c", client, shard=8, progress=False))
        client.submit(alone, content, 8).result()
        own_wall, own = measured(lambda: client.submit(alone, content, shards, pure=False).result())
    print(f"Dask, a shard of 8 samples: {1e3 * wall:.1f} ms, of which its run {1e3 * own_wall:.1f}")
    print(
        f"  overhead {1e3 * (wall - own_wall):.1f} ms on the clock, {1e3 * (processor - own):.1f} ms of processors"
    )


def alone(content: bytes, shards: int) -> None:
    """The runs of shards of 8 samples, on a worker."""
    os.environ["UNMOORED_THREADS"] = "1"
    plan = unpacked_plan(content)
    for k in range(shards):
        numbers = np.arange(8 * k, 8 * k + 8)
        plan.run(numbers, plan.variables.values(numbers), record_every=plan.record_every)


def wheels(samples: int) -> um.Campaign:
    """The study of basilisk_peer.py: a bus with three wheels under constant torques, 2,000 steps of RK4."""
    b = um.SystemBuilder("bus_with_wheels")
    b.vehicle("bus", um.Free(), inertia=um.Inertia(100.0, (0, 0, 0), np.diag([10.0, 12.0, 8.0])))
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    own = [um.ReactionWheel("bus", inertia=0.01, axis=axis, name=f"wheel_{k}") for k, axis in axes.items()]
    plant = um.Plant(b.build(), um.Space(), own)
    law = um.Inputs(plant, np.array([0.002, -0.001, 0.0015]))
    vary = {
        "bus.mass": um.Uniform(90.0, 110.0),
        **{f"initial.velocities.bus.w{k}": um.Normal(0.0, 0.01) for k in "xyz"},
    }
    keep = um.Keep(channels=("bus.roll", "bus.pitch", "bus.yaw", "bus.wx", "bus.wy", "bus.wz"), every=0.5)
    return um.Campaign(
        plant,
        vary=vary,
        samples=samples,
        keep=keep,
        duration=20.0,
        step=0.01,
        controller=law,
        control_step=0.01,
    )


def against_basilisk(python: str, samples: int = 16384, rounds: int = 3) -> None:
    """Processor time of a sample, of one core each: Basilisk's Monte Carlo and ours in turn."""
    script, ratios = Path(__file__).with_name("basilisk_peer.py"), []
    os.environ["UNMOORED_THREADS"] = "1"
    warm = wheels(64)
    list(computed(warm.plan, [(0, np.arange(64))], "cpu"))
    for _ in range(rounds):
        done = subprocess.run([python, str(script), "40", "2000"], capture_output=True, text=True, check=True)
        _, theirs, bare = map(float, done.stdout.split()[-3:])
        campaign = wheels(samples)
        with tempfile.TemporaryDirectory() as folder:
            started = time.process_time()
            campaign.run(Path(folder) / "w", progress=False)
            ours = (time.process_time() - started) / samples
        ratios.append(theirs / ours)
        print(
            f"  Basilisk {1e3 * theirs:.2f} ms a sample (its steps alone {1e3 * bare:.2f}), ours {1e3 * ours:.3f} ms"
        )
    print(f"Basilisk: {min(ratios):.0f} times, the worst of {rounds}")


def parts_of_a_shard() -> None:
    """Where the time of a shard goes beside its run, in processor time."""
    campaign = study(1024)
    plan, numbers = campaign.plan, np.arange(1024)
    values = plan.variables.values(numbers)
    shard = next(iter(computed(plan, [(0, numbers)], "cpu")))
    for name, call in {
        "run": lambda: plan.run(numbers, values, record_every=plan.record_every),
        "run and summary": lambda: next(iter(computed(plan, [(0, numbers)], "cpu"))),
        "drawing": lambda: plan.variables.values(numbers),
        "file": lambda: shard_bytes(shard, {}),
        "merge": lambda: shard.summary.merged(shard.summary),
    }.items():
        best = float("inf")
        for _ in range(3):
            started = time.process_time()
            call()
            best = min(best, time.process_time() - started)
        print(f"  {name}: {1e3 * best:.1f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--basilisk", metavar="PYTHON", help="a Python that has `bsk`")
    given = parser.parse_args()
    if given.basilisk:
        against_basilisk(given.basilisk)
    elif given.dask:
        overhead_on_dask()
    elif given.parts:
        parts_of_a_shard()
    else:
        if not given.cuda and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        against_the_kernel(given.samples, "cuda" if given.cuda else "cpu", given.rounds)
