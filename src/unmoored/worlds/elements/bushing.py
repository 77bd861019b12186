"""A bushing: a linear spring and damper of all six directions, on the group."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, diagonal, transpose
from ...model import ModelError, Pose
from ...model.field_types import SixOrMatrix
from ...model.value import frozen_array, replace_arrays, shape_of
from .element import Element

_SYMMETRIC = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Bushing(Element):
    """Potential ½ ξᵀ K ξ and damping D of ξ = log(rest⁻¹ g_ab), in the axes of frame b at rest.

    stiffness, damping: six numbers (N/m and N m/rad, N s/m and N m s/rad) or a symmetric 6×6, positive semidefinite;
    directions as in twists, (x, y, z) first.  rest: pose of b in a at which it is relaxed.
    The wrench on b is −dexp⁻ᵀ(ξ)(K ξ + D ξ̇): exactly the gradient of the potential. log jumps at half a turn from
    rest: a bushing is not for turns near that.
    """

    kind: ClassVar[str] = "bushing"

    stiffness: SixOrMatrix
    damping: SixOrMatrix = 0.0
    rest: Pose = field(default_factory=Pose)

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("stiffness", "damping"):
            replace_arrays(self, **{what: _six_or_matrix(self.label, what, getattr(self, what))})
        if not isinstance(self.rest, Pose):
            raise ModelError.single(self.label, "rest", expected="a Pose", given=repr(self.rest))

    def elastic(self, g_ab: np.ndarray) -> np.ndarray:
        ξ = self._off(g_ab)
        return -apply(transpose(se3.dexp_inv(ξ)), apply(_matrix(self.stiffness), ξ))

    def damping_matrix(self, g_ab: np.ndarray, V_ab: np.ndarray) -> np.ndarray:
        """dexp⁻ᵀ D dexp⁻¹ (..., 6, 6)."""
        T = se3.dexp_inv(self._off(g_ab))
        return transpose(T) @ _matrix(self.damping) @ T

    def potential(self, g_ab: np.ndarray) -> Any:
        """½ ξᵀ K ξ (...)."""
        ξ = self._off(g_ab)
        return 0.5 * (ξ * apply(_matrix(self.stiffness), ξ)).sum(axis=-1)

    def _off(self, g_ab: np.ndarray) -> np.ndarray:
        """ξ (..., 6)."""
        return se3.log(se3.inverse(self.rest.matrix) @ g_ab)


def _matrix(x: np.ndarray) -> np.ndarray:
    """The 6×6 (..., 6, 6); six numbers are its diagonal."""
    return x if x.shape[-2:] == (6, 6) else diagonal(x)


def _six_or_matrix(where: str, what: str, x: Any) -> np.ndarray:
    shape = shape_of(x, where=where, what=what)
    array = frozen_array(x, shape if shape in ((6,), (6, 6)) else (), where=where, what=what)
    if shape == ():
        array = np.full(6, float(array))
        array.setflags(write=False)
    full = _matrix(array)
    scale = max(float(np.abs(full).max()), 1.0)
    if np.abs(full - full.T).max() > _SYMMETRIC * scale or np.linalg.eigvalsh(full)[0] < -_SYMMETRIC * scale:
        expected = "≥ 0, or a 6×6 that is symmetric and positive semidefinite"
        raise ModelError.single(where, what, expected=expected, given=str(array.tolist()))
    return array
