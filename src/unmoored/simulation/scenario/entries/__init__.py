"""What a scenario file may say: the keys and types of format version 1, the same names as in Python."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from ....model.files.yaml.schema import Entry, Name, Number, Text, Version
from ....model.files.yaml.schema import _without_noise as without_noise
from .actuator_entries import ActuatorEntry, ConstraintEntry, JointEffectsEntry
from .entry_types import Count, PerDof, Seed
from .law_entries import LawEntry
from .motion_entries import MotionEntry
from .study_entries import (
    EventEntry,
    InitialEntry,
    IntegratorEntry,
    NoiseEntry,
    NormalSweep,
    OutputsEntry,
    RangeSweep,
    SweepEntry,
    UniformSweep,
    ValuesSweep,
)
from .world_entries import WorldEntry


class ScenarioFile(Entry):
    """A system in a world, what drives it, and how long. SI units."""

    model_config = ConfigDict(json_schema_extra={"not": {"required": ["world", "worlds"]}})

    unmoored_scenario: Version
    name: Name
    system: Annotated[str, Field(min_length=1, max_length=4096)]
    duration: Number
    integrator: IntegratorEntry
    description: Text = ""
    base: Literal["Fixed", "Free", "Planar", "Spherical", "Translation", "Schoenflies"] = None  # type: ignore[assignment]
    world: WorldEntry = None  # type: ignore[assignment]
    worlds: list[WorldEntry] = Field(default_factory=list)
    joint_effects: JointEffectsEntry = JointEffectsEntry()
    initial: InitialEntry = InitialEntry()
    actuators: list[ActuatorEntry] = None  # type: ignore[assignment]
    constraints: list[ConstraintEntry] = Field(default_factory=list)
    prescribed: dict[str, MotionEntry] = Field(default_factory=dict)
    controllers: list[LawEntry] = Field(default_factory=list)
    parameters: dict[str, PerDof] = Field(default_factory=dict)
    noise: NoiseEntry = None  # type: ignore[assignment]
    events: list[EventEntry] = Field(default_factory=list)
    outputs: OutputsEntry = OutputsEntry()
    sweeps: dict[str, SweepEntry] = Field(default_factory=dict)
    samples: Count = None  # type: ignore[assignment]
    seed: Seed = 0


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a scenario file, for editors that check while one types."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "unmoored scenario file, version 1",
        **without_noise(ScenarioFile.model_json_schema()),
    }


__all__ = [
    "EventEntry", "InitialEntry", "IntegratorEntry", "NoiseEntry", "NormalSweep", "OutputsEntry",
    "RangeSweep", "ScenarioFile", "SweepEntry", "UniformSweep", "ValuesSweep", "json_schema",
]  # fmt: skip
