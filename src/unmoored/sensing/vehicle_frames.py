"""Frames on a vehicle, and its state from that of one of them: what filters of one vehicle share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..lie import se3
from ..lie.arrays import Array, apply, join, transpose
from ..model import Free, Link
from ..trace import plain_numbers
from ..worlds import Plant
from .aiding_models import wrong
from .extended_pose import ExtendedPose
from .sensor import Sensor

#: how far from a rotation the first attitude may be
_ON_GROUP = 1e-9


def first_pose(law: Any) -> Array:
    """The pose (..., 4, 4) of the vehicle in a filter's first estimate."""
    given = getattr(law.pose, "matrix", law.pose)
    try:
        matrix = plain_numbers(given)
    except (TypeError, ValueError):
        matrix = np.zeros(())
    given = matrix.shape[-2:] == (4, 4) and np.all(np.isfinite(matrix))
    if not given or not np.all(Free().group.contains(matrix, _ON_GROUP)):
        raise wrong(type(law).__name__, "pose", "a pose (4, 4), or one for each sample", law.pose)
    return matrix


@dataclass(frozen=True, eq=False)
class VehicleFrames:
    """The first vehicle of a plant, which is free, and frames on it."""

    plant: Any

    @property
    def link(self) -> Link:
        """The vehicle."""
        return self.plant.tree.link(self.plant.tree.vehicles[0])

    def place(self, frame: str) -> Array:
        """Pose (4, 4) of a frame on the vehicle."""
        return np.asarray(self.plant.system.tree.locate(frame)[1], dtype=float)

    def between(self, frame: str, other: str) -> Array:
        """Pose (4, 4) of another frame from one frame."""
        return se3.inverse(self.place(frame)) @ self.place(other)

    def check(self, *sensors: Sensor) -> None:
        """Refuse sensors that the vehicle does not carry."""
        for sensor in sensors:
            sensor.check(self.plant)
            if self.plant.system.tree.locate(sensor.frame)[0] != self.link.index:
                expected = f"frame on the vehicle {self.link.name}"
                raise wrong("filter", f"frame of {sensor.name}", expected, sensor.frame)

    def state(
        self, frame: str, χ: ExtendedPose, rate: Array, encoder: Any, joints: Mapping[str, Array]
    ) -> tuple[Array, Array]:
        """(q, v) of the plant from the extended pose of a frame on the vehicle, its rate (3,), and the arm's joints."""
        place = self.place(frame)
        g = se3.inverse(np.asarray(self.link.placement)) @ se3.pose(χ.R, χ.p) @ se3.inverse(place)
        V = se3.Ad_apply(place, join([apply(transpose(χ.R), χ.v), rate]))
        own = join([se3.rotation(g).reshape(9), se3.position(g)])
        q, v = [own], [V]
        for link in self.plant.tree.links[1:]:
            if not link.joint.nv:
                continue
            k = encoder.joints.index(link.name)
            q.append(joints["joints"][k : k + 1])
            v.append(joints["joint_rates"][k : k + 1])
        return join(q), join(v)


def checked_vehicle(filter: Any, sensor: Any, kind: type) -> None:
    """Refuse a plant whose first body is not a free vehicle, and a sensor of another kind or with a delay."""
    name = type(filter).__name__
    plant = filter.plant
    if not isinstance(plant, Plant):
        raise wrong(name, "plant", "a Plant", plant)
    vehicles = plant.tree.vehicles
    if len(vehicles) != 1 or not isinstance(plant.tree.link(vehicles[0]).joint, Free):
        raise wrong(name, "plant", "one vehicle, with a Free joint", ", ".join(vehicles))
    if plant.tree.link(vehicles[0]).index != 0:
        raise wrong(name, "plant", "the vehicle as its first body", vehicles[0])
    if not isinstance(sensor, kind):
        raise wrong(name, kind.__name__.lower(), f"a sensor {kind.__name__}", sensor)
    if sensor.delay:
        raise wrong(name, f"delay of {sensor.name}", "none", sensor.delay)


def arm_of(filter: Any, encoder: Any, kind: type) -> None:
    """Refuse a plant with joints that no encoder reads."""
    name = type(filter).__name__
    if encoder is not None and not isinstance(encoder, kind):
        raise wrong(name, "encoder", "a sensor Encoder", encoder)
    read = () if encoder is None else encoder.joints
    missing = [link.name for link in filter.plant.tree.links[1:] if link.joint.nv and link.name not in read]
    if missing:
        raise wrong(name, "encoder", f"one that reads all joints of the arm: {', '.join(missing)}", encoder)
