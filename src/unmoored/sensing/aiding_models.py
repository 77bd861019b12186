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

_P, _V, _PHI, _BA, _BW = range(5)
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
    if sensor.delay:
        raise wrong(
            kind,
            f"delay of {sensor.name}",
            "none: the filter takes readings when they are made",
            sensor.delay,
        )
    if isinstance(sensor, Dvl) and sensor.lock != "bottom":
        raise wrong(
            kind, f"lock of {sensor.name}", '"bottom": the water\'s velocity is not estimated', sensor.lock
        )
    if isinstance(sensor, DepthGauge) and np.any(sensor.bias):
        raise wrong(kind, f"bias of {sensor.name}", "zero: it is not estimated", sensor.bias)


def model(sensor: Sensor, value: Array, χ: ExtendedPose, rate: Array, about: Any) -> Model:
    """The model of a reading at χ; rate: that of the unit less its bias (3,).

    about: (pose (4, 4) of the sensor from the unit, density of the gyroscopes' noise (3,), period of the unit).
    """
    place, gyro_noise, period = about
    if isinstance(sensor, Dvl):
        return _velocity(sensor, value, χ, rate, place, gyro_noise, period)
    if isinstance(sensor, DepthGauge):
        return _depth(sensor, value, χ, place)
    assert isinstance(sensor, Usbl)
    return _fix(sensor, value, χ, place)


def _velocity(
    sensor: Dvl, value: Array, χ: ExtendedPose, rate: Array, place: Array, gyro_noise: Array, period: Any
) -> Model:
    """R_sᵀ(Rᵀv + ω × r); over its lever it sees the gyroscopes' noise, too."""
    R_t, r = transpose(se3.rotation(place)), se3.position(place)
    v = apply(transpose(χ.R), χ.v)
    H = {_V: R_t, _PHI: R_t @ so3.hat(v)}
    N = diagonal(sensor.noise**2)
    ν = value - apply(R_t, v + so3.cross(rate, r))
    if r.any():
        H[_BW] = R_t @ so3.hat(r)
        N = N + H[_BW] @ diagonal(gyro_noise**2 / period) @ transpose(H[_BW])
    return Model(ν, H, N)


def _depth(sensor: DepthGauge, value: Array, χ: ExtendedPose, place: Array) -> Model:
    """surface − (p + R r)_z."""
    r = se3.position(place)
    down = -χ.R[2:3]
    H = {_P: down}
    if r.any():
        H[_PHI] = -down @ so3.hat(r)
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
    return Model(value - expected, {_P: -R_t, _PHI: R_t @ so3.hat(d)}, N)


def wrong(kind: str, what: str, expected: str, given: Any) -> ModelError:
    """The error for a field of a filter."""
    words = given if isinstance(given, str) else repr(given)
    return ModelError.single(kind, what, expected=expected, given=words)
