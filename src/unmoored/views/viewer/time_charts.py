"""Plots beside the scene, with a line at the time that is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dynamics.kinematics import pose
from ...lie import se3
from ...lie.conversions import euler_zyx
from ...system import System
from .scene_nodes import PALETTE
from .timeline import Timeline

_MOST = 400  # rows sent to the page
_NOW = "#666666"


@dataclass(frozen=True)
class Curves:
    """Curves y (k, T) with names over the same times, in one unit."""

    title: str
    unit: str
    names: tuple[str, ...]
    y: np.ndarray


def curves(timeline: Timeline) -> tuple[Curves, ...]:
    """What is plotted of a trajectory: energy, momentum, joints and the vehicles' attitude, as far as there are any."""
    system, q, v = timeline.system, timeline.q, timeline.v
    told = timeline.momentum("world")
    μ, dry = (system.momentum(q, v), ", dry") if told is None else (told, "")
    return (
        _energies(timeline),
        Curves(f"linear momentum{dry}", "kg m/s", ("x", "y", "z"), μ[:, :3].T),
        Curves(f"angular momentum{dry}", "kg m²/s", ("x", "y", "z"), μ[:, 3:].T),
        *_joints(system, q),
        *_attitudes(system, q),
    )


def _energies(timeline: Timeline) -> Curves:
    if timeline.energy is None:
        kinetic = timeline.system.energy(timeline.q, timeline.v).kinetic
        return Curves("kinetic energy", "J", ("kinetic",), np.asarray(kinetic)[None])
    kinetic, potential = timeline.energy
    return Curves(
        "energy", "J", ("kinetic", "potential", "total"), np.stack([kinetic, potential, kinetic + potential])
    )


def _joints(system: System, q: np.ndarray) -> list[Curves]:
    """Coordinates of all 1-DoF joints: angles in degrees, ways in metres."""
    links = [link for link in system.tree.links if link.joint.nq == 1]
    angles = [link for link in links if link.joint.dof_names[0].startswith("w")]
    ways = [link for link in links if link not in angles]
    both = (("joint angles", "°", angles, np.degrees(1.0)), ("joint positions", "m", ways, 1.0))
    return [
        Curves(
            title,
            unit,
            tuple(link.name for link in some),
            factor * np.array([q[:, link.q][:, 0] for link in some]),
        )
        for title, unit, some, factor in both
        if some
    ]


def _attitudes(system: System, q: np.ndarray) -> list[Curves]:
    """Yaw, pitch and roll, without jumps, of every vehicle that can turn and is stored as a pose."""
    turning = [
        name
        for name in system.vehicles
        if system.tree.link(name).joint.nq == 12
        and any(dof.startswith("w") for dof in system.tree.link(name).joint.dof_names)
    ]
    found = []
    for name in turning:
        angles = np.unwrap(euler_zyx(se3.rotation(pose(system.tree, q, name))), axis=0)
        found.append(Curves(f"attitude of {name}", "°", ("yaw", "pitch", "roll"), np.degrees(angles).T))
    return found


class Chart:
    """One plot; the line that follows time is a spike of a curve of its own, on a scale of its own."""

    def __init__(self, gui: Any, t: np.ndarray, curves: Curves):
        self._t, self._curves = t, curves
        self._power = thousands(curves.y)
        series: list[dict[str, Any]] = [{"label": "t [s]"}]
        for i, name in enumerate(curves.names):
            r, g, b = PALETTE[i % len(PALETTE)]
            series.append(
                {"label": name, "stroke": f"rgb({r},{g},{b})", "width": 1.5, "points": {"show": False}}
            )
        line = {"label": "now", "scale": "now", "stroke": _NOW, "width": 1.5, "points": {"show": False}}
        self._plot = gui.add_uplot(
            self._data(float(t[0])),
            (*series, line),
            title=f"{curves.title} [{_written(self._power)}{curves.unit}]",
            scales={"x": {"time": False}, "now": {"range": (0.0, 1.0)}},
            legend={"show": len(curves.names) > 1, "live": False},
            height=190,
        )

    def show(self, t: float) -> None:
        """Put the line at time t (s)."""
        self._plot.data = self._data(t)

    def replace(self, t: np.ndarray, curves: Curves) -> None:
        """Take other curves of the same kind."""
        self._t, self._curves = t, curves
        self.show(float(t[-1]))

    def _data(self, now: float) -> tuple[np.ndarray, ...]:
        """Rows with the time of the line three times among them, where its curve goes up and down again."""
        at = int(np.searchsorted(self._t, now))
        y = self._curves.y / 10.0**self._power
        rows = [np.insert(row, at, [np.interp(now, self._t, row)] * 3) for row in y]
        line = np.zeros(len(self._t) + 3)
        line[at + 1] = 1.0
        return (np.insert(self._t, at, [now] * 3), *rows, line)


def thousands(y: np.ndarray) -> int:
    """The power of ten, a multiple of three, that keeps the numbers beside the axis short; 0 for usual sizes."""
    largest = float(np.abs(y[np.isfinite(y)]).max(initial=0.0))
    return 0 if largest == 0.0 or 1e-2 <= largest < 1e4 else 3 * int(np.floor(np.log10(largest) / 3))


def _written(power: int) -> str:
    return f"10{str(power).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))} " if power else ""


Told = Callable[[], tuple[np.ndarray, tuple[Curves, ...]]]


class Charts:
    """All plots of one trajectory, and of what its law tells: (times, curves), asked for when another one is shown."""

    def __init__(self, gui: Any, timeline: Timeline, told: Told | None = None):
        self._told = told
        self._charts = [Chart(gui, t, found) for t, found in self._all(timeline)]

    def show(self, t: float) -> None:
        """Put the lines at time t (s)."""
        for chart in self._charts:
            chart.show(t)

    def follow(self, timeline: Timeline) -> None:
        """Plot another trajectory of the same system."""
        for chart, (t, found) in zip(self._charts, self._all(timeline), strict=True):
            chart.replace(t, found)

    def _all(self, timeline: Timeline) -> list[tuple[np.ndarray, Curves]]:
        thin = timeline.thinned(_MOST)
        t, told = (thin.t, ()) if self._told is None else self._told()
        return [*((t, found) for found in told), *((thin.t, found) for found in curves(thin))]
