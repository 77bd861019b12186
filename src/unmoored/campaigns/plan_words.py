"""A plan in words and digests: what its folder says, and what a campaign that goes on is compared with."""

from __future__ import annotations

import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.files import yaml
from ..model.value import in_full
from ..trace.lasting_digest import lasting_digest
from ..version import __version__
from .plan import Plan

FORMAT = "unmoored campaign 1"
#: what may differ where samples keep their bits, or is compared on its own
_NOT_COMPARED = ("shard", "versions", "machine", "scenario", "system", "file", "units")
_WORDS = {
    "backend": "engine, which adds summaries up in its own order",
    "total": "number of samples",
    "options": "options of simulate",
}


def said_by(plan: Plan, backend: str, shard: int) -> dict[str, Any]:
    """Everything that a plan says, as plain data."""
    options = {
        name: x for name, x in sorted(plan.options.items()) if name not in ("controller", "events", "sensors")
    }
    return {
        "format": FORMAT,
        "name": plan.name,
        "total": plan.total,
        "samples": plan.samples,
        "seed": plan.seed,
        "design": plan.design,
        "vary": {variable.key: in_full(variable.source) for variable in plan.variables.all},
        "columns": plan.variables.columns,
        "keep": in_full(plan.keep),
        "channels": list(plan.channels),
        "units": list(plan.units),
        "times": plan.times.tolist(),
        "duration": float(plan.options["duration"]),
        "step": float(plan.options["step"]),
        "steps": plan.steps,
        "dtype": plan.dtype,
        "backend": backend,
        "shard": shard,
        "plant": lasting_digest(plan.free_plant),
        "controller": _digest(plan.options.get("controller")),
        "events": _digest(plan.options.get("events") or None),
        "sensors": _digest(plan.options.get("sensors") or None),
        "options": {name: _digest(x) for name, x in options.items()},
        "coordinates": list(plan.plant.coordinate_names),
        "velocities": list(plan.plant.tree.dof_names),
        "actuator_states": list(plan.plant.state_names),
        "inputs": list(plan.plant.input_names),
        "versions": _versions(),
        "machine": f"{platform.system()} {platform.machine()}",
        "scenario": plan.scenario and dict(plan.scenario),
        "system": _system_text(plan) if plan.scenario else None,
        "file": plan.file and dict(plan.file),
    }


def compare(kept: dict[str, Any], given: dict[str, Any], folder: str, any_version: bool) -> None:
    """Refuse another campaign than the one that a folder was begun with."""
    if kept.get("format") != FORMAT:
        raise ModelError.single(folder, "format", expected=repr(FORMAT), given=repr(kept.get("format")))
    for name, x in given.items():
        if name not in _NOT_COMPARED and kept.get(name) != x:
            expected, other = _told(name, kept.get(name), x), _told(name, x, kept.get(name))
            raise ModelError.single(folder, _WORDS.get(name, name), expected=expected, given=other)
    old, new = kept.get("versions", {}), given["versions"]
    changed = [f"{name} {old.get(name)} → {new[name]}" for name in new if old.get(name) != new[name]]
    if changed and not any_version:
        expected = "the versions that the campaign was begun with, or any_version=True (the bits may differ)"
        raise ModelError.single(folder, "versions", expected=expected, given=", ".join(changed))


def _told(name: str, x: Any, other: Any) -> str:
    """What differs, as far as a reader can use it: of mappings the keys, of digests that there is another."""
    if name in ("plant", "controller", "events", "sensors"):
        return f"the {name} that the campaign was begun with" if x is not None else f"no {name}"
    if isinstance(x, dict) and isinstance(other, dict):
        parts = {key: value for key, value in x.items() if other.get(key) != value}
        return ", ".join(f"{key}: {value}" for key, value in parts.items())[:300] or "nothing more"
    return repr(x)[:300]


def _digest(x: Any) -> str | None:
    return None if x is None else lasting_digest(x)


def _versions() -> dict[str, str]:
    found = {"unmoored": __version__, "numpy": np.__version__}
    with suppress(PackageNotFoundError):
        found["scipy"] = version("scipy")
    return found


def _system_text(plan: Plan) -> str | None:
    try:
        return yaml.format_yaml(plan.plant.system.tree)
    except ModelError:  # a joint of the user's own has no words in a file
        return None
