"""The same dynamics in Euler angles: M̃(x) ẍ + C̃(x, ẋ) ẋ + ñ(x) = τ̃.

theory.md §15; From et al. 2010, eqs. (45)–(56). x = (p, Θ, q) (..., nv): position of the vehicle in the world
[m], angles Θ [rad] in the order of the chart's name, coordinates of the arm. ν = 𝒥⁻¹ ẋ, 𝒥⁻¹ = blockdiag(Rᵀ, T⁻¹, 1),
exists everywhere; M̃ cannot be inverted where the chart is singular, and there the accelerations blow up.
"""

from __future__ import annotations

import numpy as np

from ...lie import se3, so3
from ...model import Tree
from ...trace import solve_spd as solve
from ..closed_form.coriolis import coriolis_matrix
from ..gravity import gravity_forces
from ..mass_matrix import mass_matrix
from .euler_chart import ZXY, ZYX, EulerChart
from .free_vehicle import configuration_at, free_vehicle, vehicle_pose

__all__ = [
    "ZXY",
    "ZYX",
    "EulerChart",
    "configuration",
    "coordinate_rates",
    "coordinates",
    "euler_coriolis_matrix",
    "euler_damping_matrix",
    "euler_forces",
    "euler_forward_dynamics",
    "euler_gravity_forces",
    "euler_mass_matrix",
    "euler_rates",
    "velocity",
    "velocity_map",
    "velocity_map_derivative",
]


def coordinates(tree: Tree, q: np.ndarray, chart: EulerChart = ZYX) -> np.ndarray:
    """x = (p, Θ, q_arm) (..., nv) of a configuration q (..., nq)."""
    free_vehicle(tree)
    g = vehicle_pose(tree, q)
    return np.concatenate([se3.position(g), chart.angles(se3.rotation(g)), q[..., 12:]], axis=-1)


def configuration(tree: Tree, x: np.ndarray, chart: EulerChart = ZYX) -> np.ndarray:
    """Configuration q (..., nq) at x (..., nv)."""
    free_vehicle(tree)
    return configuration_at(tree, chart.rotation(x[..., 3:6]), x[..., :3], x[..., 6:])


def velocity_map(x: np.ndarray, chart: EulerChart = ZYX) -> np.ndarray:
    """𝒥⁻¹ (..., nv, nv) with ν = 𝒥⁻¹ ẋ."""
    R_T = np.swapaxes(chart.rotation(x[..., 3:6]), -1, -2)
    return _block_diagonal(R_T, chart.inverse_rates(x[..., 3:6]), np.eye(x.shape[-1] - 6))


def velocity_map_derivative(x: np.ndarray, x_dot: np.ndarray, chart: EulerChart = ZYX) -> np.ndarray:
    """d/dt 𝒥⁻¹ (..., nv, nv) = −𝒥⁻¹ 𝒥̇ 𝒥⁻¹."""
    Θ, Θ_dot = x[..., 3:6], x_dot[..., 3:6]
    ω = (chart.inverse_rates(Θ) @ Θ_dot[..., None])[..., 0]
    R_T_dot = -so3.hat(ω) @ np.swapaxes(chart.rotation(Θ), -1, -2)
    n = x.shape[-1] - 6
    return _block_diagonal(R_T_dot, chart.inverse_rates_derivative(Θ, Θ_dot), np.zeros((n, n)))


def velocity(x: np.ndarray, x_dot: np.ndarray, chart: EulerChart = ZYX) -> np.ndarray:
    """ν = 𝒥⁻¹ ẋ (..., nv): vehicle twist in its own axes, and arm rates."""
    return (velocity_map(x, chart) @ x_dot[..., None])[..., 0]


def coordinate_rates(x: np.ndarray, v: np.ndarray, chart: EulerChart = ZYX) -> np.ndarray:
    """ẋ = 𝒥 ν (..., nv); unbounded near the singularity."""
    Θ = x[..., 3:6]
    p_dot = (chart.rotation(Θ) @ v[..., :3, None])[..., 0]
    return np.concatenate([p_dot, (chart.rates(Θ) @ v[..., 3:6, None])[..., 0], v[..., 6:]], axis=-1)


def euler_mass_matrix(tree: Tree, x: np.ndarray, chart: EulerChart = ZYX) -> np.ndarray:
    """M̃ = 𝒥⁻ᵀ M 𝒥⁻¹ (..., nv, nv)."""
    E = velocity_map(x, chart)
    return np.swapaxes(E, -1, -2) @ mass_matrix(tree, configuration(tree, x, chart)) @ E


def euler_coriolis_matrix(
    tree: Tree, x: np.ndarray, x_dot: np.ndarray, chart: EulerChart = ZYX
) -> np.ndarray:
    """C̃ = 𝒥⁻ᵀ (C 𝒥⁻¹ + M d𝒥⁻¹/dt) (..., nv, nv), C at ν = 𝒥⁻¹ ẋ; d/dt M̃ − 2 C̃ is skew."""
    q, E, v = configuration(tree, x, chart), velocity_map(x, chart), velocity(x, x_dot, chart)
    inner = coriolis_matrix(tree, q, v) @ E + mass_matrix(tree, q) @ velocity_map_derivative(x, x_dot, chart)
    return np.swapaxes(E, -1, -2) @ inner


def euler_damping_matrix(x: np.ndarray, D: np.ndarray, chart: EulerChart = ZYX) -> np.ndarray:
    """D̃ = 𝒥⁻ᵀ D 𝒥⁻¹ (..., nv, nv) of a damping matrix D (..., nv, nv) on ν: the forces −D ν are −D̃ ẋ on ẋ."""
    E = velocity_map(x, chart)
    return np.swapaxes(E, -1, -2) @ D @ E


def euler_gravity_forces(
    tree: Tree, x: np.ndarray, gravity: np.ndarray, chart: EulerChart = ZYX
) -> np.ndarray:
    """ñ = 𝒥⁻ᵀ n = +∂U/∂x (..., nv), gravity (..., 3) in world axes [m/s²]."""
    return euler_forces(x, gravity_forces(tree, configuration(tree, x, chart), gravity), chart)


def euler_forces(x: np.ndarray, tau: np.ndarray, chart: EulerChart = ZYX) -> np.ndarray:
    """τ̃ = 𝒥⁻ᵀ τ (..., nv) of forces τ (..., nv) that work on ν."""
    return (np.swapaxes(velocity_map(x, chart), -1, -2) @ tau[..., None])[..., 0]


def euler_forward_dynamics(
    tree: Tree,
    x: np.ndarray,
    x_dot: np.ndarray,
    tau: np.ndarray,
    gravity: np.ndarray,
    chart: EulerChart = ZYX,
) -> np.ndarray:
    """ẍ (..., nv) = M̃⁻¹(τ̃ − C̃ ẋ − ñ), τ (..., nv) working on ν. Blows up like 1/cos of the middle angle."""
    coriolis = (euler_coriolis_matrix(tree, x, x_dot, chart) @ x_dot[..., None])[..., 0]
    forces = euler_forces(x, tau, chart) - coriolis - euler_gravity_forces(tree, x, gravity, chart)
    return solve(euler_mass_matrix(tree, x, chart), forces)


def euler_rates(
    tree: Tree, state: np.ndarray, tau: np.ndarray, gravity: np.ndarray, chart: EulerChart = ZYX
) -> np.ndarray:
    """d/dt (x, ẋ) (..., 2 nv) for an ordinary integrator; state = (x, ẋ)."""
    x, x_dot = state[..., : tree.nv], state[..., tree.nv :]
    return np.concatenate([x_dot, euler_forward_dynamics(tree, x, x_dot, tau, gravity, chart)], axis=-1)


def _block_diagonal(*blocks: np.ndarray) -> np.ndarray:
    batch = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
    size = sum(block.shape[-1] for block in blocks)
    rows, start = [], 0
    for block in blocks:
        n = block.shape[-1]
        zeros = [np.zeros((*batch, n, k)) for k in (start, size - start - n)]
        rows.append(np.concatenate([zeros[0], np.broadcast_to(block, (*batch, n, n)), zeros[1]], axis=-1))
        start += n
    return np.concatenate(rows, axis=-2)
