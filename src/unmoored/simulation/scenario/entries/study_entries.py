"""Initial state, integrator, outputs, events and sweeps in a scenario file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from ....integrators import METHODS
from ....model.files.yaml.schema import Entry, Name, Number
from .entry_types import Count, JointValue, PerDof


class InitialEntry(Entry):
    """State at t = 0, by the names of joints and of the actuators' states; the rest is neutral and at rest."""

    joints: dict[str, JointValue] = Field(default_factory=dict)
    velocities: dict[str, PerDof] = Field(default_factory=dict)
    actuators: dict[str, Number] = Field(default_factory=dict)


class TolerancesEntry(Entry):
    """What an error of one step of the adaptive method may be, as in `Tolerances`."""

    configuration: Number = 1e-9
    velocity: Number = 1e-9
    state: Number = 1e-9
    relative: Number = 1e-9


class IntegratorEntry(Entry):
    """Method, step (s), tolerances of the adaptive method (dopri5), and the controller's period (s)."""

    method: str = Field(default="rkmk4", json_schema_extra={"enum": list(METHODS)})
    step: Number
    tolerances: TolerancesEntry = None  # type: ignore[assignment]
    control_step: Number = None


class OutputsEntry(Entry):
    """What is kept: every so many steps, and the channels of the table."""

    record_every: Count = 1
    channels: list[Name] = Field(default_factory=list)
    frames: list[Name] = Field(default_factory=list)


class EventEntry(Entry):
    """Stop when a channel rises above or falls below a value, or crosses it."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [k]} for k in ("rises_above", "falls_below", "crosses")]}
    )

    name: Name = None  # type: ignore[assignment]
    channel: Name
    rises_above: Number = None
    falls_below: Number = None
    crosses: Number = None


class NoiseEntry(Entry):
    """Standard deviations of what the controller measures, and of the inputs."""

    configuration: PerDof = 0.0
    velocity: PerDof = 0.0
    input: PerDof = 0.0


class ValuesSweep(Entry):
    """A list of values."""

    type: Literal["Values"]
    values: Annotated[list[PerDof], Field(min_length=1, max_length=10_000)]


class RangeSweep(Entry):
    """`count` values at equal distances from `start` to `stop`."""

    type: Literal["Range"]
    start: PerDof
    stop: PerDof
    count: Count


class UniformSweep(Entry):
    """A random value between `low` and `high` for each sample."""

    type: Literal["Uniform"]
    low: PerDof
    high: PerDof


class NormalSweep(Entry):
    """A random value with this mean and standard deviation for each sample."""

    type: Literal["Normal"]
    mean: PerDof
    deviation: PerDof


SweepEntry = Annotated[ValuesSweep | RangeSweep | UniformSweep | NormalSweep, Field(discriminator="type")]
