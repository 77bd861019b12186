"""How far frames are from their targets, and how that changes with the configuration.

    g_e = g⁻¹ g_d ,   e = (p_e, φ) ,   p_e the place of g_e ,  φ = log of its rotation
    δp_e = −(J_v − p̂_e J_ω) δ ,   δφ = −dexp⁻¹(−φ) J_ω δ

|p_e| is the distance of the origins and |φ| the angle between the axes. Where the three directions of p_e count alike,
and those of φ, the gradient of |p_e|² and |φ|² is that of the plain rows J, since p̂_e p_e = 0 and dexp⁻¹(−φ)ᵀφ = φ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...dynamics.jacobians import world_and_jacobian
from ...lie import se3, so3
from ...lie.arrays import blocks, join
from ...model import Tree


@dataclass(frozen=True)
class FrameTargets:
    """frames: their names.  rows: of each frame which of the six directions (x, y, z, about x, y, z) count.

    alike: whether all three directions of a place count alike, and of a turn.
    """

    frames: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    alike: bool

    @property
    def size(self) -> int:
        """Numbers in the targets of all frames, 12 each: rotation row by row, then place."""
        return 12 * len(self.frames)

    @cached_property
    def count(self) -> int:
        """Number of rows m of all frames."""
        return sum(map(len, self.rows))

    def at(self, tree: Tree, q: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(e (..., m), J (..., m, nv)) at q (..., nq), targets (..., size): to first order e becomes e − J δ."""
        errors, slopes = [], []
        for k, (frame, rows) in enumerate(zip(self.frames, self.rows, strict=True)):
            world, J = world_and_jacobian(tree, q, frame)
            g_e = world @ pose_of(targets[..., 12 * k : 12 * k + 12])
            p, φ = se3.position(g_e), so3.log(se3.rotation(g_e))
            if not self.alike:
                v, ω = J[..., :3, :], J[..., 3:, :]
                J = blocks([[v - so3.hat(p) @ ω], [so3.dexp_inv(-φ) @ ω]])
            errors.append(join([p, φ])[..., list(rows)])
            slopes.append(J[..., list(rows), :])
        return join(errors), np.concatenate(slopes, axis=-2)


def pose_of(numbers: np.ndarray) -> np.ndarray:
    """The pose (..., 4, 4) of 12 numbers (..., 12)."""
    return se3.pose(numbers[..., :9].reshape(*numbers.shape[:-1], 3, 3), numbers[..., 9:12])


def numbers_of(poses: np.ndarray) -> np.ndarray:
    """12 numbers (..., 12) of poses (..., 4, 4)."""
    return np.concatenate([poses[..., :3, :3].reshape(*poses.shape[:-2], 9), poses[..., :3, 3]], axis=-1)
