"""Control laws from the entries of a scenario file."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...control import Allocated, Inputs, JointPD, ReactionMode, ResolvedMotion, StationKeeping
from ...model import ModelError, Pose
from ...model.errors import unknown_name
from ...worlds import Law
from .link_keeping import LinkKeeping
from .world_parts import reference


def controller_of(entries: list[Any], plant: Any, swept: dict[str, np.ndarray]) -> Law | None:
    """The sum of the entries' laws; None without entries.

    Forces along DoFs are shared out among the plant's actuators, if it has some. swept: {"0.stiffness": (S, n)},
    gains by the number of the law in the list.
    """
    laws = [_law(entry, plant, _gains(i, entry, swept)) for i, entry in enumerate(entries)]
    given = [law for law, entry in zip(laws, entries, strict=True) if entry.type == "Inputs"]
    forces = [law for law, entry in zip(laws, entries, strict=True) if entry.type != "Inputs"]
    if forces:
        total = sum(forces[1:], forces[0])
        given.append(total if plant.actuators is None else Allocated(plant, total))
    return sum(given[1:], given[0]) if given else None


def _gains(i: int, entry: Any, swept: dict[str, np.ndarray]) -> dict[str, Any]:
    """The swept gains of law i; they take the place of the entry's."""
    own = {key.partition(".")[2]: x for key, x in swept.items() if key.partition(".")[0] == str(i)}
    known = [name for name in ("stiffness", "damping", "rate") if name in type(entry).model_fields]
    for name in own:
        if name not in known:
            raise unknown_name(f"controllers[{i}]", "gain to sweep", name, known)
    return own


def _law(entry: Any, plant: Any, swept: dict[str, Any]) -> Law:
    options = {key: value for key, value in entry.given().items() if key not in ("type", "pose")}
    options |= {name: _spread(entry, plant, name, value) for name, value in swept.items()}
    if entry.type == "Inputs":
        return Inputs(plant, entry.values)
    if entry.type == "JointPD":
        return _joint_pd(plant, options)
    options["pose"] = Pose(**entry.pose.given()).matrix
    if entry.type == "ResolvedMotion":
        return ResolvedMotion(plant, **options)
    if entry.type == "ReactionMode":
        return ReactionMode(plant, **options)
    kind = StationKeeping if entry.body in plant.system.vehicles else LinkKeeping
    return kind(plant, **options)


def _joint_pd(plant: Any, options: dict[str, Any]) -> JointPD:
    targets, motions = options.pop("targets", {}), options.pop("motions", {})
    twice = sorted(targets.keys() & motions.keys())
    if twice:
        raise ModelError.single("JointPD", "motions", expected="no joint that is in targets", given=twice[0])
    return JointPD(plant, targets | {name: reference(entry) for name, entry in motions.items()}, **options)


def _spread(entry: Any, plant: Any, name: str, values: np.ndarray) -> np.ndarray:
    """Swept gains (S,) or (S, n) as (S, n): one number stands for all DoFs."""
    if values.ndim > 1:
        return values
    (size,) = _law(entry, plant, {}).shapes[name]
    return np.repeat(values[:, None], size, axis=1)
