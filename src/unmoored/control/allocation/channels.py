"""The thrusts that a plant's actuators can give, one number each: where they stand among inputs and columns of B."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import vector
from ...model import ModelError
from ...trace import less_equal, maximum, minimum, where
from .thrust_curves import check_curve, command_of

#: stands for no limit
FAR = 1e30


def stacked(entries: Sequence[Any]) -> Any:
    """Vector (..., n) of n entries (...); those without dimensions as what they hold, symbols too."""
    return vector([np.asarray(x)[()] for x in entries])


class Channel(NamedTuple):
    """One thrust: its actuator, its column of B and its input (the first two of them where it turns), its curve."""

    label: str
    column: int
    input: int
    turns: bool = False
    curve: Callable[[Any], Any] | None = None
    fails_at: float | None = None


def channels_of(plant: Any) -> tuple[Channel, ...]:
    """Of all actuators in order; inputs that are neither thrusts nor forces are refused."""
    found, column, place = [], 0, 0
    for actuator in plant.actuators or ():
        inputs, thrusts = actuator.inputs(plant.tree), actuator.thrusts(plant.tree)
        curve, fails_at = getattr(actuator, "thrust_curve", None), actuator.fails_at
        if getattr(actuator, "azimuth", None) is not None:
            found.append(Channel(actuator.label, column, place, True, curve, fails_at))
        elif len(inputs) == len(thrusts):
            found += [
                Channel(actuator.label, column + k, place + k, False, curve, fails_at)
                for k in range(len(inputs))
            ]
        else:
            expected = "inputs that are thrusts or forces"
            raise ModelError.single("Allocated", actuator.label, expected=expected, given=", ".join(inputs))
        column, place = column + len(thrusts), place + len(inputs)
    if not found:
        expected = "inputs that are thrusts or forces"
        raise ModelError.single("Allocated", "actuators", expected=expected, given="no actuators")
    return tuple(found)


def check_channels(channels: Sequence[Channel], limits: np.ndarray) -> None:
    """Refuse curves that cannot be inverted between limits (..., nu, 2)."""
    for channel in channels:
        if channel.curve is not None:
            for low, high in limits[..., channel.input, :].reshape(-1, 2):
                check_curve(channel.label, channel.curve, float(low), float(high))


def thrust_limits(channels: Sequence[Channel], limits: np.ndarray) -> tuple[Any, Any]:
    """(lowest, highest) thrusts, each (..., n), of limits (..., nu, 2) on the inputs."""
    ends = [[limits[..., channel.input, k] for channel in channels] for k in (0, 1)]
    for i, channel in enumerate(channels):
        if channel.curve is not None:
            a, b = channel.curve(ends[0][i]), channel.curve(ends[1][i])
            ends[0][i], ends[1][i] = minimum(a, b), maximum(a, b)
    return stacked(ends[0]), stacked(ends[1])


def commands_of(
    channels: Sequence[Channel], f: np.ndarray, angles: np.ndarray, limits: Any, nu: int
) -> np.ndarray:
    """Inputs (..., nu) that give thrusts f (..., n) at angles (..., number of those that turn).

    limits: (..., nu, 2) on the inputs, or None where there is no curve.
    """
    inputs: list[Any] = [None] * nu
    turning = 0
    for i, channel in enumerate(channels):
        thrust = f[..., i]
        if channel.curve is None:
            inputs[channel.input] = thrust
        else:
            low, high = (limits[..., channel.input, k] for k in (0, 1))
            inputs[channel.input] = command_of(channel.curve, thrust, low, high)
        if channel.turns:
            inputs[channel.input + 1] = angles[..., turning]
            turning += 1
    return stacked(inputs)


def working_now(channels: Sequence[Channel], t: Any, after: Any) -> Any:
    """1 (..., n) for thrusts that are not known to have failed at time t (...), else 0; failures known `after` (s)."""
    parts = [
        1.0 if channel.fails_at is None else where(less_equal(channel.fails_at + after, t), 0.0, 1.0)
        for channel in channels
    ]
    return stacked(parts)
