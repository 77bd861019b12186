"""Where a ship will be when a command takes effect, from where it was when it was measured.

    "none":        as measured
    "twist":       g exp(T V) : it goes on as it went
    "oscillator":  ξ = log(m⁻¹g) about the mean pose m swings at one frequency ω_p, ξ̈ = −ω_p² ξ

The last is exact for a swell of that frequency, and good for a sea whose spectrum is narrow about its peak.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...lie import se3
from ...lie.arrays import apply
from ...model.errors import unknown_name

PREDICTIONS = ("none", "twist", "oscillator")


class Ahead(NamedTuple):
    """Pose (4, 4), twist (6,) in its own axes and the twist's rate (6,), some time after they were measured."""

    pose: np.ndarray
    twist: np.ndarray
    rate: np.ndarray


def ahead(kind: str, g: np.ndarray, V: np.ndarray, T: Any, mean: np.ndarray, ω: Any) -> Ahead:
    """The motion a time T (s) after the pose g (4, 4) and the twist V (6,); mean (4, 4), ω (rad/s)."""
    if kind == "none":
        return Ahead(g, V, 0.0 * V)
    if kind == "twist":
        return Ahead(g @ se3.exp(T * V), V, 0.0 * V)
    ξ = se3.log(se3.inverse(mean) @ g)
    ξ_dot = apply(se3.dexp_inv(ξ), V)
    c, s = np.cos(ω * T), np.sin(ω * T)
    later, speed = c * ξ + s / ω * ξ_dot, c * ξ_dot - ω * s * ξ
    slope = se3.dexp(later)
    return Ahead(mean @ se3.exp(later), apply(slope, speed), -ω * ω * apply(slope, later))


def residual_ratio(
    frequencies: npt.ArrayLike, delay: float, prediction: str, *, rate: float, peak: float = 1.0
) -> np.ndarray:
    """How much of a small ship motion is left at a tool that is held still, by frequency (rad/s): |1 − C(iω)|.

    C = e^{−iωT} (rate P + iω D)/(iω + rate), for joints that follow at once: T the delay (s), rate (1/s) that of
    `WorldFixedTool`; P and D what the prediction makes of place and velocity. peak: ω_p of the oscillator.
    """
    if prediction not in PREDICTIONS:
        raise unknown_name("residual_ratio", "prediction", prediction, PREDICTIONS)
    s = 1j * np.asarray(frequencies)
    place, speed = np.ones_like(s), s
    if prediction == "twist":
        place = 1.0 + s * delay
    if prediction == "oscillator":
        c, n = np.cos(peak * delay), np.sin(peak * delay)
        place, speed = c + s / peak * n, s * c - peak * n
    return np.abs(1.0 - np.exp(-s * delay) * (rate * place + speed) / (s + rate))
