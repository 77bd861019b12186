"""Sensor grades by name: numbers of real instruments, in SI units, with where they come from (1σ).

Angular random walk (°/√h), velocity random walk (m/s/√h) and bias stability (°/h, mg) are as published; a bias is drawn
once with the published figure as its standard deviation, and walks with figure/√τ where the source gives a time τ.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..model.errors import unknown_name

_DEGREE, _HOUR, _MILLIGRAVITY = math.pi / 180.0, 3600.0, 9.80665e-3
_PER_ROOT_HOUR = 1.0 / 60.0


class Inertial(NamedTuple):
    """Densities of white noise (rad/s/√Hz, m/s²/√Hz), biases (rad/s, m/s²) and densities of their walks."""

    gyro_noise: float
    gyro_bias: float
    gyro_walk: float
    accelerometer_noise: float | None
    accelerometer_bias: float | None
    accelerometer_walk: float | None
    source: str


def _inertial(
    random_walk: float,
    gyro_bias: float | None,
    noise: float | None,
    bias: float | None,
    source: str,
    times: tuple[float, float] | None = None,
) -> Inertial:
    """random_walk: °/√h.  gyro_bias: °/h.  noise: m/s²/√Hz.  bias: mg.  times: τ of both biases (s)."""
    gyro = 0.0 if gyro_bias is None else gyro_bias * _DEGREE / _HOUR
    acc = None if noise is None else (0.0 if bias is None else bias * _MILLIGRAVITY)
    walks = (0.0, 0.0) if times is None else (gyro / math.sqrt(times[0]), (acc or 0.0) / math.sqrt(times[1]))
    density = random_walk * _DEGREE * _PER_ROOT_HOUR
    return Inertial(density, gyro, walks[0], noise, acc, None if noise is None else walks[1], source)


#: m/s/√h as m/s²/√Hz
_VELOCITY = _PER_ROOT_HOUR

INERTIAL: dict[str, Inertial] = {
    "MPU-6000": _inertial(0.30, 4.6, 0.24 * _MILLIGRAVITY, 0.036, "AirSim@1344870", (500.0, 800.0)),
    "ADIS16405": _inertial(2.0, 25.2, 0.2 * _VELOCITY, 0.2, "NaveGo@550d906"),
    "ADIS16488": _inertial(0.3, 6.5, 0.029 * _VELOCITY, 0.1, "NaveGo@550d906"),
    "VN-100": _inertial(0.21, None, 0.14 * _MILLIGRAVITY, None, "datasheet, through a kalibr file"),
    "NovAtel-tactical": _inertial(0.06, 0.45, 0.06 * _VELOCITY, 0.075, "SiyuChen1/novatel_sensor_fusion"),
    "LN-200": _inertial(0.15, 3.0, None, None, "a mission-analysis script"),
    "MIMU": _inertial(0.01, 0.05, None, None, "a mission-analysis script"),
    "LN-100": _inertial(0.0007, 0.003, None, None, "a mission-analysis script"),
}


class Doppler(NamedTuple):
    """Standard deviation per beam (m/s), highest rate (Hz), lowest and highest altitude (m)."""

    beam: float
    rate: float
    altitude: tuple[float, float]
    source: str = "Field-Robotics-Lab/dave@e54ea16, simulator values"


DOPPLER: dict[str, Doppler] = {
    "WHN600": Doppler(0.005, 7.0, (0.7, 90.0)),
    "DVL500": Doppler(0.005, 8.0, (0.3, 200.0)),
    "DVL1000": Doppler(0.005, 8.0, (0.2, 75.0)),
    "Syrinx": Doppler(0.0022, 10.0, (0.4, 175.0)),
}


class Pressure(NamedTuple):
    """Standard deviation of the depth (m)."""

    depth: float
    source: str


PRESSURE: dict[str, Pressure] = {"MS5837-30BA": Pressure(0.002, "data sheet: 0.2 mbar, 0 to 30 bar")}


class Acoustic(NamedTuple):
    """Standard deviations of the direction (rad) and the distance (m)."""

    angle: float
    distance: float
    source: str


ACOUSTIC: dict[str, Acoustic] = {
    "low-cost": Acoustic(2.0 * _DEGREE, 0.5, "Cerulean's test page: 2° and 0.5 m at 110 m")
}


class Stellar(NamedTuple):
    """Standard deviations of a reading and of its fixed bias (rad), highest rate (Hz)."""

    noise: float
    bias: float
    rate: float
    source: str


STELLAR: dict[str, Stellar] = {
    "BCT-nano": Stellar(333e-6, 60.0 * _DEGREE / 3600.0, 5.0, "a mission-analysis script")
}


def grade_named(kind: str, name: str, known: dict[str, Any]) -> Any:
    """The grade of a name."""
    if name not in known:
        raise unknown_name(kind, "grade", name, known)
    return known[name]


def grades() -> dict[str, tuple[str, ...]]:
    """Names of the grades of every kind of sensor."""
    kinds = {
        "Imu": INERTIAL,
        "Dvl": DOPPLER,
        "DepthGauge": PRESSURE,
        "Usbl": ACOUSTIC,
        "StarTracker": STELLAR,
    }
    full = {name: g for name, g in INERTIAL.items() if g.accelerometer_noise is not None}
    return {kind: tuple(full if kind == "Imu" else known) for kind, known in kinds.items()} | {
        "Gyro": tuple(INERTIAL)
    }
