"""Running all cases and telling the result."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ...error_roots import optional
from ...system import System
from ...version import __version__
from . import (
    campaign_cases,
    cases,
    compile_times,
    filtering,
    inverse_kinematics_cases,
    law_cases,
    optimizing,
    scaling,
    single_calls,
    starting,
    stepping,
    threading_cases,
    tied_bodies,
    trajectory_cases,
)
from .bench_systems import measured_systems
from .machine_limits import least_time, operation_rate, store_rate
from .measure import best_time, one_core, processor_name
from .peers import PeerFailedError

_ROUNDS = 5
#: What is measured on one core beside the cases; each gives rows, or none where its peer is not installed.
_ONE_CORE: tuple[Callable[[], list[dict[str, Any]]], ...] = (
    single_calls.rows, stepping.rows, filtering.rows, campaign_cases.rows, tied_bodies.rows, optimizing.rows,
    inverse_kinematics_cases.rows, law_cases.priority_rows, law_cases.loop_rows, law_cases.allocation_rows,
)  # fmt: skip
#: Columns that the tables need with every name whole.
WIDTH = 100
#: Least ratio to the peer that the project promises, by what is measured and on which system.
BARS = {
    ("forward dynamics, batch", "6+7 right"): 25.0,
    ("forward dynamics, batch", "6+7 random"): 32.0,
    ("forward dynamics, batch, float32", "6+7 right"): 1.7,
    ("forward dynamics, one call", "6+7 right"): 2.0,
    ("forward dynamics on Earth, one call", "6+7 right"): 3.5,
    ("inverse dynamics, batch", "6+7 right"): 20.0,
    ("Coriolis matrix, batch", "6+7 right"): 20.0,
    ("hybrid dynamics, batch", "6+7 right"): 30.0,
    ("hybrid dynamics, mask fixed, batch", "6+7 right"): 1 / 1.2,
    ("mass matrix, batch of 256", "6+30 right"): 12.0,
    ("mass matrix, batch, no out=", "6+30 right"): 0.7,
    ("Coriolis matrix, batch", "6+30 right"): 13.0,
    ("Coriolis matrix, batch of 256", "6+30 right"): 13.0,
    ("Jacobian, batch", "6+30 right"): 13.0,
    ("mass matrix, batch", "6+7 right"): 15.0,
    ("Jacobian, batch", "6+7 right"): 15.0,
    ("forward dynamics derivatives, batch", "6+7 right"): 18.0,
    ("forward dynamics derivatives, batch", "6+7+7 right"): 13.0,
    ("forward dynamics derivatives, batch, no out=", "6+7 right"): 18.0,
    ("forward dynamics derivatives, batch, no out=", "6+7+7 right"): 13.0,
    ("forward dynamics derivatives, batch of 256", "6+7 right"): 18.0,
    ("forward dynamics derivatives, batch of 256", "6+7+7 right"): 13.0,
    ("forward dynamics derivatives, one call", "6+7 right"): 1.5,
    ("RKMK4 steps, one trajectory", "6+7 right"): 3.0,
    ("RKMK4 steps, 4096 trajectories", "6+7 right"): 20.0,
    ("RKMK4 steps under water, 4096", "BlueROV2 + Alpha 5"): 10.0,
    (trajectory_cases.RECORDING, "6+7 right"): 1 / 1.3,
}


def run_benchmarks(out: Console, path: Path | None = None, as_json: bool = False) -> dict[str, Any]:
    """Measure everything and print one table; the same as JSON to a file, or to standard output."""
    out = wide_enough(out)
    for module in ("mujoco", "pinocchio"):
        optional(module, "bench", "the benchmark")
    rows, left_out = [], []
    with one_core():
        for name, system in measured_systems().items():
            rows += [_row(case) for case in _all_cases(name, system)]
        rows += [_row(case) for case in trajectory_cases.trajectory_cases()]
        for measure in _ONE_CORE:
            try:
                rows += measure()
            except PeerFailedError as error:
                left_out.append(str(error))
        limits = [*starting.rows(), *compile_times.rows()]
    rows += [*threading_cases.rows(), *scaling.rows()]
    result = {"machine": _machine(), "rows": rows, "left_out": left_out, "compile_times": limits}
    out.print(table(rows))
    for number, name in enumerate(peers_of(rows), start=1):
        out.print(f"{number:3}  {name}", highlight=False)
    out.print(
        f"limit: what one core could reach at most, by arithmetic (a: {operation_rate() / 1e9:.0f} operations per ns) "
        f"or memory (m: {store_rate() / 1e9:.0f} bytes per ns, for results of more than 6 MB)",
        highlight=False,
    )
    out.print(compile_times.table(limits))
    for reason in left_out:
        out.print(f"[red]left out[/]: {escape(reason)}", highlight=False)
    out.print(f"{result['machine']}")
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result, indent=2), encoding="utf-8")
        out.print(f"written: {path}")
    if as_json:
        print(json.dumps(result, indent=2))
    return result


def wide_enough(out: Console) -> Console:
    """The console, made as wide as the tables are: a pipe counts as 80 columns, which would cut names and figures."""
    return out if out.width >= WIDTH else Console(file=out.file, width=WIDTH, emoji=False)


def _all_cases(name: str, system: System):
    yield from cases.batch_cases(name, system)
    if name == "6+7 right":
        yield from cases.single_precision_cases(name, system)
        yield from cases.regressor_cases(name, system)
    if name == "6+30 right":
        yield from cases.small_batch_cases(name, system)
    yield from cases.single_cases(name, system)
    if name != "6+30 right":  # the derivatives of 36 DoF are a case for a coffee, not for a table
        yield from cases.derivative_cases(name, system)
    yield from cases.mujoco_cases(name, system)


def _row(case: cases.Case) -> dict[str, Any]:
    """The worst of five: ours and the peer in turn, the best times of each."""
    rounds = []
    for _ in range(_ROUNDS):
        ours, peer = (best_time(call, seconds=0.1) for call in (case.ours, case.peer))
        rounds.append(
            (peer / case.peer_count * case.ours_count / ours, ours / case.ours_count, peer / case.peer_count)
        )
    ratio, ours, peer = min(rounds)
    found = {
        "what": case.what, "system": case.system, "ours_us": ours * 1e6, "peer": case.peer_name, "peer_us": peer * 1e6,
        "ratio": ratio, "bar": None if "mj_forward" in case.peer_name else BARS.get((case.what, case.system)),
    }  # fmt: skip
    if case.limited is not None:
        system, method, nbytes = case.limited
        least, why = least_time(system._kernels.operations(method), case.ours_count, nbytes)
        found |= {"limit": peer / least, "limited_by": why}
    return found


def table(rows: list[dict[str, Any]]) -> Table:
    """The rows by systems, for a terminal of 100 columns; peers are numbers, which `peers_of` explains."""
    result = Table(
        "what", "ours [µs]", "peer [µs]", "ratio", "bar", "limit", "peer", box=None, pad_edge=False
    )
    numbers = {peer: str(k) for k, peer in enumerate(peers_of(rows), start=1)}
    system = None
    for row in rows:
        if row["system"] != system:
            system = row["system"]
            result.add_row(f"[bold]{system}[/]")
        reached = row["bar"] is None or row["ratio"] >= row["bar"]
        ratio = f"[{'green' if reached else 'red'}]{_short(row['ratio'])}×[/]"
        bar = "" if row["bar"] is None else f"{_short(row['bar'])}×"
        limit = f"{_short(row['limit'])}× {row['limited_by']}" if "limit" in row else ""
        times = (_microseconds(row[key]) for key in ("ours_us", "peer_us"))
        result.add_row(f"  {row['what']}", *times, ratio, bar, limit, numbers[row["peer"]])
    for column in result.columns[1:]:
        column.justify = "right"
    for column in result.columns:
        column.no_wrap = True
    return result


def peers_of(rows: list[dict[str, Any]]) -> list[str]:
    """What was measured against, in the order of their numbers in the table."""
    return list(dict.fromkeys(row["peer"] for row in rows))


def _microseconds(time: float) -> str:
    """At most seven characters below ten seconds."""
    return f"{time:.3f}" if time < 1e3 else f"{time:.1f}" if time < 1e5 else f"{time:.0f}"


def _short(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 2 else f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"


def _machine() -> dict[str, str]:
    return {
        "date": date.today().isoformat(), "processor": processor_name(), "cores": str(os.cpu_count()),
        "system": platform.system(), "python": platform.python_version(),
        "unmoored": __version__, "numpy": np.__version__, "llvmlite": version("llvmlite"), "pin": version("pin"),
        "mujoco": version("mujoco"),
    }  # fmt: skip
