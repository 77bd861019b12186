"""The figure of an allocation: forces wanted and given along the DoFs, and what each actuator was told, with limits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model import ModelError
from ...model.units import RADIAN, dof_units
from . import run_channels as ch
from .panels import Panel, panel_figure

_FAR = 1e11  # a limit beyond is none


def allocation(run: Any, *, joints: Any = None, size: Any = None, title: str = "") -> Any:
    """Forces that the law wanted along the DoFs (dashed) and that the actuators gave, those that they could not give,
    and every actuator's input with its limits (dotted).

    joints: those whose forces are shown, all along which something is wanted if None.
    """
    return panel_figure(run.t, [*_forces(run, joints), *_commands(run)], size, title)


def _forces(run: Any, joints: Any) -> list[Panel]:
    """What was wanted and given, and what is missing, by unit."""
    tree, wanted = run.system.tree, _wanted(run)
    given, words = _given(run, wanted)
    dofs = _acting(wanted) if joints is None else list(tree.dofs(joints))
    units, panels = dof_units(tree), []
    for kind, unit, title in (("m", "N", "forces"), (RADIAN, "N m", "moments")):
        k = [i for i in dofs if units[i] == kind]
        names = tuple(tree.dof_names[i] for i in k)
        panels.append(Panel(f"{title} {words}", unit, names, given[:, k], wanted[:, k]))
        panels.append(Panel(f"{title} not given", unit, names, run.unallocated[:, k]))
    return panels


def _commands(run: Any) -> list[Panel]:
    """The actuators' inputs by unit and limits."""
    panels, limits = [], run.input_limits
    for found in ch.inputs(run):
        groups: dict[tuple[float, ...], list[int]] = {}
        for k, name in enumerate(found.names):
            own = () if limits is None else limits[run.input_names.index(name)]
            groups.setdefault(tuple(float(x) for x in own if abs(x) < _FAR), []).append(k)
        for levels, k in groups.items():
            names = tuple(found.names[i] for i in k)
            title = f"{found.title} of actuators"
            panels.append(Panel(title, found.unit, names, found.values[:, k], limits=levels, steps=True))
    return panels


def _acting(forces: np.ndarray) -> list[int]:
    """DoFs along which forces (T, nv) act at some time; all if there are none."""
    largest = np.nanmax(np.abs(forces), axis=0)
    found = np.flatnonzero(largest > 1e-9 * max(float(largest.max()), 1e-300)).tolist()
    return found or list(range(forces.shape[1]))


def _wanted(run: Any) -> np.ndarray:
    """Forces (T, nv) that were wanted; runs of laws that are not allocated are refused."""
    try:
        return np.asarray(run.wanted_forces)
    except ModelError:
        expected = "a run with an Allocated law and a control_step"
        raise ModelError.single("plot 'allocation'", "law", expected=expected, given="none kept") from None


def _given(run: Any, wanted: np.ndarray) -> tuple[np.ndarray, str]:
    """Forces (T, nv) that the actuators gave, lag and failures in, where the plant is known; else what was asked."""
    if run.plant is None:
        return wanted - run.unallocated, "commanded"
    given = run.plant.delivered_forces(run.t, run.q, run.v, run.u, x=run.x, p=run.parameters)
    return np.asarray(given), "delivered"
