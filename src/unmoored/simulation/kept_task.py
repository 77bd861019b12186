"""A task as plain numbers and texts, and back with the plant, the controller and the events given again.

No Python objects are kept: what cannot be said in numbers is kept as a fingerprint, to compare with what is given.
"""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..integrators import ITERATIONS
from ..integrators.step_control import Tolerances
from ..model import DataError, ModelError, ModelWarning
from ..model.files import yaml
from ..model.value import in_full
from ..sensing.sensor_suite import Suite, suite_of
from ..system import System
from ..trace.lasting_digest import lasting_digest, lasting_digest_of_graph
from ..version import __version__
from .controller import Controller, as_controller, as_rows
from .disk import seal, unseal
from .events import Event, as_events
from .fixed_steps import Schedule
from .noise import Draws, Noise
from .switchboard import switchboard
from .task import Task
from .time_step import TimeStep

FORMAT = "unmoored checkpoint 2"
_NOISE = ("configuration", "velocity", "input")
_TOLERANCES = ("configuration", "velocity", "state", "relative")


class Given(NamedTuple):
    """What a run is made of beside numbers."""

    plant: Any
    controller: Any = None
    sensors: Any = ()
    events: tuple[Event, ...] = ()


def packed(arrays: Mapping[str, Any], about: Mapping[str, Any]) -> bytes:
    """Arrays and plain data as sealed bytes."""
    stream = io.BytesIO()
    text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    np.savez(stream, about=text, **arrays)
    return seal(stream.getvalue())


def unpacked(content: bytes, where: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """(arrays, plain data) of sealed bytes; a `DataError` for anything else."""
    inside = unseal(content, where)
    try:
        with np.load(io.BytesIO(inside), allow_pickle=False) as kept:
            arrays = {name: kept[name] for name in kept.files}
        return arrays, json.loads(arrays.pop("about").tobytes())
    except Exception as error:
        given = f"{type(error).__name__}: {error}"
        raise DataError.single(where, "content", expected="arrays of a checkpoint", given=given) from None


def task_bytes(task: Task) -> bytes:
    """Everything that a task says, sealed."""
    step, schedule, plant = task.time_step, task.schedule, task.time_step.plant
    arrays = {
        "state": task.state,
        "params": task.params,
        "span": schedule.span,
        "samples": task.draws.samples,
    }
    if step.noise is not None:
        arrays |= {f"noise_{name}": getattr(step.noise, name) for name in _NOISE}
    law = step.controller
    about = {
        "format": FORMAT,
        "version": __version__,
        "method": step.method,
        "backend": task.backend,
        "dtype": step.dtype,
        "hold": step.hold,
        "schedule": [schedule.steps, schedule.record_every, schedule.update_every],
        "seed": task.draws.seed,
        "channels": task.draws.noise,
        "sensors": None if step.suite is None else lasting_digest((step.suite.all, step.suite.timings)),
        "batched": task.batched,
        "tolerances": step.tolerances and {n: getattr(step.tolerances, n) for n in _TOLERANCES},
        "iterations": step.iterations,
        "equations": step.equations,
        "balance": step.balance,
        "plant": lasting_digest(plant),
        "controller": law and {"place": law.place, "fingerprint": _law_fingerprint(law, plant)},
        "events": [_event_words(e, plant) for e in step.events],
        "scenario": task.scenario and dict(task.scenario),
        "system": _system_text(plant.system) if task.scenario else None,
    }
    return packed(arrays, about)


def task_of(arrays: dict[str, np.ndarray], about: dict[str, Any], given: Given, where: str) -> Task:
    """The task again; a `ModelError` if what is given is not what the run was begun with."""
    board = switchboard(given.plant, given.events)
    plant = given.plant if board is None else board.plant
    _compare(where, "plant", about["plant"], lasting_digest(plant))
    noise = Noise(*(arrays[f"noise_{name}"] for name in _NOISE)) if "noise_input" in arrays else None
    steps, record_every, update_every = map(int, about["schedule"])
    schedule = Schedule(steps, record_every, update_every, arrays["span"])
    params, state = arrays["params"], arrays["state"]
    suite = _suite(about, given, arrays, where)
    law = _controller(about, given, arrays, where, suite, () if board is None else board.modes)
    kinds = [_event_words(e, plant) for e in given.events]
    _compare(where, "events", about["events"], kinds)
    step = TimeStep(
        plant,
        about["method"],
        law,
        given.events,
        noise,
        hold=bool(about["hold"]),
        dtype=about["dtype"],
        tolerances=about["tolerances"] and Tolerances(**about["tolerances"]),
        iterations=int(about.get("iterations", ITERATIONS)),
        suite=suite,
        switches=board,
        equations=about.get("equations", "full"),
        balance=bool(about.get("balance", False)),
    )
    _compare_gains(step, arrays["params"])
    draws = Draws(int(about["seed"]), arrays["samples"], int(about["channels"]), step.streams)
    return Task(
        step, about["backend"], schedule, state, params, draws, bool(about["batched"]), about["scenario"]
    )


def given_by_scenario(about: dict[str, Any], where: str) -> Given | None:
    """Plant, controller and events of a run that came from a scenario file; None for any other."""
    from .scenario.scenario_reader import scenario_from_data

    if not about["scenario"]:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # told when the run was begun
        system = System(yaml.parse_kept_yaml(about["system"], where)) if about["system"] else None
        scenario = scenario_from_data(about["scenario"], where, system)
    events = as_events(scenario.events, scenario.plant.tree)
    return Given(scenario.plant, scenario.controller, scenario.sensors, events)


def _period(about: dict[str, Any], arrays: dict[str, Any]) -> float | None:
    """The control period (s)."""
    return float(arrays["span"][1]) * int(about["schedule"][2]) if about["hold"] else None


def _suite(about: dict[str, Any], given: Given, arrays: dict[str, Any], where: str) -> Suite | None:
    suite = suite_of(given.sensors, given.plant, _period(about, arrays), "resume")
    digest = None if suite is None else lasting_digest((suite.all, suite.timings))
    _compare(where, "sensors", about.get("sensors"), digest)
    return suite


def _controller(
    about: dict[str, Any],
    given: Given,
    arrays: dict[str, Any],
    where: str,
    suite: Suite | None,
    modes: tuple[str, ...],
) -> Controller | None:
    kept, plant, law = about["controller"], given.plant, None
    if given.controller is not None:
        place = None if kept is None else kept["place"]
        law = as_controller(given.controller, place, plant, _period(about, arrays), suite, modes)
    _compare(where, "controller", kept and kept["fingerprint"], law and _law_fingerprint(law, plant))
    return law


def _compare_gains(step: TimeStep, params: np.ndarray) -> None:
    """Refuse other gains of the law than those that the run was begun with."""
    if step.controller is not None:
        first = len(step.plant.nominal_parameters)
        own = params[:, first : first + step.law_gains]
        if not np.array_equal(as_rows(step.controller.gains, own.shape[:1]), own):
            expected = "the gains that the run was begun with"
            raise ModelError.single("resume", "controller", expected=expected, given="others")


def _compare(where: str, what: str, kept: Any, given: Any) -> None:
    if kept != given:
        word = (
            "none" if not given else f"another one, or none was there: {where}" if not kept else "another one"
        )
        expected = f"the {what} that the run was begun with" if kept else f"no {what}"
        raise ModelError.single("resume", what, expected=expected, given=word)


def _law_fingerprint(law: Controller, plant: Any) -> str:
    if law.place == "python":
        return lasting_digest(law.law)
    computed = lasting_digest_of_graph(law, *law.shapes(plant))
    tables = [table.numbers("float64") for table in law.tables]
    return lasting_digest((computed, *tables)) if tables else computed


def _event_words(event: Event, plant: Any) -> list[str]:
    words = [event.name, event.direction, _event_fingerprint(event, plant)]
    return [*words, *(in_full(switch) for switch in event.then)]


def _event_fingerprint(event: Event, plant: Any) -> str:
    return lasting_digest_of_graph(event.function, (), (plant.nq,), (plant.nv,))


def _system_text(system: System) -> str | None:
    try:
        return yaml.format_yaml(system.tree)
    except ModelError:  # a joint of the user's own has no words in a file
        return None
