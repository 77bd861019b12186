"""Modes of a linear system ẋ = A x: poles, frequencies, damping and shapes, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...model import ModelError

_SHOWN = 4  # names in a line of the table
_SMALL_PART = 0.1  # of the largest entry: smaller ones are not in the table


@dataclass(frozen=True)
class Mode:
    """One mode: a real pole, or a pair of complex ones.

    pole: λ (1/s), of a pair the one above the real axis.
    frequency_hz: |λ| / 2π, of a pair that of the oscillation without its damping; it swings with |Im λ| / 2π.
    damping_ratio: −Re λ / |λ|: 0 undamped, 1 a decay without oscillation, negative where it grows; 0 if λ is 0.
    time_constant: −1 / Re λ (s): of the decay; negative where it grows, infinite where it does neither.
    shape: {name: entry of the eigenvector}, complex (real for a real pole), the largest entry 1.
    kind: "rigid" (λ = 0), "oscillation", "decay", "growth" or "growing oscillation".
    """

    pole: complex
    frequency_hz: float
    damping_ratio: float
    time_constant: float
    shape: Mapping[str, complex]
    kind: str


class Modes(tuple[Mode, ...]):
    """Modes, slowest first; its text is a table."""

    def __str__(self) -> str:
        lines = [f"{'kind':<20}{'frequency':>12}{'damping':>9}{'time constant':>15}  shape"]
        for mode in self:
            lines.append(
                f"{mode.kind:<20}{mode.frequency_hz:>9.4g} Hz{mode.damping_ratio:>9.3f}"
                f"{mode.time_constant:>13.4g} s  {_shown(mode.shape)}"
            )
        return "\n".join(lines)


def modes(A: npt.ArrayLike, names: Sequence[str]) -> Modes:
    """The modes of ẋ = A x, A (n, n) (1/s), names: of the n entries of x. Slowest first.

    A pole counts as zero, or its imaginary part does, below √(n ε) of the largest pole (1/s at least): so far does
    rounding move a double pole, such as those of a body that drifts freely.
    """
    matrix = _checked(A, names)
    poles, vectors = np.linalg.eig(matrix)
    n = len(names)
    rounding = float(np.sqrt(n * np.finfo(float).eps)) * max(float(np.abs(poles).max(initial=0.0)), 1.0)
    found = []
    for pole, vector in zip(poles, vectors.T, strict=True):
        if abs(pole) <= rounding:
            pole = 0.0
        elif abs(pole.imag) <= rounding:
            pole = pole.real
        if np.imag(pole) >= 0:  # the other one of a pair has the conjugate shape
            found.append(_mode(complex(pole), vector, names))
    return Modes(sorted(found, key=lambda mode: (abs(mode.pole), mode.pole.real, mode.pole.imag)))


def _mode(pole: complex, vector: np.ndarray, names: Sequence[str]) -> Mode:
    """The mode of a pole, with its vector turned and scaled."""
    largest = np.argmax(np.abs(vector))
    shape = vector / vector[largest]
    shape[largest] = 1.0
    entries = shape.tolist() if pole.imag else shape.real.tolist()
    size = abs(pole)
    return Mode(
        pole=pole,
        frequency_hz=size / (2 * np.pi),
        damping_ratio=-pole.real / size if size else 0.0,
        time_constant=-1.0 / pole.real if pole.real else np.inf,
        shape=dict(zip(names, entries, strict=True)),
        kind=_kind(pole),
    )


def _kind(pole: complex) -> str:
    if not pole:
        return "rigid"
    if pole.imag:
        return "growing oscillation" if pole.real > 0 else "oscillation"
    return "growth" if pole.real > 0 else "decay"


def _shown(shape: Mapping[str, complex]) -> str:
    """The largest entries with their size and, where they swing apart, the phase in degrees."""
    largest = sorted(shape.items(), key=lambda item: -abs(item[1]))[:_SHOWN]
    parts = []
    for name, entry in largest:
        if abs(entry) >= _SMALL_PART:
            phase = f" at {np.degrees(np.angle(entry)):.0f}°" if isinstance(entry, complex) else ""
            size = f"{abs(entry):.2f}" if isinstance(entry, complex) else f"{entry:.2f}"
            parts.append(f"{name} {size}{phase}")
    return ", ".join(parts)


def _checked(A: npt.ArrayLike, names: Sequence[str]) -> np.ndarray:
    try:
        matrix = np.asarray(A, dtype=float)
    except (TypeError, ValueError):
        raise ModelError.single("modes", "A", expected="numbers (n, n)", given=repr(A)) from None
    n = len(names)
    if isinstance(names, str) or matrix.shape != (n, n) or len(set(names)) < n:
        given = f"shape {matrix.shape} and {names!r}"
        raise ModelError.single("modes", "A, names", expected="A (n, n) and n different names", given=given)
    if not np.isfinite(matrix).all():
        raise ModelError.single("modes", "A", expected="finite numbers", given=repr(matrix.tolist()))
    return matrix
