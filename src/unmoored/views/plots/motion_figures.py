"""Figures of how the system moves: states, the vehicle's attitude, paths, phase portraits."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import numpy as np

from ..letters import plain
from . import run_channels as ch
from .canvas import TIME, columns_for, dress, filled, grid, lines, no_data
from .palette import BLUE, GREEN, OKABE_ITO, VERMILION

_LARGEST_GRID = 9


def states(
    run: Any, *, joints: Any = None, vehicle: str | None = None, size: Any = None, title: str = ""
) -> Any:
    """Vehicle position, attitude and velocities, and the joints' coordinates and velocities, over time."""
    vehicle = ch.main_vehicle(run.system, vehicle)
    left = [
        ch.vehicle_position(run, vehicle),
        ch.vehicle_attitude(run, vehicle),
        *ch.joint_coordinates(run, joints),
    ]
    right = [*ch.vehicle_velocities(run, vehicle), *ch.joint_velocities(run, joints)]
    panels = [panel for pair in zip_longest(left, right) for panel in pair]
    columns = columns_for(size, 2)
    figure, axes = grid(len(panels) // columns, columns, size=size, title=title)
    for cell, panel in filled(axes, panels):
        if panel is None:
            cell.set_axis_off()
        else:
            over_time(cell, run.t, panel)
    return figure


def base_attitude(run: Any, *, vehicle: str | None = None, size: Any = None, title: str = "") -> Any:
    """Yaw, pitch and roll of the vehicle (°, z-y-x, for reading only) and its angular velocity in its own axes."""
    vehicle = ch.main_vehicle(run.system, vehicle)
    figure, axes = grid(2, 1, size=size or (6.4, 4.8), title=title)
    over_time(axes[0, 0], run.t, ch.vehicle_attitude(run, vehicle))
    turning = [panel for panel in ch.vehicle_velocities(run, vehicle) if panel.unit.startswith("rad")]
    if turning:
        over_time(axes[1, 0], run.t, turning[0])
    else:
        no_data(axes[1, 0], f"{vehicle} cannot turn")
    return figure


def path(run: Any, *, frame: str | None = None, size: Any = None, title: str = "") -> Any:
    """The path of a frame (the tool if not given) in world axes: seen along z, y and x, and over time."""
    panel = ch.frame_position(run, ch.main_frame(run.system, frame))
    columns = columns_for(size, 2)
    figure, axes = grid(4 // columns, columns, size=size or (8.0, 6.2), title=title or panel.title)
    for cell, (i, k) in enumerate(((0, 1), (0, 2), (1, 2))):
        trace(axes.flat[cell], panel, i, k)
    over_time(axes.flat[3], run.t, panel)
    return figure


def phase(run: Any, *, joints: Any = None, size: Any = None, title: str = "") -> Any:
    """Velocity over coordinate for every joint (the first nine, or those named).

    A system without such joints shows its vehicle's angular velocity, component against component.
    """
    pairs = _coordinates_and_velocities(run, joints) or _vehicle_rates(run)
    if not pairs:
        figure, axes = grid(1, 1, size=size, title=title)
        no_data(axes[0, 0], "no joint has a coordinate")
        return figure
    pairs = pairs[:_LARGEST_GRID]
    columns = columns_for(size, len(pairs))
    rows = -(-len(pairs) // columns)
    figure, axes = grid(rows, columns, size=size or (3.2 * columns, 2.8 * rows), title=title)
    for cell, ((xlabel, x), (ylabel, y)) in filled(axes, pairs):
        cell.plot(x, y, color=BLUE)
        _ends(cell, x, y)
        dress(cell, xlabel=xlabel, ylabel=ylabel)
    return figure


def over_time(axes: Any, t: np.ndarray, panel: ch.Channels) -> None:
    """The channels (T, n) over time (T,)."""
    y = unwound(panel.values) if panel.unit == "°" else panel.values
    lines(axes, t, y, panel.names, xlabel=TIME, ylabel=panel.label)


def trace(axes: Any, panel: ch.Channels, i: int, k: int) -> None:
    """Component k of a path over component i, to scale, with its start (circle) and end (square)."""
    x, y = panel.values[:, i], panel.values[:, k]
    axes.plot(x, y, color=OKABE_ITO[0])
    _ends(axes, x, y)
    axes.set_aspect("equal", adjustable="datalim")
    dress(axes, xlabel=f"{panel.names[i]} [{panel.unit}]", ylabel=f"{panel.names[k]} [{panel.unit}]")


def unwound(angles: np.ndarray) -> np.ndarray:
    """Angles (T, n) in degrees with a gap where one jumps by more than half a turn, so that no line crosses."""
    jumps = np.abs(np.diff(angles, axis=0, prepend=angles[:1])) > 180.0
    return np.where(jumps, np.nan, angles)


def _ends(axes: Any, x: np.ndarray, y: np.ndarray) -> None:
    there = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    for index, marker, colour, name in ((0, "o", GREEN, "start"), (-1, "s", VERMILION, "end")):
        if len(there):
            at = there[index]
            axes.plot(
                x[at], y[at], marker=marker, color=colour, markersize=5, linestyle="none", label=plain(name)
            )


def _coordinates_and_velocities(run: Any, joints: Any) -> list[Any]:
    panels = zip(ch.joint_coordinates(run, joints), ch.joint_velocities(run, joints), strict=True)
    return [
        ((f"{name} [{x.unit}]", x.values[:, i]), (f"velocity [{v.unit}]", v.values[:, i]))
        for x, v in panels
        for i, name in enumerate(x.names)
    ]


def _vehicle_rates(run: Any) -> list[Any]:
    turning = [p for p in ch.vehicle_velocities(run, run.system.vehicles[0]) if p.unit.startswith("rad")]
    if not turning or len(turning[0].names) < 2:
        return []
    labelled = [
        (f"{name} [{turning[0].unit}]", turning[0].values[:, i]) for i, name in enumerate(turning[0].names)
    ]
    return [(labelled[i], labelled[k]) for i, k in ((0, 1), (0, 2), (1, 2)) if k < len(labelled)]
