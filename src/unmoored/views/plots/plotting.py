"""`plot`: the entrance to all figures."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...model import ModelError
from ...model.errors import unknown_name
from ..extra import required

_OF_BATCHES = ("overview", "fan")


def plot(
    run: Any,
    what: str = "overview",
    path: str | Path | None = None,
    *,
    sample: int | None = None,
    dpi: int = 150,
    title: str | None = None,
    **options: Any,
) -> Any:
    """A figure (`matplotlib.figure.Figure`) of a run, written to `path` (.png, .svg, .pdf) too if that is given.

    what: "overview", "states", "base_attitude", "energy", "momentum", "forces", "path", "phase", "fan"; of what a law
    tells "targets", "errors", "allocation" and "estimate", refused where it tells none.
    sample: which trajectory of a batch; the fan and the overview of a batch show all of them, others the first.
    options: of that figure, such as joints=["elbow"], frame="tool", vehicle="bus", percentiles=(5, 50, 95), and
    size=(width, height) in inches.
    """
    required("matplotlib")
    figures = _figures()
    if what not in figures:
        raise unknown_name("plot", "figure", what, figures)
    taken = set(inspect.signature(figures[what]).parameters) - {"run", "title"}
    for option in options:
        if option not in taken:
            raise unknown_name(f"plot {what!r}", "option", option, sorted(taken))
    chosen, words = _one(run, what, sample)
    figure = figures[what](chosen, title=_title(run, words) if title is None else title, **options)
    if path is not None:
        figure.savefig(path, dpi=dpi)
    return figure


def _figures() -> dict[str, Callable[..., Any]]:
    """The figures by name. Imports matplotlib."""
    from . import balance_figures, goal_figures, motion_figures
    from .allocation_figures import allocation
    from .estimate_figures import estimate
    from .fans import fan
    from .overview import overview

    return {
        "overview": overview,
        "states": motion_figures.states,
        "base_attitude": motion_figures.base_attitude,
        "energy": balance_figures.energy,
        "momentum": balance_figures.momentum,
        "forces": balance_figures.forces,
        "path": motion_figures.path,
        "phase": motion_figures.phase,
        "targets": goal_figures.targets,
        "errors": goal_figures.errors,
        "allocation": allocation,
        "estimate": estimate,
        "fan": fan,
    }


def _one(run: Any, what: str, sample: int | None) -> tuple[Any, str]:
    """The run or its sample that a figure shows, and words for it."""
    if np.ndim(run.q) != 3:
        if sample not in (None, 0):
            raise ModelError.single(
                "plot", "sample", expected="0: the run is one trajectory", given=repr(sample)
            )
        return run, ""
    if sample is None and what in _OF_BATCHES:
        return run, f"{run.samples} samples"
    sample = 0 if sample is None else sample
    if not 0 <= sample < run.samples:
        raise ModelError.single("plot", "sample", expected=f"0…{run.samples - 1}", given=repr(sample))
    return run.sample(sample), f"sample {sample} of {run.samples}"


def _title(run: Any, words: str) -> str:
    return f"{run.system.name}, {words}" if words else run.system.name


def told_figures(run: Any) -> tuple[str, ...]:
    """Names of the figures that the law of a run of one trajectory tells something for."""
    goals = getattr(run, "goals", {})
    found = ["targets"] if any(goal.target is not None for goal in goals.values()) else []
    found += ["errors"] if goals else []
    for name, what in (("allocation", "wanted_forces"), ("estimate", "estimate_errors")):
        try:
            getattr(run, what)
        except (ModelError, AttributeError):  # its law tells none, or it is no `Run`
            continue
        found.append(name)
    return tuple(found)
