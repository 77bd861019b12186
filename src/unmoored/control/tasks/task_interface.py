"""What a task of `TaskPriority` is: rows that say how fast something should change, or within which bounds."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ...lie.arrays import apply
from ...model import ModelError
from ...model.errors import unknown_name
from ...model.field_types import Number, NumberOrSeries
from ...model.units import NO_UNIT
from ...model.value import replace_arrays
from ...trace import clip
from ...worlds.goal import Goal
from ...worlds.tunable import Tunable
from ..law_parts import are_numbers, gain


class Wanted(NamedTuple):
    """Rows of a task that wants something: ẏ = J v, ÿ = J a + bias; how far it is, and how the target itself moves.

    J (..., k, nv), bias J̇ v (..., k).  error (..., k): what is missing, whose rate is `rate` − J v where it is small.
    rate, acceleration (..., k): of the target, in the same axes; 0.0 if it is at rest.
    """

    J: np.ndarray
    error: np.ndarray
    bias: np.ndarray
    rate: Any = 0.0
    acceleration: Any = 0.0


class Bounded(NamedTuple):
    """Rows of a task that keeps something within bounds: low ≤ y ≤ high, ẏ = J v, ÿ = J a + bias.

    order: 0 if y is a function of q; 1 if the rows bound J v themselves; 2 if they bound J a + bias (then y is that).
    """

    J: np.ndarray
    value: np.ndarray
    bias: np.ndarray
    low: np.ndarray
    high: np.ndarray
    order: int = 0


class Task(Tunable):
    """One thing to do or to keep, for a level of `TaskPriority`. Subclasses are frozen; their numbers are gains.

    rate: how fast the error shrinks (1/s), one number or one per row. At the level of accelerations the error e obeys
    ë + 2 rate ė + rate² e = 0 where nothing of higher priority and no limit is in the way.
    start, stop: times (s) at which the task's level comes and goes, from the beginning and for good if None;
    ramp: how long (s) that takes, smoothly.
    """

    rate: NumberOrSeries = field(default=1.0, kw_only=True)
    start: Number = field(default=None, kw_only=True)
    stop: Number = field(default=None, kw_only=True)
    ramp: Number = field(default=1.0, kw_only=True)

    #: whether it bounds something
    keeps: ClassVar[bool] = False
    #: number of rows, if it does not depend on the plant
    rows_at_least: ClassVar[int] = 1
    #: of its rows, where nothing else tells it
    unit: ClassVar[str] = NO_UNIT

    def __post_init__(self) -> None:
        kind = type(self).__name__
        given = {"rate": gain(kind, "rate", self.rate, (self.size,))} if self.size else {}
        if not self.size and not are_numbers(self.rate):  # one each, once their number is known
            raise ModelError.single(kind, "rate", expected="numbers (1/s)", given=repr(self.rate))
        for name in ("start", "stop", "ramp"):
            if getattr(self, name) is not None:
                given[name] = gain(kind, name, getattr(self, name), ())
        replace_arrays(self, **given)
        if np.any(np.asarray(self.rate) <= 0):
            raise ModelError.single(kind, "rate", expected="> 0 (1/s)", given=repr(self.rate))
        if self.ramp is None or np.any(np.asarray(self.ramp) <= 0):
            raise ModelError.single(kind, "ramp", expected="> 0 (s)", given=repr(self.ramp))

    @property
    def size(self) -> int:
        """Number of rows; 0 while that is not known."""
        return self.rows_at_least

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        times = {name: () for name in ("start", "stop", "ramp") if getattr(self, name) is not None}
        return ({"rate": (self.size,)} if self.size else {}) | times

    def on(self, plant: Any) -> Self:
        """The task made ready for a plant; refused if it does not fit."""
        return self

    @abstractmethod
    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Wanted | Bounded:
        """The rows at time t (...), q (..., nq), v (..., nv); numbers and symbols alike."""

    def goals(self, plant: Any, level: int) -> tuple[Goal, ...]:
        """What the task wants at a level of `TaskPriority`: its error, or by how much its bounds are passed."""

        def error(t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
            rows = self.rows(plant, t, q, v)
            if isinstance(rows, Wanted):
                return np.broadcast_to(rows.error, (*q.shape[:-1], self.size))
            if rows.order == 2:  # bounds of accelerations, which records do not tell
                return np.full((*q.shape[:-1], self.size), np.nan)
            y = rows.value if rows.order == 0 else apply(rows.J, v)
            return np.maximum(np.maximum(rows.low - y, y - rows.high), 0.0)

        names = tuple(map(str, range(1, self.size + 1)))
        name = goal_name(self, level)
        return (Goal(name, "task", error, names, (self.unit,) * self.size, level=level),)

    @property
    def always(self) -> bool:
        """Whether all of the task is in force at all times."""
        return self.start is None and self.stop is None

    def activity(self, plant: Any, t: Any, q: np.ndarray) -> Any:
        """How much (...) of the task is in force, 0 to 1, twice differentiable; the number 1.0 if always all."""
        share = 1.0
        if self.start is not None:
            share = share * smooth_step((t - self.start) / self.ramp)
        if self.stop is not None:
            share = share * (1.0 - smooth_step((t - self.stop) / self.ramp))
        return share


def smooth_step(x: Any) -> Any:
    """0 below 0, 1 above 1, 10x³ − 15x⁴ + 6x⁵ between: two derivatives are continuous."""
    x = clip(x, 0.0, 1.0)
    return x * x * x * (10.0 + x * (6.0 * x - 15.0))


def wanted_speed(rows: Wanted, rate: Any) -> np.ndarray:
    """J v (..., k) that makes the error shrink at a rate."""
    return rows.rate + rate * rows.error


def wanted_acceleration(rows: Wanted, rate: Any, v: np.ndarray) -> np.ndarray:
    """J a (..., k) that makes the error a critically damped oscillation."""
    approach = 2.0 * rate * (rows.rate - apply(rows.J, v))
    return rows.acceleration + approach + rate * rate * rows.error - rows.bias


def check_frame(task: str, plant: Any, frame: str) -> None:
    """Refuse what is neither a body nor a frame, with the names that there are."""
    known = [*plant.system.names, *plant.system.frames]
    if frame not in known:
        raise unknown_name(task, "frame", frame, known)


def goal_name(task: Task, level: int, of: str = "") -> str:
    """The name of a task's goal: "1 PoseTask tool"; levels are counted from one, as people do."""
    return " ".join(filter(None, (str(level + 1), type(task).__name__, of or getattr(task, "frame", ""))))
