"""What laws have in common: checked plants and gains, forces along the DoFs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..lie.arrays import join
from ..model import ModelError
from ..trace import plain_numbers
from ..worlds import Plant


def gain(law: str, name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A gain as an array (..., *shape): one number stands for all entries."""
    try:
        array = plain_numbers(value)
    except (TypeError, ValueError):
        raise ModelError.single(law, name, expected=f"numbers of shape {shape}", given=repr(value)) from None
    if array.ndim == 0:
        array = np.full(shape, float(array))
    rank = len(shape)
    if array.ndim < rank or array.shape[array.ndim - rank :] != shape or not np.all(np.isfinite(array)):
        expected = f"one number, or finite numbers of shape {shape} or (samples, {str(shape)[1:]}"
        raise ModelError.single(law, name, expected=expected, given=repr(value))
    array.setflags(write=False)
    return array


def are_numbers(x: Any) -> bool:
    """Whether x is one number or an array of finite numbers."""
    try:
        return bool(np.all(np.isfinite(plain_numbers(x))))
    except (TypeError, ValueError):
        return False


def check_plant(law: str, plant: Any) -> None:
    """Refuse what is not a plant."""
    if not isinstance(plant, Plant):
        raise ModelError.single(law, "plant", expected="a Plant", given=repr(plant))


def refuse_ties(law: str, plant: Plant) -> None:
    """Refuse a plant in which constraints tie DoFs, or joints follow others: a law for all DoFs cannot drive them."""
    tied = [type(c).__name__ for c in plant.velocities.constraints]
    tied += [f"{c.joint} follows {c.leader}" for c in plant.velocities.couplings]
    if tied:
        expected = "one in which every joint moves on its own"
        raise ModelError.single(law, "plant", expected=expected, given=", ".join(tied))


def along_dofs(plant: Plant, parts: Mapping[int, np.ndarray]) -> np.ndarray:
    """Forces (..., nv) from those of some links (..., nv_i), by index; zero along all other DoFs."""
    return join([parts.get(link.index, np.zeros(link.joint.nv)) for link in plant.tree.links])
