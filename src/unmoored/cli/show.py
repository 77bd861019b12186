"""What the command line shows of a system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text
from rich.tree import Tree as RichTree

from ..model import WORLD, Body, Part
from ..model.names import printable
from ..system import System
from .printing import escape

CONVENTIONS = (
    "twists are (v, ω), wrenches (force, moment), linear first; velocities are body-fixed, in the moved body's frame",
    "a 1-DoF joint stores one number in q, a multi-DoF joint its pose: rotation row by row, then position",
    "SI units; world z is up; body axes are front-left-up",
)


def systems_table(found: dict[str, str]) -> Table:
    """A table of the built-in systems."""
    table = Table("system", "what it is", box=None, pad_edge=False)
    for name, line in found.items():
        table.add_row(f"[bold]{escape(name)}[/]", escape(line))
    return table


def description(system: System) -> dict[str, Any]:
    """The system as plain data, for machines."""
    return {
        "name": system.name,
        "description": system.tree.description,
        "nq": system.nq,
        "nv": system.nv,
        "mass_kg": system.mass,
        "bodies": [
            {
                "name": body.name,
                "parent": body.parent,
                "joint": body.joint.kind,
                "dofs": list(body.joint.dof_names),
                "mass_kg": body.inertia.mass,
                "com_m": body.inertia.com.tolist(),
            }
            for body in system.tree.bodies
        ],
        "joints": list(system.joints),
        "fixed_bodies": list(system.fixed_bodies),
        "parts": [
            {"prefix": part.prefix, "system": part.system, "body": part.body, "source": part.source}
            for part in system.parts
        ],
        "frames": [{"name": frame.name, "parent": frame.parent} for frame in system.tree.frames],
        "sources": list(system.tree.sources),
        "assumptions": list(system.tree.assumptions),
        "conventions": list(CONVENTIONS),
    }


def system_tree(system: System) -> Group:
    """The tree with joints, degrees of freedom and masses, and the notes below it."""
    root = RichTree(f"[bold]{escape(system.name)}[/]  {escape(system.tree.description)}")
    nodes = {WORLD: root.add("world")}
    for body in system.tree.bodies:
        nodes[body.name] = nodes[body.parent].add(_body_line(body))
    for frame in system.tree.frames:
        nodes[frame.parent].add(f"[green]{escape(frame.name)}[/] [dim]frame[/]")
    lines = [f"\n{len(system.names)} bodies, {system.nv} DoF (nq = {system.nq}), {system.mass:g} kg"]
    fixed = [", ".join(system.fixed_bodies)] if system.fixed_bodies else []
    lines += _notes("fixed bodies, which have no entries in q and v", fixed)
    lines += _notes("mounted", [_part_line(part) for part in system.parts])
    lines += _notes("sources", system.tree.sources) + _notes("assumptions", system.tree.assumptions)
    lines += _notes("conventions", CONVENTIONS)
    return Group(root, _moving_joints(system), Text("\n".join(lines)))


def _moving_joints(system: System) -> Table:
    """The joints that move, with their entries of v, in their order."""
    table = Table("moving joint", "type", "v", "degrees of freedom", "limits", box=None, pad_edge=False)
    for link in system.tree.links:
        joint = link.joint
        if not joint.nv:
            continue
        entries = str(link.v.start) if joint.nv == 1 else f"{link.v.start}:{link.v.stop}"
        limits = "" if joint.limits is None else escape(str(joint.limits.T.squeeze().tolist()))
        table.add_row(escape(link.name), joint.kind, entries, ", ".join(joint.dof_names), limits)
    return table


def _part_line(part: Part) -> str:
    whence = f" from {part.source}" if part.source else ""
    return f"{part.system}{whence}, held by {part.body}"


def _body_line(body: Body) -> str:
    joint = body.joint
    dofs = f" {', '.join(joint.dof_names)}" if joint.nv > 1 else ""
    inertia = f"{body.inertia.mass:g} kg" + ("" if body.inertia.is_rigid else ", full 6×6 inertia")
    extras = ", fluid" if body.fluid is not None else ""
    return f"[bold]{escape(body.name)}[/]  [cyan]{joint.kind}[/]{dofs}  [dim]{inertia}{extras}[/]"


def _notes(title: str, notes: Sequence[str]) -> list[str]:
    return [f"{title}:", *(f"  {printable(note)}" for note in notes)] if notes else []
