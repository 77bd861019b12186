"""The trivial subgroup: the identity alone. Fixed joints."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Array
from .subgroup import AbelianSubgroup, columns


class Trivial(AbelianSubgroup):
    """{1}; no coordinates."""

    name = "1"
    dof_names: ClassVar[tuple[str, ...]] = ()

    @property
    def standard_basis(self) -> np.ndarray:
        """No columns: (6, 0)."""
        return columns()

    def exp(self, x: Array) -> Array:
        """The identity (..., 4, 4) for x (..., 0)."""
        return np.broadcast_to(np.eye(4), (*np.shape(x)[:-1], 4, 4)).copy()

    def log(self, g: Array) -> Array:
        """Nothing (..., 0) for g (..., 4, 4)."""
        return g[..., 0, :0]

    def project_standard(self, g: np.ndarray) -> np.ndarray:
        """The identity (..., 4, 4), nearest to any g (..., 4, 4)."""
        return np.broadcast_to(np.eye(4), g.shape).copy()
