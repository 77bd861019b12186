"""Limits of a plant's inputs, and those that an allocation is given instead."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model import ModelError
from ...trace import plain_numbers
from ..law_parts import gain
from .channels import FAR


def limits_of(plant: Any) -> np.ndarray:
    """Lowest and highest inputs (nu, 2) as the plant was built."""
    bounds = [actuator.bounds(plant.system.tree) for actuator in plant.actuators]
    low, high = (np.concatenate([np.zeros(0), *(pair[k] for pair in bounds)]) for k in (0, 1))
    return np.clip(np.stack([low, high], axis=-1), -FAR, FAR)


def checked_limits(plant: Any, given: Any, own: np.ndarray) -> np.ndarray:
    """Limits (..., nu, 2) that are limits, and that the plant's actuators have; one pair (2,) counts for all inputs."""
    try:
        cut = np.asarray(np.clip(plain_numbers(given), -FAR, FAR))
    except (TypeError, ValueError):
        cut = given
    if isinstance(cut, np.ndarray) and cut.ndim < 2:
        if cut.shape != (2,):  # of one number the lowest would be the highest
            expected = f"({plant.nu}, 2), a row (lowest, highest) for every input, or one such pair"
            raise ModelError.single("Allocated", "limits", expected=expected, given=repr(given))
        cut = np.broadcast_to(cut, (plant.nu, 2))
    limits = gain("Allocated", "limits", cut, (plant.nu, 2))
    if not np.all(limits[..., 0] <= limits[..., 1]):
        raise ModelError.single("Allocated", "limits", expected="lowest ≤ highest", given=repr(given))
    free = {parameter.owner for parameter in plant._declared if parameter.field in ("limits", "gear")}
    labels = [actuator.label for actuator in plant.actuators for _ in actuator.inputs(plant.tree)]
    wide = (limits[..., 0] < own[:, 0]) | (limits[..., 1] > own[:, 1])
    for i in np.flatnonzero(wide.reshape(-1, plant.nu).any(axis=0)):
        if labels[i] not in free:
            expected = f"within those of the plant, {own[i].tolist()}"
            found = limits.reshape(-1, plant.nu, 2)[:, i]
            raise ModelError.single(
                plant.input_names[i],
                "limits of Allocated",
                expected=expected,
                given=str([found[:, 0].min(), found[:, 1].max()]),
            )
    return limits
