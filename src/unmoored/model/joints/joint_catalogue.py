"""The joints of the catalogue, one per class of connected subgroups of SE(3) (theory.md §2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ... import lie
from ..errors import ModelError
from ..field_types import Vector
from ..inertia import unit_axis
from ..value import frozen_array, replace_arrays
from .subgroup_joint import SubgroupJoint


@lru_cache(maxsize=256)
def _about(group: Callable[[np.ndarray], lie.Subgroup], axis: bytes) -> lie.Subgroup:
    """A group about an axis; joints with the same axis, which are many, share it."""
    return group(np.frombuffer(axis))


@dataclass(frozen=True, eq=False, repr=False)
class _AxialJoint(SubgroupJoint):
    """A joint about or along an axis, given in the joint frame; it is normalised."""

    axis: Vector

    def __post_init__(self) -> None:
        replace_arrays(self, axis=unit_axis(self.axis, where=self.kind))
        super().__post_init__()


@dataclass(frozen=True, eq=False, repr=False)
class _PitchedJoint(_AxialJoint):
    """A joint that advances `pitch` metres per radian along its axis."""

    pitch: float

    def __post_init__(self) -> None:
        pitch = float(frozen_array(self.pitch, (), where=self.kind, what="pitch"))
        if pitch == 0:
            other = {"Helical": "Revolute", "PlanarHelical": "Planar"}[self.kind]
            raise ModelError.single(self.kind, "pitch", expected=f"pitch ≠ 0 (else use {other})", given="0")
        replace_arrays(self, pitch=pitch)
        super().__post_init__()


@dataclass(frozen=True, eq=False, repr=False)
class Fixed(SubgroupJoint):
    """No motion: the body is welded to its parent."""

    @cached_property
    def group(self):
        return lie.trivial()


@dataclass(frozen=True, eq=False, repr=False)
class Revolute(_AxialJoint):
    """Rotation about `axis`: SO(2). Velocity: the rate (rad/s)."""

    @cached_property
    def group(self):
        return _about(lie.rotation, self.axis.tobytes())


@dataclass(frozen=True, eq=False, repr=False)
class Prismatic(_AxialJoint):
    """Translation along `axis`: T(1). Velocity: the rate (m/s)."""

    @cached_property
    def group(self):
        return _about(lie.translation_1, self.axis.tobytes())


@dataclass(frozen=True, eq=False, repr=False)
class Helical(_PitchedJoint):
    """Screw about `axis` with `pitch` (m/rad): H_p. Velocity: the rotation rate (rad/s)."""

    @cached_property
    def group(self):
        return lie.screw(self.axis, self.pitch)


@dataclass(frozen=True, eq=False, repr=False)
class Cylindrical(_AxialJoint):
    """Rotation about and translation along `axis`: C(1). Velocity: (v along, ω about)."""

    @cached_property
    def group(self):
        return lie.cylindrical(self.axis)


@dataclass(frozen=True, eq=False, repr=False)
class Planar(SubgroupJoint):
    """Motion in the plane with `normal`: SE(2). Velocity: (vx, vy, ωz) in the moved body's turned frame."""

    normal: Vector = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        replace_arrays(self, normal=unit_axis(self.normal, where=self.kind))
        super().__post_init__()

    @cached_property
    def group(self):
        return lie.planar(self.normal)


@dataclass(frozen=True, eq=False, repr=False)
class Spherical(SubgroupJoint):
    """Ball joint: SO(3). Velocity: ω in the moved body's frame."""

    @cached_property
    def group(self):
        return lie.spherical()


@dataclass(frozen=True, eq=False, repr=False)
class Translation(SubgroupJoint):
    """Translation: T(3); T(2) in the plane normal to `axis`; T(1) along `axis`."""

    dimensions: int = 3
    axis: Vector = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        if self.dimensions not in (1, 2, 3) or isinstance(self.dimensions, bool):
            raise ModelError.single(
                self.kind, "dimensions", expected="1, 2 or 3", given=repr(self.dimensions)
            )
        replace_arrays(self, axis=unit_axis(self.axis, where=self.kind), dimensions=int(self.dimensions))
        super().__post_init__()

    @cached_property
    def group(self):
        if self.dimensions == 3:
            return lie.translation_3()
        return lie.translation_2(self.axis) if self.dimensions == 2 else lie.translation_1(self.axis)


@dataclass(frozen=True, eq=False, repr=False)
class Schoenflies(SubgroupJoint):
    """Any translation, and rotation about `axis`: X(z). Velocity: (vx, vy, vz, ωz) in the moved body's turned frame."""

    axis: Vector = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        replace_arrays(self, axis=unit_axis(self.axis, where=self.kind))
        super().__post_init__()

    @cached_property
    def group(self):
        return lie.schoenflies(self.axis)


@dataclass(frozen=True, eq=False, repr=False)
class PlanarHelical(_PitchedJoint):
    """Translation in the plane normal to `axis`, and a screw about it with `pitch` (m/rad): Y_p."""

    @cached_property
    def group(self):
        return lie.planar_screw(self.axis, self.pitch)


@dataclass(frozen=True, eq=False, repr=False)
class Free(SubgroupJoint):
    """Any motion: SE(3). Velocity: the body twist (v, ω)."""

    @cached_property
    def group(self):
        return lie.special_euclidean()
