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

    what: "overview", "states", "base_attitude", "energy", "momentum", "forces", "path", "phase" or "fan".
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
    from . import balance_figures, motion_figures
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
