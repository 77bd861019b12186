"""What a scenario's run is summed up in: a table of channels over time, and a few numbers."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ..criterion import Verdict
from ..disk import place_file
from ..measured import channel_values
from ..metrics import asked_channels
from ..run import Run
from .scenario import Scenario


def channel_names(scenario: Scenario) -> tuple[str, ...]:
    """The channels that the scenario asks for, and the positions of its frames; all joints if none."""
    return asked_channels(scenario.plant.system, scenario.channels, scenario.frames)


def table(scenario: Scenario, run: Run) -> str:
    """The channels over time as CSV: one row for each time, of a batch for each sample and time."""
    values = channel_values(run, channel_names(scenario))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(["sample"] if run.batched else []), "t", *values])
    for i in range(run.samples):
        rows = np.column_stack([run.t, *((x[i] if run.batched else x) for x in values.values())])
        rows = rows[: int(run.lengths[i])] if run.batched else rows
        writer.writerows([*([i] if run.batched else []), *map(repr, row)] for row in rows.tolist())
    return text.getvalue()


def summary(scenario: Scenario, run: Run) -> dict[str, Any]:
    """The run in plain data, for machines: status, invariants, and the last value of each channel."""
    ended = [(status.title if run.batched else str(status), status.kind) for status in run.status]
    found: dict[str, Any] = {
        "scenario": scenario.name,
        "system": run.system.name,
        "duration_s": scenario.duration,
        "method": scenario.method,
        "step_s": scenario.step,
        "samples": run.samples,
        "completed": run.completed,
        "status": dict(Counter(text for text, _ in ended)),
        "kinds": dict(ended),
        "blown_up": {str(i): str(status) for i, status in enumerate(run.status) if status.kind == "blew_up"},
        "invariants": {name: _worst(value) for name, value in run.invariants().items()},
    }
    names = channel_names(scenario)
    if not run.batched:
        found["channels"] = {
            name: {
                "first": float(x[0]),
                "last": float(x[-1]),
                "lowest": float(x.min()),
                "highest": float(x.max()),
            }
            for name, x in channel_values(run, names).items()
        }
    found["metrics"] = _metrics(run, names)
    found["verdicts"] = [_verdict(verdict) for verdict in run.judge(scenario.passes)]
    return found


def _metrics(run: Run, names: tuple[str, ...]) -> dict[str, Any]:
    """Those of channels, actuators and levels, of a batch the worst of all samples: the largest."""
    found = run.metrics(names)
    groups: dict[str, Any] = {
        "channels": found.channels,
        "actuators": found.actuators,
        "levels": found.levels,
        "goals": {} if run.batched else found.goals,
    }
    return {
        group: {name: {word: _worst(x) for word, x in own._asdict().items()} for name, own in items.items()}
        for group, items in groups.items()
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    criterion = verdict.criterion
    return {
        "name": criterion.name,
        "passed": bool(verdict),
        "number": verdict.worst if np.isfinite(verdict.worst) else None,
        "threshold": criterion.threshold,
        "side": "below" if criterion.above is None else "above",
        "unit": criterion.unit,
        "source": criterion.source,
        "samples_passed": int(np.sum(verdict.passed)),
        "text": str(verdict),
    }


def _worst(value: Any) -> float | None:
    """The largest of the samples; None if there is none that is finite."""
    array = np.asarray(value, dtype=float)
    finite = array[np.isfinite(array)]
    return float(finite.max()) if finite.size else None


def save_results(scenario: Scenario, run: Run, folder: Path) -> list[Path]:
    """Write the whole run (run.zarr, with the extra `data`), channels.csv and summary.json; the files written.

    The run, from which all else can be made again, comes first; each of them takes its place at once.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    try:
        run.save(folder / "run.zarr", overwrite=True)
        files.append(folder / "run.zarr")
    except ImportError:  # without the extra `data` the tables are all there is
        pass
    place_file(folder / "channels.csv", table(scenario, run).encode())
    text = json.dumps(summary(scenario, run), indent=2, ensure_ascii=False)
    place_file(folder / "summary.json", (text + "\n").encode())
    return [folder / "channels.csv", folder / "summary.json", *files]
