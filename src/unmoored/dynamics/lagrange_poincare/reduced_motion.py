"""Moving with the Lagrange–Poincaré equations: rates of the reduced state, and back to velocities.

The reduced state is a vector y (..., nv) in velocity order whose entries of the vehicle are its momentum P
and whose other entries are the shape velocity w.
"""

from __future__ import annotations

import numpy as np

from ...lie.arrays import apply, solved
from ...model import Tree
from ..gravity import gravity_forces
from ..mass_matrix import mass_matrix
from ..wrenches import Wrenches, wrench_forces
from .connection import reduction
from .reduced_equations import LagrangePoincare, drift, momentum_of, terms, velocity_of
from .vehicle_split import Split, split


def reduced_state(tree: Tree, q: np.ndarray, v: np.ndarray, vehicle: str) -> np.ndarray:
    """y = (P, w) (..., nv) of the velocity v (..., nv) at q (..., nq)."""
    at = split(tree, vehicle)
    return at.joined(momentum_of(at, mass_matrix(tree, q), v), at.others(v))


def recovered_velocity(tree: Tree, q: np.ndarray, y: np.ndarray, vehicle: str) -> np.ndarray:
    """v (..., nv) of the reduced state y = (P, w) (..., nv) at q (..., nq): u = M₀⁻¹ P − A w."""
    at = split(tree, vehicle)
    P, w = at.vehicle(y), at.others(y)
    return at.joined(velocity_of(at, reduction(mass_matrix(tree, q), at), P, w), w)


def reduced_forward_dynamics(
    tree: Tree,
    q: np.ndarray,
    y: np.ndarray,
    tau: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None,
    vehicle: str,
) -> np.ndarray:
    """Rate ẏ = (Ṗ, ẇ) (..., nv) of the reduced state y (..., nv) at q (..., nq).

    tau: generalised forces (..., nv), those on the vehicle included.  gravity: γ (..., 3), world axes (m/s²).
    wrenches: {frame: (..., 6) in its own axes}.
    """
    at, M = split(tree, vehicle), mass_matrix(tree, q)
    P, w = at.vehicle(y), at.others(y)
    F = tau + wrench_forces(tree, q, wrenches) - gravity_forces(tree, q, gravity)
    lp = terms(tree, at, q, reduction(M, at), P, w)
    return at.joined(momentum_rate(at, lp, w, at.vehicle(F)), shape_acceleration(at, lp, w, F))


def momentum_rate(at: Split, lp: LagrangePoincare, w: np.ndarray, F_u: np.ndarray) -> np.ndarray:
    """Ṗ = ad_uᵀ P + F_u (..., m), at shape velocity w (..., n) under the vehicle's forces F_u (..., m)."""
    u = lp.locked_velocity - apply(lp.connection, w)
    return drift(at, lp.momentum, u) + F_u


def shape_acceleration(at: Split, lp: LagrangePoincare, w: np.ndarray, F: np.ndarray) -> np.ndarray:
    """ẇ (..., n) from M̂ ẇ + Ĉ w + N̂ = F_w − Aᵀ F_u, at w (..., n) under the forces F (..., nv)."""
    driven = at.others(F) - apply(np.swapaxes(lp.connection, -1, -2), at.vehicle(F))
    right = driven - apply(lp.coriolis, w) - lp.momentum_forces
    return solved(lp.shape_inertia, right)
