"""The result of a simulation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..control.allocation.input_limits import limits_of
from ..dynamics.energy import Energy
from ..dynamics.free_numbers import with_parameters
from ..model import ModelError, Tree
from ..sensing.signals import RecordedSignal
from ..system import System
from . import invariants, metrics
from .criterion import Criterion, Verdict, judge
from .event_actions import Happened
from .law_reports import LawReports
from .measured import scenario_of
from .run_goals import EstimateErrors, RecordedGoal, law_of_sample, picklable
from .run_views import RunViews
from .status import COMPLETED, Status


@dataclass(frozen=True, eq=False, repr=False)
class Run(LawReports, RunViews):
    """Trajectories of one sample, or of S samples with a leading dimension. SI units, velocities body-fixed.

    t: times (T,) [s].  q ([S,] T, nq), v ([S,] T, nv): configuration and full velocity.
    u ([S,] T, nu): inputs, None without controller.  x ([S,] T, nx): states of actuators, None if there are none.
    status: what became of each sample, a `Status` with kind, time, where and a text.
    lengths: (S,) rows of each sample that count; those beyond are NaN.
    memory: that of the law, by name, ([S,] T, *shape): what it kept at the last control period.
    y: signals of sensors by name, `.value ([S,] T, *shape)`, `.fresh`, `.stamp` ([S,] T) and `.bias`.
    end: last good state of each sample, arrays with leading S: t, q, v, x, u, and memory by name.
    parameters: p ([S,] n), run-time parameters of the plant at the start; parameter_names: of its n columns.
    events: what happened, (sample, time, name) each, those that stopped a sample too.
    work: energy that came in since the start ([S,] T, 2) (J): by work of all that acts, by switches; None if it was not
    integrated (`simulate(balance=True)`).
    switches: what events switched, by name ("grasp.active", "law"), ([S,] T, *shape).
    law: what drove it, None if nothing did or the run was loaded.  kept_…: as they were saved.
    """

    system: System
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    u: np.ndarray | None = None
    x: np.ndarray | None = None
    status: tuple[Status, ...] = (COMPLETED,)
    lengths: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    end: Mapping[str, Any] = field(default_factory=dict)
    memory: Mapping[str, np.ndarray] = field(default_factory=dict)
    y: Mapping[str, RecordedSignal] = field(default_factory=dict)
    plant: Any = None
    parameters: np.ndarray | None = None
    input_names: tuple[str, ...] = ()
    state_names: tuple[str, ...] = ()
    scenario: Mapping[str, Any] | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    kept_energy: Energy | None = None
    parameter_names: tuple[str, ...] = ()
    events: tuple[Happened, ...] = ()
    switches: Mapping[str, np.ndarray] = field(default_factory=dict)
    law: Any = None
    work: np.ndarray | None = None
    kept_goals: Mapping[str, RecordedGoal] | None = None
    kept_estimate_errors: EstimateErrors | None = None
    kept_input_limits: np.ndarray | None = None

    @property
    def batched(self) -> bool:
        """Whether there is a leading dimension of samples."""
        return self.q.ndim == 3

    @property
    def samples(self) -> int:
        """Number of samples; 1 without batch."""
        return self.q.shape[0] if self.batched else 1

    @property
    def world(self) -> Any:
        """The plant's world, or its worlds; None if the plant is not known."""
        return None if self.plant is None else self.plant.world

    @property
    def input_limits(self) -> np.ndarray | None:
        """Lowest and highest inputs (nu, 2), as the plant was built; None if that is not known."""
        actuated = self.plant is not None and self.plant.actuators
        return limits_of(self.plant) if actuated else self.kept_input_limits

    @property
    def completed(self) -> bool:
        """Whether every sample came to the end of the run."""
        return all(status.kind == "completed" for status in self.status)

    def sample(self, i: int) -> Run:
        """The run of sample i alone: its rows, and its last good state if that lies between rows."""
        if not -self.samples <= i < self.samples:
            raise ModelError.single("Run", "sample", expected=f"0 … {self.samples - 1}", given=repr(i))
        if not self.batched:
            return self
        i = i % self.samples
        length = int(self.lengths[i])
        cut = {name: getattr(self, name) for name in ("q", "v", "u", "x", "work")}
        cut = {name: None if a is None else a[i, :length] for name, a in cut.items()}
        memory = {name: a[i, :length] for name, a in self.memory.items()}
        y = {name: signal.map(lambda a: a[i, :length]) for name, signal in self.y.items()}
        switches = {name: a[i, :length] for name, a in self.switches.items()}
        end: dict[str, Any] = {name: _of_sample(name, a, i) for name, a in self.end.items()}
        t = self.t[:length]
        energy = None if self.kept_energy is None else Energy(*(e[i, :length] for e in self.kept_energy))
        if end and (not length or end["t"][0] > t[-1]):
            t = np.append(t, end["t"][0])
            cut = {
                name: None if a is None or end.get(name) is None else np.concatenate([a, end[name]])
                for name, a in cut.items()
            }
            kept = end.get("memory") or {}
            memory = {name: np.concatenate([a, kept[name]]) for name, a in memory.items()}
            y = {name: signal.with_row(end["y"][name]) for name, signal in y.items()}
            last = end.get("switches") or {}
            switches = {name: np.concatenate([a, last[name]]) for name, a in switches.items()}
            energy = None
        return replace(
            self,
            system=self.system_of(i),
            t=t,
            **cut,
            memory=memory,
            y=y,
            switches=switches,
            events=tuple(event._replace(sample=0) for event in self.events if event.sample == i),
            status=(self.status[i],),
            lengths=np.array([len(t)]),
            end=end,
            parameters=None if self.parameters is None else self.parameters[i],
            provenance=_sample_provenance(self.provenance, i),
            kept_energy=energy,
            law=law_of_sample(self.law, i),
            **self._kept_of_sample(i, length, len(t)),
        )

    def _kept_of_sample(self, i: int, length: int, rows: int) -> dict[str, Any]:
        """What a file kept of the law of sample i, with NaN in a last row that lies between rows."""
        own = None
        if self.kept_goals is not None:
            own = {name: goal.of_sample(i, length, rows) for name, goal in self.kept_goals.items()}
        kept = self.kept_estimate_errors
        return {"kept_goals": own, "kept_estimate_errors": kept and kept.of_sample(i, length, rows)}

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: a law that cannot be, such as one of a class made in a function, is left out."""
        return vars(self) | {"law": picklable(self.law)}

    def system_of(self, i: int) -> System:
        """The system of sample i, with the values that its free parameters had."""
        if self.plant is None or self.parameters is None or not self.batched:
            return self.system
        return self.plant.system_at(self.parameters[i])

    @property
    def tree(self) -> Tree:
        """The system's tree with the samples' own numbers: those that vary are batches (S, 1, …), to go with rows."""
        if self.plant is None or self.parameters is None or not self.batched:
            return self.system.tree
        return with_parameters(self.plant.system.tree, self.plant._declared, self.parameters[:, None, :])

    @property
    def element_loads(self) -> dict[str, np.ndarray]:
        """Wrenches ([S,] T, 6) of the plant's elements on their frames b, in their axes (N, N m), by name."""
        return invariants.element_loads(self)

    @property
    def closure_loads(self) -> dict[str, np.ndarray]:
        """Wrenches ([S,] T, 6) of the plant's closures on their frames b, in their axes (N, N m), by name.

        Where `closure_loads_unique` is false the loop is redundant, and they are those of least norm.
        """
        return invariants.closure_loads(self)[0]

    @property
    def closure_loads_unique(self) -> dict[str, np.ndarray]:
        """Whether ([S,] T) the loads of each closure are the only ones that give this motion."""
        return invariants.closure_loads(self)[1]

    def energy(self) -> Energy:
        """`.kinetic`, `.potential` and `.total` ([S,] T) [J], with the world in where the plant is known."""
        return self._energy

    @cached_property
    def _energy(self) -> Energy:
        return self.kept_energy if self.kept_energy is not None else invariants.energy(self)

    def momentum(self, about: str = "world") -> np.ndarray:
        """Momentum ([S,] T, 6) in world axes, linear part first, with added mass (in water: the impulse) and wheels.

        about: the point of the angular part, "world" (its origin) or "com". A run that was loaded without its
        plant refuses where water or actuators have momentum, too.
        """
        return invariants.momentum(self, about)

    def invariants(self) -> dict[str, float | np.ndarray]:
        """What must be small for the run to be believed, by name, of each sample: distance from the group, residual of
        the energy balance, and drifts of the momenta that this plant conserves."""
        return dict(self._invariants)

    @cached_property
    def _invariants(self) -> dict[str, float | np.ndarray]:
        return invariants.invariants(self)

    def metrics(
        self,
        channels: Iterable[str] | None = None,
        *,
        targets: Mapping[str, Any] | None = None,
        band: float | Mapping[str, float] | None = None,
        start: float | None = None,
        end: float | None = None,
    ) -> metrics.Metrics:
        """The run in a few numbers: `.channels`, `.actuators` and `.levels` (of tasks) by name, ([S]) each.

        channels: names as of `channel_values`; those of the scenario if None, else joints and places of vehicles.
        targets: what channels are compared with, by name (see `Criterion`); without one, with their last value.
        band: within which a channel has settled, in its unit, one or by name; 2 % of its largest error if None.
        start, end: window (s), the whole run if None.
        """
        return metrics.metrics(self, channels, targets=targets, band=band, start=start, end=end)

    def judge(self, criteria: Iterable[Criterion] | None = None) -> tuple[Verdict, ...]:
        """Whether the job was done: a `Verdict` for each criterion, those of the run's scenario (`passes`) if None."""
        return judge(self, self._scenario.passes if criteria is None and self.scenario else criteria or ())

    @cached_property
    def _scenario(self) -> Any:
        """The scenario again, of a run that came from one."""
        return scenario_of(self)

    def dataset(self) -> Any:
        """An `xarray.Dataset` with named channels, units and frames (extra `data`)."""
        from .run_dataset import as_dataset

        return as_dataset(self)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write to a .zarr folder, a .zarr.zip or a .nc file (extra `data`); `load_run` reads it back bit for bit.

        The file takes its place at once and has a digest of every part. overwrite: replace a run that is there;
        anything that is not a saved run is never replaced.
        """
        from .saved_run import save_run

        save_run(self, path, overwrite=overwrite)

    def __repr__(self) -> str:
        many = f"{self.samples} samples, " if self.batched else ""
        last = f"{self.t[-1]:g} s" if len(self.t) else "no rows"
        kinds = sorted({status.title for status in self.status})
        return f"<Run of {self.system.name!r}: {many}{len(self.t)} rows, {last}, {'; '.join(kinds)}>"


def _of_sample(name: str, ends: Any, i: int) -> Any:
    """What sample i ended with, with a leading dimension of one."""
    if ends is None:
        return None
    if name in ("memory", "switches"):
        return {key: x[i : i + 1] for key, x in ends.items()}
    if name == "y":
        return {key: signal.map(lambda x: x[i : i + 1]) for key, signal in ends.items()}
    return ends[i : i + 1]


def _sample_provenance(provenance: Mapping[str, Any], i: int) -> dict[str, Any]:
    numbers = provenance.get("samples")
    return dict(provenance) | ({"samples": [numbers[i]]} if numbers else {})
