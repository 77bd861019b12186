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
from ..model.value import Value, replace_arrays

DOFS = ("surge", "sway", "heave", "roll", "pitch", "yaw")
_FROM_Z_DOWN = np.array([1, -1, -1, 1, -1, -1])  # forward-right-down to forward-left-up
_MIRRORED = np.array([1, -1, 1, -1, 1, -1])  # a sea from the other side of a symmetric ship


@dataclass(frozen=True, eq=False, repr=False)
class ShipResponse(Value):
    """Motion per wave amplitude, complex, in forward-left-up axes: motion = Re(operator · a exp(i(ωt + ε))).

    The wave at the reference point is a cos(ωt + ε), up. headings: (h,), degrees, clockwise from above,
    from the ship's x axis to where the waves go: 180 is a head sea, at 90 they come from port and go to starboard.
    frequencies: (n,) increasing, rad/s.  operators: (h, n, 6), surge … yaw (m/m, rad/m).
    Between frequencies they are interpolated as complex numbers; below the first they stay, above the last they are 0.
    """

    headings: Any
    frequencies: Any
    operators: Any
    source: str = ""

    def __post_init__(self):
        headings, ω = np.array(self.headings, dtype=float), np.array(self.frequencies, dtype=float)
        operators = np.array(self.operators, dtype=complex)
        shape = (len(headings), len(ω), 6)
        if operators.shape != shape or len(ω) < 2 or np.any(np.diff(ω) <= 0):
            expected = f"increasing frequencies and operators of shape {shape}"
            raise ModelError.single(
                "ShipResponse", "table", expected=expected, given=f"shape {operators.shape}"
            )
        for array in (headings, ω, operators):
            array.setflags(write=False)
        replace_arrays(self, headings=headings, frequencies=ω, operators=operators)

    def at(self, heading: float, frequencies: np.ndarray) -> np.ndarray:
        """Operators (n, 6), complex, at a tabulated heading (degrees), or its mirror image, and frequencies (n,)."""
        heading = float(heading) % 360.0
        for sign, candidate in ((1, heading), (_MIRRORED, 360.0 - heading)):
            (found,) = np.nonzero(np.isclose(self.headings, candidate))
            if len(found):
                return sign * self._interpolated(self.operators[found[0]], frequencies)
        known = sorted({*self.headings.tolist(), *((360.0 - self.headings) % 360.0).tolist()})
        raise unknown_name("ShipResponse", "heading (degrees)", heading, [f"{h:g}" for h in known])

    def _interpolated(self, table: np.ndarray, ω: np.ndarray) -> np.ndarray:
        columns = [
            np.interp(ω, self.frequencies, column.real, right=0.0)
            + 1j * np.interp(ω, self.frequencies, column.imag, right=0.0)
            for column in table.T
        ]
        return np.stack(columns, axis=-1)


@cache
def supply_vessel() -> ShipResponse:
    """An offshore supply vessel of 82.8 m at zero speed; reference point midships on the waterline.

    Headings 180, 140 and 90 degrees. Motions that the table does not have are taken as zero.
    """
    text = (resources.files("unmoored.worlds") / "supply_vessel.json").read_text(encoding="utf-8")
    data = json.loads(text)
    ω = np.array(data["frequencies"])
    operators = np.zeros((len(data["headings"]), len(ω), 6), dtype=complex)
    for h, heading in enumerate(data["headings"]):
        for dof, rows in data["motions"][str(heading)].items():
            amplitude, phase = np.array(rows["amplitude"]), np.array(rows["phase"])
            k = DOFS.index(dof)
            operators[h, :, k] = _FROM_Z_DOWN[k] * amplitude * np.exp(1j * phase)
    return ShipResponse(data["headings"], ω, operators, data["source"])
