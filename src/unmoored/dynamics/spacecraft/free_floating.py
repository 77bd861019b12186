"""Free-floating systems: nothing acts on the vehicle, its spatial momentum is constant (theory.md §9).

    M̂ ẇ + Ĉ w + N̂ = τ_w,   P = Ad_hᵀ μ,   u = M₀⁻¹ P − A w:

n equations for the other joints, the vehicle follows. At zero momentum N̂ = 0 and u = −A w. A uniform drift
of a free vehicle (linear momentum, no spin about the centre of mass) has N̂ = 0 too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, transpose
from ...model import ModelError, Tree
from ...trace import is_zero
from ..lagrange_poincare.connection import reduction
from ..lagrange_poincare.reduced_equations import momentum_of, terms, velocity_forces, velocity_of
from ..lagrange_poincare.reduced_motion import shape_acceleration
from ..lagrange_poincare.vehicle_split import Split, split
from ..mass_matrix import mass_matrix


class FreeFloating(NamedTuple):
    """The reduced system at a state; n DoFs beside the vehicle's m.

    inertia: M̂ (..., n, n).  coriolis: Ĉ (..., n, n) with dM̂/dt − 2Ĉ skew.  momentum_forces: N̂ (..., n).
    connection: A (..., m, n).  momentum: the constant μ (..., m).
    velocity, acceleration: complete (..., nv), the vehicle's part recovered.
    """

    inertia: np.ndarray
    coriolis: np.ndarray
    momentum_forces: np.ndarray
    connection: np.ndarray
    momentum: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


def spatial_momentum(tree: Tree, q: np.ndarray, v: np.ndarray, vehicle: str) -> np.ndarray:
    """μ = Ad_{h⁻¹}ᵀ P (..., m) at q (..., nq), v (..., nv): constant while nothing acts on the vehicle.

    Components along the vehicle's DoFs in the fixed frame that its joint sits in: for a free vehicle placed
    at the world origin, the momentum of the system in world axes about the world origin.
    """
    at = _floating(tree, vehicle)
    back = at.joint.group.Ad(se3.inverse(_pose(at, q)))
    return apply(transpose(back), momentum_of(at, mass_matrix(tree, q), v))


def free_floating(tree: Tree, q: np.ndarray, v: np.ndarray, tau: np.ndarray, vehicle: str) -> FreeFloating:
    """The reduced system at q (..., nq) with the velocity, and so the momentum, v (..., nv).

    tau: (..., nv), of which the vehicle's entries are ignored: no force acts on it.
    """
    at, M = _floating(tree, vehicle), mass_matrix(tree, q)
    μ = spatial_momentum(tree, q, v, vehicle)
    return _reduced(tree, at, q, M, momentum_of(at, M, v), μ, at.others(v), tau)


def free_floating_at_momentum(
    tree: Tree, q: np.ndarray, y: np.ndarray, tau: np.ndarray, vehicle: str
) -> FreeFloating:
    """The reduced system at q (..., nq) with momentum μ and shape velocity w: y = (μ, w) (..., nv).

    The vehicle's entries of y are μ (see `spatial_momentum`), the others w. tau: as in `free_floating`.
    """
    at, M = _floating(tree, vehicle), mass_matrix(tree, q)
    μ = at.vehicle(y)
    P = apply(transpose(at.joint.group.Ad(_pose(at, q))), μ)
    return _reduced(tree, at, q, M, P, μ, at.others(y), tau)


def _reduced(
    tree: Tree,
    at: Split,
    q: np.ndarray,
    M: np.ndarray,
    P: np.ndarray,
    μ: np.ndarray,
    w: np.ndarray,
    tau: np.ndarray,
) -> FreeFloating:
    """All of it from the momentum P in the vehicle's axes, μ in the world's, and the shape velocity w."""
    r = reduction(M, at)
    lp = terms(tree, at, q, r, P, w)
    u = velocity_of(at, r, P, w)
    forces = at.joined(np.zeros(len(at.group)), at.others(tau))
    w_dot = shape_acceleration(at, lp, w, forces)
    # the vehicle's rows, on which nothing acts: M₀ u̇ + M₀ₘ ẇ + c_u = 0
    c = at.vehicle(velocity_forces(tree, at, q, r, lp.locked_velocity, w))
    a = at.joined(-apply(r.locked_inverse, c) - apply(r.connection, w_dot), w_dot)
    return FreeFloating(
        lp.shape_inertia, lp.coriolis, lp.momentum_forces, lp.connection, μ, at.joined(u, w), a
    )


def _floating(tree: Tree, vehicle: str) -> Split:
    at = split(tree, vehicle)
    if not is_zero(at.link.armature):
        expected = "no armature: a vehicle that floats freely has no drive to the world"
        raise ModelError.single(
            vehicle, "free-floating vehicle", expected=expected, given=str(at.link.armature)
        )
    return at


def _pose(at: Split, q: np.ndarray) -> np.ndarray:
    """h (..., 4, 4) of the vehicle's joint."""
    return at.joint.transform(q[..., at.link.q])
