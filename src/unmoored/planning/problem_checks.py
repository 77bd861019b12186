"""Checking what trajectory optimisation is given, and laying it out as rows of problems."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.joints import pose_from_numbers
from ..trace import plain_numbers
from ..worlds import Plant
from ..worlds.equilibria.trim import input_bounds
from ..worlds.loads import setting
from ..worlds.plants.assembly import closed_start

#: a duration may be this far from a whole number of periods, in periods
_WHOLE = 1e-9
#: periods of a problem, which is solved over all of them at once
_MOST = 10**7
_ON_GROUP = 1e-9
#: stands for no limit on an input
FAR = 1e20
#: part of an actuator's range that is left out at its limits
_INSIDE = 1e-9


def wrong(where: str, what: str, expected: str, given: Any) -> ModelError:
    """The error for an argument."""
    given = given if isinstance(given, str) else repr(given)
    return ModelError.single(where, what, expected=expected, given=given)


def check_plant(where: str, plant: Any) -> Plant:
    """The plant, if the method can work on it."""
    if not isinstance(plant, Plant):
        raise wrong(where, "plant", "a Plant", plant)
    if not plant.nu:
        raise wrong(where, "inputs", "a plant with at least one", "none")
    return plant


def positive(where: str, what: str, x: Any) -> float:
    """A positive, finite number."""
    if isinstance(x, bool) or not isinstance(x, int | float | np.number) or not 0 < float(x) < math.inf:
        raise wrong(where, what, "a number > 0", x)
    return float(x)


def count(where: str, what: str, x: Any, least: int = 1) -> int:
    """A whole number."""
    if isinstance(x, bool) or not isinstance(x, int | np.integer) or x < least:
        raise wrong(where, what, f"a whole number ≥ {least}", x)
    return int(x)


def multiple(where: str, what: str, x: float, of: float) -> int:
    """x / of as a whole number ≥ 1."""
    if not x / of <= _MOST:
        raise wrong(where, what, f"at most {_MOST:,} times {of:g} s", x)
    found = round(x / of)
    if found < 1 or abs(x / of - found) > _WHOLE * max(1.0, found * 1e-3):
        raise wrong(where, what, f"a multiple of {of:g} s", x)
    return found


def array(where: str, what: str, x: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Finite numbers with this shape, or with a leading dimension of problems."""
    try:
        found = plain_numbers(x)
    except (TypeError, ValueError):
        raise wrong(where, what, f"numbers {shape}", x) from None
    if found.ndim not in (len(shape), len(shape) + 1) or found.shape[found.ndim - len(shape) :] != shape:
        raise wrong(where, what, f"shape {shape}, or (problems, …)", f"shape {found.shape}")
    if not np.all(np.isfinite(found)):
        raise wrong(where, what, "finite numbers", "NaN or infinite ones")
    return found


def configuration(where: str, what: str, plant: Plant, x: Any, *leading: int) -> np.ndarray:
    """Configurations (..., nq) whose poses are in their joints' groups."""
    q = array(where, what, x, (*leading, plant.nq))
    for link in plant.pose_links:
        if not np.all(link.joint.group.contains(pose_from_numbers(q[..., link.q]), _ON_GROUP)):
            raise wrong(where, f"{what} of {link.name}", f"poses in {link.joint.group.name}", "others")
    return q


def limits_of_inputs(where: str, plant: Plant, given: Any) -> tuple[np.ndarray, np.ndarray]:
    """(lowest, highest), each (nu,) or (problems, nu), ± FAR where there is none: those given, and the actuators' own.

    Of the latter a part in 1e9 is left out: at its limit an actuator cuts its command off, and has no derivative.
    """
    own_low, own_high = (
        np.clip(x, -FAR, FAR) for x in input_bounds(plant, setting(plant, plant.nominal_parameters).actuators)
    )
    inside = _INSIDE * np.where(np.maximum(-own_low, own_high) < FAR, own_high - own_low, 0.0)
    own_low, own_high = own_low + inside, own_high - inside
    if given is None:
        return own_low, own_high
    try:
        low, high = given
        pair = [np.broadcast_to(plain_numbers(x), np.shape(x) or (plant.nu,)) for x in (low, high)]
    except (TypeError, ValueError):
        raise wrong(where, "input_limits", "(lowest, highest)", given) from None
    low, high = (array(where, "input_limits", np.clip(x, -FAR, FAR), (plant.nu,)) for x in pair)
    if not np.all(low <= high):
        raise wrong(where, "input_limits", "lowest ≤ highest", given)
    low, high = np.maximum(low, own_low), np.minimum(high, own_high)
    if not np.all(low <= high):
        raise wrong(where, "input_limits", "some within those of the actuators", given)
    return low, high


def placed(
    where: str, plant: Plant, times: np.ndarray, q: np.ndarray, v: np.ndarray, p: Any
) -> tuple[np.ndarray, np.ndarray]:
    """(q (..., nq), w (..., nw)) of q and v (..., nv): prescribed joints where they are at these times (...).

    v must keep the plant's constraints and couplings, and followers must be where their leaders put them; what is said
    of prescribed joints does not count.
    """
    if plant.velocities.is_plain:
        return q, v
    p = p if p.shape[-1] else None
    there = np.asarray(plant.configuration(times, q, p))
    driven = plant.velocities.driven
    for link in plant.tree.links:
        if link.joint.nv and not np.isin(link.v.start, driven):
            off = np.abs(there[..., link.q] - q[..., link.q]).max()
            if off > _ON_GROUP * (1.0 + np.abs(q[..., link.q]).max()):
                expected = "where its leader puts it: plant.configuration(t, q) gives such a q"
                raise wrong(where, f"configuration of {link.name}", expected, f"off by {off:g}")
    w = np.asarray(plant.independent_velocity(there, v))
    off = np.abs(np.asarray(plant.full_velocity(times, there, w, p)) - v)
    off[..., driven] = 0.0
    if off.max() > _ON_GROUP * (1.0 + np.abs(v).max()):
        expected = "such as keep the constraints and couplings"
        raise wrong(where, "velocities", expected, f"off by {off.max():g}")
    return there, w


def on_closures(
    plant: Plant, times: np.ndarray, q: np.ndarray, w: np.ndarray, p: np.ndarray, start: bool
) -> tuple[np.ndarray, np.ndarray]:
    """(q, w) of nodes (P, N + 1, …) on the plant's closures; those that are not are refused.

    start: whether only those at the start were given, and the others are equal to them.
    """
    if not plant.closures:
        return q, w
    names = ("q0", "v0") if start else ("q", "v")
    P, nodes = q.shape[:2]
    q_flat, w_flat = (np.reshape(x, (P * nodes, -1)) for x in (q, w))
    found = closed_start(plant, times.reshape(-1), q_flat, w_flat, np.repeat(p, nodes, axis=0), names)
    return tuple(np.reshape(x, (P, nodes, -1)) for x in found)  # type: ignore[return-value]


def check_inputs_are_thrusts(where: str, plant: Plant) -> None:
    """Refuse plants whose inputs are no thrusts or forces: azimuths, curves."""
    if plant.actuators is None:
        raise wrong(where, "actuators", "a plant with actuators", "none: every DoF takes any force")
    if plant.closures or plant.velocities.constraints:
        raise wrong(
            where, "plant", "no closures or rolling constraints: their forces are not counted", plant.name
        )
    curved = [a.label for a in plant.actuators if getattr(a, "curve", None) is not None]
    if plant.thrust_names != plant.input_names or curved:
        given = ", ".join(curved or plant.thrust_names)
        raise wrong(where, "actuators", "inputs that are thrusts or forces as they are", given)
