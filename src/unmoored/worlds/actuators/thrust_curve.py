"""What thrusters give for a command: tables, dead bands, and the T200's measured curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model import ModelError
from ...model.field_types import Series
from ...model.value import Value, frozen_array, replace_arrays
from ...trace import clip, interp, less, where

_STANDARD_GRAVITY = 9.80665
#: Blue Robotics' T200 at 16 V in water that stands still: pulse width (µs) and thrust (kgf), the maker's data of 2019
_T200_PULSES = (
    1100, 1152, 1200, 1252, 1300, 1352, 1400, 1452, 1468, 1472, 1528, 1532, 1548, 1600, 1648, 1700, 1748, 1800,
    1848, 1900,
)  # fmt: skip
_T200_KGF = (
    -4.07, -3.45, -2.71, -2.02, -1.44, -0.90, -0.48, -0.10, -0.04, 0.0, 0.0, 0.04, 0.13, 0.60, 1.14, 1.82, 2.58, 3.42,
    4.38, 5.25,
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class ThrustCurve(Value):
    """Thrust (N) by command, in a table: straight lines between the points, constant beyond the ends.

    commands: (k,), increasing.  thrusts: (k,) (N).
    """

    commands: Series
    thrusts: Series

    def __post_init__(self) -> None:
        count = len(np.atleast_1d(np.asarray(self.commands, dtype=object)))
        commands = frozen_array(self.commands, (count,), where="ThrustCurve", what="commands")
        if count < 2 or not np.all(np.diff(commands) > 0):
            expected = "two or more increasing numbers"
            raise ModelError.single(
                "ThrustCurve", "commands", expected=expected, given=str(commands.tolist())
            )
        thrusts = frozen_array(self.thrusts, (count,), where="ThrustCurve", what="thrusts")
        replace_arrays(self, commands=commands, thrusts=thrusts)

    @classmethod
    def t200(cls) -> ThrustCurve:
        """The T200 of Blue Robotics at 16 V, bollard pull: command −1…1 is (pulse width − 1500 µs)/400 µs.

        Its dead band is ±0.07; forward it gives 51.5 N, in reverse 39.9 N. No advance speed, lag or other voltage.
        """
        pulses, kgf = np.array(_T200_PULSES, dtype=float), np.array(_T200_KGF)
        return cls((pulses - 1500.0) / 400.0, _STANDARD_GRAVITY * kgf)

    def __call__(self, u: Any) -> Any:
        """Thrust (...) of commands (...)."""
        return interp(u, self.commands, self.thrusts)


def beyond_dead_band(u: Any, half_width: Any) -> Any:
    """Commands (...) with a gap: zero within ±half_width, less by it beyond, continuous."""
    return u - clip(u, -half_width, half_width)


def with_reverse(thrust: Any, reverse: Any) -> Any:
    """Thrusts (...), of which the negative ones are `reverse` times what they would be."""
    return where(less(thrust, 0.0), reverse * thrust, thrust)
