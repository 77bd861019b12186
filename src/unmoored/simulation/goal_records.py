"""Goals of a run and errors of its filter as labelled arrays, and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from ..model import DataError
from ..worlds.goal import Kind
from ..worlds.law import Law
from .run_goals import EstimateErrors, RecordedGoal, recorded_estimate_errors

if TYPE_CHECKING:
    from .run import Run

#: rows of all samples up to which goals are saved; larger runs need the law again, which `load_run` takes
MOST_ROWS = 100_000
_TEXTS = ("rows", "units")


def goal_variables(run: Run, lead: tuple[str, ...]) -> tuple[dict[str, Any], str]:
    """Variables of a dataset whose leading dimensions are `lead`, and what they are as JSON; "" if nothing is kept."""
    known = run.kept_goals is not None or run.kept_estimate_errors is not None or isinstance(run.law, Law)
    if not known or run.samples * len(run.t) > MOST_ROWS:
        return {}, ""
    goals, errors = _kept(run) if run.batched else (run.goals, _errors(run))
    variables, told = {}, []
    for k, (name, goal) in enumerate(goals.items()):
        for part in ("target", "error"):
            if (values := getattr(goal, part)) is not None:
                variables[f"goal_{k}_{part}"] = _labelled(f"goal_{k}_{part}", values, lead, f"{part}: {name}")
        texts = {part: list(getattr(goal, part)) for part in _TEXTS}
        told.append({"name": name, "kind": goal.kind, "of": goal.of, "level": goal.level, **texts})
    about: dict[str, Any] = {"goals": told}
    if errors is not None:
        for part in ("error", "deviation"):
            name = f"estimate_{part}"
            variables[name] = _labelled(name, getattr(errors, part), lead, f"{part} of the estimate")
        about["estimate"] = {"names": list(errors.names), "of": errors.of}
    return variables, json.dumps(about)


def goals_in(
    data: Any, where: str, lead: tuple[int, ...]
) -> tuple[dict[str, RecordedGoal] | None, EstimateErrors | None]:
    """The goals and the filter's errors in a dataset, checked; None where none were kept."""
    text = data.attrs.get("goals", "")
    if not text:
        return None, None
    try:
        about = json.loads(text)
        goals = {str(told["name"]): _goal(data, k, told, lead) for k, told in enumerate(about["goals"])}
        told = about.get("estimate")
        errors = None
        if told is not None:
            names = _words(told["names"])
            error, deviation = (
                _array(data, f"estimate_{part}", (*lead, len(names))) for part in ("error", "deviation")
            )
            errors = EstimateErrors(names, error, deviation, _words([told["of"]])[0])
    except (KeyError, TypeError, ValueError) as error:
        expected = "goals as they were saved"
        raise DataError.single(where, "goals", expected=expected, given=str(error)) from None
    return goals, errors


def _goal(data: Any, k: int, told: Any, lead: tuple[int, ...]) -> RecordedGoal:
    name, of, kind = _words([told["name"], told["of"], told["kind"]])
    rows, units = (_words(told[part]) for part in _TEXTS)
    level = told["level"]
    if kind not in get_args(Kind) or len(rows) != len(units) or not (level is None or type(level) is int):
        raise ValueError(f"goal {name!r} is of no known kind")
    inner = {"pose": (4, 4), "position": (3,), "coordinate": (len(rows),), "task": None}[kind]
    target = None if inner is None else _array(data, f"goal_{k}_target", (*lead, *inner))
    error = _array(data, f"goal_{k}_error", (*lead, len(rows)))
    return RecordedGoal(kind, of, target, error, rows, units, level)  # type: ignore[arg-type]


def _array(data: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    values = data[name].values
    if values.shape != shape or values.dtype.kind != "f":
        raise ValueError(f"{name} has shape {values.shape}, not {shape}")
    return values


def _words(texts: Sequence[Any]) -> tuple[str, ...]:
    if isinstance(texts, str) or not all(isinstance(x, str) and x.isprintable() for x in texts):
        raise ValueError("names are no printable texts")
    return tuple(texts)


def _labelled(name: str, values: np.ndarray, lead: tuple[str, ...], words: str) -> tuple[Any, ...]:
    inner = tuple(f"{name}_{k}" for k in range(values.ndim - len(lead)))
    return (*lead, *inner), values, {"long_name": words}


def _errors(run: Run) -> EstimateErrors | None:
    return run.kept_estimate_errors or recorded_estimate_errors(run)


def _kept(run: Run) -> tuple[dict[str, RecordedGoal], EstimateErrors | None]:
    """Those of all samples, with a leading dimension; rows that do not count are NaN."""
    if run.kept_goals is not None:
        return dict(run.kept_goals), run.kept_estimate_errors
    own = [run.sample(i) for i in range(run.samples)]
    rows = len(run.t)
    goals = {
        name: RecordedGoal(
            goal.kind,
            goal.of,
            None if goal.target is None else _stacked([x.goals[name].target for x in own], rows),
            _stacked([x.goals[name].error for x in own], rows),
            goal.rows,
            goal.units,
            goal.level,
        )
        for name, goal in own[0].goals.items()
    }
    errors = [_errors(x) for x in own]
    first = errors[0]
    if first is None:
        return goals, None
    error, deviation = (_stacked([getattr(x, part) for x in errors], rows) for part in ("error", "deviation"))
    return goals, EstimateErrors(first.names, error, deviation, first.of)


def _stacked(parts: Sequence[Any], rows: int) -> np.ndarray:
    found = np.full((len(parts), rows, *parts[0].shape[1:]), np.nan)
    for i, part in enumerate(parts):
        own = part[:rows]
        found[i, : len(own)] = own
    return found
