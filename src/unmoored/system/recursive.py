"""Inverse, forward and hybrid dynamics as methods of `System`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..dynamics import recursive
from ..kernels.cuda import on_device
from ..model import ModelError
from .base import NO_GRAVITY, SystemBase
from .quick import quick

Passive = str | Iterable[str] | np.ndarray


class RecursiveMethods(SystemBase):
    """O(N) dynamics. Leading dimensions of arrays are a batch.

    gravity: (..., 3) in world axes (m/s²).  wrenches: {frame: (f, n) (..., 6) in that frame's axes} (N, N m).
    """

    @quick(recursive.inverse_dynamics, arrays=3)
    def inverse_dynamics(
        self,
        q: Any,
        v: Any,
        a: Any,
        *,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        backend: str | None = None,
        out: Any = None,
    ) -> np.ndarray:
        """Forces tau (..., nv) = M a + C v + gravity_forces − Σ Jᵀ wrench for accelerations a (..., nv)."""
        arrays = {"q": q, "v": v, "a": a, "gravity": gravity, "wrenches": wrenches}
        return self._run(recursive.inverse_dynamics, backend, **arrays, out=out)

    @quick(recursive.forward_dynamics, arrays=3)
    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any,
        *,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        backend: str | None = None,
        out: Any = None,
    ) -> np.ndarray:
        """Acceleration (..., nv) under the forces tau (..., nv); the inverse of `inverse_dynamics`."""
        arrays = {"q": q, "v": v, "tau": tau, "gravity": gravity, "wrenches": wrenches}
        return self._run(recursive.forward_dynamics, backend, **arrays, out=out)

    def hybrid_dynamics(
        self,
        q: Any,
        v: Any,
        *,
        tau: Any,
        acceleration: Any,
        passive: Passive,
        gravity: Any = NO_GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        backend: str | None = None,
        out: Any = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """(acceleration, tau), both complete (..., nv), when each DoF has one of the two given.

        passive: joints ("arm1") and single DoFs ("bus.vx") whose force tau is given; all others are active,
        their acceleration is given. Or an array (..., nv), 1 for passive and 0 for active, which may differ
        from sample to sample. Entries of tau and acceleration of the other kind are ignored.
        """
        arrays = {"q": q, "v": v, "tau": tau, "acceleration": acceleration}
        mask = self._mask(passive)
        return self._run(
            recursive.hybrid_dynamics,
            backend,
            **arrays,
            passive=mask,
            gravity=gravity,
            wrenches=wrenches,
            out=out,
        )

    def _mask(self, passive: Passive) -> Any:
        """1 for the passive DoFs, 0 for the others: (nv,) from names, (..., nv) from a mask."""
        if on_device(passive):
            return passive  # looking at its numbers would wait for the GPU
        if not isinstance(passive, np.ndarray):
            mask = np.zeros(self.nv)
            mask[self._tree.dofs(passive)] = 1.0
            return mask.tolist()  # of no precision of its own
        mask = self._array("passive", passive)
        if not np.all((mask == 0.0) | (mask == 1.0)):
            expected = "names, or a mask of 0 and 1"
            raise ModelError.single(self.name, "passive", expected=expected, given=repr(passive))
        return mask
