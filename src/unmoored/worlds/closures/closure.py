"""A joint that closes a loop: what it leaves free, and how far its frames are from it (theory.md §29)."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import apply, join, matrix, scale_vector, transpose, vector
from ...model import Fixed, Joint, ModelError
from ...model.field_types import Six
from ...model.joints import SubgroupJoint
from ...model.value import frozen_array, replace_arrays
from ...trace import arctan2, is_zero, less, maximum, where
from ..elements.element import Tie

_ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")
#: 1 + tr R of a rotation by nearly half a turn
_HALF_TURN = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Closure(Tie):
    """A joint between frame_a and frame_b beside those of the tree: g_ab = offset · (a pose of the joint).

    joint: any whose poses are a subgroup (Fixed, Revolute, Prismatic, Helical, Cylindrical, Planar, Spherical, …), its
    axis in the frame's axes, without springs, damping or limits of its own: elements do that.
    offset: six numbers (m, rad), a pose exp(offset) in the axes of frame_a between it and the joint; zero unless an
    event closes it: `Close` takes the frames as they are then.
    """

    kind: ClassVar[str] = "closure"

    joint: Joint = field(default_factory=Fixed)
    offset: Six = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.joint, SubgroupJoint) or self.joint.nv == 6:
            expected = "a joint that is a subgroup of SE(3) and ties something (for a Universal: a massless body more)"
            raise ModelError.single(self.label, "joint", expected=expected, given=repr(self.joint))
        for name in ("damping", "friction", "stiffness", "rest", "armature"):
            if not is_zero(getattr(self.joint, name)):
                self._refuse_option(name)
        for name in ("limits", "effort", "velocity"):
            if getattr(self.joint, name) is not None:
                self._refuse_option(name)
        offset = np.full(6, self.offset) if np.ndim(self.offset) == 0 else self.offset
        replace_arrays(self, offset=frozen_array(offset, (6,), where=self.label, what="offset"))

    def _refuse_option(self, name: str) -> None:
        known = {field.name for field in fields(Joint)}
        assert name in known
        expected = f"a closing joint without {name}: put an element (SpringDamper, Bushing) beside it"
        raise ModelError.single(self.label, "joint", expected=expected, given=f"{name}=…")

    @property
    def rows(self) -> int:
        """How many directions it ties."""
        return 6 - self.joint.nv

    @property
    def integrable(self) -> np.ndarray:
        """(rows,): every row is the rate of a gap."""
        return np.ones(self.rows)

    @property
    def frame(self) -> np.ndarray:
        """Pose (4, 4), in the axes of both frames, where the joint's axis is z through the origin."""
        return self._group.frame

    @property
    def _group(self) -> Any:
        joint = self.joint
        assert isinstance(joint, SubgroupJoint)
        return joint.group

    @cached_property
    def across(self) -> np.ndarray:
        """N (6, rows): orthonormal, NᵀH = 0, for the joint in its standard position."""
        names, pitch = self._group.dof_names, getattr(self._group, "pitch", None)
        N = np.eye(6)[:, [k for k, row in enumerate(_ROWS) if row not in names]]
        if pitch is not None:  # the travel that does not go with the turn
            k = int(np.flatnonzero(N[2])[0])
            N[:, k] = np.array([0.0, 0.0, 1.0, 0.0, 0.0, -pitch]) / np.sqrt(1.0 + pitch * pitch)
        return N

    def rows_of(self, g: np.ndarray) -> np.ndarray:
        """Nᵀ (rows, 6): what V_ab must have none of."""
        return transpose(self.across)

    def turning(self, g: np.ndarray, V: np.ndarray) -> np.ndarray | None:
        """What the rows' own change adds to their accelerations: nothing, they are constant."""
        return None

    def slopes(self, g: np.ndarray, V: np.ndarray, V_dot: np.ndarray) -> None:
        """What turns of frame_b add to the slopes of the rows: nothing, they are constant."""

    def wrench(self, g: np.ndarray, λ: np.ndarray) -> np.ndarray:
        """Wrench (..., 6) on frame_b, at its origin in its axes, of multipliers λ (..., rows)."""
        return se3.Ad_inv_transpose_apply(self.frame, apply(self.across, λ))

    def gap(self, g: np.ndarray) -> np.ndarray:
        """φ = Nᵀ log(h⁻¹ g) (..., rows), h the joint's pose next to g (..., 4, 4), in its standard position."""
        return apply(transpose(self.across), se3.log(se3.inverse(self.nearest(g)) @ g))

    def small_gap(self, g: np.ndarray) -> np.ndarray:
        """φ (..., rows) but for terms of third order, in fewer operations."""
        return apply(transpose(self.across), self._off(g))

    def bend(self, g: np.ndarray, V: np.ndarray, V_dot: np.ndarray) -> np.ndarray:
        """½Nᵀ(V̇ + ad_x V) (..., rows), x = log(h⁻¹g): by how much φ becomes more than φ + NᵀV where V_ab goes from V to
        V + V̇ (..., 6) in a unit of time, but for terms of third order."""
        return 0.5 * apply(transpose(self.across), V_dot + se3.ad_apply(self._off(g), V))

    def _off(self, g: np.ndarray) -> np.ndarray:
        """log(h⁻¹g) (..., 6) but for terms of third order; at half a turn, where that has no end, far and finite."""
        off = se3.inverse(self.nearest(g)) @ g
        p, R = se3.position(off), se3.rotation(off)
        trace = R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2]
        ω = scale_vector(2.0 / maximum(1.0 + trace, _HALF_TURN), so3.vee(R - transpose(R)))
        ω = ω + scale_vector(where(less(1.0 + trace, _HALF_TURN), 3.0, 0.0), np.ones(3))
        return join([p - 0.5 * so3.cross(ω, p), ω])

    def nearest(self, g: np.ndarray) -> np.ndarray:
        """A pose of the joint (..., 4, 4) that is g where g is one."""
        names, pitch = self._group.dof_names, getattr(self._group, "pitch", None)
        R, p = se3.rotation(g), se3.position(g)
        kept = [1.0 if name in names or (pitch is not None and name == "vz") else 0.0 for name in _ROWS[:3]]
        if "wx" in names:
            turn = R
        elif "wz" in names:
            angle = arctan2(R[..., 1, 0] - R[..., 0, 1], R[..., 0, 0] + R[..., 1, 1])
            angle = angle if pitch is None else p[..., 2] / pitch
            c, s, o = np.cos(angle), np.sin(angle), 0.0 * angle
            turn = matrix([[c, -s, o], [s, c, o], [o, o, o + 1.0]])
        else:
            turn = np.eye(3)
        return se3.pose(turn, p * vector(kept))
