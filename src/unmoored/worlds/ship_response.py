"""How a ship answers to waves: response amplitude operators (theory.md §20)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.errors import unknown_name
from ..model.renamed import renamed_fields
from ..model.value import Value, replace_arrays

DOFS = ("surge", "sway", "heave", "roll", "pitch", "yaw")
_FROM_Z_DOWN = np.array([1, -1, -1, 1, -1, -1])  # forward-right-down to forward-left-up
_SAME_HEADING = 1e-4  # rad
_MIRRORED = np.array([1, -1, 1, -1, 1, -1])  # a sea from the other side of a symmetric ship


@renamed_fields(headings="headings_rad, in radians: np.radians(…)")
@dataclass(frozen=True, eq=False, repr=False)
class ShipResponse(Value):
    """Motion per wave amplitude, complex, in forward-left-up axes: motion = Re(operator · a exp(i(ωt + ε))).

    The wave at the reference point is a cos(ωt + ε), up. headings_rad: (h,), clockwise from above,
    from the ship's x axis to where the waves go: π is a head sea, at π/2 they come from port and go to starboard.
    frequencies: (n,) increasing, rad/s.  operators: (h, n, 6), surge … yaw (m/m, rad/m).
    Between frequencies they are interpolated as complex numbers; below the first they stay, above the last they are 0.
    """

    headings_rad: Any
    frequencies: Any
    operators: Any
    source: str = ""

    def __post_init__(self) -> None:
        headings, ω = np.array(self.headings_rad, dtype=float), np.array(self.frequencies, dtype=float)
        operators = np.array(self.operators, dtype=complex)
        shape = (len(headings), len(ω), 6)
        if operators.shape != shape or len(ω) < 2 or np.any(np.diff(ω) <= 0):
            expected = f"increasing frequencies and operators of shape {shape}"
            raise ModelError.single(
                "ShipResponse", "table", expected=expected, given=f"shape {operators.shape}"
            )
        for array in (headings, ω, operators):
            array.setflags(write=False)
        replace_arrays(self, headings_rad=headings, frequencies=ω, operators=operators)

    def at(self, heading_rad: float, frequencies: np.ndarray) -> np.ndarray:
        """Operators (n, 6), complex, at a tabulated heading (rad) or its mirror image, at frequencies (n,) [rad/s]."""
        for sign, candidate in ((1, heading_rad), (_MIRRORED, -heading_rad)):
            (found,) = np.nonzero(np.abs(_wrapped(self.headings_rad - candidate)) < _SAME_HEADING)
            if len(found):
                return sign * self._interpolated(self.operators[found[0]], frequencies)
        known = sorted(set(np.round(np.degrees(np.r_[self.headings_rad, -self.headings_rad]) % 360.0, 6)))
        expected = [f"{np.radians(h):.5f} ({h:g}°)" for h in known]
        raise unknown_name("Sea", "heading_rad of the ship's response", heading_rad, expected)

    def _interpolated(self, table: np.ndarray, ω: np.ndarray) -> np.ndarray:
        columns = [
            np.interp(ω, self.frequencies, column.real, right=0.0)
            + 1j * np.interp(ω, self.frequencies, column.imag, right=0.0)
            for column in table.T
        ]
        return np.stack(columns, axis=-1)


def _wrapped(angle: np.ndarray) -> np.ndarray:
    """Angles (...) [rad] between −π and π."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


@cache
def supply_vessel() -> ShipResponse:
    """An offshore supply vessel of 82.8 m at zero speed; reference point midships on the waterline.

    Headings of 180, 140 and 90 degrees. Motions that the table does not have are taken as zero.
    """
    return _tabulated("supply_vessel.json")


@cache
def s175() -> ShipResponse:
    """The S-175 container ship of 175 m at zero speed; reference point midships on the waterline.

    Headings of 180, 140 and 90 degrees. Motions that the table does not have are taken as zero: surge, sway and pitch
    at 140 degrees, and sway, roll and yaw at 180, surge, pitch and yaw at 90. Its roll resonance, at about 0.34 rad/s,
    lies between two frequencies of the table.
    """
    return _tabulated("s175.json")


def _tabulated(file: str) -> ShipResponse:
    """The response in a file beside this one: amplitudes and phases in forward-right-down axes."""
    data = json.loads((resources.files("unmoored.worlds") / file).read_text(encoding="utf-8"))
    ω = np.array(data["frequencies"])
    operators = np.zeros((len(data["headings"]), len(ω), 6), dtype=complex)
    for h, heading in enumerate(data["headings"]):
        for dof, rows in data["motions"][str(heading)].items():
            amplitude, phase = np.array(rows["amplitude"]), np.array(rows["phase"])
            k = DOFS.index(dof)
            operators[h, :, k] = _FROM_Z_DOWN[k] * amplitude * np.exp(1j * phase)
    return ShipResponse(np.radians(data["headings"]), ω, operators, data["source"])
