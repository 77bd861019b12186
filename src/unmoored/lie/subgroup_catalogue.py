"""Constructors for every connected subgroup of SE(3), about any axis through the origin (docs/theory.md §2).

Any other place is reached by `Subgroup.conjugated`. Coordinates x are in the order of `dof_names`.
"""

from __future__ import annotations

from typing import Any

from . import subgroups
from .checked_frames import Z_AXIS, axis_frame
from .subgroups import Subgroup


def trivial() -> Subgroup:
    """{1}, dimension 0: no motion."""
    return subgroups.Trivial()


def translation_1(axis: Any = Z_AXIS) -> Subgroup:
    """T(1): translations along an axis (3,). x = (vz) [m], along the axis."""
    return subgroups.Translation1(frame=axis_frame(axis))


def rotation(axis: Any = Z_AXIS) -> Subgroup:
    """SO(2): rotations about an axis (3,) through the origin. x = (wz) [rad], about the axis."""
    return subgroups.Rotation(frame=axis_frame(axis))


def screw(axis: Any, pitch: float) -> Subgroup:
    """H_h: screw motions along an axis (3,) through the origin, pitch in m/rad, not 0. x = (wz) [rad]."""
    return subgroups.Screw(pitch, frame=axis_frame(axis))


def translation_2(normal: Any = Z_AXIS) -> Subgroup:
    """T(2): translations across a normal (3,). x = (vx, vy) [m], in axes turned from e_z to the normal."""
    return subgroups.Translation2(frame=axis_frame(normal))


def cylindrical(axis: Any = Z_AXIS) -> Subgroup:
    """C(1): translations along and rotations about an axis (3,) through the origin. x = (vz, wz) [m, rad]."""
    return subgroups.Cylindrical(frame=axis_frame(axis))


def translation_3() -> Subgroup:
    """T(3): all translations. x = (vx, vy, vz) [m]."""
    return subgroups.Translation3()


def planar(normal: Any = Z_AXIS) -> Subgroup:
    """SE(2): motions in the plane across a normal (3,). x = (vx, vy, wz) [m, m, rad], in the turned axes."""
    return subgroups.Planar(frame=axis_frame(normal))


def planar_screw(axis: Any, pitch: float) -> Subgroup:
    """Y_h: planar motions that advance along the axis (3,) by the pitch [m/rad], not 0. x = (vx, vy, wz)."""
    return subgroups.PlanarScrew(pitch, frame=axis_frame(axis))


def spherical() -> Subgroup:
    """SO(3): rotations about the origin. x = (wx, wy, wz) [rad]."""
    return subgroups.Spherical()


def schoenflies(axis: Any = Z_AXIS) -> Subgroup:
    """X(z): all translations and the rotations about the direction of an axis (3,). x = (vx, vy, vz, wz)."""
    return subgroups.Schoenflies(frame=axis_frame(axis))


def special_euclidean() -> Subgroup:
    """SE(3): all rigid motions. x = (vx, vy, vz, wx, wy, wz) [m, rad]."""
    return subgroups.SpecialEuclidean()


#: One example of each of the twelve conjugacy classes, in the standard position.
CATALOGUE: tuple[Subgroup, ...] = (
    trivial(),
    translation_1(),
    rotation(),
    screw(Z_AXIS, 0.3),
    translation_2(),
    cylindrical(),
    translation_3(),
    planar(),
    planar_screw(Z_AXIS, 0.3),
    spherical(),
    schoenflies(),
    special_euclidean(),
)
