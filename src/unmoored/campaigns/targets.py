"""What a variable of a campaign changes in a sample: a parameter, a gain, the state at the start, a sea.

elbow.mass, thruster_1.fails_at      a number of the plant that can be free (`plant.available_parameters()`);
ocean.current[0]                     one entry of it; parameters.NAME says the same
controller.stiffness                 a gain of the law, by its name or the end of it ("laws.0.stiffness");
controllers.0.stiffness              of one of the laws of a scenario file
sensors.imu.accelerometer_noise      a number of a sensor
initial.joints.elbow                 a coordinate, or the pose of a joint that is stored as one; of such a joint
initial.joints.rov.xyz, .rotation    also its position or its rotation alone
initial.velocities.rov.vx            a velocity, by joint or DoF
initial.actuators.NAME               a state of an actuator
sea.seed                             the phases of a sea's waves, by a whole number (`Integers`)
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.errors import unknown_name
from ..sensing.sensor_suite import Sensors
from ..worlds import Law, Plant
from ..worlds.gains import gains_of, with_gains

_ENTRY = re.compile(r"(.+)\[(\d+)\]")


@dataclass
class Inputs:
    """What `simulate` is given for S samples: states (S, n), and values by name of what varies beside them."""

    q: np.ndarray
    v: np.ndarray
    x: np.ndarray
    parameters: dict[str, Any]
    gains: dict[str, np.ndarray] = field(default_factory=dict)
    sensor_gains: dict[str, np.ndarray] = field(default_factory=dict)


class Target(ABC):
    """Where the values of a variable go."""

    #: shape of one value
    shape: tuple[int, ...]

    @property
    @abstractmethod
    def places(self) -> tuple[str, ...]:
        """A name for every number that it sets, the same whatever the key was."""

    @abstractmethod
    def put(self, inputs: Inputs, values: np.ndarray) -> None:
        """Put values (S, *shape) in."""


@dataclass(frozen=True)
class ParameterTarget(Target):
    name: str
    shape: tuple[int, ...]
    nominal: np.ndarray
    entry: int | None = None

    @property
    def places(self) -> tuple[str, ...]:
        entries = range(self.nominal.size) if self.entry is None else (self.entry,)
        return tuple(f"{self.name}[{k}]" for k in entries)

    def put(self, inputs: Inputs, values: np.ndarray) -> None:
        if self.entry is None:
            inputs.parameters[self.name] = values
            return
        now = np.asarray(inputs.parameters.get(self.name, self.nominal), dtype=float)
        full = np.array(np.broadcast_to(now.reshape(-1, self.nominal.size), (len(values), self.nominal.size)))
        full[:, self.entry] = values
        inputs.parameters[self.name] = full.reshape(len(values), *self.nominal.shape)


@dataclass(frozen=True)
class SeaTarget(Target):
    sea: Any
    shape: tuple[int, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        return (f"{self.sea.name}.seed",)

    def put(self, inputs: Inputs, values: np.ndarray) -> None:
        if np.any(values != np.floor(values)) or np.any(values < 0):
            raise ModelError.single(
                f"{self.sea.name}.seed",
                "value",
                expected="whole numbers ≥ 0: um.Integers",
                given=repr(values[0]),
            )
        phases = np.stack([self.sea.phases_of(int(seed)) for seed in values])
        inputs.parameters[f"{self.sea.name}.phases"] = phases


@dataclass(frozen=True)
class GainTarget(Target):
    name: str
    shape: tuple[int, ...]
    of_sensors: bool = False

    @property
    def places(self) -> tuple[str, ...]:
        return (f"{'sensors' if self.of_sensors else 'controller'}.{self.name}",)

    def put(self, inputs: Inputs, values: np.ndarray) -> None:
        (inputs.sensor_gains if self.of_sensors else inputs.gains)[self.name] = values


@dataclass(frozen=True)
class JointTarget(Target):
    """part: "", or "xyz" or "rotation" of a joint that is stored as a pose."""

    plant: Plant
    joint: str
    part: str
    shape: tuple[int, ...]

    @property
    def places(self) -> tuple[str, ...]:
        link = self.plant.tree.link(self.joint)
        return tuple(f"{link.name}.{part}" for part in ((self.part,) if self.part else ("xyz", "rotation")))

    def put(self, inputs: Inputs, values: np.ndarray) -> None:
        link, system = self.plant.tree.link(self.joint), self.plant.system
        if self.part:
            full = np.array(system.unpack(inputs.q)[link.name])
            place = (slice(None), slice(3), 3) if self.part == "xyz" else (slice(None), slice(3), slice(3))
            full[place] = values
            values = full
        inputs.q[:, link.q] = np.atleast_2d(system.pack({self.joint: values}))[:, link.q]


@dataclass(frozen=True)
class VelocityTarget(Target):
    plant: Plant
    name: str
    place: slice
    shape: tuple[int, ...]

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(f"v[{k}]" for k in range(self.place.start, self.place.stop))

    def put(self, inputs: Inputs, values: np.ndarray) -> None:
        inputs.v[:, self.place] = values.reshape(len(values), -1)


@dataclass(frozen=True)
class ActuatorTarget(Target):
    place: int
    shape: tuple[int, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        return (f"x[{self.place}]",)

    def put(self, inputs: Inputs, values: np.ndarray) -> None:
        inputs.x[:, self.place] = values


def target_of(key: str, plant: Plant, law: Any, sensors: tuple[Any, ...]) -> Target:
    """What a key of `vary` stands for; a `ModelError` lists what there is."""
    group, _, name = key.partition(".")
    if group == "initial":
        kind, _, name = name.partition(".")
        makers = {"joints": _joint, "velocities": _velocity, "actuators": _actuator}
        if kind not in makers:
            raise unknown_name("Campaign", "vary: initial", kind, makers)
        return makers[kind](name, plant)
    if group == "controller" or group == "controllers":
        return _gain(key, name, law, of_file=group == "controllers")
    if group == "sensors":
        return _sensor(name, sensors)
    name = name if group == "parameters" else key
    seas = {f"{world.name}.seed": world for world in plant.worlds if hasattr(world, "phases_of")}
    return SeaTarget(seas[name]) if name in seas else _parameter(key, name, plant)


def freed(plant: Plant, targets: list[Target]) -> Plant:
    """The plant with all numbers free that targets change."""
    wanted = [t.name for t in targets if isinstance(t, ParameterTarget)]
    wanted += [f"{t.sea.name}.phases" for t in targets if isinstance(t, SeaTarget)]
    known = {parameter.name for parameter in plant._declared}
    new = [name for name in dict.fromkeys(wanted) if name not in known]
    return plant._with_free((*(p.name for p in plant._declared), *new)) if new else plant


def law_with(law: Any, gains: dict[str, np.ndarray]) -> Any:
    """The law with some of its gains in the place of its own."""
    if not gains:
        return law
    return with_gains(law, {gain.name: gains.get(gain.name, gain.values) for gain in gains_of(law)})


def sensors_with(sensors: tuple[Any, ...], gains: dict[str, np.ndarray]) -> tuple[Any, ...]:
    """The sensors with some of their numbers in the place of their own."""
    return law_with(Sensors(tuple(sensors)), gains).sensors if gains else sensors


def _parameter(key: str, name: str, plant: Plant) -> Target:
    known = plant.available_parameters()
    for actuator in plant.actuators or ():  # one that never fails fails later than any run ends
        known.setdefault(f"{actuator.label}.fails_at", np.asarray(1e30))
    if name in known:
        return ParameterTarget(name, known[name].shape, known[name])
    entry = _ENTRY.fullmatch(name)
    if entry and entry[1] in known and known[entry[1]].shape and int(entry[2]) < known[entry[1]].size:
        return ParameterTarget(entry[1], (), known[entry[1]], int(entry[2]))
    raise unknown_name("Campaign", "vary", key, [*known, "initial.joints.NAME", "controller.GAIN"])


def _joint(name: str, plant: Plant) -> Target:
    tree = plant.tree
    names = {link.name: link for link in tree.links if link.joint.nv} | {
        tree.link(body).name: tree.link(body) for body in tree.names if tree.link(body).joint.nv
    }
    owner, _, part = name.rpartition(".")
    if name not in names and owner in names and part in ("xyz", "rotation"):
        link = names[owner]
        if link.joint.nq <= link.joint.nv:
            raise ModelError.single(
                f"initial.joints.{name}", part, expected="a joint with a pose", given=owner
            )
        return JointTarget(plant, owner, part, (3,) if part == "xyz" else (3, 3))
    if name not in names:
        raise unknown_name("Campaign", "vary: initial.joints", name, names)
    joint = names[name].joint
    shape = (4, 4) if joint.nq > joint.nv else () if joint.nq == 1 else (joint.nq,)
    return JointTarget(plant, name, "", shape)


def _velocity(name: str, plant: Plant) -> Target:
    tree = plant.tree
    dofs = {dof: slice(k, k + 1) for k, dof in enumerate(tree.dof_names)}
    joints = {link.name: link.v for link in tree.links if link.joint.nv > 1}
    if name in dofs:
        return VelocityTarget(plant, name, dofs[name], ())
    if name in joints:
        return VelocityTarget(plant, name, joints[name], (joints[name].stop - joints[name].start,))
    raise unknown_name("Campaign", "vary: initial.velocities", name, [*joints, *dofs])


def _actuator(name: str, plant: Plant) -> Target:
    if name not in plant.state_names:
        raise unknown_name("Campaign", "vary: initial.actuators", name, plant.state_names)
    return ActuatorTarget(plant.state_names.index(name))


def _gain(key: str, name: str, law: Any, of_file: bool) -> Target:
    if not isinstance(law, Law):
        raise ModelError.single(
            "Campaign", f"vary: {key}", expected="a law (um.Law) with gains", given=repr(law)
        )
    gains = {gain.name: gain for gain in gains_of(law)}
    if of_file:
        number, _, name = name.partition(".")
        own = {n: g for n, g in gains.items() if f".laws.{number}." in f".{n}"}
        several = any(".laws." in f".{n}" for n in gains)
        gains = own if several else gains if number == "0" else {}
    found = [n for n in gains if n == name or n.endswith(f".{name}")]
    if len(found) != 1:
        expected = f"one of {', '.join(gains) or 'none'}"
        given = f"{name!r}, which could be {', '.join(found)}" if found else repr(name)
        raise ModelError.single("Campaign", f"vary: {key}", expected=expected, given=given)
    gain = gains[found[0]]
    _check_batched(key, law, gain)
    return GainTarget(gain.name, gain.shape)


def _sensor(name: str, sensors: tuple[Any, ...]) -> Target:
    numbers = {}
    if sensors:
        for gain in gains_of(Sensors(tuple(sensors))):
            _, place, rest = gain.name.split(".", 2)
            numbers[f"{sensors[int(place)].name}.{rest}"] = gain
    if name not in numbers:
        raise unknown_name("Campaign", "vary: sensors", name, numbers)
    _check_batched(f"sensors.{name}", Sensors(tuple(sensors)), numbers[name])
    return GainTarget(numbers[name].name, numbers[name].shape, of_sensors=True)


def _check_batched(key: str, law: Any, gain: Any) -> None:
    """Refuse a gain whose shape nobody declares: samples of it could not be told from entries."""
    two = (
        law_with(law, {gain.name: np.stack([gain.values, gain.values])})
        if gain.values.shape == gain.shape
        else None
    )
    if two is None or next(g for g in gains_of(two) if g.name == gain.name).shape != gain.shape:
        expected = "a gain of one sample whose shape is declared: annotated float, or in `shapes`"
        raise ModelError.single(
            "Campaign", f"vary: {key}", expected=expected, given=f"shape {gain.values.shape}"
        )
