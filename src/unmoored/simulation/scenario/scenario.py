"""A scenario: everything that a run needs, ready to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...model.names import check_plain_name, check_text
from ..criterion import Criterion
from ..noise import Noise
from ..run import Run
from ..simulate import simulate


@dataclass(frozen=True, eq=False, repr=False)
class Scenario:
    """A plant with its initial state, its controller and the options of `simulate`. Frozen.

    q0 ([S,] nq), v0 ([S,] nv): initial state.  parameters: {name: value ([S,] n)} at run time.
    channels, frames: what the table of results shows.  data: the file's content, with settings put in.
    passes: what the run must come to for the job to be done (`run.judge()`).
    sabotages: names of the stated changes with which it must not (`load_scenario(…, sabotage=name)`).
    """

    name: str
    plant: Any
    q0: np.ndarray
    v0: np.ndarray
    duration: float
    step: float
    method: str = "rkmk4"
    description: str = ""
    controller: Any = None
    control_step: float | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[Any, ...] = ()
    noise: Noise | None = None
    sensors: tuple[Any, ...] = ()
    record_every: int = 1
    seed: int = 0
    samples: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    channels: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    passes: tuple[Criterion, ...] = ()
    sabotages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_plain_name("Scenario", self.name)
        check_text("Scenario", "description", self.description)

    def run(self, **options: Any) -> Run:
        """Simulate; options go to `simulate` and replace the scenario's own (backend, progress, duration, …)."""
        given = {
            "duration": self.duration,
            "step": self.step,
            "method": self.method,
            "controller": self.controller,
            "control_step": self.control_step,
            "record_every": self.record_every,
            "parameters": self.parameters or None,
            "events": self.events,
            "noise": self.noise,
            "sensors": self.sensors,
            "seed": self.seed,
            "scenario": dict(self.data),
            **self.options,
        }
        return simulate(self.plant, self.q0, self.v0, **(given | options))

    def __repr__(self) -> str:
        many = "" if self.samples is None else f", {self.samples} samples"
        return f"<Scenario {self.name!r}: {self.plant.system.name}, {self.duration:g} s{many}>"
