"""What water does to one body: added mass, drag, buoyancy. Used by a world that has water."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import ModelError
from .inertia import positive_semidefinite
from .value import Value, frozen_array, replace_arrays, shape_of

_WHERE = "Fluid"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fluid(Value):
    """Fluid properties of a body, all in body axes at the body-frame origin, twists ordered (v, ω).

    added_mass: symmetric 6×6, or its six diagonal entries (kg, kg m, kg m²).
    linear_drag, quadratic_drag: 6×6, or six diagonal entries; wrench −D₁ V − D₂ |V| V, |V| taken entry by entry.
    volume: displaced volume (m³).  centre_of_buoyancy: (m).
    """

    added_mass: Any = 0.0
    linear_drag: Any = 0.0
    quadratic_drag: Any = 0.0
    volume: float = 0.0
    centre_of_buoyancy: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        added = positive_semidefinite(_six_by_six(self.added_mass, "added_mass"), "added_mass", where=_WHERE)
        linear = _dissipative(_six_by_six(self.linear_drag, "linear_drag"), "linear_drag")
        quadratic = _six_by_six(self.quadratic_drag, "quadratic_drag")
        if np.diag(quadratic).min() < 0:
            raise ModelError.single(
                _WHERE, "quadratic_drag", expected="a diagonal ≥ 0", given=str(np.diag(quadratic))
            )
        volume = float(frozen_array(self.volume, (), where=_WHERE, what="volume"))
        if volume < 0:
            raise ModelError.single(_WHERE, "volume", expected="≥ 0 (m³)", given=repr(volume))
        centre = frozen_array(self.centre_of_buoyancy, (3,), where=_WHERE, what="centre_of_buoyancy")
        replace_arrays(
            self,
            added_mass=added,
            linear_drag=linear,
            quadratic_drag=quadratic,
            volume=volume,
            centre_of_buoyancy=centre,
        )


def _six_by_six(x: Any, what: str) -> np.ndarray:
    shape = shape_of(x, where=_WHERE, what=what)
    if shape in ((), (6,)):
        diagonal = frozen_array(x, shape, where=_WHERE, what=what)
        x = np.diag(np.broadcast_to(diagonal, (6,)))
    return frozen_array(x, (6, 6), where=_WHERE, what=what)


def _dissipative(matrix: np.ndarray, what: str) -> np.ndarray:
    """VᵀDV ≥ 0 for every V (theory.md §7): drag never drives."""
    positive_semidefinite((matrix + matrix.T) / 2, f"{what} (symmetric part)", where=_WHERE)
    return matrix
