"""The figure of a filter: what it estimated and what was true, with its own ±2σ."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import run_channels as ch
from .panels import Panel, panel_figure

#: units of a filter's errors by the first part of their names, and the factor to them
_UNITS = {
    "position": ("m", 1.0),
    "velocity": ("m/s", 1.0),
    "attitude": ("°", float(np.degrees(1.0))),
    "accelerometer_bias": ("m/s²", 1.0),
    "gyro_bias": ("°/s", float(np.degrees(1.0))),
}


def estimate(run: Any, *, size: Any = None, title: str = "") -> Any:
    """The position as estimated, with ±2σ, and as it was (dashed), world axes; and the errors of everything
    that the filter estimates, truth less estimate, beside its ±2σ about zero."""
    own = run.estimate_errors
    return panel_figure(run.t, [*_position(run), *_errors(run, own)], size, title)


def _position(run: Any) -> list[Panel]:
    found = run.estimated_position
    if found is None:
        return []
    σ = np.sqrt(np.diagonal(found.covariance, axis1=-2, axis2=-1).clip(0.0))
    truth = ch.frame_position(run, found.frame).values
    title = f"position of {found.frame}"
    return [
        Panel(
            f"{title}, {axis}",
            "m",
            ("estimate",),
            found.position[:, [k]],
            truth[:, [k]],
            "truth",
            2.0 * σ[:, [k]],
        )
        for k, axis in enumerate("xyz")
    ]


def _errors(run: Any, own: Any) -> list[Panel]:
    groups: dict[tuple[str, str, float], list[int]] = {}
    for k, name in enumerate(own.names):
        groups.setdefault(_group(run, name, own.of), []).append(k)
    panels = []
    for (words, unit, factor), k in groups.items():
        names = tuple(own.names[i].rpartition(".")[2] if own.of else own.names[i] for i in k)
        error, σ = factor * own.error[:, k], factor * own.deviation[:, k]
        panels.append(Panel(f"error of {words}", unit, names, error, band=2.0 * σ))
    return panels


def _group(run: Any, name: str, of: str) -> tuple[str, str, float]:
    """(words, unit, factor) of an error by its name: a part of a vehicle's state, or an entry of a plant's tangent."""
    part = name.rpartition(".")[0]
    if of and part in _UNITS:
        return part.replace("_", " "), *_UNITS[part]
    tree = run.system.tree
    if (own := name.removeprefix("d ")) in tree.dof_names:
        place, unit = name.startswith("d "), ch.dof_units(tree)[tree.dof_names.index(own)]
        return ("configuration", unit, 1.0) if place else ("velocity", f"{unit}/s", 1.0)
    return "states of actuators", "1", 1.0
