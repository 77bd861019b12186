"""How a ship answers to waves: response amplitude operators (theory.md §20)."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Self

import numpy as np

from ...lie.arrays import scale_vector
from ...model import ModelError
from ...model.renamed import renamed_fields
from ...model.value import Value, replace_arrays
from ...trace import is_symbolic, plain_numbers
from .response_lookup import looked_up
from .response_table import DOFS, SAME_HEADING, ResponseTable, once_around, read_response, response_of_csv

_FROM_Z_DOWN = np.array([1, -1, -1, 1, -1, -1])  # forward-right-down to forward-left-up
_MIRRORED = np.array([1, -1, 1, -1, 1, -1])  # a sea from the other side of a symmetric ship
_WIDEST = np.radians(60.0) + SAME_HEADING  # between two headings that are interpolated
_TURN = 2 * np.pi


@renamed_fields(headings="headings_rad, in radians: np.radians(…)")
@dataclass(frozen=True, eq=False, repr=False)
class ShipResponse(Value):
    """Motion per wave amplitude, complex, in forward-left-up axes: motion = Re(operator · a exp(i(ωt + ε))).

    The wave at the reference point is a cos(ωt + ε), up. headings_rad: (h,), clockwise from above,
    from the ship's x axis to where the waves go: π is a head sea, at π/2 they come from port and go to starboard.
    The ship is symmetric: a heading stands for its mirror image too.
    frequencies: (n,) increasing, rad/s.  operators: (h, n, 6), surge … yaw (m/m, rad/m); NaN where one is not known.
    They are interpolated as complex numbers, between frequencies and between headings that are at most 60° apart; below
    the first frequency they stay, above the last they are 0. What is not known counts as zero at a heading
    of the table, and is refused between headings.
    """

    headings_rad: Any
    frequencies: Any
    operators: Any
    source: str = ""

    def __post_init__(self) -> None:
        try:
            headings, ω = (np.atleast_1d(plain_numbers(x)) for x in (self.headings_rad, self.frequencies))
            operators = np.array(self.operators, dtype=complex) + 0.0  # no −0.0: equal values have equal bits
        except (TypeError, ValueError) as error:
            expected = "numbers: headings_rad (h,), frequencies (n,), operators (h, n, 6)"
            raise ModelError.single("ShipResponse", "table", expected=expected, given=str(error)) from None
        shape = (headings.size, ω.size, 6)
        if (
            operators.shape != shape
            or len(ω) < 2
            or np.any(np.diff(ω) <= 0)
            or np.any(np.abs(operators) == np.inf)
        ):
            expected = f"increasing frequencies and finite operators of shape {shape}"
            raise ModelError.single(
                "ShipResponse", "table", expected=expected, given=f"shape {operators.shape}"
            )
        if not np.all(np.isfinite(headings)) or not np.all(np.isfinite(ω)):
            raise ModelError.single(
                "ShipResponse", "table", expected="finite headings and frequencies", given=f"{headings}, {ω}"
            )
        headings, operators = once_around("ShipResponse", headings, operators)
        for array in (headings, ω, operators):
            array.setflags(write=False)
        replace_arrays(self, headings_rad=headings, frequencies=ω, operators=operators)
        replace_arrays(self, _round=_all_round(headings, operators))

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, zero: tuple[str, ...] = ()) -> Self:
        """From a file: CSV as docs/worlds.md tells, `.re1` of VERES (ShipX), `.4` of WAMIT. Errors name file and line.

        zero: motions ("sway", …) that the file may lack; they are then zero.
        """
        return cls._of(read_response(path, zero))

    @classmethod
    def of_csv(cls, text: str) -> Self:
        """From the text of a CSV file."""
        return cls._of(response_of_csv(text))

    def to_csv(self) -> str:
        """The text of a CSV file that `of_csv` and `read` make the same response of, to the bit."""
        unknown = [name for k, name in enumerate(DOFS) if np.any(np.isnan(self.operators[..., k]))]
        if unknown:
            expected = "motions that are known at all headings"
            raise ModelError.single("ShipResponse", "to_csv", expected=expected, given=f"not {unknown[0]}")
        source = " ".join(self.source.split())
        names = ["heading_rad", "frequency", *(f"{name}_{part}" for name in DOFS for part in ("re", "im"))]
        lines = [f"# source: {source}", ",".join(names)]
        for heading, table in zip(self.headings_rad.tolist(), self.operators, strict=True):
            for ω, row in zip(self.frequencies.tolist(), table, strict=True):
                numbers = [x for operator in row.tolist() for x in (operator.real, operator.imag)]
                lines.append(",".join(map(repr, [heading, ω, *numbers])))
        return "\n".join(lines) + "\n"

    @classmethod
    def _of(cls, read: ResponseTable) -> Self:
        return cls(read.headings_rad, read.frequencies, read.operators, read.source)

    @property
    def covers_all_headings(self) -> bool:
        """Whether every motion is known at every heading."""
        around, operators = self._round  # type: ignore[attr-defined]
        return not np.any(np.isnan(operators)) and bool(np.all(np.diff(around) <= _WIDEST))

    def at(self, heading_rad: Any, frequencies: Any) -> np.ndarray:
        """Operators (n, 6), complex, at headings () or (n,) [rad] and frequencies (n,) [rad/s]."""
        self.check(heading_rad)
        heading, ω = np.asarray(heading_rad, dtype=float), np.asarray(frequencies, dtype=float)
        real, imaginary = self.parts_at(*np.broadcast_arrays(heading, ω))
        return real + 1j * imaginary

    def check(self, heading_rad: Any) -> None:
        """Refuse headings (...) [rad] between which the table is too wide, or where a motion is not known."""
        around, operators = self._round  # type: ignore[attr-defined]
        for heading in np.atleast_1d(heading_rad).ravel():
            turned = heading % _TURN
            if np.any(np.abs(around - turned) < SAME_HEADING):
                continue
            k = int(np.clip(np.searchsorted(around, turned) - 1, 0, len(around) - 2))
            unknown = [DOFS[j] for j in range(6) if np.any(np.isnan(operators[k : k + 2, :, j]))]
            if around[k + 1] - around[k] <= _WIDEST and not unknown:
                continue
            lacks = f"; between them {', '.join(unknown)} is not known" if unknown else ""
            known = sorted(set(np.round(np.degrees(around) % 360.0, 6)))
            listed = ", ".join(f"{np.radians(h):.5f} ({h:g}°)" for h in known)
            raise ModelError.single(
                "Sea",
                "heading_rad of the ship's response",
                expected=f"one of {listed}, or between two that are at most 60° apart{lacks}",
                given=f"{heading:.6g} ({np.degrees(heading):.6g}°)",
            )

    def parts_at(self, heading_rad: Any, frequencies: Any) -> tuple[Any, Any]:
        """Real and imaginary part (..., 6) at headings and frequencies (...), unchecked: they may be symbols."""
        around, operators = self._round  # type: ignore[attr-defined]
        known = np.nan_to_num(operators)
        values = np.concatenate([known.real, known.imag], axis=-1)
        heading = heading_rad - _TURN * np.floor(heading_rad / _TURN)
        if is_symbolic(heading) or is_symbolic(frequencies):
            both = looked_up(around, self.frequencies, values, heading, frequencies)
        else:
            both = _interpolated(around, self.frequencies, values, heading, np.asarray(frequencies))
        return both[..., :6], both[..., 6:]


def _interpolated(
    around: np.ndarray, frequencies: np.ndarray, values: np.ndarray, heading: np.ndarray, ω: np.ndarray
) -> np.ndarray:
    """Values (m, n, k) bilinear at headings and frequencies (...); constant below the first, zero above the last."""
    places = np.interp(heading, around, np.arange(len(around)))  # a whole number, and the share of the next
    steps = np.interp(ω, frequencies, np.arange(len(frequencies)))
    i = np.minimum(places.astype(int), len(around) - 2)
    j = np.minimum(steps.astype(int), len(frequencies) - 2)
    first = _between(steps - j, values[i, j], values[i, j + 1])
    second = _between(steps - j, values[i + 1, j], values[i + 1, j + 1])
    return scale_vector(np.where(ω <= frequencies[-1], 1.0, 0.0), _between(places - i, first, second))


def _between(share: Any, a: Any, b: Any) -> Any:
    """(1 − share) a + share b for shares (...) and vectors (..., k)."""
    return a + scale_vector(share, b - a)


def _all_round(headings: np.ndarray, operators: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Headings (m,) from below 0 to above 2π, increasing, with mirror images, and their operators (m, n, 6).

    A heading beyond both ends closes the circle, so that every heading lies between two.
    """
    own = headings % _TURN
    apart = np.abs((-own[:, None] - own + np.pi) % _TURN - np.pi)
    mirrored = np.all(apart >= SAME_HEADING, axis=1)  # what the table has itself is better than an image
    both = np.concatenate([own, -own[mirrored] % _TURN])
    images = np.concatenate([operators, (operators * _MIRRORED)[mirrored]])
    order = np.argsort(both, kind="stable")
    both, images = both[order], images[order]
    around = np.concatenate([both[-1:] - _TURN, both, both[:1] + _TURN])
    return around, np.concatenate([images[-1:], images, images[:1]])


@cache
def supply_vessel() -> ShipResponse:
    """An offshore supply vessel of 82.8 m at zero speed, all motions at headings every 10 degrees.

    Reference point: on the waterline, 5.386 m aft of midships.
    """
    return ShipResponse.read(str(resources.files("unmoored.worlds.seas") / "supply_vessel.csv"))


@cache
def s175() -> ShipResponse:
    """The S-175 container ship of 175 m at zero speed; reference point 2.547 m aft of midships, at the waterline.

    Headings of 180, 140 and 90 degrees. Not known, and zero there, are surge, sway and pitch at 140 degrees, surge,
    pitch and yaw at 90. Its roll resonance, at about 0.34 rad/s, lies between two frequencies of the table.
    """
    data = json.loads((resources.files("unmoored.worlds.seas") / "s175.json").read_text(encoding="utf-8"))
    ω = np.array(data["frequencies"])
    operators = np.full((len(data["headings"]), len(ω), 6), np.nan, dtype=complex)
    for h, heading in enumerate(data["headings"]):
        if heading == 180:
            operators[h, :, [1, 3, 5]] = 0.0  # by symmetry
        for dof, rows in data["motions"][str(heading)].items():
            amplitude, phase = np.array(rows["amplitude"]), np.array(rows["phase"])
            k = DOFS.index(dof)
            operators[h, :, k] = _FROM_Z_DOWN[k] * amplitude * np.exp(1j * phase)
    return ShipResponse(np.radians(data["headings"]), ω, operators, data["source"])


#: responses by name
BUILT_IN = {"supply_vessel": supply_vessel, "s175": s175}
