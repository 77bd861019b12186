"""Where a run comes from: enough to make it again."""

from __future__ import annotations

import platform
import sys
import time
from dataclasses import fields
from typing import Any

import numpy as np

from ..integrators import IMPLICIT
from ..model.value import in_full
from ..version import __version__
from ..worlds.law import Law, Sum
from .fixed_steps import Schedule
from .noise import Draws
from .time_step import TimeStep

_HERE = {
    "unmoored": __version__,
    "numpy": np.__version__,
    "python": platform.python_version(),
    "machine": f"{platform.system()} {platform.machine()}",
}
#: a longer list of numbers is not written out
_FEW = 16


def provenance(
    plant: Any, time_step: TimeStep, schedule: Schedule, draws: Draws, backend: str
) -> dict[str, Any]:
    """Versions, digests, method, steps, seed, command and time, as plain numbers and texts."""
    controller = time_step.controller
    return {
        **_HERE,
        "system": plant.system.name,
        "system_digest": plant.system.tree.digest,
        "plant_digest": plant.digest,
        "world": list(plant.worlds_in_words),
        "elements": [element.label for element in plant.elements],
        "closures": [closure.label for closure in plant.closures],
        "method": time_step.method,
        "equations": time_step.equations,
        "iterations": time_step.iterations if time_step.method in IMPLICIT else None,
        "t0": float(schedule.span[0]),
        "step": float(schedule.span[1]),
        "steps": schedule.steps,
        "record_every": schedule.record_every,
        "control_every": schedule.update_every if time_step.hold else None,
        "controller": None if controller is None else _named(controller.law),
        "controller_in": None if controller is None else controller.place,
        "events": [event.name for event in time_step.events],
        "sensors": [] if time_step.suite is None else [in_full(sensor) for sensor in time_step.suite.sensors],
        "noise": None if time_step.noise is None else in_full(time_step.noise),
        "seed": draws.seed,
        "samples": draws.samples.tolist(),
        "backend": backend,
        "dtype": time_step.dtype,
        "command": sys.argv[:1],
        "time": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
    }


def _named(law: Any) -> str:
    """The law in words: its numbers, but of many only how many."""
    if isinstance(law, Sum):
        return " + ".join(map(_named, law.laws))
    if not isinstance(law, Law):
        return getattr(law, "__qualname__", type(law).__qualname__)
    names = [field.name for field in fields(law)]  # type: ignore[arg-type]
    given = [f"{name}={_value(getattr(law, name))}" for name in names]
    return f"{type(law).__name__}({', '.join(given)})"


def _value(x: Any) -> str:
    if isinstance(x, Law):
        return _named(x)
    if isinstance(x, np.ndarray):
        return repr(x.tolist()) if x.size <= _FEW else f"<shape {x.shape}>"
    if isinstance(x, tuple):
        return f"({', '.join(map(_value, x))})"
    return repr(x) if isinstance(x, str | int | float | bool | None) else f"<{type(x).__name__}>"
