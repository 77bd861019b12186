"""The default figure: one look at a whole run."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..letters import plain
from . import run_channels as ch
from .balance_figures import drift_panel, energy_panel
from .canvas import columns_for, grid, no_data
from .fans import fan
from .motion_figures import over_time, trace


def overview(run: Any, *, frame: str | None = None, size: Any = None, title: str = "") -> Any:
    """Vehicle position and attitude, joints, energy, momentum, and inputs (or the tool's path if there are none).

    For a batch of runs it is the fan of all of them.
    """
    if np.ndim(run.q) == 3:
        return fan(run, frame=frame, size=size, title=title)
    columns = columns_for(size, 3)
    figure, axes = grid(6 // columns, columns, size=size or (12.5, 5.6), title=title)
    place, attitude, joints, energy, momentum, last = axes.flat
    vehicle = run.system.vehicles[0]
    over_time(place, run.t, ch.vehicle_position(run, vehicle))
    over_time(attitude, run.t, ch.vehicle_attitude(run, vehicle))
    _joints(joints, run)
    energy_panel(energy, run)
    drift_panel(momentum, run)
    _inputs_or_path(last, run, frame)
    return figure


def _joints(axes: Any, run: Any) -> None:
    panels = ch.joint_coordinates(run)
    if panels:
        over_time(axes, run.t, max(panels, key=lambda panel: len(panel.names)))
    else:
        no_data(axes, "no joints beside the vehicle's")


def _inputs_or_path(axes: Any, run: Any, frame: str | None) -> None:
    panels = ch.inputs(run)
    acting = [panel for panel in map(ch.Channels.acting, panels) if panel.names]
    if acting:
        over_time(axes, run.t, max(acting, key=lambda panel: len(panel.names)))
    else:
        panel = ch.frame_position(run, ch.main_frame(run.system, frame))
        trace(axes, panel, 0, 1)
        axes.set_title(plain(f"path of {panel.title.removesuffix(' position')}"))
