"""What moving water does to one body (theory.md §7, per-body form). All in body axes at the body's origin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lie import so3
from ...lie.arrays import apply, join, scale, scale_vector
from ...model import Fluid
from ...model.flow_parts import FlowPart, Lift
from ...trace import is_zero
from .flow_wrenches import part_drag_matrix, part_wrench

_NO_SPEED = 1e-24  # (m/s)², so that the slope of the speed is finite at rest


def relative_twist(V: np.ndarray, c: np.ndarray) -> np.ndarray:
    """V_r = V − (c ; 0) (..., 6): the twist relative to water that moves with c (..., 3)."""
    return join([V[..., :3] - c, V[..., 3:]])


def drag(fluid: Fluid, V: np.ndarray) -> np.ndarray:
    """−D₁ V − D₂ |V| V (..., 6), |V| entry by entry, and that of the hull's parts, for a twist V (..., 6)
    relative to the
    water; D₁ V fades with the speed."""
    F = -(apply(fluid.linear_drag, faded(fluid, V)) + apply(fluid.quadratic_drag, np.abs(V) * V))
    for part in dragging(fluid):
        F = F + scale_vector(fluid.flow_scale, part_wrench(part, V))
    return F


def drag_matrix(fluid: Fluid, V: np.ndarray) -> np.ndarray:
    """D (..., 6, 6) with drag −D V for a twist V (..., 6) relative to the water: D₁ + D₂ diag|V| and that of
    the parts.
    """
    factor = _fading(fluid, V)
    linear = fluid.linear_drag if factor is None else fluid.linear_drag * factor[..., None, :]
    D = linear + fluid.quadratic_drag * np.abs(V)[..., None, :]
    for part in dragging(fluid):
        D = D + scale(fluid.flow_scale, part_drag_matrix(part, V))
    return D


def dragging(fluid: Fluid) -> list[FlowPart]:
    """The parts of the hull that drag."""
    return [part for part in fluid.flow_parts if not isinstance(part, Lift)]


def lift(fluid: Fluid, V: np.ndarray) -> np.ndarray | None:
    """Wrench (..., 6) of the parts that lift; None if there are none."""
    parts = [part_wrench(part, V) for part in fluid.flow_parts if isinstance(part, Lift)]
    return scale_vector(fluid.flow_scale, sum(parts[1:], parts[0])) if parts else None


def faded(fluid: Fluid, V: np.ndarray) -> np.ndarray:
    """The twist V (..., 6) as the linear drag feels it: e^{−k|v|} V."""
    factor = _fading(fluid, V)
    return V if factor is None else factor * V


def _fading(fluid: Fluid, V: np.ndarray) -> np.ndarray | None:
    """e^{−k|v|} (..., 6) of the linear drag, None if it does not fade."""
    if is_zero(fluid.fading):
        return None
    v = V[..., :3]
    speed = np.sqrt((v * v).sum(axis=-1, keepdims=True) + _NO_SPEED)
    return np.exp(-fluid.fading * speed)


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


def acceleration_wrench(
    fluid: Fluid, density: Any, γ: np.ndarray, share: np.ndarray | None = None, wet: np.ndarray | None = None
) -> np.ndarray:
    """A(γ ; 0) + ρ∇(γ ; r_b×γ) (..., 6) of water that accelerates with γ (..., 3): added mass and pressure gradient.

    share: (...) of the volume that is under water, all if None.  wet: (...) of the added mass, all if None.
    """
    pressure = np.asarray(density)[..., None] * (fluid.volume * γ)
    pressure = pressure if share is None else scale_vector(share, pressure)
    moment = so3.cross(fluid.centre_of_buoyancy, pressure)
    carried = apply(fluid.added_mass[..., :, :3], γ)
    return (carried if wet is None else scale_vector(wet, carried)) + join([pressure, moment])


def immersion_wrench(A: np.ndarray, V: np.ndarray, V_r: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """−κ̇ A V_r + ½(V_rᵀAV_r) g (..., 6) of a body whose added mass κA follows the share κ under water, κ̇ = gᵀV.

    The rest of Lagrange's equations of ½κ V_rᵀAV_r is that of a constant added mass κA (theory.md §31).
    """
    moved = apply(A, V_r)
    rate = (gradient * V).sum(axis=-1)
    return scale_vector(0.5 * (V_r * moved).sum(axis=-1), gradient) - scale_vector(rate, moved)
