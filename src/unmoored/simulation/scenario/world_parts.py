"""Worlds, actuators, constraints and motions from the entries of a scenario file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import control, worlds
from ...dynamics import nonholonomic
from ...model import ModelError
from ...model.files.yaml.schema import Entry
from ...model.value import Value
from ...system import System
from .motions import prescribed_motion

_SPECTRA = {
    "Jonswap": worlds.Jonswap,
    "PiersonMoskowitz": worlds.PiersonMoskowitz,
    "Tabulated": worlds.TabulatedSpectrum,
}


@dataclass(frozen=True, eq=False, repr=False)
class Tide(Value):
    """mean + amplitude · sin(2π t / period + phase): a water velocity (3,) that is the same everywhere."""

    mean: Any
    amplitude: Any
    period: float
    phase: float

    def __call__(self, t: Any) -> np.ndarray:
        return np.asarray(self.mean) + np.asarray(self.amplitude) * np.sin(
            2.0 * np.pi / self.period * t + self.phase
        )


def world(entry: Any) -> worlds.World:
    """The world of an entry."""
    options = _options(entry)
    if options.get("current") is not None:
        options["current"] = _current(options["current"])
    if options.get("spectrum") is not None:
        options["spectrum"] = _SPECTRA[entry.spectrum.type](**_options(entry.spectrum))
    return getattr(worlds, entry.type)(**options)


def _current(entry: Any) -> Any:
    options = _options(entry)
    if entry.type == "Uniform":
        return options["velocity"]
    if entry.type == "Sheared":
        return worlds.ShearedCurrent(**options)
    if not entry.period > 0:
        raise ModelError.single("", "period", expected="> 0 (s)", given=repr(entry.period))
    mean, amplitude = tuple(map(float, entry.mean)), tuple(map(float, entry.amplitude))
    return worlds.VaryingCurrent(Tide(mean, amplitude, float(entry.period), float(entry.phase)))


def actuator(entry: Any) -> worlds.Actuator:
    """The actuator of an entry."""
    return getattr(worlds, entry.type)(**_options(entry))


def constraint(entry: Any) -> nonholonomic.VelocityConstraint:
    """The velocity constraint of an entry."""
    return getattr(nonholonomic, entry.type)(**_options(entry))


def reference(entry: Any) -> control.Reference:
    """Coordinates over time."""
    options = {key: value for key, value in _options(entry).items() if key != "fails_at"}
    return getattr(control, entry.type)(**options)


def prescribed(system: System, name: str, entry: Any) -> worlds.Trajectory:
    """The motion of a prescribed joint."""
    joint = system.tree.link(name).joint
    return prescribed_motion(reference(entry), name, joint, entry.fails_at)


def _options(entry: Entry) -> dict[str, Any]:
    return {key: value for key, value in entry.given().items() if key != "type"}
