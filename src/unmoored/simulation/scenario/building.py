"""A validated scenario file → `Scenario`: parts are built one by one, and all problems are collected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from ...integrators import method_named
from ...model import JOINTS, ModelError, Pose, limits
from ...model.files.file_problems import Problems
from ...model.files.yaml.schema import PoseEntry
from ...model.files.yaml.yaml_document import Document, Path, path_text
from ...model.names import check_plain_name, check_text
from ...sensing import Estimated
from ...sensing.sensor_suite import suite_of
from ...system import System
from ...worlds import Plant, Space
from ...worlds.plants.floating_plant import EQUATIONS, check_floats
from ...worlds.plants.plant_step import suitable_method
from ..arguments import check_orbit, iterations, one_of, whole
from ..channel import channel
from ..law_channels import MemoryLayout, memory_layout
from ..measured import check_measured
from .class_entries import ClassEntry
from .followers import with_followers
from .inlined_tables import InlinedTables
from .laws import controller_of
from .registry import SENSOR_KEYS
from .scenario import Scenario
from .scenario_file import ScenarioFile
from .sweeps import number_of_samples, sweep_values
from .system_source import system_named

_SWEPT = "initial.joints.NAME, initial.velocities.NAME, parameters.NAME or controllers.0.GAIN"


def build(
    entry: ScenarioFile,
    document: Document,
    problems: Problems,
    folder: FilePath,
    system: System | None = None,
) -> Scenario:
    """The scenario of a file; a `ModelError` lists everything that is wrong with it. system: if it is known already."""
    return _Builder(entry, document, problems, folder, system).scenario()


class _Builder:
    def __init__(
        self,
        entry: ScenarioFile,
        document: Document,
        problems: Problems,
        folder: FilePath,
        system: System | None,
    ):
        self._entry, self._document, self._problems, self._folder = entry, document, problems, folder
        self._known = system
        self._tables = InlinedTables(folder)

    def scenario(self) -> Scenario:
        entry = self._entry
        self._at(("name",), lambda: check_plain_name("", entry.name))
        self._at(("description",), lambda: check_text("", "description", entry.description))
        system = self._at(("system",), self._system)
        self._problems.raise_any()
        assert system is not None
        swept = self._swept()
        plant = self._plant(system, swept)
        q0 = self._at(("initial", "joints"), lambda: self._configuration(system, swept))
        v0 = self._at(("initial", "velocities"), lambda: self._velocity(system, swept))
        events = self._listed("events")
        for i, event in enumerate(events):
            if event is not None:
                self._at(("events", i), lambda e=event: channel(system.tree, e.channel))
        self._check_integrator()
        noise = self._object(entry.noise, ("noise",))
        sensors = self._listed("sensors")
        self._problems.raise_any()
        for i, sensor in enumerate(sensors):
            self._at(("sensors", i), lambda s=sensor: suite_of(s, plant, entry.integrator.control_step))
        self._at(("sensors",), lambda: suite_of(sensors, plant, entry.integrator.control_step))
        self._problems.raise_any()
        law = self._at(("controllers",), lambda: self._controller(plant, _names(swept, "controllers")))
        law = self._at(("filter",), lambda: self._estimated(plant, law, sensors))
        self._problems.raise_any()
        memory = memory_layout(law, entry.integrator.control_step)
        self._check_outputs(plant, law, memory)
        passes = self._listed("passes")
        for i, criterion in enumerate(passes):
            if criterion is not None:
                self._at(("passes", i), lambda c=criterion: c.check(plant, memory))
        for key in entry.sabotage:
            self._at(("sabotage", key), lambda k=key: check_plain_name("", k))
        self._problems.raise_any()
        q0, v0 = self._with_followers(plant, swept, q0, v0)
        integrator, samples = entry.integrator, number_of_samples(self._sweeps, entry.samples)
        self._check_times(plant)
        rows = 1 + entry.duration / integrator.step / entry.outputs.record_every
        kept = rows * (samples or 1) * (system.nq + system.nv)
        self._at(
            ("outputs",),
            lambda: limits.check("rows", kept, "", "numbers to keep (record_every says how often)"),
        )
        self._problems.raise_any()
        if samples is not None and q0.ndim == 1:
            q0 = np.tile(q0, (samples, 1))
        return Scenario(
            name=entry.name,
            plant=plant,
            q0=q0,  # type: ignore[arg-type]
            v0=v0,  # type: ignore[arg-type]
            duration=float(entry.duration),
            step=float(integrator.step),
            method=integrator.method,
            description=entry.description,
            controller=law,
            control_step=integrator.control_step,
            parameters=self._parameters(swept),
            events=tuple(events),
            noise=noise,
            sensors=tuple(sensors),
            record_every=entry.outputs.record_every,
            seed=entry.seed,
            samples=samples,
            options=self._options(plant),
            channels=tuple(entry.outputs.channels),
            frames=tuple(entry.outputs.frames),
            data=self._tables.put_into(self._document.data),
            passes=tuple(passes),
            sabotages=tuple(entry.sabotage),
        )

    def _check_times(self, plant: Plant) -> None:
        """What a run would refuse of its duration and method is refused with the file."""
        given, duration = self._entry.integrator, float(self._entry.duration)
        self._at(("duration",), lambda: whole("value", duration, float(given.step), "the step", ""))
        self._at(("duration",), lambda: check_orbit(plant, 0.0, duration, ""))
        self._at(("integrator",), lambda: suitable_method("", plant, given.method))

    def _system(self) -> System:
        if self._known is not None:
            return self._known
        base = JOINTS[self._entry.base]() if self._entry.base else None
        return system_named(self._entry.system, self._folder, base)

    def _swept(self) -> dict[str, np.ndarray]:
        """{key: values (S, ...)} of all sweeps, their keys checked."""
        entry = self._entry
        for key in entry.sweeps:
            if not key.startswith(("initial.joints.", "initial.velocities.", "parameters.", "controllers.")):
                self._note(("sweeps", key), "key", f"one of {_SWEPT}", repr(key))
        self._sweeps = {key: self._object(sweep, ("sweeps", key)) for key, sweep in entry.sweeps.items()}
        self._problems.raise_any()
        swept = self._at(("sweeps",), lambda: sweep_values(self._sweeps, entry.samples, entry.seed))
        self._problems.raise_any()
        assert swept is not None
        return swept

    def _plant(self, system: System, swept: dict[str, np.ndarray]) -> Any:
        entry = self._entry
        if entry.world is not None and entry.worlds:
            self._note(("worlds",), "worlds", "either world or worlds", "both")
        worlds = [self._object(entry.world, ("world",))] if entry.world else self._listed("worlds")
        actuators, constraints = self._listed("actuators"), self._listed("constraints")
        elements, closures = self._listed("elements"), self._listed("closures")
        for key, ties in (("elements", elements), ("closures", closures)):
            for i, tie in enumerate(ties):
                if tie is not None:
                    self._at((key, i), lambda x=tie: x.check(system.tree))
        prescribed = {name: self._object(x, ("prescribed", name)) for name, x in entry.prescribed.items()}
        for name, motion in prescribed.items():
            if motion is not None:
                path = ("prescribed", name)
                self._at(path, lambda n=name, m=motion: m.check(n, system.tree.link(n).joint))
        effects = self._object(entry.joint_effects, ("joint_effects",))
        if self._problems:
            return None
        names = dict.fromkeys([*entry.parameters, *_names(swept, "parameters")])
        return self._at(
            (),
            lambda: Plant(
                system,
                tuple(worlds) or Space(),
                actuators=None if entry.actuators is None else actuators,
                constraints=constraints,
                prescribed=prescribed,
                free=list(names),
                joints=effects,
                elements=elements,
                closures=closures,
            ),
        )

    def _listed(self, key: str) -> list[Any]:
        return [self._object(item, (key, i)) for i, item in enumerate(getattr(self._entry, key) or [])]

    def _controller(self, plant: Any, swept: dict[str, np.ndarray]) -> Any:
        self._made = plant
        makers = [
            lambda entry=entry, path=("controllers", i), **gains: self._object(entry, path, **gains)
            for i, entry in enumerate(self._entry.controllers)
        ]
        for make in makers:  # all of them, so that every mistake is told
            make()
        if self._problems:
            return None
        entry = self._entry
        given = {} if entry.allocation is None else entry.allocation.given()
        unloading = None if entry.unloading is None else entry.unloading.given()
        key = "allocation" if given else "controllers" if unloading is None else "unloading"
        if key != "controllers" and plant.actuators is None:
            self._note((key,), key, "actuators to share forces out among", "none")
            return None
        if given and unloading is not None:
            self._note(("unloading",), "unloading", "either allocation or unloading", "both")
            return None
        return self._at((key,), lambda: controller_of(makers, plant, swept, given, unloading))

    def _estimated(self, plant: Any, law: Any, sensors: list[Any]) -> Any:
        """The law, acting on what the file's filter estimates, if it has one."""
        entry = self._entry.filter
        if entry is None:
            return law
        if law is None:
            self._note(("filter",), "controllers", "a law that acts on the estimate", "none")
            return None
        known = {sensor.name: sensor for sensor in sensors}
        named: dict[str, Any] = {}
        for key in SENSOR_KEYS:
            given = entry.given().get(key)
            names = [given] if isinstance(given, str) else given or []
            for name in names:
                if name not in known:
                    expected = f"a sensor of this file: {', '.join(known) or 'none'}"
                    self._note(("filter", key), "sensor", expected, repr(name))
            found = tuple(known.get(name) for name in names)
            if given is not None:
                named[key] = found[0] if isinstance(given, str) else found
        self._problems.raise_any()
        made = self._object(entry, ("filter",), plant=plant, **named)
        return None if made is None else Estimated(made, law)

    def _object(self, value: Any, path: Path, **more: Any) -> Any:
        """What an entry of the file stands for, its parts first; None if a part is wrong, which is noted.

        more: fields that the file does not say, or other values of those that it does.
        """
        if isinstance(value, PoseEntry):
            return self._at(path, lambda: Pose(**value.given()))
        if isinstance(value, list) and value and isinstance(value[0], PoseEntry):
            return [self._object(x, (*path, i)) for i, x in enumerate(value)]
        if isinstance(value, dict):
            return {key: self._object(x, (*path, key)) for key, x in value.items()}
        if isinstance(value, list):
            return [self._object(x, (*path, i)) for i, x in enumerate(value)]
        if not isinstance(value, ClassEntry):
            return value
        before = len(self._problems)
        given = {key: self._object(x, (*path, key)) for key, x in value.given().items() if key != "type"}
        self._tables.read(value.stands_for, given, path, self._at)
        if len(self._problems) > before:
            return None
        if "plant" in {field.name for field in fields(value.stands_for)}:  # a law, or one inside another
            more = {"plant": self._made, **more}
        return self._at(path, lambda: value.stands_for(**{**given, **more}))

    def _configuration(self, system: System, swept: dict[str, np.ndarray]) -> np.ndarray | None:
        values: dict[str, Any] = {}
        for name, value in self._entry.initial.joints.items():
            path: Path = ("initial", "joints", name)
            built = self._object(value, path)
            built = getattr(built, "matrix", built)
            if built is not None:
                self._at(path, lambda n=name, b=built: _check_one(n, b, system.pack({n: b})))
            values[name] = built
        return None if self._problems else system.pack(values | _names(swept, "initial.joints"))

    def _velocity(self, system: System, swept: dict[str, np.ndarray]) -> np.ndarray | None:
        values = dict(self._entry.initial.velocities)
        for name, value in values.items():
            path = ("initial", "velocities", name)
            self._at(path, lambda n=name, v=value: _check_one(n, v, system.pack_velocity({n: v})))
        if self._problems:
            return None
        return system.pack_velocity(values | _names(swept, "initial.velocities"))

    def _with_followers(
        self, plant: Any, swept: dict[str, np.ndarray], q0: Any, v0: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """The state (..., nq), (..., nv), with followers that the file does not place at their leaders."""
        initial = self._entry.initial
        placed = (*initial.joints, *_names(swept, "initial.joints"))
        moving = (*initial.velocities, *_names(swept, "initial.velocities"))
        return with_followers(plant, self._parameters(swept), q0, v0, placed, moving)

    def _parameters(self, swept: dict[str, np.ndarray]) -> dict[str, Any]:
        fixed = {name: np.asarray(value, dtype=float) for name, value in self._entry.parameters.items()}
        return fixed | _names(swept, "parameters")

    def _check_outputs(self, plant: Any, law: Any, memory: MemoryLayout) -> None:
        outputs, tree = self._entry.outputs, plant.tree
        inputs = plant.input_names if law is not None else ()
        for i, name in enumerate(outputs.channels):
            path = ("outputs", "channels", i)
            self._at(path, lambda n=name: check_measured(tree, n, None, plant, inputs, memory))
        known = [*tree.names, *(frame.name for frame in tree.frames)]
        for i, name in enumerate(outputs.frames):
            if name not in known:
                self._note(
                    ("outputs", "frames", i), "unknown frame", f"one of {', '.join(known)}", repr(name)
                )

    def _check_integrator(self) -> None:
        entry = self._entry
        self._at(("integrator", "method"), lambda: method_named(entry.integrator.method))
        for path, value in ((("duration",), entry.duration), (("integrator", "step"), entry.integrator.step)):
            if not value > 0:
                self._note(path, "value", "a number > 0 (s)", repr(value))
                return
        steps = entry.duration / entry.integrator.step
        self._at(("duration",), lambda: limits.check("steps", steps, "", "number of steps"))

    def _reduced(self, plant: Any, equations: str) -> str:
        """The name of the equations, which the plant must suit."""
        one_of("equations", equations, EQUATIONS, "integrator")
        check_floats("integrator", plant, self._entry.integrator.method, self._entry.controllers or None)
        return equations

    def _options(self, plant: Any) -> dict[str, Any]:
        """Tolerances, iterations, and states of the actuators at the start, if the file gives them."""
        found: dict[str, Any] = {}
        if (equations := self._entry.integrator.equations) != "full":
            found["equations"] = self._at(
                ("integrator", "equations"), lambda: self._reduced(plant, equations)
            )
        if (given := self._entry.integrator.tolerances) is not None:
            found["tolerance"] = self._object(given, ("integrator", "tolerances"))
        if (count := self._entry.integrator.iterations) is not None:
            found["iterations"] = self._at(
                ("integrator", "iterations"), lambda: iterations(self._entry.integrator.method, count)
            )
        if states := self._entry.initial.actuators:
            for name in states:
                if name not in plant.state_names:
                    expected = f"one of {', '.join(plant.state_names) or 'none'}"
                    self._note(("initial", "actuators", name), "unknown state", expected, repr(name))
            found["x0"] = np.array([float(states.get(name, 0.0)) for name in plant.state_names])
        self._problems.raise_any()
        return found

    def _at(self, path: Path, make: Any) -> Any:
        """make(), or None with its problems noted at the path."""
        with self._noted(path):
            return make()
        return None

    @contextmanager
    def _noted(self, path: Path) -> Iterator[None]:
        try:
            yield
        except ModelError as error:
            for problem in error.problems:
                inner = (*path, problem.rule)
                if problem.location:  # of another file, or noted already
                    if problem.location.partition(":")[0] != self._problems.source:
                        given = f"{problem.given} ({problem.location})"
                        self._note(path, f"{problem.where}: {problem.rule}", problem.expected, given)
                    continue
                known = inner in self._document.lines
                where = f"{problem.where}: {problem.rule}" if problem.where else problem.rule
                self._note(
                    inner if known else path, "value" if known else where, problem.expected, problem.given
                )

    def _note(self, path: Path, rule: str, expected: str, given: str) -> None:
        line = self._document.line(path)
        self._problems.add(path_text(path), rule, expected=expected, given=given, line=line)


def _names(swept: dict[str, np.ndarray], group: str) -> dict[str, np.ndarray]:
    """The swept values of one group, by what follows the group's name."""
    return {key.removeprefix(f"{group}."): x for key, x in swept.items() if key.startswith(f"{group}.")}


def _check_one(name: str, value: Any, packed: np.ndarray) -> None:
    """Refuse a list where one number belongs: it would be taken for a batch."""
    if packed.ndim != 1:
        raise ModelError.single(name, "state", expected="one number for its one DoF", given=repr(value))
