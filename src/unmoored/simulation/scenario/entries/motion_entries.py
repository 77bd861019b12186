"""Motions over time in a scenario file: of prescribed joints, and as references of control laws."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ....model.files.yaml.schema import Entry, Number
from .entry_types import List, PerDof

Values = Annotated[list[PerDof], Field(min_length=2, max_length=2000)]


class _Motion(Entry):
    fails_at: Number = None


class ConstantEntry(_Motion):
    """Held where it is told (rad, m)."""

    type: Literal["Constant"]
    value: PerDof


class QuinticEntry(_Motion):
    """From rest to rest through values (rad, m) at times (s), with continuous acceleration."""

    type: Literal["Quintic"]
    times: List
    values: Values


class SampledEntry(_Motion):
    """A cubic spline through values (rad, m) at times (s), at rest at both ends."""

    type: Literal["Sampled"]
    times: List
    values: Values


class SineEntry(_Motion):
    """mean + amplitude · (sin(2π t / period + phase) − sin(phase))."""

    type: Literal["Sine"]
    amplitude: PerDof
    period: PerDof
    mean: PerDof = 0.0
    phase: PerDof = 0.0


MotionEntry = Annotated[ConstantEntry | QuinticEntry | SampledEntry | SineEntry, Field(discriminator="type")]
