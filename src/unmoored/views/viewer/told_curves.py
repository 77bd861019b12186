"""Curves of what a run's law tells: errors of its goals, forces wanted and not given, the error of its filter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics.kinematics import pose
from ...model import ModelError
from ...model.units import RADIAN, dof_units
from ..shown_rows import spread_rows
from .time_charts import Curves

_MOST = 400  # rows sent to the page


def told_curves(run: Any) -> tuple[np.ndarray, tuple[Curves, ...]]:
    """(times (n,), curves (k, n)) of a run of one trajectory, thinned; no curves where its law tells nothing."""
    t = np.asarray(run.t)
    rows = spread_rows(len(t), _MOST)
    found = (*_goals(run), *_allocation(run), *_estimate(run))
    return t[rows], tuple(Curves(c.title, c.unit, c.names, c.y[:, rows]) for c in found)


def _goals(run: Any) -> list[Curves]:
    """How far off every goal is, by unit: one curve for each goal, zero while it is not in force."""
    by_unit: dict[str, dict[str, np.ndarray]] = {}
    for name, goal in getattr(run, "goals", {}).items():
        for unit in dict.fromkeys(goal.units):
            k = [i for i, own in enumerate(goal.units) if own == unit]
            factor = np.degrees(1.0) if unit == RADIAN else 1.0
            size = factor * np.linalg.norm(np.nan_to_num(goal.error[:, k]), axis=1)
            by_unit.setdefault("°" if unit == RADIAN else unit, {})[name] = size
    places = sorted(by_unit, key=lambda unit: (unit not in ("m", "°"), unit == "°"))
    return [
        Curves(_title(by_unit[unit]), unit, tuple(by_unit[unit]), np.stack(list(by_unit[unit].values())))
        for unit in places
    ]


def _title(curves: dict[str, np.ndarray]) -> str:
    """Of several goals that they are errors of goals, of one its name."""
    return "errors of goals" if len(curves) > 1 else f"error of {next(iter(curves))}"


def _allocation(run: Any) -> list[Curves]:
    """Sizes of forces and moments that the law wanted, and of those that were not given."""
    try:
        wanted, missing = run.wanted_forces, run.unallocated
    except (ModelError, AttributeError):
        return []
    units, found = dof_units(run.system.tree), []
    for kind, unit, title in (("m", "N", "forces"), (RADIAN, "N m", "moments")):
        k = [i for i, own in enumerate(units) if own == kind]
        if k:
            y = [np.linalg.norm(np.nan_to_num(x[:, k]), axis=1) for x in (wanted, missing)]
            found.append(Curves(title, unit, ("wanted", "not given"), np.stack(y)))
    return found


def _estimate(run: Any) -> list[Curves]:
    """Error of the estimated position, and twice the filter's own deviation."""
    try:
        found = run.estimated_position
    except (ModelError, AttributeError):
        return []
    if found is None:
        return []
    truth = pose(run.system.tree, np.asarray(run.q), found.frame)[..., :3, 3]
    error = np.linalg.norm(truth - found.position, axis=1)
    spread = 2.0 * np.sqrt(np.trace(found.covariance, axis1=-2, axis2=-1))
    return [Curves("error of the estimated position", "m", ("error", "2σ"), np.stack([error, spread]))]
