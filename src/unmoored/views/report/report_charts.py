"""Figures as pictures inside a page, with where their time axes are, so that a cursor can follow the time."""

from __future__ import annotations

import base64
import io
import json
from html import escape
from typing import Any

from matplotlib import rc_context

from ..plots import plot, told_figures
from ..plots.canvas import TIME

_FIGURES = {
    "base_attitude": "Vehicle attitude",
    "energy": "Energy",
    "forces": "Inputs",
    "momentum": "Momentum",
    "path": "Tool path",
    "phase": "Phase portraits",
    "states": "States",
}
_TOLD = {
    "targets": "Targets of the law",
    "errors": "Errors of its goals",
    "allocation": "Forces wanted and given",
    "estimate": "The filter: estimate and truth",
}
_SIZES = {"momentum": (6.4, 4.8), "path": (6.4, 5.2), "phase": (6.4, 5.2)}
_WIDE = ("states", "fan", *_TOLD)
_MOST_POINTS = 40_000  # on all lines of a figure; more make a large and slow SVG


def charts(run: Any, batch: Any) -> str:
    """The figures of a run of one trajectory, those of its law first, and the fan if `batch` is what it is from."""
    told = {name: _TOLD[name] for name in told_figures(run)}
    drawn = [_chart(run, name, title) for name, title in (told | _FIGURES).items()]
    if batch is not None:
        drawn.insert(0, _chart(batch, "fan", f"Spread of {batch.samples} samples"))
    return "\n".join(drawn)


def _chart(run: Any, name: str, title: str) -> str:
    figure = plot(run, name, title="", size=_SIZES.get(name))
    picture = _picture(figure)
    wide = " wide" if name in _WIDE else ""
    axes = escape(json.dumps(time_axes(figure)))
    return (
        f'<figure class="chart{wide}" data-axes="{axes}"><figcaption>{escape(title)}</figcaption>'
        f'<div class="scroller"><div class="plot"><img alt="{escape(title)}" src="{picture}"></div></div></figure>'
    )


def time_axes(figure: Any) -> list[list[float]]:
    """[left, top, width, height, first time, last time] of every plot over time, in parts of the figure."""
    found = []
    for axes in figure.axes:
        if axes.axison and axes.get_xlabel() == TIME:
            box, (first, last) = axes.get_position(), axes.get_xlim()
            numbers = (box.x0, 1 - box.y1, box.width, box.height, first, last)
            found.append([round(float(number), 6) for number in numbers])
    return found


def _picture(figure: Any) -> str:
    """The figure as a data URI: SVG, or PNG if its lines have very many points."""
    if sum(len(line.get_xdata()) for axes in figure.axes for line in axes.lines) > _MOST_POINTS:
        return f"data:image/png;base64,{base64.b64encode(_saved(figure, format='png', dpi=140)).decode()}"
    with rc_context({"svg.hashsalt": "unmoored", "path.simplify_threshold": 0.2}):
        svg = _saved(figure, format="svg", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"


def _saved(figure: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, **options)
    return file.getvalue()
