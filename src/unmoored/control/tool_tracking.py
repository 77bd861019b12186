"""A tool that goes straight to a moving target, on a vehicle that nothing holds (docs/laws/tool.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.field_types import Six
from .tool_errors import approach
from .tool_law import ToolLaw


class ToolTracking(ToolLaw):
    """Brings a frame to a pose, moving or not, at a rate: V̇ = V̇_r + rate·ė + bandwidth·s, s = V_r + rate·e − V.

    So ṡ = −bandwidth·s, and where s = 0, e(t) = e(0) exp(−rate·t), e = log(g⁻¹g_d), exactly: with passive DoFs, with
    momentum, in water. With fewer `directions` the same holds for those of (p_e, log R_e), p_e = Rᵀ(p_d − p).
    It is `ResolvedMotion` with accelerations fed forward.
    rate, bandwidth: (1/s), one number, or six in the frame's axes; bandwidth several times rate.
    """

    rate: Six = 1.0
    bandwidth: Six = 10.0

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | {"rate": (6,), "bandwidth": (6,)}

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        wanted = approach(self.error(t, q, v), self.rate, self.bandwidth, self.places)
        return self.forces(t, q, v, wanted)
