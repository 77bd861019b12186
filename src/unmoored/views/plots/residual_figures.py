"""Figures of an identification: what is left of every recording, whether it is noise, which numbers go together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...model.errors import unknown_name
from ..extra import required

if TYPE_CHECKING:
    from ...identification import Identified

#: rows by which residuals are moved against themselves, at most
_LAGS = 60
#: standard deviations within which 95 % of noise lies
_WITHIN = 1.96


def residual_figure(
    found: Identified,
    what: str = "residuals",
    path: str | Path | None = None,
    *,
    dpi: int = 150,
    title: str = "",
    size: tuple[float, float] | None = None,
) -> Any:
    """A figure (`matplotlib.figure.Figure`) of what was identified, written to `path` too if that is given.

    what: "residuals" (each entry over time, with the band of 95 % of its noise), "whiteness" (their autocorrelation,
    with the band in which that of noise lies: what leaves it is a wrong model), or "correlations" of the numbers.
    """
    required("matplotlib")
    from .canvas import columns_for, grid

    drawings = {"residuals": _over_time, "whiteness": _whiteness, "correlations": _correlations}
    if what not in drawings:
        raise unknown_name("plot", "figure", what, drawings)
    names = found.residuals[0].names
    count = 1 if what == "correlations" else len(names)
    columns = columns_for(size, count)
    rows = -(-count // columns)
    own = (6.4, 5.4) if what == "correlations" else (3.4 * columns, 2.3 * rows + 0.5)
    figure, axes = grid(rows, columns, size=size or own, title=title)
    drawings[what](axes, found)
    if path is not None:
        figure.savefig(path, dpi=dpi)
    return figure


def autocorrelation(x: npt.NDArray[np.float64], lags: int) -> npt.NDArray[np.float64]:
    """Correlation (lags + 1, k) of columns x (T, k) with themselves some rows later, the first row 1."""
    x = x - x.mean(axis=0)
    size = (x**2).sum(axis=0).clip(1e-300)
    return np.stack([(x[k:] * x[: len(x) - k]).sum(axis=0) / size for k in range(lags + 1)])


def _over_time(axes: Any, found: Identified) -> None:
    from .canvas import TIME, dress, filled
    from .palette import GREY, line_style

    for k, (cell, name) in enumerate(filled(axes, found.residuals[0].names)):
        widest = max(float(left.deviations[k]) for left in found.residuals)
        cell.axhspan(-_WITHIN * widest, _WITHIN * widest, color=GREY, alpha=0.15, linewidth=0)
        for i, left in enumerate(found.residuals):
            cell.plot(left.t, left.values[:, k], linewidth=0.7, **line_style(i))
        dress(cell, xlabel=TIME, ylabel=name)


def _whiteness(axes: Any, found: Identified) -> None:
    from .canvas import dress, filled
    from .palette import GREY, line_style

    shortest = min(len(left.t) for left in found.residuals)
    lags = min(_LAGS, max(shortest // 3, 1))
    for k, (cell, name) in enumerate(filled(axes, found.residuals[0].names)):
        half = _WITHIN / np.sqrt(shortest)
        cell.axhspan(-half, half, color=GREY, alpha=0.15, linewidth=0)
        for i, left in enumerate(found.residuals):
            style = line_style(i)
            cell.plot(np.arange(lags + 1), autocorrelation(left.values, lags)[:, k], linewidth=0.9, **style)
        dress(cell, xlabel="rows later", ylabel=name)


def _correlations(axes: Any, found: Identified) -> None:
    cell, count = axes.flat[0], len(found.names)
    shown = cell.imshow(found.correlations, cmap="RdBu_r", vmin=-1.0, vmax=1.0)
    cell.set_xticks(range(count), found.names, rotation=90, fontsize=6)
    cell.set_yticks(range(count), found.names, fontsize=6)
    cell.grid(False)
    cell.figure.colorbar(shown, ax=cell, shrink=0.8, label="correlation")
