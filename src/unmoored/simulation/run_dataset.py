"""Runs as labelled arrays (`xarray.Dataset`, extra `data`), and back."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dynamics.energy import Energy
from ..error_roots import optional
from ..model import DataError
from ..model.files import yaml
from ..model.units import coordinate_names, coordinate_units, dof_units
from ..sensing.signals import PARTS, RecordedSignal
from ..system import System
from .event_actions import Happened
from .goal_records import goal_variables, goals_in
from .run import Run
from .status import KINDS, Status

FORMAT = "unmoored run 2"
#: formats that can be read; the first one had no digests
FORMATS = ("unmoored run 1", FORMAT)


def as_dataset(run: Run) -> Any:
    """An `xarray.Dataset`: q, v, u, x, energies with units and frames; dimensions sample (if batched), time, …"""
    lead = ("sample", "time") if run.batched else ("time",)
    tree = run.system.tree
    variables: dict[str, Any] = {
        "q": ((*lead, "coordinate"), run.q, {"long_name": "configuration", "units": "see q_units"}),
        "v": ((*lead, "dof"), run.v, {"long_name": "velocity, body-fixed", "units": "see v_units"}),
        "q_units": (("coordinate",), list(coordinate_units(tree))),
        "v_units": (("dof",), [f"{unit}/s" for unit in dof_units(tree)]),
        "lengths": (("sample",) if run.batched else ("one",), run.lengths),
    }
    coordinates: dict[str, Any] = {
        "time": (("time",), run.t, {"units": "s"}),
        "coordinate": list(coordinate_names(tree)),
        "dof": list(run.system.dof_names),
    }
    if run.u is not None:
        variables["u"] = ((*lead, "input"), run.u, {"long_name": "inputs"})
        coordinates["input"] = list(run.input_names)
        if run.input_limits is not None:
            variables["input_limits"] = (
                ("input", "bound"),
                run.input_limits,
                {"long_name": "lowest, highest"},
            )
    if run.x is not None:
        variables["x"] = ((*lead, "actuator_state"), run.x, {"long_name": "states of actuators"})
        coordinates["actuator_state"] = list(run.state_names)
    if run.work is not None:
        label = {"long_name": "energy by work, by switches", "units": "J"}
        variables["work"] = ((*lead, "way"), run.work, label)
    if run.parameters is not None:
        label = {"long_name": "run-time parameters"}
        along = ("sample", "parameter") if run.batched else ("parameter",)
        variables["parameters"] = (along, run.parameters, label)
        if run.parameter_names:
            coordinates["parameter"] = list(run.parameter_names)
    energy = run.energy()
    for name in ("kinetic", "potential"):
        label = {"long_name": f"{name} energy", "units": "J"}
        variables[f"{name}_energy"] = (lead, np.broadcast_to(getattr(energy, name), run.q.shape[:-1]), label)
    for name, values in run.memory.items():
        inner = tuple(f"memory_{name}_{k}" for k in range(values.ndim - len(lead)))
        variables[f"memory_{name}"] = ((*lead, *inner), values, {"long_name": f"memory of the law: {name}"})
        if "memory" in run.end:
            variables[f"end_memory_{name}"] = (("ended", *inner), run.end["memory"][name])
    for name, signal in run.y.items():
        for part in PARTS:
            values = getattr(signal, part)
            inner = tuple(f"y_{name}_{part}_{k}" for k in range(values.ndim - len(lead)))
            label = {"long_name": f"sensor {name}: {part}"}
            variables[f"y.{name}.{part}"] = ((*lead, *inner), values, label)
            if "y" in run.end:
                variables[f"end_y.{name}.{part}"] = (("ended", *inner), getattr(run.end["y"][name], part))
    for name, values in run.switches.items():
        inner = tuple(f"switch_{name}_{k}" for k in range(values.ndim - len(lead)))
        variables[f"switch_{name}"] = ((*lead, *inner), values, {"long_name": f"switched by events: {name}"})
        if "switches" in run.end:
            variables[f"end_switch_{name}"] = (("ended", *inner), run.end["switches"][name])
    kept, about = goal_variables(run, lead)
    variables |= kept
    for name, values in run.end.items():
        if name not in ("memory", "y", "switches") and values is not None and values.size:
            variables[f"end_{name}"] = (("ended", f"end_{name}_entry")[: values.ndim], values)
    return xarray().Dataset(variables, coordinates, _attributes(run) | ({"goals": about} if about else {}))


def from_dataset(
    data: Any,
    where: str,
    plant: Any = None,
    roots: Sequence[str | os.PathLike[str]] = (),
    law: Any = None,
) -> Run:
    """The run in a dataset that was read from the file `where`, with everything in it checked for its shape."""
    if data.attrs.get("format") not in FORMATS:
        given = repr(data.attrs.get("format"))
        raise DataError.single(where, "format", expected=" or ".join(map(repr, FORMATS)), given=given)
    values = {name: data[name].values if name in data else None for name in ("u", "x", "work", "parameters")}
    ends = {
        name: data[f"end_{name}"].values if f"end_{name}" in data else None for name in (*"tqvxu", "work")
    }
    found = [str(name) for name in data]
    memory = {name.removeprefix("memory_"): data[name].values for name in found if name.startswith("memory_")}
    kept = {name: data[f"end_memory_{name}"].values for name in memory if f"end_memory_{name}" in data}
    signals = {name.rpartition(".")[0].removeprefix("y.") for name in found if name.startswith("y.")}
    y = {name: _signal(data, f"y.{name}", where) for name in sorted(signals)}
    end_y = {name: _signal(data, f"end_y.{name}", where) for name in y if f"end_y.{name}.value" in data}
    switches = {
        name.removeprefix("switch_"): data[name].values for name in found if name.startswith("switch_")
    }
    last = {name: data[f"end_switch_{name}"].values for name in switches if f"end_switch_{name}" in data}
    if plant is not None and switches:  # what was switched is free in the plant of the run
        names = dict.fromkeys(name.partition("[")[0] for name in _texts(data, "parameter"))
        plant = plant._with_free(tuple(names))
    lead = data["q"].values.shape[:-1]
    goals, estimate_errors = goals_in(data, where, lead)
    system = System(yaml.parse_kept_yaml(data.attrs["system"], where, roots))
    run = Run(
        system=system,
        t=data["time"].values,
        q=data["q"].values,
        v=data["v"].values,
        **values,
        status=_statuses(data.attrs["status"], where),
        lengths=data["lengths"].values,
        memory=memory,
        y=y,
        end={} if ends["t"] is None else {**ends, "memory": kept, "y": end_y, "switches": last},
        switches=switches,
        events=_events(data.attrs.get("events", "[]"), where),
        plant=plant,
        input_names=_texts(data, "input"),
        state_names=_texts(data, "actuator_state"),
        parameter_names=_texts(data, "parameter"),
        scenario=json.loads(data.attrs["scenario"]),
        provenance=json.loads(data.attrs["provenance"]),
        kept_goals=goals,
        kept_estimate_errors=estimate_errors,
        law=law,
        kept_input_limits=data["input_limits"].values if "input_limits" in data else None,
        kept_energy=Energy(data["kinetic_energy"].values, data["potential_energy"].values),
    )
    _check(run, where)
    return run


def _signal(data: Any, name: str, where: str) -> RecordedSignal:
    missing = [part for part in PARTS if f"{name}.{part}" not in data]
    if missing:
        raise DataError.single(where, name, expected=", ".join(PARTS), given=f"no {missing[0]}")
    return RecordedSignal(*(data[f"{name}.{part}"].values for part in PARTS))


def _statuses(text: str, where: str) -> tuple[Status, ...]:
    try:
        found = tuple(map(Status.from_record, json.loads(text)))
    except (TypeError, ValueError) as error:
        raise DataError.single(
            where, "status", expected="what became of each sample", given=str(error)
        ) from None
    if not all(map(_sound, found)):
        expected = f"kinds {', '.join(KINDS)}, times and printable words"
        raise DataError.single(where, "status", expected=expected, given=text[:80])
    return found


def _events(text: str, where: str) -> tuple[Happened, ...]:
    try:
        found = tuple(Happened(int(i), float(t), str(name)) for i, t, name in json.loads(text))
    except (TypeError, ValueError) as error:
        raise DataError.single(where, "events", expected="(sample, time, name)", given=str(error)) from None
    if not all(event.name.isprintable() for event in found):
        raise DataError.single(where, "events", expected="printable names", given=text[:80])
    return found


def _sound(status: Status) -> bool:
    timed = status.time is None or (
        isinstance(status.time, float | int) and not isinstance(status.time, bool)
    )
    words = (status.where, status.reason)
    return status.kind in KINDS and timed and all(isinstance(w, str) and w.isprintable() for w in words)


def _texts(data: Any, name: str) -> tuple[str, ...]:
    return tuple(map(str, data[name].values)) if name in data.coords else ()


def _check(run: Run, where: str) -> None:
    """Shapes, texts and lengths that fit each other."""
    S, T = run.samples, len(run.t)
    lead = (S, T) if run.batched else (T,)
    shapes: list[tuple[str, Any, tuple[int, ...]]] = [
        ("time", run.t, (T,)),
        ("q", run.q, (*lead, run.system.nq)),
        ("v", run.v, (*lead, run.system.nv)),
        ("u", run.u, (*lead, len(run.input_names))),
        ("x", run.x, (*lead, len(run.state_names))),
        ("work", run.work, (*lead, 2)),
        ("lengths", run.lengths, (S,)),
        ("input_limits", run.kept_input_limits, (len(run.input_names), 2)),
        *((f"{name}_energy", getattr(run.kept_energy, name), lead) for name in ("kinetic", "potential")),
    ]
    for name, array in run.memory.items():
        shapes.append((f"memory_{name}", array, (*lead, *array.shape[len(lead) :])))
        shapes.append(
            (f"end_memory_{name}", run.end.get("memory", {}).get(name), (S, *array.shape[len(lead) :]))
        )
    for name, signal in run.y.items():
        own = {"value": signal.value.shape[len(lead) :], "bias": signal.bias.shape[-1:]}
        for part in PARTS:
            inner = own.get(part, ())
            shapes.append((f"y.{name}.{part}", getattr(signal, part), (*lead, *inner)))
            ended = run.end.get("y", {}).get(name)
            shapes.append((f"end_y.{name}.{part}", ended and getattr(ended, part), (S, *inner)))
    for name, array, shape in shapes:
        if array is not None and array.shape != shape:
            raise DataError.single(where, f"shape of {name}", expected=str(shape), given=str(array.shape))
    for name in (*run.input_names, *run.state_names, *run.parameter_names):
        if not name.isprintable():
            raise DataError.single(where, "names", expected="printable characters", given=ascii(name))
    counts = np.asarray(run.lengths)
    if counts.dtype.kind not in "iu" or counts.min(initial=0) < 0 or counts.max(initial=0) > T:
        raise DataError.single(where, "lengths", expected=f"whole numbers in 0 … {T}", given=str(counts))
    if len(run.status) != S:
        raise DataError.single(where, "status", expected=f"that of {S} samples", given=str(len(run.status)))
    if not isinstance(run.provenance, dict) or not isinstance(run.scenario, dict | None):
        raise DataError.single(where, "provenance and scenario", expected="mappings", given="something else")


def _attributes(run: Run) -> dict[str, str]:
    return {
        "format": FORMAT,
        "title": f"Motion of {run.system.name}",
        "conventions": "SI units; twists linear first, body-fixed; poses as rotation row by row, then position",
        "events": json.dumps([list(event) for event in run.events]),
        "status": json.dumps([status.record for status in run.status]),
        "system": yaml.format_yaml(run.system.tree),
        "scenario": json.dumps(run.scenario),
        "provenance": json.dumps(dict(run.provenance)),
    }


def xarray() -> Any:
    """The package xarray, which comes with the extra `data`."""
    return optional("xarray", "data", "a run as a dataset or on disk")
