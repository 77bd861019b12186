"""A joint of the user's own: a pose map and its twist."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...lie import se3
from ...trace import jacobian
from ..errors import ModelError
from ..value import replace_arrays
from .coordinate import CoordinateJoint

_CHECKED_POINTS = 5
_CHECK_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class CustomJoint(CoordinateJoint):
    """A joint with `dofs` true coordinates, given by two functions in traceable NumPy.

    pose: q (dofs,) ↦ h(q) (4, 4), the pose of the moved body in the joint's placement, h(0) = 1 not required.
    twist: q (dofs,) ↦ X(q) (6, dofs) with ḣ h⁻¹ = hat(X q̇), in the placement's frame (theory.md §3).
    The twist is checked against the derivative of the pose when the joint is made.
    """

    dofs: int
    pose: Callable[[np.ndarray], np.ndarray]
    twist: Callable[[np.ndarray], np.ndarray]

    def __post_init__(self):
        if not isinstance(self.dofs, int) or not 1 <= self.dofs <= 6:
            raise ModelError.single(self.kind, "dofs", expected="1 to 6", given=repr(self.dofs))
        for name in ("pose", "twist"):
            if not callable(getattr(self, name)):
                raise ModelError.single(self.kind, name, expected="a function", given=repr(getattr(self, name)))
        replace_arrays(
            self,
            _pose_rate=jacobian(self.pose, self.dofs),
            _twist_rate=jacobian(self.twist, self.dofs),
        )
        super().__post_init__()
        self._check_twist()

    @property
    def nv(self) -> int:
        return self.dofs

    @property
    def dof_names(self) -> tuple[str, ...]:
        return tuple(f"q{i + 1}" for i in range(self.dofs))

    def transform(self, q: np.ndarray) -> np.ndarray:
        return _over_batch(self.pose, q)

    def basis(self, q: np.ndarray) -> np.ndarray:
        return se3.Ad(se3.inverse(self.transform(q))) @ _over_batch(self.twist, q)

    def basis_derivatives(self, q: np.ndarray) -> np.ndarray:
        # S = Ad_{h⁻¹} X, and d/dt Ad_{h⁻¹} = −ad_V Ad_{h⁻¹} with V = S q̇ (theory.md §1)
        S = self.basis(q)
        X_rate = np.moveaxis(_over_batch(self._twist_rate, q), -1, -3)  # type: ignore[attr-defined]
        Ad = se3.Ad(se3.inverse(self.transform(q)))[..., None, :, :]
        return Ad @ X_rate - se3.ad(np.swapaxes(S, -1, -2)) @ S[..., None, :, :]

    def _check_twist(self) -> None:
        rng = np.random.default_rng(0)
        for q in rng.uniform(-1, 1, (_CHECKED_POINTS, self.dofs)):
            h, X, rate = self.transform(q), _over_batch(self.twist, q), _over_batch(self._pose_rate, q)  # type: ignore[attr-defined]
            if h.shape != (4, 4) or X.shape != (6, self.dofs):
                given = f"{h.shape} and {X.shape}"
                raise ModelError.single(self.kind, "shapes of pose and twist", expected=f"(4, 4) and (6, {self.dofs})", given=given)
            expected = np.moveaxis(rate, -1, 0) @ se3.inverse(h)
            defect = np.abs(se3.hat(X.T) - expected).max()
            if not defect <= _CHECK_TOLERANCE * (1 + np.abs(expected).max()):
                given = f"defect {defect:.2e} at q = {q.tolist()}"
                raise ModelError.single(self.kind, "twist", expected="hat(X q̇) = ḣ h⁻¹", given=given)


def _over_batch(function: Callable[[np.ndarray], np.ndarray], q: np.ndarray) -> np.ndarray:
    """The function of one configuration, over leading batch dimensions."""
    if q.ndim == 1:
        return np.asarray(function(q))
    flat = [np.asarray(function(row)) for row in q.reshape(-1, q.shape[-1])]
    return np.stack(flat).reshape(*q.shape[:-1], *flat[0].shape)
