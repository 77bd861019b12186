"""A spring and a damper side by side, along the line between two points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...model.value import replace_arrays
from .along_line import pull, resisting, straight
from .element import Element, positive


@dataclass(frozen=True, eq=False, repr=False)
class SpringDamper(Element):
    """Pulls the origins of two frames together with stiffness · (length − rest_length) + damping · rate of the length.

    stiffness: N/m.  damping: N s/m.  rest_length: m; pushes when shorter. Where the origins meet it has no direction,
    and the force is zero.
    """

    kind: ClassVar[str] = "spring"

    stiffness: float = 0.0
    damping: float = 0.0
    rest_length: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for what, unit in (("stiffness", "N/m"), ("damping", "N s/m"), ("rest_length", "m")):
            replace_arrays(self, **{what: positive(self.label, what, getattr(self, what), unit)})

    def elastic(self, g_ab: np.ndarray) -> np.ndarray:
        line = straight(g_ab)
        return pull(line, self.stiffness * (line.length - self.rest_length))

    def damping_matrix(self, g_ab: np.ndarray, V_ab: np.ndarray) -> np.ndarray:
        return resisting(straight(g_ab), self.damping)

    def potential(self, g_ab: np.ndarray) -> Any:
        """½ stiffness (length − rest_length)² (...)."""
        stretch = straight(g_ab).length - self.rest_length
        return 0.5 * self.stiffness * stretch * stretch
