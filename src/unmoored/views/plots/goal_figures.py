"""Figures of what the law of a run wanted: targets beside what was reached, and the errors of every goal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...lie import se3
from ...lie.conversions import euler_zyx
from ...model import ModelError
from ...model.errors import unknown_name
from . import run_channels as ch
from .motion_figures import unwound
from .panels import Panel, panel_figure


def targets(run: Any, *, goals: Any = None, size: Any = None, title: str = "") -> Any:
    """Every target of the law (dashed) and what it is for: poses and positions in world axes, joints' coordinates.

    goals: names of those to show, all that are places if None.
    """
    chosen = {name: goal for name, goal in chosen_goals(run, goals).items() if goal.target is not None}
    if not chosen:
        expected = "a goal that is a place: a pose, a position or a coordinate"
        raise ModelError.single("plot 'targets'", "goals", expected=expected, given="tasks only")
    places = {name: goal for name, goal in chosen.items() if goal.kind != "coordinate"}
    panels = [panel for name, goal in places.items() for panel in _place(run, name, goal)]
    joints = {name: goal for name, goal in chosen.items() if goal.kind == "coordinate"}
    return panel_figure(run.t, [*panels, *_coordinates(run, joints)], size, title)


def errors(run: Any, *, goals: Any = None, size: Any = None, title: str = "") -> Any:
    """How far the true state is off every goal of the law, and what each level of `TaskPriority` is missing.

    goals: names of those to show, all if None.
    """
    chosen = chosen_goals(run, goals)
    joints = {name: goal for name, goal in chosen.items() if goal.kind == "coordinate"}
    panels = [
        Panel(f"{name}: error", unit, tuple(goal.rows[k] for k in some), goal.error[:, some])
        for name, goal in chosen.items()
        if name not in joints
        for unit, some in _by_unit(goal.units)
    ]
    for words, unit, some in _grouped_joints(joints):
        values = np.concatenate([goal.error for goal in some], axis=1)
        panels.append(Panel(f"{words}error", unit, _joint_names(some), values))
    loss = [x for name, x in run.memory.items() if name.rpartition(".")[2] == "loss"]
    if loss and goals is None:
        names = tuple(f"level {k + 1}" for k in range(loss[0].shape[1]))
        panels.append(Panel("missing in each level", "m/s, rad/s", names, loss[0]))
    return panel_figure(run.t, panels, size, title)


def chosen_goals(run: Any, names: Any) -> dict[str, Any]:
    """The goals of a run that are asked for, by name; all if None. Runs without goals are refused."""
    known: Mapping[str, Any] = run.goals
    if not known:
        expected = (
            "a run whose law tells goals; a saved run needs load_run(..., law=…) if it has very many rows"
        )
        raise ModelError.single(run.system.name, "goals of the law", expected=expected, given="none")
    asked = list(known) if names is None else [names] if isinstance(names, str) else list(names)
    for name in asked:
        if name not in known:
            raise unknown_name(run.system.name, "goal", name, known)
    return {name: known[name] for name in asked}


def _place(run: Any, name: str, goal: Any) -> Iterator[Panel]:
    """A pose or a position, as it is and as it was wanted, in world axes."""
    g = ch.frame_poses(run, goal.of)
    wanted = se3.position(goal.target) if goal.kind == "pose" else goal.target
    yield Panel(f"{name}: position", "m", ("x", "y", "z"), se3.position(g), wanted)
    if goal.kind == "pose":
        angles, wanted = (unwound(np.degrees(_angles(se3.rotation(x)))) for x in (g, goal.target))
        yield Panel(f"{name}: attitude", "°", ("yaw", "pitch", "roll"), angles, wanted)


def _angles(R: np.ndarray) -> np.ndarray:
    """Yaw, pitch and roll (T, 3), NaN where the goal is not in force."""
    there = np.isfinite(R).all(axis=(1, 2))
    angles = np.full((len(R), 3), np.nan)
    angles[there] = euler_zyx(R[there])
    return angles


def _coordinates(run: Any, joints: Mapping[str, Any]) -> Iterator[Panel]:
    """Coordinates of joints as they are and as they were wanted, those of one unit and level together."""
    tree = run.system.tree
    for words, unit, some in _grouped_joints(joints):
        values = np.concatenate([run.q[:, tree.link(goal.of).q] for goal in some], axis=1)
        wanted = np.concatenate([goal.target for goal in some], axis=1)
        yield Panel(f"{words}joints", unit, _joint_names(some), values, wanted)


def _grouped_joints(joints: Mapping[str, Any]) -> Iterator[tuple[str, str, list[Any]]]:
    """(words, unit, goals) of joints that are shown together: of the same level and unit."""
    groups: dict[tuple[Any, str], list[Any]] = {}
    for goal in joints.values():
        groups.setdefault((goal.level, goal.units[0]), []).append(goal)
    for (level, unit), some in groups.items():
        yield ("" if level is None else f"level {level + 1}: "), unit, some


def _joint_names(goals: list[Any]) -> tuple[str, ...]:
    return tuple(
        goal.of if len(goal.rows) == 1 else f"{goal.of}.{row}" for goal in goals for row in goal.rows
    )


def _by_unit(units: tuple[str, ...]) -> list[tuple[str, list[int]]]:
    return [(unit, [k for k, u in enumerate(units) if u == unit]) for unit in dict.fromkeys(units)]
