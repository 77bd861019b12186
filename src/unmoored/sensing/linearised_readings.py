"""Any sensor's innovation, its derivatives along the plant's tangent, and its covariance: from its own function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dynamics.configuration import retract
from ..lie.arrays import Array, join, transpose
from ..trace import jacobian
from ..worlds.gains import gains_of, with_gains
from .instant import Instant
from .sensor import Sensor, reading_of

#: standard normal numbers by which noise is looked for: what a sensor does with its noise need not be linear in it
_SMALL = 1e-6


def linearised(
    sensor: Sensor, plant: Any, value: Array, t: Any, q: Array, v: Array, x: Array, u: Array, period: Any
) -> tuple[Array, Array, Array]:
    """(ν, H, N) of a reading at the estimate (q, v, x).

    ν (m,): from what is expected to the value.  H (m, n): by the tangent (δq, δw, δx).  N = L Lᵀ (m, m), L by the
    standard normal numbers of the sensor's noise.
    """
    gains = gains_of(sensor)
    numbers = join([np.asarray(gain.values).reshape(-1) for gain in gains])
    Δ = period if sensor.rate is None else 1.0 / sensor.rate

    def reading(
        δ: Array, n: Array, t: Any, q: Array, v: Array, x: Array, u: Array, numbers: Array, Δ: Any
    ) -> Array:
        own = with_gains(sensor, _unpacked(numbers, gains))
        velocities, speeds = plant.velocities, plant.nv + plant.nw
        at, w = retract(plant.tree, q, δ[: plant.nv]), velocities.independent(q, v) + δ[plant.nv : speeds]
        state = x + δ[speeds:] if plant.nx else np.zeros(0)
        inputs = u if plant.nu else np.zeros(0)
        full = velocities.full(t, at, w)
        now = Instant(plant, t, at, w, full, state, inputs, np.array(plant.nominal_parameters))
        return reading_of(own, now, np.zeros(len(sensor.drift.times)), n, np.zeros(0), Δ).value

    def change(δ: Array, n: Array, expected: Array, *state: Any) -> Array:
        return sensor.difference(expected, reading(δ, n, *state))

    zero, quiet = np.zeros(len(plant.tangent_names)), np.zeros(sensor.channels)
    filled = x if plant.nx else np.zeros(1)
    state = (t, q, v, filled, u if plant.nu else np.zeros(1), numbers, Δ)
    expected = reading(zero, quiet, *state)
    H, L = jacobian(change, wrt=(0, 1))(zero, quiet, expected, *state)
    flat = value.reshape(sensor.size)
    return sensor.difference(expected, flat), H, L @ transpose(L)


def noise_by_differences(sensor: Sensor, plant: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """L (m, k) by the sensor's standard normal numbers, at time 0 in the state (q, v), nothing moving it: in NumPy."""
    numbers = {gain.name: np.reshape(gain.values, (-1, *gain.shape))[0] for gain in gains_of(sensor)}
    own, Δ = with_gains(sensor, numbers), 1.0 if sensor.rate is None else 1.0 / sensor.rate
    w = plant.velocities.independent(q, v)
    now = Instant(
        plant, 0.0, q, w, v, np.zeros(plant.nx), np.zeros(plant.nu), np.array(plant.nominal_parameters)
    )

    def value(normals: np.ndarray) -> Array:
        return reading_of(own, now, np.zeros(len(sensor.drift.times)), normals, np.zeros(0), Δ).value

    quiet = value(np.zeros(sensor.channels))
    columns = [sensor.difference(quiet, value(_SMALL * one)) for one in np.eye(sensor.channels)]
    return np.stack(columns, axis=-1) / _SMALL


def _unpacked(numbers: Array, gains: Any) -> dict[str, Array]:
    found, first = {}, 0
    for gain in gains:
        size = math.prod(gain.shape)
        found[gain.name] = numbers[first : first + size].reshape(gain.shape)
        first += size
    return found
