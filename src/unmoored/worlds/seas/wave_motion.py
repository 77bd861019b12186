"""A ship's motion as a sum of waves, with exact velocity and acceleration (theory.md §14, §20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dynamics.forced_base import PrescribedMotion
from ...lie import se3, so3
from ...lie.arrays import apply, join, matrix, scale_vector, vector
from ...model import Free, Joint, ModelError
from ...model.joints import numbers_from_pose
from ..prescribed_motion import Trajectory


@dataclass(frozen=True, eq=False, repr=False)
class WaveMotion(Trajectory):
    """A free vehicle's motion as a sum of cosines: η_j = scale · Re Σ_k (real + i imaginary)_kj exp i(ω_k t + phase_k).

    frequencies: ω (n,) [rad/s].  phases: (n,) [rad].  real, imaginary: (n, 6), (x, y, z, roll, pitch, yaw) [m, rad];
    R = Rz(yaw) Ry(pitch) Rx(roll).  reference: point (3,) of the vehicle whose motion that is (m, vehicle axes).
    At rest the vehicle's joint is neutral. All but the reference may have a leading dimension of samples.
    """

    frequencies: Any
    phases: Any
    real: Any
    imaginary: Any
    reference: Any = (0.0, 0.0, 0.0)
    scale: Any = 1.0

    def motion(self, t: np.ndarray, joint: Joint) -> PrescribedMotion:
        η, η_dot, η_ddot = self.sums(t)
        p, R, V, V_dot = _of_euler_angles(η, η_dot, η_ddot)
        r = se3.pose(np.eye(3), np.asarray(self.reference))  # vehicle = r · reference motion · r⁻¹
        h = r @ se3.pose(R, p) @ se3.inverse(r)
        return PrescribedMotion(numbers_from_pose(h), se3.Ad_apply(r, V), se3.Ad_apply(r, V_dot))

    def check(self, name: str, joint: Joint) -> None:
        """Only a free vehicle moves so."""
        if not isinstance(joint, Free):
            raise ModelError.single(name, "motion in waves", expected="a Free joint", given=joint.kind)

    def sums(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """η, η̇, η̈ (..., 6) at times t (...) [s], term by term."""
        ω = np.asarray(self.frequencies)
        angle = ω * np.asarray(t)[..., None] + self.phases
        c, s = np.cos(angle), np.sin(angle)
        A, B, ω = self.real, self.imaginary, ω[..., None]
        parts = (
            _sum(c, A) - _sum(s, B),
            -_sum(s, ω * A) - _sum(c, ω * B),
            -_sum(c, ω**2 * A) + _sum(s, ω**2 * B),
        )
        return tuple(scale_vector(self.scale, part) for part in parts)  # type: ignore[return-value]


def _sum(x: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Σ_k x_k A_kj (..., 6) for x (..., n) and A (n, 6) or (..., n, 6)."""
    return x @ A if np.ndim(A) == 2 else (x[..., None, :] @ A)[..., 0, :]


def _of_euler_angles(η: np.ndarray, η_dot: np.ndarray, η_ddot: np.ndarray):
    """p, R, and the body twist with its derivative (..., 6), of p(t) and zyx angles Θ(t)."""
    φ, θ, ψ = η[..., 3], η[..., 4], η[..., 5]
    cφ, sφ, cθ, sθ = np.cos(φ), np.sin(φ), np.cos(θ), np.sin(θ)
    o = 0.0 * φ
    R = so3.exp(vector([o, o, ψ])) @ so3.exp(vector([o, θ, o])) @ so3.exp(vector([φ, o, o]))
    T_inv = matrix([[1.0 + o, o, -sθ], [o, cφ, cθ * sφ], [o, -sφ, cθ * cφ]])
    φd, θd = η_dot[..., 3], η_dot[..., 4]
    T_inv_dot = matrix(
        [
            [o, o, -cθ * θd],
            [o, -sφ * φd, cθ * cφ * φd - sθ * sφ * θd],
            [o, -cφ * φd, -cθ * sφ * φd - sθ * cφ * θd],
        ]
    )
    ω = apply(T_inv, η_dot[..., 3:])
    ω_dot = apply(T_inv, η_ddot[..., 3:]) + apply(T_inv_dot, η_dot[..., 3:])
    R_t = np.swapaxes(R, -1, -2)
    v = apply(R_t, η_dot[..., :3])
    v_dot = apply(R_t, η_ddot[..., :3]) - so3.cross(ω, v)
    return η[..., :3], R, join([v, ω]), join([v_dot, ω_dot])
