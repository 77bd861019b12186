"""Empty figures in one style: no screen, no global state, text that stays readable when the figure is small."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ..letters import plain
from .palette import DISTINCT, FAINT, GREY, line_style

TIME = "time [s]"
_NARROWEST = 2.6  # inches
_MOST_COLUMNS = 3
T = TypeVar("T")
STYLE: Any = {
    "font.size": 9.0,
    "font.family": ["DejaVu Sans"],
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.labelcolor": "#22262B",
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-3, 4),
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": "#22262B",
    "ytick.labelcolor": "#22262B",
    "lines.linewidth": 1.6,
    "legend.fontsize": 8.0,
    "legend.frameon": True,
    "legend.framealpha": 0.8,
    "legend.edgecolor": "none",
    "legend.borderpad": 0.2,
    "legend.labelspacing": 0.25,
    "legend.handlelength": 1.6,
}


class RunFigure(Figure):
    """A matplotlib figure that notebooks show as it is."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        self.savefig(picture, format="png", dpi=110)
        return picture.getvalue()


def grid(
    rows: int, columns: int, *, size: tuple[float, float] | None = None, title: str = ""
) -> tuple[Any, Any]:
    """A figure and its axes (rows, columns); size in inches."""
    with rc_context(STYLE):
        figure = RunFigure(figsize=size or (4.2 * columns + 0.6, 2.3 * rows + 0.5), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(rows, columns, squeeze=False)
        if title:
            figure.suptitle(plain(title), fontsize=11)
    return figure, axes


def columns_for(size: tuple[float, float] | None, count: int) -> int:
    """Columns of a figure of that size (inches), `count` at most: no plot gets narrower than it can be."""
    wide = count if size is None else int(size[0] // _NARROWEST)
    return max(min(_MOST_COLUMNS, count, wide), 1)


def filled(axes: Any, things: Sequence[T]) -> Iterator[tuple[Any, T]]:
    """Each thing with its cell of a grid (rows, columns), row by row; cells that are left over are switched off."""
    for k, cell in enumerate(axes.flat):
        if k < len(things):
            yield cell, things[k]
        else:
            cell.set_axis_off()


def lines(
    axes: Any, x: np.ndarray, y: np.ndarray, names: Any, *, xlabel: str = TIME, ylabel: str = ""
) -> None:
    """One line for each column of y (T, n) over x (T,), in the palette's colours, with a legend."""
    for i, name in enumerate(names):
        axes.plot(x, y[:, i], label=plain(name), **line_style(i))
    dress(axes, xlabel=xlabel, ylabel=ylabel, count=len(names))


def dress(axes: Any, *, xlabel: str, ylabel: str, title: str = "", count: int = 0, inside: int = 4) -> None:
    """Labels, and a legend for `count` lines if that helps: more than one line, and few enough to tell apart.

    inside: up to how many lines it may lie over the plot.
    """
    axes.set_xlabel(plain(xlabel))
    axes.set_ylabel(plain(ylabel))
    if title:
        axes.set_title(plain(title), loc="left", fontsize=9.5, fontweight="bold")
    if 1 < count <= DISTINCT:
        with rc_context(STYLE):
            beside = (
                {} if count <= inside else {"bbox_to_anchor": (1.0, 1.03), "ncols": 1 if count <= 12 else 2}
            )
            axes.legend(loc="upper left" if beside else "best", **beside)
    if xlabel == TIME:
        axes.margins(x=0.0)


def no_data(axes: Any, why: str) -> None:
    """Say in an empty plot why it is empty."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, plain(why), ha="center", va="center", color=GREY, transform=axes.transAxes, wrap=True)
