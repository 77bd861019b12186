"""The rules a tree of bodies must keep. All broken ones are reported together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import dropwhile

from ..error_roots import warn
from .body import Body, Frame
from .errors import ModelError, ModelWarning, Problem, shortened
from .mimic import Mimic, coupling_problems
from .names import WORLD, plain_name_fault
from .part import Part

_TRIANGLE_TOLERANCE = 1e-9


def check_tree(
    name: str,
    bodies: Sequence[Body],
    frames: Sequence[Frame],
    couplings: Sequence[Mimic] = (),
    parts: Sequence[Part] = (),
) -> None:
    """Raise a `ModelError` with every broken rule; warn of inertias that no real body has."""
    problems = tree_problems(name, bodies, frames, couplings, parts)
    if problems:
        raise ModelError(problems)
    names = {body.name for body in bodies}
    for body in bodies:
        _warn_of_triangle(body)
        if body.joint_name in names - {body.name}:
            warn(
                f"{body.joint_name}: a body and the joint of {body.name} share this name; it means the body",
                ModelWarning,
            )


def tree_problems(
    name: str,
    bodies: Sequence[Body],
    frames: Sequence[Frame],
    couplings: Sequence[Mimic] = (),
    parts: Sequence[Part] = (),
) -> list[Problem]:
    """Every broken rule of the tree; `where` is the name of the body or frame that breaks it."""
    return [
        *_names(name, bodies, frames),
        *_joint_names(bodies),
        *_shadowed_dofs(bodies),
        *_parents(bodies, frames),
        *_cycles(bodies),
        *coupling_problems(bodies, couplings),
        *_parts((*bodies, *frames), parts),
    ]


def parents_first(bodies: Sequence[Body]) -> tuple[Body, ...]:
    """The bodies, kept in the given order except that a body never comes before its parent."""
    children: dict[str, list[Body]] = {}
    for body in bodies:
        children.setdefault(body.parent, []).append(body)
    placed: set[str] = {WORLD}
    passed: set[str] = set()
    ordered: list[Body] = []
    for body in bodies:
        passed.add(body.name)
        waiting = [body] if body.parent in placed else []
        while waiting:
            current = waiting.pop(0)
            ordered.append(current)
            placed.add(current.name)
            # children listed before their parent follow it at once
            waiting += [child for child in children.get(current.name, []) if child.name in passed]
    return tuple(ordered)


def _names(name: str, bodies: Sequence[Body], frames: Sequence[Frame]) -> Iterator[Problem]:
    if fault := plain_name_fault(name):
        yield Problem("system", "name", fault, shortened(repr(name)))
    if not bodies:
        yield Problem(str(name), "bodies", "at least one body", "none")
    seen: dict[str, str] = {}
    labelled = [(b.name, "body") for b in bodies] + [(f.name, "frame") for f in frames]
    for label, kind in labelled:
        if label in seen:
            given = f"a {seen[label]} and a {kind} {label!r}"
            yield Problem(label, "name used twice", "unique body and frame names", given)
        seen[label] = kind


def _joint_names(bodies: Sequence[Body]) -> Iterator[Problem]:
    """Two joints with one name: it would silently mean the last of them."""
    owners: dict[str, str] = {}
    for body in bodies:
        if body.joint_name is None:
            continue
        if body.joint_name in owners:
            expected, given = (
                "unique joint names",
                f"{owners[body.joint_name]} has the joint {body.joint_name!r} too",
            )
            yield Problem(body.name, "joint name used twice", expected, given)
        owners.setdefault(body.joint_name, body.name)


def _shadowed_dofs(bodies: Sequence[Body]) -> Iterator[Problem]:
    """A body or joint "bus.vx" beside a body "bus" that can move along x: the name would mean both."""
    joints = {
        name: body.joint for body in bodies for name in (body.joint_name, body.name) if name is not None
    }
    for body in bodies:
        for name in dict.fromkeys((body.name, body.joint_name)):
            owner, dot, dof = (name or "").rpartition(".")
            if dot and owner in joints and {dof, f"v{dof}"} & set(joints[owner].dof_names):
                expected = f"a name that is not also a degree of freedom of {owner}"
                yield Problem(body.name, "ambiguous name", expected, repr(name))


def _parents(bodies: Sequence[Body], frames: Sequence[Frame]) -> Iterator[Problem]:
    known = dict.fromkeys((WORLD, *(body.name for body in bodies)))
    expected = shortened(f"one of {', '.join(known)}", 600)
    for child in (*bodies, *frames):
        if child.parent not in known:
            yield Problem(child.name, "unknown parent", expected, repr(child.parent))


def _parts(holders: Sequence[Body | Frame], parts: Sequence[Part]) -> Iterator[Problem]:
    """What a part is held by: a body, or the frame that it became when it was melted into its parent."""
    known = {holder.name for holder in holders}
    for part in parts:
        if part.body not in known:
            yield Problem(part.body, "part", "the name of a body", repr(part.body))


def _cycles(bodies: Sequence[Body]) -> Iterator[Problem]:
    parent = {body.name: body.parent for body in bodies}
    settled: set[str] = {WORLD}
    for body in bodies:
        path: dict[str, None] = {}  # an ordered set: chains may be long
        current = body.name
        while current in parent and current not in settled:
            if current in path:
                ring = " → ".join((*dropwhile(current.__ne__, path), current))
                yield Problem(current, "cycle", "a tree: every body leads to the world", shortened(ring))
                break
            path[current] = None
            current = parent[current]
        settled.update(path)


def _warn_of_triangle(body: Body) -> None:
    defect = body.inertia.triangle_defect()
    if defect > _TRIANGLE_TOLERANCE * abs(body.inertia.tensor).max():
        warn(
            f"{body.name}: triangle inequality of the principal moments: expected largest ≤ sum of the other two, "
            f"given {defect:.3g} kg m² too large; no real mass distribution has it",
            ModelWarning,
        )
