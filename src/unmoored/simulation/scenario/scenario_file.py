"""What a scenario file may say, format version 1: keys of its own, and the fields of public classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import ConfigDict, Field

from ...control import Allocated, Unloading
from ...integrators import METHODS
from ...integrators.step_control import Tolerances
from ...model import Pose
from ...model.field_types import Number, NumberOrSeries
from ...model.files.yaml.schema import Entry, Name, Text, Version
from ...model.files.yaml.schema import _without_noise as without_noise
from ...worlds import Closure, JointEffects
from ...worlds.plants.floating_plant import EQUATIONS
from ..criterion import Criterion
from ..events import ChannelEvent
from ..noise import Noise
from .class_entries import entry_of, file_type, one_of
from .registry import ACTUATORS, CONSTRAINTS, ELEMENTS, FILTERS, LAWS, MOTIONS, SENSORS, SWEEPS, WORLDS

Count = Annotated[int, Field(ge=1, le=10_000_000)]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
if TYPE_CHECKING:  # made from the classes at run time
    JointValue: TypeAlias = Any
    WorldEntry: TypeAlias = Any
    ActuatorEntry: TypeAlias = Any
    ConstraintEntry: TypeAlias = Any
    MotionEntry: TypeAlias = Any
    LawEntry: TypeAlias = Any
    SensorEntry: TypeAlias = Any
    FilterEntry: TypeAlias = Any
    SweepEntry: TypeAlias = Any
    JointEffectsEntry: TypeAlias = Any
    NoiseEntry: TypeAlias = Any
    EventEntry: TypeAlias = Any
    TolerancesEntry: TypeAlias = Any
    ElementEntry: TypeAlias = Any
    ClosureEntry: TypeAlias = Any
    AllocationEntry: TypeAlias = Any
    UnloadingEntry: TypeAlias = Any
    CriterionEntry: TypeAlias = Any
else:
    AllocationEntry, UnloadingEntry, CriterionEntry = (
        entry_of(cls, tagged=False) for cls in (Allocated, Unloading, Criterion)
    )
    JointValue = file_type(Pose | NumberOrSeries)
    WorldEntry, ActuatorEntry, ConstraintEntry = map(one_of, (WORLDS, ACTUATORS, CONSTRAINTS))
    MotionEntry, LawEntry, SweepEntry = map(one_of, (MOTIONS, LAWS, SWEEPS))
    SensorEntry, ElementEntry, FilterEntry = map(one_of, (SENSORS, ELEMENTS, FILTERS))
    JointEffectsEntry, NoiseEntry, EventEntry, TolerancesEntry, ClosureEntry = (
        entry_of(cls, tagged=False) for cls in (JointEffects, Noise, ChannelEvent, Tolerances, Closure)
    )


class InitialEntry(Entry):
    """State at t = 0, by the names of joints and of the actuators' states; the rest is neutral and at rest."""

    joints: dict[str, JointValue] = Field(default_factory=dict)
    velocities: dict[str, NumberOrSeries] = Field(default_factory=dict)
    actuators: dict[str, Number] = Field(default_factory=dict)


class IntegratorEntry(Entry):
    """Method, equations ("reduced": with constant momentum), step (s), tolerances of the adaptive method (dopri5),
    iterations of the implicit ones, and the controller's period (s)."""

    method: str = Field(default="rkmk4", json_schema_extra={"enum": list(METHODS)})
    equations: str = Field(default="full", json_schema_extra={"enum": list(EQUATIONS)})
    step: Number
    tolerances: TolerancesEntry = None
    iterations: Count = None  # type: ignore[assignment]
    control_step: Number = None


class OutputsEntry(Entry):
    """What is kept: every so many steps, and the channels of the table."""

    record_every: Count = 1
    channels: list[Name] = Field(default_factory=list)
    frames: list[Name] = Field(default_factory=list)


class ScenarioFile(Entry):
    """A system in a world, what drives it, and how long. SI units."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        json_schema_extra={"not": {"required": ["world", "worlds"]}}
    )

    unmoored_scenario: Version
    name: Name
    system: Annotated[str, Field(min_length=1, max_length=4096)]
    duration: Number
    integrator: IntegratorEntry
    description: Text = ""
    base: Literal["Fixed", "Free", "Planar", "Spherical", "Translation", "Schoenflies"] = None  # type: ignore[assignment]
    world: WorldEntry = None
    worlds: list[WorldEntry] = Field(default_factory=list)
    joint_effects: JointEffectsEntry = Field(default_factory=lambda: entry_of(JointEffects, tagged=False)())
    initial: InitialEntry = InitialEntry()
    actuators: list[ActuatorEntry] = None  # type: ignore[assignment]
    constraints: list[ConstraintEntry] = Field(default_factory=list)
    elements: list[ElementEntry] = Field(default_factory=list)
    closures: list[ClosureEntry] = Field(default_factory=list)
    prescribed: dict[str, MotionEntry] = Field(default_factory=dict)
    controllers: list[LawEntry] = Field(default_factory=list)
    allocation: AllocationEntry = None
    unloading: UnloadingEntry = None
    parameters: dict[str, NumberOrSeries] = Field(default_factory=dict)
    noise: NoiseEntry = None
    sensors: list[SensorEntry] = Field(default_factory=list)
    filter: FilterEntry = None
    events: list[EventEntry] = Field(default_factory=list)
    passes: list[CriterionEntry] = Field(default_factory=list)
    sabotage: dict[Name, dict[str, Any]] = Field(default_factory=dict)
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
