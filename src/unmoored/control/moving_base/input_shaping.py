"""References that leave a load without swing (Singer and Seering 1990)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Annotated, Any, Literal

import numpy as np

from ...dynamics.forced_base import PrescribedMotion
from ...model import ModelError
from ...model.value import frozen_array, replace_arrays
from ..references import Piecewise, Reference


@dataclass(frozen=True, eq=False, repr=False)
class Shaped(Reference):
    """A reference sent in parts, half a swing apart, whose swings cancel: Σ a_i r(t − i π/ω).

    reference: what is shaped, at rest before its begin.  frequency: ω of the swing (rad/s); of a load that hangs from a
    joint √(γ/L), L = l + I_c/(m l), l from the joint to its centre of mass.
    kind: "zv", halves (what is left if ω is wrong by a factor c: |cos(π c/2)|), or "zvd", quarter, half, quarter (its
    square); half a period, or a whole one, longer than the reference.
    """

    reference: Annotated[Any, Piecewise]
    frequency: float
    kind: Literal["zv", "zvd"] = "zv"

    def __post_init__(self) -> None:
        if not isinstance(self.reference, Reference):
            raise ModelError.single("Shaped", "reference", expected="a Reference", given=repr(self.reference))
        if self.kind not in ("zv", "zvd"):
            raise ModelError.single("Shaped", "kind", expected='"zv" or "zvd"', given=repr(self.kind))
        ω = float(frozen_array(self.frequency, (), where="Shaped", what="frequency"))
        if not ω > 0:
            raise ModelError.single("Shaped", "frequency", expected="> 0 (rad/s)", given=repr(self.frequency))
        replace_arrays(self, frequency=ω)

    @property
    def size(self) -> int:
        return self.reference.size

    @property
    def parts(self) -> tuple[tuple[float, float], ...]:
        """(share, delay (s)) of every part."""
        shares = (0.5, 0.5) if self.kind == "zv" else (0.25, 0.5, 0.25)
        return tuple((share, k * np.pi / self.frequency) for k, share in enumerate(shares))

    def at(self, t: Any) -> PrescribedMotion:
        found = [(share, self.reference.at(np.asarray(t) - delay)) for share, delay in self.parts]
        return PrescribedMotion(
            *(reduce(add, [share * motion[k] for share, motion in found]) for k in range(3))
        )

    def derivatives(self, t: Any, count: int) -> list[np.ndarray]:
        found = [
            (share, self.reference.derivatives(np.asarray(t) - delay, count)) for share, delay in self.parts
        ]
        return [reduce(add, [share * orders[k] for share, orders in found]) for k in range(count + 1)]
