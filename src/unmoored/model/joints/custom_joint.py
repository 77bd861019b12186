"""A joint of the user's own: a pose map and its twist."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...trace import Traced, evaluate, fingerprint, is_symbolic
from ...trace.differentiate import jacobian
from ...trace.outline import call_traced
from ..errors import ModelError
from ..identity_of_code import announce_retrace, traced_pure
from ..value import replace_arrays
from .coordinate_joint import CoordinateJoint

_CHECKED_POINTS = 5
_CHECK_TOLERANCE = 1e-9


class _Graphs(NamedTuple):
    """Pose and twist as graphs, which take batches and symbols alike, and their derivatives."""

    h: Traced
    X: Traced
    dh: Traced
    dX: Traced


@dataclass(frozen=True, eq=False, repr=False)
class CustomJoint(CoordinateJoint):
    """A joint with `dofs` true coordinates, given by two functions in traceable NumPy.

    pose: q (dofs,) ↦ h(q) (4, 4), the pose of the moved body in the joint's placement, h(0) = 1 not required.
    twist: q (dofs,) ↦ X(q) (6, dofs) with ḣ h⁻¹ = hat(X q̇), in the placement's frame (theory.md §3).
    The twist is checked against the derivative of the pose when the joint is made.
    """

    dofs: int
    pose: Callable[[np.ndarray], np.ndarray]
    twist: Callable[[np.ndarray], np.ndarray]

    def __post_init__(self) -> None:
        if isinstance(self.dofs, bool) or not isinstance(self.dofs, int) or not 1 <= self.dofs <= 6:
            raise ModelError.single(self.kind, "dofs", expected="1 to 6", given=repr(self.dofs))
        for name in ("pose", "twist"):
            if not callable(getattr(self, name)):
                raise ModelError.single(
                    self.kind, name, expected="a function", given=repr(getattr(self, name))
                )
        replace_arrays(self, _known=(None, None))
        super().__post_init__()
        self._graphs  # noqa: B018 (an error in the functions shows here)

    @property
    def _graphs(self) -> _Graphs:
        """The functions as graphs, traced and checked again if what they depend on has changed."""
        seen = fingerprint(self.pose, self.twist)
        digest, graphs = self._known  # type: ignore[attr-defined]
        if digest != seen.digest or seen.unseen:
            if seen.unseen:
                announce_retrace(self.kind, seen.unseen)
            graphs = self._traced()
            replace_arrays(self, _known=(seen.digest, graphs))
        return graphs

    def _traced(self) -> _Graphs:
        pose, twist = (
            traced_pure(f"{self.kind}.{name}", function, (self.dofs,), name=name, exact_zeros=True)
            for name, function in (("pose", self.pose), ("twist", self.twist))
        )
        if (pose.output_shapes, twist.output_shapes) != (((4, 4),), ((6, self.dofs),)):
            expected, given = (
                f"(4, 4) and (6, {self.dofs})",
                f"{pose.output_shapes} and {twist.output_shapes}",
            )
            raise ModelError.single(self.kind, "shapes of pose and twist", expected=expected, given=given)
        graphs = _Graphs(pose, twist, jacobian(pose), jacobian(twist))
        self._check_twist(graphs)
        return graphs

    @property
    def nv(self) -> int:
        return self.dofs

    @property
    def dof_names(self) -> tuple[str, ...]:
        return tuple(f"q{i + 1}" for i in range(self.dofs))

    def transform(self, q: np.ndarray) -> np.ndarray:
        return _at(self._graphs.h, q)

    def basis(self, q: np.ndarray) -> np.ndarray:
        h, X, *_ = self._graphs
        return se3.Ad(se3.inverse(_at(h, q))) @ _at(X, q)

    def basis_derivatives(self, q: np.ndarray) -> np.ndarray:
        # S = Ad_{h⁻¹} X, and d/dt Ad_{h⁻¹} = −ad_V Ad_{h⁻¹} with V = S q̇ (theory.md §1)
        S = self.basis(q)
        X_rates = np.moveaxis(_at(self._graphs.dX, q), -1, -3)
        Ad = se3.Ad(se3.inverse(self.transform(q)))[..., None, :, :]
        return Ad @ X_rates - se3.ad(np.swapaxes(S, -1, -2)) @ S[..., None, :, :]

    def _check_twist(self, graphs: _Graphs) -> None:
        for q in np.random.default_rng(0).uniform(-1, 1, (_CHECKED_POINTS, self.dofs)):
            h, X, h_rates = (_at(part, q) for part in graphs[:3])
            expected = np.moveaxis(h_rates, -1, 0) @ se3.inverse(h)
            defect = np.abs(se3.hat(X.T) - expected).max()
            if not defect <= _CHECK_TOLERANCE * (1 + np.abs(expected).max()):
                given = f"defect {defect:.2e} at q = {q.tolist()}"
                raise ModelError.single(self.kind, "twist", expected="hat(X q̇) = ḣ h⁻¹", given=given)


def _at(function: Traced, q: np.ndarray) -> np.ndarray:
    """Value of a traced function at numbers (a batch too) or at symbols."""
    return call_traced(function, q) if is_symbolic(q) else evaluate(function, q)
