"""What sensors say about an extended pose: innovations, their derivatives by the left error, their covariances.

The table of filters.md, for a sensor at (R_s, r) from the inertial unit's frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import Array, apply, diagonal, transpose
from ..model import ModelError
from ..trace import maximum
from .depth_gauge import DepthGauge
from .dvl import Dvl
from .extended_pose import ExtendedPose
from .sensor import Sensor
from .usbl import Usbl

#: blocks of the error: position, velocity, attitude, (biases of accelerometers), biases of gyroscopes, current
POSITION, VELOCITY, ATTITUDE, GYRO_BIAS, CURRENT = 0, 1, 2, 4, 5
#: a distance below which a direction means nothing (m)
_NEAR = 1e-9


class Model(NamedTuple):
    """ν (m,): innovation.  H: {block of the error: (m, 3)}.  N (m, m): covariance of the reading."""

    ν: Array
    H: Mapping[int, Array]
    N: Array


def check(sensor: Any) -> None:
    """Refuse what the filter has no model of."""
    kind = "InvariantFilter"
    if not isinstance(sensor, Dvl | DepthGauge | Usbl):
        raise wrong(kind, "aiding", "sensors among Dvl, DepthGauge and Usbl", sensor)
    if isinstance(sensor, DepthGauge) and np.any(sensor.bias):
        raise wrong(kind, f"bias of {sensor.name}", "zero: it is not estimated", sensor.bias)


def tells_current(sensor: Any) -> bool:
    """Whether its readings depend on the current."""
    return isinstance(sensor, Dvl) and sensor.lock == "water"


def model(
    sensor: Sensor, value: Array, χ: ExtendedPose, rate: Array, about: Any, current: Array | None = None
) -> Model:
    """The model of a reading at χ; rate: that of the unit less its bias (3,).  current (3,): of the water, world axes.

    about: (pose (4, 4) of the sensor from the unit, density of the gyroscopes' noise (3,), period of the unit).
    """
    place, gyro_noise, period = about
    if isinstance(sensor, Dvl):
        flow = current if tells_current(sensor) else None
        return _velocity(sensor, value, χ, rate, place, gyro_noise, period, flow)
    if isinstance(sensor, DepthGauge):
        return _depth(sensor, value, χ, place)
    assert isinstance(sensor, Usbl)
    return _fix(sensor, value, χ, place)


def _velocity(
    sensor: Dvl, value: Array, χ: ExtendedPose, rate: Array, place: Array, gyro_noise: Array, period: Any,
    current: Array | None,
) -> Model:  # fmt: skip
    """R_sᵀ(Rᵀ(v − c) + ω × r), c = 0 over the bottom; over its lever it sees the gyroscopes' noise, too."""
    R_t, r = transpose(se3.rotation(place)), se3.position(place)
    v = apply(transpose(χ.R), χ.v if current is None else χ.v - current)
    H = {VELOCITY: R_t, ATTITUDE: R_t @ so3.hat(v)}
    if current is not None:
        H[CURRENT] = -R_t @ transpose(χ.R)
    N = diagonal(sensor.noise**2)
    ν = value - apply(R_t, v + so3.cross(rate, r))
    if r.any():
        H[GYRO_BIAS] = R_t @ so3.hat(r)
        N = N + H[GYRO_BIAS] @ diagonal(gyro_noise**2 / period) @ transpose(H[GYRO_BIAS])
    return Model(ν, H, N)


def _depth(sensor: DepthGauge, value: Array, χ: ExtendedPose, place: Array) -> Model:
    """surface − (p + R r)_z."""
    r = se3.position(place)
    down = -χ.R[2:3]
    H = {POSITION: down}
    if r.any():
        H[ATTITUDE] = -down @ so3.hat(r)
    ν = value - (sensor.surface - χ.p[2] - (χ.R[2] * r).sum())
    return Model(ν, H, np.array([[sensor.noise**2]]))


def _fix(sensor: Usbl, value: Array, χ: ExtendedPose, place: Array) -> Model:
    """R_sᵀ(Rᵀ(p_t − p) − r); directions of its errors are those of the prediction: the reading's own bend with them."""
    R_t, r = transpose(se3.rotation(place)), se3.position(place)
    d = apply(transpose(χ.R), sensor.transponder - χ.p)
    expected = apply(R_t, d - r)
    length = np.sqrt((expected * expected).sum())
    u = expected / maximum(length, _NEAR)
    along = u[:, None] * u[None, :]
    N = sensor.distance**2 * along + (sensor.angle * length) ** 2 * (np.eye(3) - along)
    N = N + _NEAR**2 * np.eye(3)
    return Model(value - expected, {POSITION: -R_t, ATTITUDE: R_t @ so3.hat(d)}, N)


def wrong(kind: str, what: str, expected: str, given: Any) -> ModelError:
    """The error for a field of a filter."""
    words = given if isinstance(given, str) else repr(given)
    return ModelError.single(kind, what, expected=expected, given=words)
