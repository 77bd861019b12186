"""A Runge–Kutta–Munthe-Kaas method of order 4 on the group, for tests only (docs/theory.md §16)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unmoored.model.joints import SubgroupJoint
from unmoored.system import System


def integrate(
    system: System,
    q: np.ndarray,
    y: np.ndarray,
    rates: Callable[[float, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]],
    duration: float,
    steps: int,
) -> tuple[np.ndarray, np.ndarray]:
    """(q, y) after `duration`: q̇ and ẏ are rates(t, q, y) = (v (nv,), ẏ)."""
    h = duration / steps
    for n in range(steps):
        q, y = _step(system, n * h, q, y, rates, h)
    return q, y


def _step(system, t, q, y, rates, h):
    θs, ks = [], []
    for c, previous in ((0.0, None), (0.5, 0), (0.5, 1), (1.0, 2)):
        θ = np.zeros(system.nv) if previous is None else h * c * θs[previous]
        y_i = y if previous is None else y + h * c * ks[previous]
        v, y_dot = rates(t + c * h, system.retract(q, θ), y_i)
        θs.append(_dexp_inv(system, θ, v))
        ks.append(y_dot)
    weights = np.array([1, 2, 2, 1]) / 6
    return system.retract(q, h * (weights @ θs)), y + h * (weights @ ks)


def _dexp_inv(system, θ, v):
    """1 + ½ad + (1/12)ad² joint by joint, enough for order 4: the rate of the exponential coordinates."""
    rate = v.copy()
    for link in system.tree.links:
        if isinstance(link.joint, SubgroupJoint) and link.joint.nv > 1:
            ad = link.joint.group.ad(θ[link.v])
            once = ad @ v[link.v]
            rate[link.v] += once / 2 + ad @ once / 12
    return rate
