"""A constant pose: where a joint or a frame sits on its body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..lie import se3, so3
from .errors import ModelError
from .value import Value, frozen_array, replace_arrays

_ROTATION_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Pose(Value):
    """Pose of a child frame in its parent frame: `matrix` is the homogeneous 4×4 (metres).

    The rotation is given by at most one of `rotation` (3×3), `rpy` (roll, pitch, yaw in radians about fixed
    x, y, z: R = Rz(y) Ry(p) Rx(r), as in URDF) and `quaternion_wxyz`.
    """

    matrix: np.ndarray

    def __init__(
        self,
        xyz: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        *,
        rotation: Any = None,
        rpy: Sequence[float] | np.ndarray | None = None,
        quaternion_wxyz: Sequence[float] | np.ndarray | None = None,
    ):
        given = [
            n
            for n, x in (("rotation", rotation), ("rpy", rpy), ("quaternion_wxyz", quaternion_wxyz))
            if x is not None
        ]
        if len(given) > 1:
            raise ModelError.single(
                "Pose", "rotation given twice", expected="one form", given=", ".join(given)
            )
        position = frozen_array(xyz, (3,), where="Pose", what="xyz")
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = _rotation(rotation, rpy, quaternion_wxyz), position
        matrix += 0.0  # no -0.0: equal poses, equal bits
        matrix.setflags(write=False)
        replace_arrays(self, matrix=matrix)

    @classmethod
    def from_matrix(cls, matrix: Any) -> Pose:
        """The pose with this homogeneous 4×4 matrix (metres); its rotation must be one to 1e-9."""
        g = frozen_array(matrix, (4, 4), where="Pose", what="matrix")
        if not np.array_equal(g[3], (0.0, 0.0, 0.0, 1.0)):
            raise ModelError.single("Pose", "last row of the matrix", expected="0 0 0 1", given=str(g[3]))
        return cls(xyz=g[:3, 3], rotation=g[:3, :3])

    @property
    def xyz(self) -> np.ndarray:
        """Position (3,) in metres, in the parent frame."""
        return self.matrix[:3, 3]

    @property
    def rotation(self) -> np.ndarray:
        """Rotation matrix (3, 3): columns are the child's axes in the parent frame."""
        return self.matrix[:3, :3]

    def __matmul__(self, other: Pose) -> Pose:
        """g_ac = g_ab @ g_bc."""
        return Pose.from_matrix(self.matrix @ other.matrix)

    def inverse(self) -> Pose:
        """g_ba from g_ab."""
        return Pose.from_matrix(se3.inverse(self.matrix))

    def __repr__(self) -> str:
        return f"Pose(xyz={self.xyz.tolist()}, rotation={self.rotation.tolist()})"


def _rotation(rotation: Any, rpy: Any, quaternion: Any) -> np.ndarray:
    if rpy is not None:
        roll, pitch, yaw = frozen_array(rpy, (3,), where="Pose", what="rpy")
        return _quarter_turns_exact(so3.from_euler_zyx(np.array([yaw, pitch, roll])))
    if quaternion is not None:
        q = frozen_array(quaternion, (4,), where="Pose", what="quaternion_wxyz")
        norm = float(np.linalg.norm(q))
        if abs(norm - 1.0) > _ROTATION_TOLERANCE:
            raise ModelError.single(
                "Pose", "quaternion_wxyz", expected="norm 1 to 1e-9", given=f"norm {norm!r}"
            )
        return so3.from_quaternion_wxyz(q / norm)
    if rotation is None:
        return np.eye(3)
    R = frozen_array(rotation, (3, 3), where="Pose", what="rotation")
    defect = float(np.abs(R.T @ R - np.eye(3)).max())
    if defect > _ROTATION_TOLERANCE or np.linalg.det(R) < 0:
        expected = "a rotation: RᵀR = 1 to 1e-9, determinant +1"
        given = f"defect {defect:.2e}, determinant {np.linalg.det(R):.3g}"
        raise ModelError.single("Pose", "rotation", expected=expected, given=given)
    return R


def _quarter_turns_exact(R: np.ndarray) -> np.ndarray:
    """Entries within 1e-15 of 0 or ±1 are exactly that: cos(π/2) is 6e-17 in floating point only.

    Right-angle frames then have exact zeros, which the kernels fold away.
    """
    nearest = np.rint(R)
    return np.where(np.abs(R - nearest) < 1e-15, nearest, R) + 0.0
