"""Accelerations chosen, forces computed: errors of all joints become linear (docs/laws/computed-torque.md)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..lie.arrays import apply, join
from ..model.field_types import NumberOrSeries
from ..model.joints import SubgroupJoint
from .tree_law import TreeLaw


class ComputedTorque(TreeLaw):
    """Follows references by inverse dynamics: the error e = log(g⁻¹g_d) of every joint obeys ë + K_D ė + K_P e = 0.

    stiffness: K_P (1/s²), damping: K_D (1/s), of accelerations: one number, or one per DoF in velocity order.
    linear: exactly so, as long as errors are below half a turn; if not, ν̃̇ = −K_D ν̃ − K_P e, which is the same near the
    reference and cheaper.
    The law gives forces (..., nv) along all DoFs, zero along prescribed ones.
    """

    stiffness: NumberOrSeries
    damping: NumberOrSeries
    linear: bool = True
    per_dof: ClassVar[tuple[str, ...]] = ("stiffness", "damping")

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        off = self.errors("log", t, q, v, self.stiffness)
        K_P, K_D = self.along(self.stiffness), self.along(self.damping)
        e, e_dot = off.pull, off.pull_rate
        if self.linear:
            wanted = self._along_error(e, e_dot, K_D * e_dot + K_P * e)
        else:
            wanted = K_D * (off.velocity - v) + K_P * e
        return self.driven(self.plant.inverse_dynamics(t, q, v, off.acceleration + wanted))

    def _along_error(self, e: np.ndarray, e_dot: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """dexp(−e) w − (d/dt dexp(−e)) ė (..., nv) joint by joint: −ν̃̇ for −ë = w, as ν̃ = dexp(−e) ė."""
        parts = []
        for link in self.plant.tree.links:
            x, x_dot, w = (vector[..., link.v] for vector in (e, e_dot, wanted))
            if isinstance(link.joint, SubgroupJoint) and link.joint.nv > 1:
                group = link.joint.group
                w = apply(group.dexp(-x), w) - apply(group.dexp_rate(-x, -x_dot), x_dot)
            parts.append(w)
        return join(parts)
