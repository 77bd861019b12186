"""How far a frame is off its target, and the accelerations that bring it there (docs/laws/tool.md)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import apply, blocks, join

#: directions of a frame: along and about its own axes
DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")


class ToolError(NamedTuple):
    """pose: g_e = g⁻¹g_d (..., 4, 4).  velocity: V_r = Ad_{g_e}V_d, acceleration: V̇_r, rate: Ṽ = V_r − V, (..., 6)."""

    pose: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    rate: np.ndarray


def tool_error(g: np.ndarray, V: np.ndarray, target: Any) -> ToolError:
    """Of a frame at g (..., 4, 4) with twist V (..., 6): V̇_r = Ad_{g_e}V̇_d − ad_V V_r."""
    g_e = se3.inverse(g) @ target.pose
    V_r = se3.Ad_apply(g_e, target.twist)
    V_dot_r = se3.Ad_apply(g_e, target.twist_rate) - se3.ad_apply(V, V_r)
    return ToolError(g_e, V_r, V_dot_r, V_r - V)


class Wanted(NamedTuple):
    """rows T (k, 6) or (..., k, 6), None for all six, and what T V̇ (..., k) is to be."""

    rows: np.ndarray | None
    value: np.ndarray


def approach(off: ToolError, rate: np.ndarray, bandwidth: np.ndarray, places: tuple[int, ...]) -> Wanted:
    """Accelerations with which ṡ = −bandwidth·s, s = ė + rate·e, along the directions at these places.

    All six: e = log g_e, and V̇ = V̇_r + rate·ė + bandwidth·s with s = Ṽ + rate·e, in which ė = dexp⁻¹(−e)Ṽ.
    Fewer: e = (p_e, log R_e), ė = A Ṽ, so that T = A's rows and T V̇ = A V̇_r + Ȧ Ṽ + rate·ė + bandwidth·s.
    """
    if len(places) == 6:
        e = se3.log(off.pose)
        e_dot = apply(se3.dexp_inv(-e), off.rate)
        return Wanted(None, off.acceleration + rate * e_dot + bandwidth * (off.rate + rate * e))
    p, φ = se3.position(off.pose), so3.log(se3.rotation(off.pose))
    none = np.zeros((3, 3))
    A = blocks([[np.eye(3), -so3.hat(p)], [none, so3.dexp_inv(-φ)]])
    e, e_dot = join([p, φ]), apply(A, off.rate)
    turning = join([0.0 * φ, -φ]), join([0.0 * φ, -e_dot[..., 3:]])
    bent = apply(se3.dexp_rate(*turning)[..., 3:, 3:], e_dot[..., 3:])
    drift = join([-so3.cross(e_dot[..., :3], off.rate[..., 3:]), -apply(so3.dexp_inv(-φ), bent)])
    s = e_dot + rate * e
    wanted = apply(A, off.acceleration) + drift + rate * e_dot + bandwidth * s
    chosen = list(places)
    return Wanted(A[..., chosen, :], wanted[..., chosen])
