"""Accelerations of the active DoFs for an end-effector task that disturbs the passive DoFs least.

Jain & Rodriguez 1993, section 7: (J_G ; J_D) a = (V̇ ; ν̇_p) − bias, solved for the active accelerations a,
by damped least squares min |A a − b|² + λ²|a − a₀|², which stay bounded near dynamic singularities.
"""

from __future__ import annotations

import numpy as np

from ...lie.arrays import apply, blocks, join, transpose
from ...trace import solve_spd as solve


def damped_least_squares(A: np.ndarray, b: np.ndarray, damping: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """The x (..., n) with the least |A x − b|² + λ²|x − x₀|²; A (..., m, n), b (..., m), prior x₀ (..., n).

    damping: λ (...). With λ = 0, A must have full rank: the solution is then exact and closest to x₀ for m ≤
    n, and the least-squares one for m > n.
    """
    return prior + apply(damped_inverse(A, damping), b - apply(A, prior))


def damped_inverse(A: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """Aᵀ(AAᵀ + λ²)⁻¹ = (AᵀA + λ²)⁻¹Aᵀ (..., n, m) of A (..., m, n): the smaller of the two is solved."""
    m, n = A.shape[-2:]
    A_T = transpose(A)
    square = A @ A_T if m <= n else A_T @ A
    ridge = np.asarray(damping)[..., None, None] ** 2 * np.eye(min(m, n))
    square, right = _broadcast(square + ridge, A if m <= n else A_T)
    inverse = solve(square, right)
    return transpose(inverse) if m <= n else inverse


def weighted_accelerations(
    J_G: np.ndarray,
    J_D: np.ndarray,
    task: np.ndarray,
    disturbance: np.ndarray,
    weight: np.ndarray,
    damping: np.ndarray,
    preferred: np.ndarray,
) -> np.ndarray:
    """a (..., n_active) that weighs task and disturbance against each other: (7.1) in one solve.

    task: V̇ − bias (..., 6) to be met by J_G a.  disturbance: ν̇_p − bias (..., n_passive) to be met by J_D
    a. weight: (..., n_passive) of the disturbance rows against the task's 1.  preferred: a₀ (..., n_active).
    """
    A = blocks([[J_G], [np.asarray(weight)[..., None] * J_D]])
    return damped_least_squares(A, join([task, weight * disturbance]), damping, preferred)


def task_first_accelerations(
    J_G: np.ndarray,
    J_D: np.ndarray,
    task: np.ndarray,
    disturbance: np.ndarray,
    weight: np.ndarray,
    regularization: np.ndarray,
    damping: np.ndarray,
    preferred: np.ndarray,
) -> np.ndarray:
    """a (..., n_active) that meets the task, and with the freedom left disturbs the passive DoFs least.

    Minimises |W(J_D a − disturbance)|² + ρ²|a − a₀|² subject to J_G a = task, within the null space of J_G.
    regularization: ρ (...) > 0, small to disturb least, large to follow `preferred`.  damping: λ (...), 0 to
    meet the task exactly where J_G has full row rank.  The other arguments as in `weighted_accelerations`.
    """
    inverse = damped_inverse(J_G, damping)
    first = preferred + apply(inverse, task - apply(J_G, preferred))
    N = np.eye(J_G.shape[-1]) - inverse @ J_G
    heavy = np.asarray(weight)[..., None] * J_D
    felt = heavy @ N
    ridge = np.asarray(regularization)[..., None, None] ** 2 * np.eye(J_D.shape[-1])
    z = _solved(
        transpose(felt) @ felt + ridge, apply(transpose(felt), weight * disturbance - apply(heavy, first))
    )
    return first + apply(N, z)


def adaptive_damping(J: np.ndarray, threshold: float, largest: float) -> np.ndarray:
    """λ (...) that is zero while the smallest singular value of J (..., m, n) is above the threshold.

    Below it λ² = (1 − (σ/threshold)²) largest². Numbers only.
    """
    σ = np.linalg.svd(J, compute_uv=False)[..., -1]
    return largest * np.sqrt(np.clip(1.0 - (σ / threshold) ** 2, 0.0, 1.0))


def _solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    A, b = _broadcast(A, b[..., None])
    return solve(A, b)[..., 0]


def _broadcast(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    return np.broadcast_to(A, (*batch, *A.shape[-2:])), np.broadcast_to(B, (*batch, *B.shape[-2:]))
