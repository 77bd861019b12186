"""Actuators, constraints and joint effects in a scenario file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ....model.files.yaml.schema import Entry, Name, Number, Vector
from .entry_types import Pair


class _Actuator(Entry):
    name: Name = None  # type: ignore[assignment]
    limits: Pair = None
    lag: Number = None
    fails_at: Number = None


class ThrusterEntry(_Actuator):
    """Thrust (N) along `direction` at the point `at` of a frame; with `azimuth` it turns about that axis."""

    type: Literal["Thruster"]
    frame: Name
    at: Vector = None
    direction: Vector = None
    azimuth: Vector = None


class RotorEntry(_Actuator):
    """A thruster with a drag torque spin · drag_ratio · thrust about its direction."""

    type: Literal["Rotor"]
    frame: Name
    at: Vector = None
    direction: Vector = None
    drag_ratio: Number = None
    spin: Literal[1, -1] = None  # type: ignore[assignment]


class FinEntry(_Actuator):
    """A plate that turns about `axis` and feels the flow; the command is its angle (rad)."""

    type: Literal["Fin"]
    frame: Name
    area: Number
    at: Vector = None
    axis: Vector = None
    forward: Vector = None
    lift_slope: Number = None
    drag: Number = None
    density: Number = None


class RudderEntry(FinEntry):
    """A fin that turns about the vertical."""

    type: Literal["Rudder"]  # type: ignore[assignment]


class ReactionWheelEntry(_Actuator):
    """A wheel of `inertia` (kg m²) about `axis` in a frame; the command is the torque on it (N m)."""

    type: Literal["ReactionWheel"]
    frame: Name
    inertia: Number
    axis: Vector = None


class JointMotorEntry(_Actuator):
    """Drives the DoFs of a joint: force = gear · command."""

    type: Literal["JointMotor"]
    joint: Name
    gear: Number = None


class WrenchEntry(_Actuator):
    """A wrench (f, n) on a frame, in its axes: six commands."""

    type: Literal["Wrench"]
    frame: Name


ActuatorEntry = Annotated[
    ThrusterEntry | RotorEntry | FinEntry | RudderEntry | ReactionWheelEntry | JointMotorEntry | WrenchEntry,
    Field(discriminator="type"),
]


class DifferentialDriveEntry(Entry):
    """Two driven wheels on one axle."""

    type: Literal["DifferentialDrive"]
    vehicle: Name
    axle: Name = None  # type: ignore[assignment]
    wheels: list[Name] = None  # type: ignore[assignment]
    radius: Number = None


class CarEntry(Entry):
    """A car with a steered front wheel."""

    type: Literal["Car"]
    vehicle: Name
    steering: Name
    axle: Name = None  # type: ignore[assignment]
    rear_wheels: list[Name] = None  # type: ignore[assignment]
    front_wheel: Name = None  # type: ignore[assignment]
    radius: Number = None


class ChaplyginSleighEntry(Entry):
    """A blade that does not slip sideways."""

    type: Literal["ChaplyginSleigh"]
    vehicle: Name
    blade: Name = None  # type: ignore[assignment]


class RollingBallEntry(Entry):
    """A ball that rolls on the level ground."""

    type: Literal["RollingBall"]
    vehicle: Name
    radius: Number
    centre: Name = None  # type: ignore[assignment]
    normal: Vector = None


ConstraintEntry = Annotated[
    DifferentialDriveEntry | CarEntry | ChaplyginSleighEntry | RollingBallEntry, Field(discriminator="type")
]


class JointEffectsEntry(Entry):
    """Which effects of the joints' options act, and the numbers that the options do not say."""

    springs: bool = True
    damping: bool = True
    friction: bool = True
    stops: bool = True
    friction_speed: Number = None
    stop_frequency: Number = None
    stop_stiffness: Number = None
    stop_damping: Number = None
