"""Random rotations and poses, on the group: no angle is singular, no direction is preferred."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ...lie import se3, so3
from ...model import ModelError, Pose
from ...model.field_types import Six, Table, Vector
from ...model.value import frozen_array, replace_arrays
from .random_values import Random, normals, rooted


@dataclass(frozen=True, eq=False, repr=False)
class UniformRotation(Random):
    """A rotation matrix (3, 3), all rotations equally likely (Haar's measure)."""

    @property
    def shape(self) -> tuple[int, ...]:
        return (3, 3)

    @property
    def numbers(self) -> int:
        return 3

    def at(self, r: np.ndarray) -> np.ndarray:
        # a unit quaternion that is uniform on the sphere: two circles whose radii squared are 1 − r₀ and r₀
        a, b = np.sqrt(1.0 - r[..., 0]), np.sqrt(r[..., 0])
        α, β = 2.0 * np.pi * r[..., 1], 2.0 * np.pi * r[..., 2]
        w, x, y, z = b * np.cos(β), a * np.sin(α), a * np.cos(α), b * np.sin(β)
        rows = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


@dataclass(frozen=True, eq=False, repr=False)
class NormalRotation(Random):
    """A rotation matrix (3, 3) about a mean: R = mean · exp(ξ), ξ normal with these deviations (rad, body axes)."""

    deviation: Vector
    mean: Pose = field(default_factory=Pose)

    def __post_init__(self) -> None:
        if not isinstance(self.mean, Pose) or not np.array_equal(self.mean.xyz, np.zeros(3)):
            expected = "a Pose at the origin, for its rotation"
            raise ModelError.single("NormalRotation", "mean", expected=expected, given=repr(self.mean))
        replace_arrays(self, deviation=_deviations(self, 3))

    @property
    def shape(self) -> tuple[int, ...]:
        return (3, 3)

    @property
    def numbers(self) -> int:
        return 3

    def at(self, r: np.ndarray) -> np.ndarray:
        return _times(self.mean.rotation, so3.exp(self.deviation * normals(r)))


@dataclass(frozen=True, eq=False, repr=False)
class NormalPose(Random):
    """A pose (4, 4) about a mean: g = mean · exp(ξ), ξ = (v, ω) normal (m, rad, body axes).

    deviation: of ξ, one number or (6,); or covariance: (6, 6), linear part first.
    """

    mean: Pose
    deviation: Six = None
    covariance: Table = None

    def __post_init__(self) -> None:
        if (self.deviation is None) == (self.covariance is None):
            given = "neither" if self.deviation is None else "both"
            raise ModelError.single("NormalPose", "spread", expected="deviation or covariance", given=given)
        if not isinstance(self.mean, Pose):
            raise ModelError.single("NormalPose", "mean", expected="a Pose", given=repr(self.mean))
        if self.deviation is not None:
            replace_arrays(self, deviation=_deviations(self, 6))
            return
        C = frozen_array(self.covariance, (6, 6), where="NormalPose", what="covariance")
        if not np.array_equal(C, C.T) or np.linalg.eigvalsh(C)[0] <= 0:
            raise ModelError.single(
                "NormalPose", "covariance", expected="symmetric and positive definite", given=repr(C.tolist())
            )
        replace_arrays(self, covariance=C)

    @property
    def shape(self) -> tuple[int, ...]:
        return (4, 4)

    @property
    def numbers(self) -> int:
        return 6

    def at(self, r: np.ndarray) -> np.ndarray:
        z = normals(r)
        ξ = self.deviation * z if self.covariance is None else rooted(self.covariance, z)
        return _times(self.mean.matrix, se3.exp(ξ))


def _times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a (n, n) times b (..., n, n), term by term: the same bits for a sample alone."""
    n = math.isqrt(a.size)
    return sum((a[:, k, None] * b[..., None, k, :] for k in range(1, n)), a[:, 0, None] * b[..., None, 0, :])


def _deviations(thing: Random, n: int) -> np.ndarray:
    kind = type(thing).__name__
    given = np.asarray(thing.deviation)  # type: ignore[attr-defined]
    if given.ndim == 0:
        given = np.full(n, given)
    deviation = frozen_array(given, (n,), where=kind, what="deviation")
    if np.any(deviation < 0):
        raise ModelError.single(kind, "deviation", expected="≥ 0", given=repr(deviation.tolist()))
    return deviation
