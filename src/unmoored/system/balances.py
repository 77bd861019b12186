"""Energy and momentum as methods of `System`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics import energy, momentum
from .base import NO_GRAVITY, SystemBase


class BalanceMethods(SystemBase):
    """Energies and momenta. Leading dimensions of arrays are a batch."""

    def energy(
        self, q: Any, v: Any, *, gravity: Any = NO_GRAVITY, backend: str | None = None
    ) -> energy.Energy:
        """`.kinetic`, `.potential` and `.total` (...) [J] under gravity (..., 3) in world axes (m/s²)."""
        return self._run(energy.energy, backend, q=q, v=v, gravity=gravity)

    def momentum(self, q: Any, v: Any, *, about: str = "world", backend: str | None = None) -> np.ndarray:
        """Momentum (..., 6) of the whole system in world axes, (linear, angular) [kg m/s, kg m²/s].

        about: the point of the angular part, "world" (its origin) or "com" (the centre of mass).
        """
        return self._run(momentum.momentum, backend, about, q=q, v=v)

    def momentum_matrix(self, q: Any, *, about: str = "world", backend: str | None = None) -> np.ndarray:
        """A (..., 6, nv) with momentum = A v; about="com" gives the centroidal momentum matrix."""
        return self._run(momentum.momentum_matrix, backend, about, q=q)

    def momentum_in_frame(self, q: Any, v: Any, frame: str, *, backend: str | None = None) -> np.ndarray:
        """Momentum (..., 6) of the whole system at a frame's origin, in the frame's axes."""
        return self._run(momentum.momentum_in_frame, backend, frame, q=q, v=v)

    def generalized_momentum(self, q: Any, v: Any, *, backend: str | None = None) -> np.ndarray:
        """p (..., nv), conjugate to v: M v without armature. A vehicle's rows are its momentum P."""
        return self._run(momentum.generalized_momentum, backend, q=q, v=v)
