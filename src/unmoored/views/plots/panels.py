"""Plots over time of curves with what they should be, how far they may be off, and their limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..letters import plain
from .canvas import TIME, columns_for, dress, filled, grid
from .palette import BLACK, GREY, line_style

_DASHES = {"linestyle": (0, (2, 2)), "linewidth": 1.2}
_DOTS = {"color": GREY, "linestyle": ":", "linewidth": 1.0}
_FEW, _MANY, _LARGEST_GRID = 3, 4, 24


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves (T, n) of one unit, with names.

    other: (T, n), dashed in the same colours, called `other_name`.  limits: levels, dotted.  steps: held between rows.
    band: (T, n) half widths, shaded: about the curves if there are others to compare with, else about zero.
    """

    title: str
    unit: str
    names: tuple[str, ...]
    values: np.ndarray
    other: np.ndarray | None = None
    other_name: str = "wanted"
    band: np.ndarray | None = None
    limits: tuple[float, ...] = ()
    steps: bool = False


def panel_figure(t: np.ndarray, panels: Sequence[Panel], size: Any, title: str) -> Any:
    """A figure with one plot over t (T,) for each panel; panels with many curves take several."""
    parts = [part for panel in panels for part in _split(panel)][:_LARGEST_GRID]
    columns = columns_for(size, len(parts))
    rows = -(-len(parts) // columns)
    figure, axes = grid(rows, columns, size=size or (4.2 * columns + 0.4, 2.6 * rows + 0.5), title=title)
    for cell, panel in filled(axes, parts):
        draw_panel(cell, t, panel)
    return figure


def draw_panel(axes: Any, t: np.ndarray, panel: Panel) -> None:
    """One panel in one plot."""
    count = len(panel.names)
    for i, name in enumerate(panel.names):
        style = line_style(i)
        held = {"drawstyle": "steps-post"} if panel.steps else {}
        axes.plot(t, panel.values[:, i], label=plain(name), **style, **held)
        if panel.other is not None:
            axes.plot(t, panel.other[:, i], **(style | _DASHES))
        if panel.band is not None:
            middle = 0.0 if panel.other is None else panel.values[:, i]
            low, high = middle - panel.band[:, i], middle + panel.band[:, i]
            axes.fill_between(t, low, high, color=style["color"], alpha=0.16, linewidth=0)
    if panel.other is not None:
        axes.plot([], [], label=panel.other_name, color=BLACK, **_DASHES)
        count += 1
    if panel.band is not None:
        axes.fill_between([], [], [], label="±2σ", color=BLACK, alpha=0.16, linewidth=0)
        count += 1
    for level in panel.limits:
        axes.axhline(level, **_DOTS)
    if panel.limits:
        axes.plot([], [], label="limits", **_DOTS)
        count += 1
    dress(axes, xlabel=TIME, ylabel=f"[{panel.unit}]", title=panel.title, count=count, inside=_MANY + 2)


def _split(panel: Panel) -> Iterator[Panel]:
    """Panels of a few curves each."""
    most = _MANY if panel.other is None and panel.band is None else _FEW
    for first in range(0, len(panel.names), most):
        k = slice(first, first + most)
        parts = {name: getattr(panel, name) for name in ("other", "band")}
        cut = {name: None if x is None else x[:, k] for name, x in parts.items()}
        yield replace(panel, names=panel.names[k], values=panel.values[:, k], **cut)
