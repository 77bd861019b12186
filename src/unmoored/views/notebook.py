"""What notebooks show of systems, plants and runs: tables, and a 3D picture in a frame of its own."""

from __future__ import annotations

import json
from html import escape
from string import Template
from typing import Any

import numpy as np

from ..model import WORLD
from ..simulation import Run
from ..system import System
from ..worlds import Plant
from .extra import required
from .render.filming import Look
from .report.embedded_playback import playback
from .report.page import inside_script, page_text, scripts, still
from .report.tables import goals, summary

_TRIANGLES, _POSE_BYTES = 16_000, 400_000
_STILL = (560, 315)
_HEIGHT = 430  # px of the frame
_MOST_BODIES = 40


def html(thing: Any) -> str:
    """HTML of a `System`, a `Plant` or a `Run`: what it is in a table, and what it looks like, to turn and to play."""
    required("matplotlib", "PIL")
    if isinstance(thing, Run):
        return _div(_run_table(thing), player_frame(thing.sample(0), thing.system.name))
    if isinstance(thing, Plant):
        shown = _at_rest(thing.system, thing)
        return _div(
            plant_table(thing), system_table(thing.system), player_frame(shown, thing.name, still_only=True)
        )
    return _div(system_table(thing), player_frame(_at_rest(thing, None), thing.name, still_only=True))


def system_table(system: System) -> str:
    """The bodies of a system: parent, joint, DoFs and mass."""
    bodies = system.tree.bodies
    rows = [
        (
            body.name,
            "world" if body.parent == WORLD else body.parent,
            body.joint.kind,
            ", ".join(body.joint.dof_names) if body.joint.nv > 1 else str(body.joint.nv),
            f"{body.inertia.mass:g}",
        )
        for body in bodies[:_MOST_BODIES]
    ]
    more = f"… and {len(bodies) - _MOST_BODIES} more bodies" if len(bodies) > _MOST_BODIES else ""
    words = f"{len(bodies)} bodies, {system.nv} DoF, nq {system.nq}, {system.mass:.6g} kg"
    if system.frames:
        words += f"; frames {', '.join(system.frames[:12])}{', …' if len(system.frames) > 12 else ''}"
    return _table(system.name, words, ("body", "on", "joint", "DoF", "mass (kg)"), rows, more)


def plant_table(plant: Plant) -> str:
    """What acts in a plant: worlds, actuators with their limits, and what ties or moves joints."""
    rows = [("world", world.name, type(world).__name__) for world in plant.worlds]
    for actuator in plant.actuators or ():
        low, high = actuator.bounds(plant.tree)
        limits = (
            "" if not np.all(np.abs([low, high]) < 1e11) else f" within {np.min(low):g} … {np.max(high):g}"
        )
        rows.append(("actuator", actuator.label, f"{type(actuator).__name__}{limits}"))
    if plant.actuators is None:
        rows.append(("inputs", f"{plant.nu}", "forces along all DoFs: no actuators were given"))
    rows += [("prescribed", name, type(path).__name__) for name, path in plant.velocities.prescribed]
    rows += [("constraint", "", type(x).__name__) for x in plant.constraints]
    rows += [("element", x.label, type(x).__name__) for x in plant.elements]
    rows += [("closure", x.label, type(x).__name__) for x in plant.closures]
    rows += [("free", name, "run-time parameter") for name in plant.free]
    inputs, states = (
        f"{n} {word}{'' if n == 1 else 's'}" for n, word in ((plant.nu, "input"), (plant.nx, "state"))
    )
    words = f"{plant.nv} DoF, {inputs}, {states} of actuators"
    return _table(f"Plant of {plant.system.name}", words, ("", "name", "what"), rows, "")


def player_frame(run: Any, title: str, *, still_only: bool = False) -> str:
    """An inline frame with the run in 3D, which loads nothing; without scripts it shows a picture of the end."""
    data = playback(run, triangles=_TRIANGLES, pose_bytes=_POSE_BYTES)
    page = Template(page_text("frame.html")).substitute(
        title=escape(title),
        style=page_text("page.css"),
        player=Template(page_text("player.html")).substitute(still=still(run, Look(size=_STILL, title=""))),
        timeless="timeless" if still_only else "",
        playback=inside_script(json.dumps(data)),
        script=scripts(),
    )
    return (
        f'<iframe title="{escape(title)} in 3D" srcdoc="{escape(page)}" sandbox="allow-scripts" '
        f'style="width: 100%; max-width: 800px; height: {_HEIGHT}px; border: 0" loading="lazy"></iframe>'
    )


def _run_table(run: Run) -> str:
    rows = [] if run.batched else [(name, words) for name, words in goals(run).items()]
    facts = summary(run.sample(0), run if run.batched else None, 0)
    told = _table("", "goals of the law at the end", ("goal", "error"), rows, "") if rows else ""
    return f"{facts}{told}"


def _at_rest(system: System, plant: Plant | None) -> Run:
    """The system at rest in its neutral configuration, as a run of two equal rows."""
    q = np.stack([system.neutral()] * 2)
    return Run(system, np.array([0.0, 1.0]), q, np.zeros((2, system.nv)), lengths=np.array([2]), plant=plant)


def _table(title: str, words: str, heads: tuple[str, ...], rows: list[tuple[str, ...]], more: str) -> str:
    head = "".join(f"<th style='text-align: left'>{escape(x)}</th>" for x in heads)
    cells = "".join(
        "<tr>" + "".join(f"<td style='text-align: left'>{escape(x)}</td>" for x in row) + "</tr>"
        for row in rows
    )
    caption = f"<strong>{escape(title)}</strong> " if title else ""
    end = f"<p>{escape(more)}</p>" if more else ""
    return f"<p>{caption}{escape(words)}</p><table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>{end}"


def _div(*parts: str) -> str:
    return f"<div>{''.join(parts)}</div>"
