"""Following references with all joints, vehicles included, with feed-forward (docs/laws/tracking.md)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from ..model import ModelError
from ..model.field_types import NumberOrSeries
from ..model.joints import SubgroupJoint
from .potentials import KINDS
from .tree_law import TreeLaw


class Tracking(TreeLaw):
    """Follows references with all joints at once: τ = M ν̇_r + C(q, ν) ν_r + (rest) + K_D ν̃ + f.

    ν_r, ν̇_r are the references' motion seen from where the joints are, ν̃ = ν_r − ν, f the force of a potential on each
    joint's group. The rest is what the world does: weight, buoyancy, drag, current, springs, friction, all cancelled.
    Then d/dt(½ν̃ᵀMν̃ + potential) = −ν̃ᵀK_Dν̃.
    stiffness, damping: one number, or one per DoF of these joints in velocity order; (samples, n) for a batch.
    potential: "matrix", smooth everywhere: all errors but unstable equilibria settle; or "log", which pulls straight
    and jumps at half a turn.
    The stiffnesses of three axes of rotation must each be below the sum of the other two, for "matrix".
    The law gives forces (..., nv) along all DoFs, zero along prescribed ones.
    """

    stiffness: NumberOrSeries
    damping: NumberOrSeries
    potential: Literal["matrix", "log"] = "matrix"
    per_dof: ClassVar[tuple[str, ...]] = ("stiffness", "damping")
    static: ClassVar[tuple[str, ...]] = ("potential",)

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = type(self).__name__
        if self.potential not in KINDS:
            expected = " or ".join(map(repr, KINDS))
            raise ModelError.single(kind, "potential", expected=expected, given=repr(self.potential))
        if self.potential == "matrix":
            self._check_stiffness(kind)

    def _check_stiffness(self, kind: str) -> None:
        """Of joints stored as poses: positive, and for three axes of rotation such that W is positive definite."""
        first = 0
        for link in self.links:
            k = self.stiffness[..., first : first + link.joint.nv]
            first += link.joint.nv
            if not (isinstance(link.joint, SubgroupJoint) and link.joint.nv > 1):
                continue
            about = k[..., [name.startswith("w") for name in link.joint.dof_names]]
            total = about.sum(axis=-1, keepdims=True)
            if np.any(k <= 0) or (about.shape[-1] == 3 and np.any(2 * about >= total)):
                expected = "> 0, each of three about axes below the sum of the other two"
                given = f"{k.tolist()} of {link.name}"
                raise ModelError.single(kind, "stiffness", expected=expected, given=given)

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        off = self.errors(self.potential, t, q, v, self.stiffness)
        s = off.velocity - v
        return self.driven(
            self.forces_for(t, q, v, off.acceleration, s) + self.along(self.damping) * s + off.force
        )
