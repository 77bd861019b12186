"""Control laws in a scenario file, by name. Several in a list add up."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ....model.files.yaml.schema import Entry, Name, Number, PoseEntry
from .motions import MotionEntry
from .values import PerDof


class InputsEntry(Entry):
    """Constant inputs by name; the rest is zero."""

    type: Literal["Inputs"]
    values: dict[str, Number]


class JointPDEntry(Entry):
    """Springs and dampers toward references of joints, with the weight and buoyancy of the whole system compensated.

    joints: which; those with a reference if left out.  targets: constant references (rad, m), motions: moving ones.
    """

    type: Literal["JointPD"]
    stiffness: PerDof
    damping: PerDof
    targets: dict[str, Number] = Field(default_factory=dict)
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


LawEntry = Annotated[
    InputsEntry | JointPDEntry | StationKeepingEntry | ReactionModeEntry, Field(discriminator="type")
]
