"""Figures of a campaign: fans between percentiles over time, and what the samples ended with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model import ModelError
from ...model.errors import unknown_name
from ..extra import required

if TYPE_CHECKING:
    from ...campaigns import Statistics

PERCENTILES = (5.0, 25.0, 50.0, 75.0, 95.0)
_LEVELS = np.linspace(0.0, 1.0, 201)


def campaign_figure(
    statistics: Statistics,
    what: str = "fan",
    path: str | Path | None = None,
    *,
    channels: Sequence[str] | None = None,
    percentiles: Any = PERCENTILES,
    dpi: int = 150,
    title: str = "",
    size: tuple[float, float] | None = None,
) -> Any:
    """A figure (`matplotlib.figure.Figure`) of a campaign's statistics, written to `path` too if that is given.

    what: "fan" (percentiles of every channel over time, and the extremes), or "last" (the distribution of the values
    that samples ended with).  percentiles: an odd number of rising levels, the middle one drawn as a line.
    """
    required("matplotlib")
    from .canvas import columns_for, grid

    drawings = {"fan": _fan, "last": _last}
    if what not in drawings:
        raise unknown_name("plot", "figure", what, drawings)
    names = tuple(statistics.channels if channels is None else channels)
    for name in names:
        if name not in statistics.channels:
            raise unknown_name("plot", "channel", name, statistics.channels)
    if not names:
        raise ModelError.single("plot", "channels", expected="at least one that is kept", given="none")
    columns = columns_for(size, len(names))
    rows = -(-len(names) // columns)
    figure, axes = grid(rows, columns, size=size or (3.4 * columns, 2.3 * rows + 0.5), title=title)
    drawings[what](axes, statistics, [statistics.channels.index(name) for name in names], percentiles)
    if path is not None:
        figure.savefig(path, dpi=dpi)
    return figure


def _fan(axes: Any, statistics: Statistics, places: list[int], percentiles: Any) -> None:
    from .canvas import STYLE, TIME, dress, filled
    from .fans import checked_levels, draw_bands
    from .palette import GREY

    levels = checked_levels(percentiles)
    curves = statistics.quantiles(levels / 100.0)
    for cell, c in filled(axes, places):
        draw_bands(cell, statistics.t, curves[:, :, c], levels)
        for k, edge in enumerate((statistics.lowest[:, c], statistics.highest[:, c])):
            cell.plot(statistics.t, edge, color=GREY, linewidth=0.7, label="" if k else "extremes")
        dress(cell, xlabel=TIME, ylabel=statistics.labels[c])
    entries, cell = axes.flat[0].get_legend_handles_labels(), axes.flat[0]
    ncols, size = 2 * min(axes.shape[1], 2), STYLE["legend.fontsize"]
    cell.figure.legend(*entries, loc="outside lower center", ncols=ncols, fontsize=size)


def _last(axes: Any, statistics: Statistics, places: list[int], percentiles: Any) -> None:
    from .canvas import dress, filled
    from .palette import BLUE

    values = statistics.of_last.quantiles(_LEVELS)
    for cell, c in filled(axes, places):
        cell.plot(values[:, c], _LEVELS, color=BLUE)
        cell.axvline(statistics.of_last.mean[c], color=BLUE, linewidth=0.8, linestyle="--")
        dress(cell, xlabel=f"{statistics.labels[c]} at the end", ylabel="part of the samples below")
