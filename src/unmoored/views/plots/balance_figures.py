"""Figures of what a run conserves or exchanges: energy, momentum, forces."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model import ModelError
from . import run_channels as ch
from .canvas import TIME, columns_for, dress, filled, grid, lines, no_data
from .motion_figures import over_time
from .palette import BLACK, BLUE, VERMILION

_AXES = ("x", "y", "z")
_UNKNOWN = "momentum: the run was loaded without its plant"


def energy(run: Any, *, size: Any = None, title: str = "") -> Any:
    """Kinetic, potential and total energy, and how the total changes from its start."""
    figure, axes = grid(2, 1, size=size or (6.4, 4.8), title=title)
    energy_panel(axes[0, 0], run)
    total = run.energy().total
    axes[1, 0].plot(run.t, total - total[0], color=BLACK)
    dress(axes[1, 0], xlabel=TIME, ylabel="change of total [J]")
    return figure


def momentum(run: Any, *, size: Any = None, title: str = "") -> Any:
    """Linear and angular momentum in world axes, about the world origin, and how they change from their start."""
    P = _known_momentum(run)
    if P is None:
        figure, axes = grid(1, 1, size=size or (6.4, 2.9), title=title)
        no_data(axes[0, 0], _UNKNOWN)
        return figure
    columns = columns_for(size, 2)
    figure, axes = grid(4 // columns, columns, size=size or (8.6, 5.6), title=title)
    for k, (values, word) in enumerate(((P, ""), (P - P[0], "change of "))):
        linear, angular = np.split(values, 2, axis=1)
        lines(axes.flat[2 * k], run.t, linear, _AXES, ylabel=f"{word}linear momentum [N s]")
        lines(axes.flat[2 * k + 1], run.t, angular, _AXES, ylabel=f"{word}angular momentum [N m s]")
    return figure


def forces(run: Any, *, size: Any = None, title: str = "") -> Any:
    """The inputs over time, one plot for each unit."""
    panels = ch.inputs(run)
    rows = max(len(panels), 1)
    figure, axes = grid(rows, 1, size=size or (6.4, 2.5 * rows + 0.4), title=title)
    for cell, panel in filled(axes, panels):
        over_time(cell, run.t, panel)
    if not panels:
        no_data(axes[0, 0], "no inputs: the system moves freely")
    return figure


def energy_panel(axes: Any, run: Any) -> None:
    """Kinetic, potential and total energy in one plot."""
    E = run.energy()
    parts = (("kinetic", E.kinetic, BLUE), ("potential", E.potential, VERMILION), ("total", E.total, BLACK))
    for name, values, colour in parts:
        values = np.broadcast_to(values, run.t.shape)
        axes.plot(run.t, values, label=name, color=colour, linestyle="--" if name == "total" else "-")
    dress(axes, xlabel=TIME, ylabel="energy [J]", count=len(parts))


def drift_panel(axes: Any, run: Any) -> None:
    """How far linear and angular momentum have moved from their start, in one plot with two scales."""
    P = _known_momentum(run)
    if P is None:
        no_data(axes, _UNKNOWN)
        return
    change = np.stack([np.linalg.norm(part, axis=1) for part in np.split(P - P[0], 2, axis=1)], axis=1)
    names = ("linear [N s]", "angular [N m s]")
    lines(axes, run.t, change, names, ylabel="momentum change [N s], [N m s]")


def _known_momentum(run: Any) -> np.ndarray | None:
    """Momentum (T, 6); None if the plant is not known and has some beside that of its bodies."""
    try:
        return run.momentum()
    except ModelError:
        return None
