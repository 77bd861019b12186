"""The fastest speeds along a path whose limits are linear in σ̈ and σ̇²: two passes over its nodes.

With x = σ̇² and u = σ̈ constant between nodes, x_{k+1} = x_k + 2 Δσ u. Backward: the interval of x at each node from
which the rest of the path can be gone within the limits, and come to rest. Forward: the largest u of all that stay in
these intervals. (Reachability analysis, after Pham & Pham 2018; the limits are kept at both ends of each span.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..model import ModelError

_TINY = 1e-12


class Limit(NamedTuple):
    """|a u + b x + c| ≤ limit at every node: a, b, c (K, n), limit (n,)."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    limit: np.ndarray


class _Rows(NamedTuple):
    """u·a + x·b ≤ h, each (m,)."""

    a: np.ndarray
    b: np.ndarray
    h: np.ndarray


def fastest_speeds(σ: np.ndarray, top: np.ndarray, limits: Sequence[Limit]) -> np.ndarray:
    """x = σ̇² (K,) at the nodes σ (K,), from rest to rest, below `top` (K,) and within the limits."""
    K = len(σ)
    spans = [_rows(k, 2.0 * (σ[k + 1] - σ[k]), top, limits) for k in range(K - 1)]
    reach: list[tuple[float, float]] = [(0.0, 0.0)]
    for k in reversed(range(K - 1)):
        low, high = reach[0]
        found = _interval(_arriving(spans[k], 2.0 * (σ[k + 1] - σ[k]), low, high))
        reach.insert(0, found or (1.0, 0.0))
        if found is None:
            expected = "limits that leave a way to stop"
            raise ModelError.single(
                "fastest_timing", "limits", expected=expected, given=f"none near {σ[k]:g}"
            )
    x = np.zeros(K)
    for k in range(K - 1):
        step = 2.0 * (σ[k + 1] - σ[k])
        rows = _arriving(spans[k], step, *reach[k + 1])
        up = rows.a > 0
        u = ((rows.h[up] - rows.b[up] * x[k]) / rows.a[up]).min()
        x[k + 1] = np.clip(x[k] + step * u, *reach[k + 1])
    return x


def _rows(k: int, step: float, top: np.ndarray, limits: Sequence[Limit]) -> _Rows:
    """The limits at both ends of span k, in u and x of its start, x itself too."""
    a, b, h = [np.zeros(2)], [np.array([1.0, -1.0])], [np.array([min(top[k], 1e12), 0.0])]
    for limit in limits:
        finite = np.isfinite(limit.limit)
        for node, gone in ((k, 0.0), (k + 1, step)):
            for sign in (1.0, -1.0):
                b_k = sign * limit.b[node, finite]
                a.append(sign * limit.a[node, finite] + gone * b_k)
                b.append(b_k)
                h.append(limit.limit[finite] - sign * limit.c[node, finite])
    return _Rows(*(np.concatenate(part) for part in (a, b, h)))


def _arriving(rows: _Rows, step: float, low: float, high: float) -> _Rows:
    """The same, and low ≤ x + step·u ≤ high."""
    more = [step, -step], [1.0, -1.0], [high, -low]
    return _Rows(*map(np.append, rows, more))


def _interval(rows: _Rows) -> tuple[float, float] | None:
    """All x ≥ 0 for which some u keeps all rows: u is eliminated from each pair of an upper and a lower bound."""
    scale = np.maximum(np.abs(rows.a).max(), _TINY)
    up, down = rows.a > _TINY * scale, rows.a < -_TINY * scale
    free = ~(up | down)
    upper = [(rows.h[up] / rows.a[up])[:, None], (rows.b[up] / rows.a[up])[:, None]]
    lower = [rows.h[down] / rows.a[down], rows.b[down] / rows.a[down]]
    # lower.h − lower.b x ≤ u ≤ upper.h − upper.b x
    slope = np.concatenate([(upper[1] - lower[1]).ravel(), rows.b[free]])
    bound = np.concatenate([(upper[0] - lower[0]).ravel(), rows.h[free]])
    rising, falling = slope > _TINY, slope < -_TINY
    if np.any(bound[~(rising | falling)] < -1e-9):
        return None
    high = (bound[rising] / slope[rising]).min(initial=np.inf)
    low = (bound[falling] / slope[falling]).max(initial=0.0)
    return (max(low, 0.0), high) if low <= high * (1 + 1e-9) + _TINY else None
