"""A line, rope or cable without mass: it pulls and never pushes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...model.value import replace_arrays
from ...trace import greater, maximum, where
from .along_line import pull, rate, resisting, straight
from .element import Element, positive


@dataclass(frozen=True, eq=False, repr=False)
class Line(Element):
    """Tension stiffness · e · max(0, 1 + damping · rate) along the straight line, e the stretch beyond rest_length.

    stiffness: N/m, EA over the length.  damping: s/m, as for a joint's stops, so that tension begins at zero.
    rest_length: m.  smoothing: m. With 0 the line is slack exactly, e = max(0, length − rest_length), and the stiffness
    jumps there. Otherwise e = ½(d + √(d² + smoothing²)), d = length − rest_length: smooth, with a tension of
    stiffness · smoothing/2 at d = 0 that dies away as smoothing²/(4|d|) when slack.
    """

    kind: ClassVar[str] = "line"
    structure: ClassVar[tuple[str, ...]] = ("smoothing",)

    stiffness: float
    rest_length: float
    damping: float = 0.0
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        units = {"stiffness": "N/m", "rest_length": "m", "damping": "s/m", "smoothing": "m"}
        for what, unit in units.items():
            number = positive(self.label, what, getattr(self, what), unit, zero=what != "stiffness")
            replace_arrays(self, **{what: number})

    def elastic(self, g_ab: np.ndarray) -> np.ndarray:
        line = straight(g_ab)
        return pull(line, self.stiffness * self._stretch(line.length))

    def damping_matrix(self, g_ab: np.ndarray, V_ab: np.ndarray) -> np.ndarray:
        """Along the line k e c / max(1, −c · rate): what max(0, 1 + c · rate) adds to the elastic tension."""
        line = straight(g_ab)
        shortening = -self.damping * rate(line, V_ab)
        factor = self.stiffness * self._stretch(line.length) * self.damping / maximum(shortening, 1.0)
        return resisting(line, factor)

    def potential(self, g_ab: np.ndarray) -> Any:
        """½ stiffness e², or the integral of the smooth tension, zero far on the slack side or, smooth, at d = 0."""
        d = straight(g_ab).length - self.rest_length
        if self.smoothing == 0.0:
            e = maximum(d, 0.0)
            return 0.5 * self.stiffness * e * e
        s = self.smoothing
        root = np.sqrt(d * d + s * s)
        return 0.25 * self.stiffness * (d * d + d * root + s * s * _asinh(d / s))

    def _stretch(self, length: Any) -> Any:
        d = length - self.rest_length
        return maximum(d, 0.0) if self.smoothing == 0.0 else 0.5 * (d + np.sqrt(d * d + self.smoothing**2))


def _asinh(y: Any) -> Any:
    """asinh (...), accurate on both sides: log(|y| + √(y² + 1)) with the sign of y."""
    size = np.log(np.abs(y) + np.sqrt(y * y + 1.0))
    return where(greater(y, 0.0), size, -size)
