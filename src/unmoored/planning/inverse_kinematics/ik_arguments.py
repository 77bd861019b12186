"""Checking what `solve_ik` is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...model import ModelError, Tree
from ...model.errors import unknown_name
from ...model.joints import SubgroupJoint, pose_from_numbers
from ...system import System
from ...trace import plain_numbers
from ...worlds import Plant, Space
from .unknowns import Unknowns

WHERE = "solve_ik"
MODES = ("held", "equilibrium", "floating")
_ON_GROUP, _OUTSIDE = 1e-9, 1e-9


def wrong(what: str, expected: str, given: Any) -> ModelError:
    """The error for an argument."""
    return ModelError.single(
        WHERE, what, expected=expected, given=given if isinstance(given, str) else repr(given)
    )


class Modes(NamedTuple):
    """Velocity indices by what becomes of them; floating: the vehicle, or None."""

    active: tuple[int, ...]
    balanced: tuple[int, ...]
    floating: str | None


def owner_of(owner: Any) -> tuple[Tree, Plant | None]:
    """The tree, and the plant if there is one."""
    if isinstance(owner, Plant):
        if owner.closures:
            given = ", ".join(closure.label for closure in owner.closures[:8])
            raise wrong("plant", "no closures: loops are not kept closed here", given)
        return owner.system.tree, owner
    if isinstance(owner, System):
        return owner.tree, None
    raise wrong("system", "a System or a Plant", owner)


def modes_of(tree: Tree, plant: Plant | None, passive: Any) -> Modes:
    """What is solved for, what balances and what floats."""
    if passive is None:
        large = [name for name in tree.vehicles if tree.link(name).joint.nv > 1]
        if large:
            expected = '{name: "held" | "equilibrium" | "floating"} since a vehicle has several DoFs; {} solves for all'
            raise wrong("passive", f"passive={expected}", f"none, with {', '.join(large)}")
        passive = {}
    if not isinstance(passive, Mapping):
        raise wrong("passive", "{joint or DoF: mode}", passive)
    taken: dict[int, str] = {}
    floating: list[str] = []
    for name, mode in passive.items():
        if mode not in MODES:
            raise wrong(f"passive[{name!r}]", " or ".join(map(repr, MODES)), mode)
        dofs = tree.dofs(name)
        if twice := taken.keys() & set(dofs.tolist()):
            raise wrong("passive", "each DoF once", tree.dof_names[min(twice)])
        if mode == "equilibrium" and plant is None:
            raise wrong(
                f"passive[{name!r}]",
                'a Plant for "equilibrium": it knows weight, buoyancy and springs',
                "a System",
            )
        if mode == "floating":
            _check_floating(tree, plant, name)
            floating.append(name)
        taken |= {int(dof): mode for dof in dofs}
    if len(floating) > 1 or (floating and "equilibrium" in taken.values()):
        raise wrong("passive", 'one vehicle that floats, and then nothing in "equilibrium"', dict(passive))
    driven = set() if plant is None else set(plant.velocities.driven.tolist())
    led = set(Unknowns(tree, ()).followers.dofs)
    active = tuple(i for i in range(tree.nv) if i not in taken and i not in driven and i not in led)
    if not active:
        raise wrong("passive", "some DoFs left to solve for", "none")
    balanced = tuple(sorted(i for i, mode in taken.items() if mode == "equilibrium"))
    if bad := [i for i in balanced if i in led or i in driven]:
        raise wrong(
            "passive", "DoFs in equilibrium that neither follow others nor are moved", tree.dof_names[bad[0]]
        )
    return Modes(active, balanced, floating[0] if floating else None)


def _check_floating(tree: Tree, plant: Plant | None, name: str) -> None:
    if name not in tree.vehicles:
        raise unknown_name(WHERE, "vehicle that floats", name, tree.vehicles)
    if len(tree.vehicles) > 1:
        raise wrong("passive", "a system with one vehicle, if it floats", ", ".join(tree.vehicles))
    if not isinstance(tree.link(name).joint, SubgroupJoint):
        raise wrong(
            f"passive[{name!r}]",
            "a joint that is a subgroup, for a vehicle that floats",
            tree.link(name).joint.kind,
        )
    if plant is not None and (
        any(not isinstance(world, Space) or world.in_orbit for world in plant.worlds)
        or plant.elements
        or plant.velocities.is_projected
        or plant.prescribed
    ):
        raise wrong(
            "passive",
            "a plant without worlds, constraints and prescribed joints, if its vehicle floats",
            plant.name,
        )
    if tree.couplings:
        raise wrong("passive", "no joints that follow others, if the vehicle floats", tree.couplings[0].joint)


def poses_of(tree: Tree, targets: Any) -> dict[str, np.ndarray]:
    """Target poses (..., 4, 4) by frame."""
    if not isinstance(targets, Mapping) or not targets:
        raise wrong("targets", "{frame: pose}, one or more", targets)
    found = {}
    for frame, pose in targets.items():
        tree.locate(frame)
        try:
            g = np.array(getattr(pose, "matrix", pose), dtype=float)
        except (TypeError, ValueError):
            raise wrong(f"pose of {frame!r}", "a Pose, or numbers (..., 4, 4)", pose) from None
        if g.shape[-2:] != (4, 4) or not np.all(np.isfinite(g)):
            raise wrong(f"pose of {frame!r}", "finite numbers (..., 4, 4)", f"shape {g.shape}")
        if not _are_poses(g):
            raise wrong(f"pose of {frame!r}", "poses: rotation matrices with a place", "others")
        found[frame] = g
    return found


def _are_poses(g: np.ndarray) -> bool:
    R = g[..., :3, :3]
    turned = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0) <= _ON_GROUP
    return bool(turned and np.all(np.linalg.det(R) > 0) and np.all(g[..., 3, :] == [0.0, 0.0, 0.0, 1.0]))


def weights_of(frames: tuple[str, ...], weights: Any) -> dict[str, np.ndarray]:
    """Six weights ≥ 0 by frame, one where none are given."""
    given = (
        weights
        if isinstance(weights, Mapping)
        else dict.fromkeys(frames, 1.0 if weights is None else weights)
    )
    for frame in given:
        if frame not in frames:
            raise unknown_name(WHERE, "frame among the targets", frame, frames)
    found = {frame: numbers("weights", given.get(frame, 1.0), 6) for frame in frames}
    for frame, x in found.items():
        if np.any(x < 0) or not x.any():
            raise wrong(f"weights of {frame!r}", "six numbers ≥ 0, some > 0", x.tolist())
    return found


def numbers(what: str, x: Any, size: int) -> np.ndarray:
    """(size,) finite numbers; one stands for all."""
    try:
        array = plain_numbers(x)
    except (TypeError, ValueError):
        raise wrong(what, f"one number, or {size}", x) from None
    array = np.full(size, float(array)) if array.ndim == 0 else array
    if array.shape != (size,) or not np.all(np.isfinite(array)):
        raise wrong(what, f"one number, or {size} that are finite", x)
    return array


def time(t: Any) -> float:
    """t (s), one finite number for all problems."""
    if isinstance(t, bool) or not isinstance(t, int | float | np.number) or not np.isfinite(t):
        raise wrong("t", "a time (s), one number", t)
    return float(t)


def start_of(tree: Tree, unknowns: Unknowns, q0: Any) -> np.ndarray:
    """q0 (..., nq), on its groups and within the limits of what is solved for; the middle of these limits if None."""
    low, high = unknowns.box
    if q0 is None:
        q = np.concatenate([link.joint.neutral() for link in tree.links])
        x = unknowns.coordinates(q)
        middle = np.where((x < low) | (x > high), 0.5 * (low + high), x)
        return unknowns.moved(q, middle - x, low, high)
    try:
        q = plain_numbers(q0)
    except (TypeError, ValueError):
        raise wrong("q0", f"numbers (..., {tree.nq})", q0) from None
    if q.shape[-1:] != (tree.nq,) or not np.all(np.isfinite(q)):
        raise wrong("q0", f"finite numbers (..., {tree.nq})", f"shape {q.shape}")
    for link in tree.links:
        joint = link.joint
        stored = isinstance(joint, SubgroupJoint) and joint.nv > 1
        if stored and not np.all(joint.group.contains(pose_from_numbers(q[..., link.q]), _ON_GROUP)):  # type: ignore[attr-defined]
            raise wrong(f"q0 of {link.name}", f"poses in {joint.group.name}", "others")  # type: ignore[attr-defined]
    x = unknowns.coordinates(q)
    off = np.maximum(low - x, x - high)
    if np.any(off > _OUTSIDE):
        k = int(np.argmax(off.reshape(-1, unknowns.count).max(0)))
        name = tree.dof_names[unknowns.dofs[k]]
        raise wrong(
            f"q0 of {name}",
            f"within its limits {low[k]:g} … {high[k]:g}",
            f"{x.reshape(-1, unknowns.count)[:, k].tolist()[:4]}",
        )
    return unknowns.moved(q, 0.0 * x, low, high)


def check_numbers(
    starts: Any, tolerance: Any, path_steps: Any, seed: Any, duration: Any, momentum: Any, floating: Any
) -> None:
    """Refuse counts, tolerances and times that make no sense."""
    for name, x, least in (("starts", starts, 1), ("path_steps", path_steps, 1), ("seed", seed, 0)):
        if isinstance(x, bool) or not isinstance(x, int | np.integer) or x < least:
            raise wrong(name, f"a whole number ≥ {least}", x)
    for name, x in (("tolerance", tolerance), ("duration", duration)):
        if x is not None and (
            isinstance(x, bool) or not isinstance(x, int | float | np.number) or not 0 < x < np.inf
        ):
            raise wrong(name, "a number > 0", x)
    if floating is None and (momentum is not None or duration is not None):
        raise wrong("momentum, duration", 'a vehicle that is "floating"', "none")
    if momentum is not None and duration is None:
        raise wrong("duration", "how long the motion takes (s), since there is momentum", "none")


def costs_of(unknowns: Unknowns, cost: Any) -> np.ndarray:
    """How dear the unknowns are (n,)."""
    found = np.ones(unknowns.tree.nv)
    if cost is not None and not isinstance(cost, Mapping):
        raise wrong("cost", "{joint or DoF: number > 0}", cost)
    for name, x in (cost or {}).items():
        if isinstance(x, bool) or not isinstance(x, int | float | np.number) or not 0 < x < np.inf:
            raise wrong(f"cost of {name!r}", "a number > 0", x)
        found[unknowns.tree.dofs(name)] = float(x)
    return found[list(unknowns.dofs)]
