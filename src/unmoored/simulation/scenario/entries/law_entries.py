"""Control laws in a scenario file, by name. Several in a list add up."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ....model.files.yaml.schema import Entry, Name, Number, PoseEntry
from .entry_types import PerDof
from .motion_entries import MotionEntry


class InputsEntry(Entry):
    """Constant inputs by name; the rest is zero."""

    type: Literal["Inputs"]
    values: dict[str, Number]


class JointPDEntry(Entry):
    """Springs and dampers toward references of joints, weight and buoyancy compensated.

    targets: constant references (rad, m) by joint, motions: moving ones.
    """

    type: Literal["JointPD"]
    stiffness: PerDof
    damping: PerDof
    targets: dict[str, PerDof] = Field(default_factory=dict)
    motions: dict[str, MotionEntry] = Field(default_factory=dict)
    compensation: bool = True


class StationKeepingEntry(Entry):
    """Holds a body at a pose of the world, with stiffness and damping (x, y, z, and about x, y, z) in body axes."""

    type: Literal["StationKeeping"]
    body: Name
    pose: PoseEntry = PoseEntry()
    stiffness: PerDof
    damping: PerDof
    compensation: bool = True


class ReactionModeEntry(Entry):
    """Lets a body drift and pushes it back only beyond bounds (m, rad) from a pose of the world."""

    type: Literal["ReactionMode"]
    body: Name
    pose: PoseEntry = PoseEntry()
    stiffness: PerDof
    damping: PerDof
    position_bound: Number
    angle_bound: Number


class ResolvedMotionEntry(Entry):
    """Takes a frame straight to a pose of the world while the passive DoFs give way."""

    type: Literal["ResolvedMotion"]
    frame: Name
    pose: PoseEntry = PoseEntry()
    passive: list[Name]
    rate: PerDof = 1.0
    damping: PerDof = 1.0
    regularisation: Number = 0.01


LawEntry = Annotated[
    InputsEntry | JointPDEntry | StationKeepingEntry | ReactionModeEntry | ResolvedMotionEntry,
    Field(discriminator="type"),
]
