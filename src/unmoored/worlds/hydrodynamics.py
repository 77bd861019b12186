"""What moving water does to one body (theory.md §7, per-body form). All in body axes at the body's origin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..lie import so3
from ..lie.arrays import apply, join
from ..model import Fluid


def relative_twist(V: np.ndarray, c: np.ndarray) -> np.ndarray:
    """V_r = V − (c ; 0) (..., 6): the twist relative to water that moves with c (..., 3)."""
    return join([V[..., :3] - c, V[..., 3:]])


def drag(fluid: Fluid, V: np.ndarray) -> np.ndarray:
    """−D₁ V − D₂ |V| V (..., 6), |V| entry by entry, for a twist V (..., 6) relative to the water."""
    return -(apply(fluid.linear_drag, V) + apply(fluid.quadratic_drag, np.abs(V) * V))


def drag_matrix(fluid: Fluid, V: np.ndarray) -> np.ndarray:
    """D₁ + D₂ diag|V| (..., 6, 6): drag is −D V for a twist V (..., 6) relative to the water."""
    return fluid.linear_drag + fluid.quadratic_drag * np.abs(V)[..., None, :]


def current_wrench(A: np.ndarray, V: np.ndarray, c: np.ndarray) -> np.ndarray:
    """What a steady current c (..., 3) adds (..., 6) to the added mass A (6, 6) of a body with twist V (..., 6).

    K6(AV)V − K6(AV_r)V_r − A(ω×c ; 0): the recursions have the added mass in the inertia and K6(AV)V with it, the
    water has K6(AV_r)V_r and accelerates the body by ω×c in its own axes. Most terms of K6 cancel.
    """
    M, H = A[:3, :3], A[:3, 3:]
    v, ω = V[..., :3], V[..., 3:]
    Mc, turning = apply(M, c), so3.cross(ω, c)
    force = so3.cross(ω, Mc) - apply(M, turning)
    moment = so3.cross(v, Mc) + so3.cross(c, apply(M, v) - Mc + apply(H, ω))
    return join([force, moment + so3.cross(ω, apply(H.T, c)) - apply(H.T, turning)])


def acceleration_wrench(fluid: Fluid, density: Any, γ: np.ndarray) -> np.ndarray:
    """A(γ ; 0) + ρ∇(γ ; r_b×γ) (..., 6) of water that accelerates with γ (..., 3): added mass and pressure gradient."""
    pressure = np.asarray(density)[..., None] * (fluid.volume * γ)
    moment = so3.cross(fluid.centre_of_buoyancy, pressure)
    return apply(fluid.added_mass[:, :3], γ) + join([pressure, moment])
