"""The plan of a campaign: everything that its samples depend on. It pickles, and travels to workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.errors import unknown_name
from ..model.units import NO_UNIT
from ..simulation import Run, simulate
from ..simulation.arguments import as_plant, checked_seed, schedule
from ..simulation.channel import channel_unit
from ..simulation.events import as_events
from ..simulation.law_channels import law_channel, memory_layout
from ..simulation.scenario import Scenario
from ..worlds.actuators.input_units import input_units
from ..worlds.law_memory import MemoryLayout
from .channel_kernel import ChannelKernel
from .drawn_values import refuse_impossible
from .kept import Keep, kept_channels, kept_every
from .targets import Inputs, ParameterTarget, freed, law_with, sensors_with
from .variables import Variables

#: options of `simulate` that the engine of a campaign decides
_NOT_TAKEN = ("samples", "progress", "checkpoint", "checkpoint_every", "backend", "scenario", "keep")
_OPTIONS = tuple(k for k in list(signature(simulate).parameters)[1:] if k not in _NOT_TAKEN)
#: steps of all samples of a shard: some seconds of one core; and bytes that its rows may take
_SHARD_STEPS = {"cpu": 4_000_000, "cuda": 200_000_000}
_SHARD_BYTES = {"cpu": 2**28, "cuda": 2**34}
#: samples whose drawn values are looked at together before any of them runs
_CHECKED_WHEN_MADE, _CHECKED_AT_ONCE = 2**12, 2**16
_LARGEST_SHARD = {"cpu": 8192, "cuda": 2**16}


@dataclass(frozen=True, eq=False)
class Plan:
    """What every sample of a campaign is: the plant, what varies, the options of `simulate`, what is kept.

    vary: {key: distribution or list}.  samples: of every combination of lists.  options: of `simulate`, the same for
    all samples, q0 (nq,), v0 (nv,) and controller among them.  usual: channels that the scenario shows.
    scenario, file: contents of the files that it came from.
    """

    name: str
    plant: Any
    vary: Mapping[Any, Any]
    samples: int
    seed: int
    design: str
    keep: Keep
    options: Mapping[str, Any]
    usual: tuple[str, ...] = ()
    scenario: Mapping[str, Any] | None = None
    file: Mapping[str, Any] | None = None

    @cached_property
    def variables(self) -> Variables:
        """What varies, checked against the plant."""
        o = self.options
        sensors = _as_tuple(o.get("sensors", ()))
        how = {"samples": self.samples, "seed": self.seed, "design": self.design}
        return Variables(self.vary, self.plant, o.get("controller"), sensors, **how)

    @cached_property
    def free_plant(self) -> Any:
        """The plant with what varies free."""
        return freed(self.plant, self.variables.targets)

    @property
    def total(self) -> int:
        """Number of samples."""
        return self.variables.total

    @cached_property
    def channels(self) -> tuple[str, ...]:
        """Names of the kept channels."""
        controlled = self.options.get("controller") is not None
        return kept_channels(self.keep, self.plant, self.usual, controlled, self.memory)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Their units; "" of what a law keeps in mind, of which it says none."""
        tree, units = self.plant.system.tree, input_units(self.plant.tree, self.plant.actuators)
        inputs = dict(zip(self.plant.input_names, units, strict=True))

        def unit(name: str) -> str:
            told = law_channel(tree, name, self.plant.input_names, self.memory)
            if told is None:
                return channel_unit(tree, name)
            if told.kind.startswith("estimate"):
                return channel_unit(tree, told.owner)
            return {"input": inputs.get(told.owner, ""), "duty": NO_UNIT}.get(told.kind, "")

        return tuple(unit(name) for name in self.channels)

    @cached_property
    def memory(self) -> MemoryLayout:
        """Names and shapes of what the law keeps."""
        return memory_layout(self.options.get("controller"), self.options.get("control_step"))

    @cached_property
    def endings(self) -> tuple[str, ...]:
        """Names of the events that end a sample."""
        events = as_events(self.options.get("events", ()), self.plant.tree)
        return tuple(event.name for event in events if not event.then)

    @cached_property
    def record_every(self) -> int:
        """Steps between kept times."""
        steps = self.steps  # looks at the step
        return kept_every(self.keep, float(self.options["step"]), steps)

    @cached_property
    def times(self) -> np.ndarray:
        """The kept times (T,) [s]."""
        return self._schedule(self.record_every).times

    @property
    def steps(self) -> int:
        """Steps of a sample."""
        return self._schedule(1).steps

    def _schedule(self, every: int) -> Any:
        o = self.options
        return schedule(o["duration"], o["step"], every, o.get("control_step"), o.get("t0", 0.0))

    @property
    def dtype(self) -> str:
        """Number format of the runs."""
        return self.options.get("dtype", "float64")

    def shard_size(self, backend: str) -> int:
        """Samples of a shard if nobody says: a power of two, some seconds of one core, or a good load of a GPU."""
        numbers = 2 * (self.plant.nq + self.plant.nv + self.plant.nu) * len(self.times)
        most = min(
            _SHARD_STEPS[backend] / self.steps, _SHARD_BYTES[backend] / (8 * numbers), _LARGEST_SHARD[backend]
        )
        return 2 ** max(4, int(np.log2(max(most, 1.0))))

    def channel_kernel(self, backend: str) -> ChannelKernel:
        """The compiled channels, made once."""
        made = self.__dict__.setdefault("_channel_kernels", {})
        if backend not in made:
            made[backend] = ChannelKernel(self.free_plant, self.channels, backend, self.dtype, self.memory)
        return made[backend]

    def run(
        self, numbers: np.ndarray, values: Mapping[str, np.ndarray], backend: str = "cpu", **options: Any
    ) -> Run:
        """The run of the samples with these numbers (S,) and values, as a batch."""
        inputs = self._inputs(values, numbers)
        given = {k: v for k, v in self.options.items() if k not in ("q0", "v0", "x0")}
        given |= {
            "parameters": inputs.parameters or None,
            "controller": law_with(given.get("controller"), inputs.gains),
            "sensors": sensors_with(_as_tuple(given.get("sensors", ())), inputs.sensor_gains),
            "x0": inputs.x,
            "seed": self.seed,
            "samples": numbers,
            "backend": backend,
            "progress": False,
        }
        return simulate(self.free_plant, inputs.q, inputs.v, **(given | options))

    def check_values(self, most: int) -> None:
        """Refuse values that no plant can have among those that the first samples draw, so many of them."""
        varied = [v for v in self.variables.all if any(isinstance(t, ParameterTarget) for t in v.targets)]
        last = min(self.total, most) if varied else 0
        for first in range(0, last, _CHECKED_AT_ONCE):
            numbers = np.arange(first, min(first + _CHECKED_AT_ONCE, last))
            values, inputs = self.variables.values(numbers), self._nominal(len(numbers))
            for variable in varied:
                variable.put(inputs, values[variable.key])
            refuse_impossible(self.free_plant, self.variables.targets, numbers, inputs.parameters)

    def _inputs(self, values: Mapping[str, np.ndarray], numbers: np.ndarray) -> Inputs:
        inputs = self._nominal(len(numbers))
        self.variables.put(inputs, values)
        refuse_impossible(self.free_plant, self.variables.targets, numbers, inputs.parameters)
        return inputs

    def _nominal(self, count: int) -> Inputs:
        """What all samples have before anything varies."""
        o = self.options
        given = (o["q0"], o["v0"], o.get("x0", np.zeros(self.plant.nx)))
        q, v, x = (np.tile(np.asarray(a, dtype=float), (count, 1)) for a in given)
        return Inputs(q, v, x, dict(o.get("parameters") or {}))

    def __getstate__(self) -> dict[str, Any]:
        names = set(self.__dataclass_fields__)
        return {name: x for name, x in self.__dict__.items() if name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def plan_of(
    source: Any,
    vary: Mapping[Any, Any],
    samples: Any,
    seed: Any,
    design: Any,
    keep: Keep,
    name: Any,
    options: Any,
) -> Plan:
    """The plan of a scenario or plant, everything in it checked."""
    for key in options:
        if key in _NOT_TAKEN:
            raise ModelError.single(
                "Campaign", key, expected="nothing: the campaign decides it", given=repr(options[key])
            )
        if key not in _OPTIONS:
            raise unknown_name("Campaign", "option", key, _OPTIONS)
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 1:
        raise ModelError.single("Campaign", "samples", expected="a whole number ≥ 1", given=repr(samples))
    given = dict(options)
    if isinstance(source, Scenario):
        given = _of_scenario(source) | given
        plant, usual, title, data = source.plant, _channels(source), source.name, source.data or None
    else:
        plant, usual, data = as_plant(source, "Campaign"), (), None
        title = plant.system.name
        given = {"q0": plant.system.neutral(), "duration": 1.0, "step": 1e-3} | given
    given["v0"] = np.zeros(plant.nv) if given.get("v0") is None else given["v0"]
    for what, size in (("q0", plant.nq), ("v0", plant.nv)):
        if np.shape(given[what]) != (size,):
            expected = f"shape ({size},): what differs between samples is in vary"
            raise ModelError.single(
                "Campaign", what, expected=expected, given=f"shape {np.shape(given[what])}"
            )
    found = Plan(
        name or title, plant, dict(vary), int(samples), checked_seed(seed), design, keep, given, usual, data
    )
    found._schedule(given.get("record_every", 1))  # what is wrong with these is told now
    for part in ("variables", "channels", "times"):
        getattr(found, part)
    if design != "latin_hypercube" or found.total <= _CHECKED_WHEN_MADE:  # it is made whole
        found.check_values(_CHECKED_WHEN_MADE)
    return found


def _of_scenario(scenario: Scenario) -> dict[str, Any]:
    if scenario.samples is not None:
        expected = "a scenario of one sample: the campaign says what varies, and how many there are"
        raise ModelError.single(
            scenario.name, "sweeps", expected=expected, given=f"{scenario.samples} samples"
        )
    names = (
        "q0",
        "v0",
        "duration",
        "step",
        "method",
        "controller",
        "control_step",
        "events",
        "noise",
        "sensors",
    )
    found = {name: getattr(scenario, name) for name in names}
    return found | {
        "parameters": dict(scenario.parameters),
        "record_every": scenario.record_every,
        **scenario.options,
    }


def _channels(scenario: Scenario) -> tuple[str, ...]:
    frames = [f"{frame}.{axis}" for frame in scenario.frames for axis in "xyz"]
    return tuple(dict.fromkeys([*scenario.channels, *frames]))


def _as_tuple(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, tuple | list) else (x,)
