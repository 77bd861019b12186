"""What the law of a run wanted, beside what was reached: evaluated on the records, when somebody looks."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import ModelError
from ..sensing.estimated import Estimated, estimate_in
from ..worlds.gains import gains_of, with_gains
from ..worlds.goal import Goal, Kind
from ..worlds.law import Law, laws_inside

if TYPE_CHECKING:
    from .run import Run


@dataclass(frozen=True, eq=False)
class RecordedGoal:
    """A goal over the T rows of one trajectory; where it is not in force, its numbers are NaN.

    kind: a "pose" (T, 4, 4) or a "position" (T, 3) in the world of the frame or body `of`, a "coordinate" (T, n) of the
    joint `of`; `target` holds it. A "task" has none.  error: (T, k), with names `rows` and `units`; what is missing to
    the target, from the true state.  level: of a task, 0 the most important; None otherwise.
    """

    kind: Kind
    of: str
    target: np.ndarray | None
    error: np.ndarray
    rows: tuple[str, ...]
    units: tuple[str, ...]
    level: int | None = None

    def of_sample(self, i: int, length: int, rows: int) -> RecordedGoal:
        """That of sample i where all have a leading dimension: `length` rows, and NaN up to `rows`."""
        target = None if self.target is None else _cut(self.target, i, length, rows)
        return replace(self, target=target, error=_cut(self.error, i, length, rows))


@dataclass(frozen=True, eq=False)
class EstimateErrors:
    """By how much a filter was off, over the T rows of one trajectory: truth less estimate, by `names`.

    error, deviation: (T, n), the filter's own standard deviations beside them.  of: the frame in whose axes they are,
    "" where they are the plant's own tangent.
    """

    names: tuple[str, ...]
    error: np.ndarray
    deviation: np.ndarray
    of: str = ""

    def of_sample(self, i: int, length: int, rows: int) -> EstimateErrors:
        """Those of sample i where all have a leading dimension: `length` rows, and NaN up to `rows`."""
        error, deviation = (_cut(x, i, length, rows) for x in (self.error, self.deviation))
        return EstimateErrors(self.names, error, deviation, self.of)


def recorded_goals(run: Run) -> dict[str, RecordedGoal]:
    """The goals of the law of a run of one trajectory, by name; none without a law that tells them."""
    if not isinstance(run.law, Law):
        return {}
    found: dict[str, RecordedGoal] = {}
    for goal in run.law.goals():
        target = None if goal.target is None else np.array(goal.target(run.t, run.q, run.v), dtype=float)
        error = np.array(goal.error(run.t, run.q, run.v), dtype=float)
        _check(goal, len(run.t), target, error)
        acting = _in_force(goal, run.switches, len(run.t))
        for part in (target, error):
            if part is not None:
                part[~acting] = np.nan
        name = _unused(goal, found)
        found[name] = RecordedGoal(goal.kind, goal.of, target, error, goal.rows, goal.units, goal.level)
    return found


def _check(goal: Goal, rows: int, target: np.ndarray | None, error: np.ndarray) -> None:
    """Refuse what a law of the user's tells that does not fit its goal: it could not be read again once saved."""
    inner = {"pose": (4, 4), "position": (3,), "coordinate": (len(goal.rows),), "task": None}[goal.kind]
    for what, part, own in (("target", target, inner), ("error", error, (len(goal.rows),))):
        expected, given = own and (rows, *own), None if part is None else part.shape
        if expected != given:
            raise ModelError.single(
                f"goal {goal.name}", what, expected=f"shape {expected}", given=f"shape {given}"
            )


def recorded_estimate_errors(run: Run) -> EstimateErrors | None:
    """By how much the filter of a run of one trajectory was off; None without one that tells it."""
    estimate = estimate_in(run.memory)
    law = next(_filters(run.law), None) if isinstance(run.law, Law) else None
    if estimate is None or law is None or not hasattr(law, "errors"):
        return None
    variance = np.diagonal(estimate.covariance, axis1=-2, axis2=-1)
    sensor = getattr(law, "imu", None) or getattr(law, "gyro", None)
    return EstimateErrors(
        tuple(law.error_names),
        law.errors(run),
        np.sqrt(np.maximum(variance, 0.0)),
        getattr(sensor, "frame", ""),
    )


def law_of_sample(law: Any, i: int) -> Any:
    """The law with the gains of sample i where each sample has its own."""
    if not isinstance(law, Law):
        return law
    own = {}
    for gain in gains_of(law):
        many = gain.values.ndim > len(gain.shape)
        own[gain.name] = gain.values[i if len(gain.values) > 1 else 0] if many else gain.values
    return with_gains(law, own) if own else law


def _filters(law: Law) -> Iterator[Any]:
    if isinstance(law, Estimated):
        yield law.filter
    for inner in laws_inside(law):
        yield from _filters(inner)


def _in_force(goal: Goal, switches: Mapping[str, np.ndarray], rows: int) -> np.ndarray:
    """Whether (T,) all modes of a goal hold; a mode that no event sets is zero."""
    acting = np.ones(rows, dtype=bool)
    for name, number in goal.modes:
        acting &= switches.get(name, np.zeros(rows)) == number
    return acting


def _unused(goal: Goal, found: Mapping[str, Any]) -> str:
    """The goal's name, with its modes, and with a number if another one has it."""
    name = " ".join([goal.name, *(f"({mode} {number})" for mode, number in goal.modes)])
    taken = sum(other == name or other.startswith(f"{name} #") for other in found)
    return f"{name} #{taken + 1}" if taken else name


def picklable(law: Any) -> Any:
    """The law if it can be pickled, else None."""
    try:
        pickle.dumps(law)
    except Exception:  # pickle fails in many ways: PicklingError, AttributeError, TypeError, a class's own
        return None
    return law


def _cut(array: np.ndarray, i: int, length: int, rows: int) -> np.ndarray:
    """Rows (rows, …) of sample i of an array (S, T, …): `length` of its own, NaN after them."""
    own = np.full((rows, *array.shape[2:]), np.nan)
    own[:length] = array[i, :length]
    return own
