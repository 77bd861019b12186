"""Fans: how a batch of runs spreads, as bands between percentiles over time."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...model import ModelError
from ..letters import plain
from . import run_channels as ch
from .canvas import STYLE, TIME, columns_for, dress, filled, grid
from .palette import BLUE

PERCENTILES = (5.0, 25.0, 50.0, 75.0, 95.0)
_LARGEST_GRID = 12


def fan(
    run: Any,
    *,
    joints: Any = None,
    frame: str | None = None,
    percentiles: Any = PERCENTILES,
    size: Any = None,
    title: str = "",
) -> Any:
    """Percentiles over the samples of a batch: the vehicle's position, a frame's (the tool's) position, the joints.

    percentiles: an odd number of levels (0…100), rising, the middle one drawn as a line.
    """
    levels = checked_levels(percentiles)
    panels = _panels(run, joints, frame)[:_LARGEST_GRID]
    columns = columns_for(size, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = grid(rows, columns, size=size or (3.4 * columns, 2.3 * rows + 0.5), title=title)
    for cell, (label, values) in filled(axes, panels):
        bands(cell, run.t, values, levels)
        dress(cell, xlabel=TIME, ylabel=label)
    axes.flat[0].legend(loc="best", fontsize=STYLE["legend.fontsize"])
    return figure


def bands(axes: Any, t: np.ndarray, values: np.ndarray, levels: np.ndarray) -> None:
    """Bands between pairs of percentiles of values (S, T) over t (T,), and the middle percentile as a line.

    Samples that have ended (NaN) no longer count; where all have, nothing is drawn.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # columns of NaN only: all samples have ended
        draw_bands(axes, t, np.nanpercentile(values, levels, axis=0), levels)


def draw_bands(axes: Any, t: np.ndarray, curves: np.ndarray, levels: np.ndarray) -> None:
    """Bands between pairs of curves (L, T) over t (T,), and the middle one as a line. levels: in percent (L,)."""
    middle = len(levels) // 2
    for k, opacity in enumerate(np.linspace(0.18, 0.4, middle)):
        low, high = levels[k], levels[-1 - k]
        axes.fill_between(
            t, curves[k], curves[-1 - k], color=BLUE, alpha=opacity, linewidth=0, label=f"{low:g}–{high:g} %"
        )
    name = "median" if levels[middle] == 50 else f"{levels[middle]:g} %"
    axes.plot(t, curves[middle], color=BLUE, label=plain(name))


def _panels(run: Any, joints: Any, frame: str | None) -> list[tuple[str, np.ndarray]]:
    """(label, values (S, T)) of everything that has a fan."""
    if np.ndim(run.q) != 3:
        expected = "a batch of runs, q (S, T, nq)"
        raise ModelError.single(run.system.name, "fan", expected=expected, given=f"q {np.shape(run.q)}")
    found = [ch.vehicle_position(run, run.system.vehicles[0])]
    name = ch.main_frame(run.system, frame)
    if name not in run.system.vehicles:
        found.append(ch.frame_position(run, name))
    found += ch.joint_coordinates(run, joints)
    return [
        (_label(panel, name), panel.values[..., i]) for panel in found for i, name in enumerate(panel.names)
    ]


def _label(panel: ch.Channels, name: str) -> str:
    title = panel.title.removesuffix(" position") if panel.title.endswith(" position") else ""
    return f"{title} {name} [{panel.unit}]".strip()


def checked_levels(percentiles: Any) -> np.ndarray:
    """Levels (L,) in percent: an odd number of them, rising."""
    levels = np.array(percentiles, dtype=float, ndmin=1)
    odd = levels.ndim == 1 and len(levels) % 2 == 1
    if not (odd and np.all(np.diff(levels) > 0) and levels[0] >= 0 and levels[-1] <= 100):
        expected = "an odd number of rising levels in 0…100"
        raise ModelError.single("fan", "percentiles", expected=expected, given=repr(percentiles))
    return levels
