"""Smoothing, resampling and differentiating what was measured, on the group, with one filter that says what it does.

Around every wanted time the samples of a window are fitted, in least squares, by a polynomial in the coordinates of the
group about its own value there (Savitzky & Golay 1964, for any times). With q(t + s) = q exp(c₁ s + c₂ s² + …) the
velocity at t is c₁ and its rate 2 c₂: the differential of exp is the identity at zero, and its slope along c₁ kills c₁.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..lie import so3
from ..model import Joint
from ..model.joints import SubgroupJoint, numbers_from_pose, pose_from_numbers
from .recording import Array, wrong

_RECENTRINGS = 3


class Smoothed(NamedTuple):
    """q (K, nq), v and a (K, nv) of a joint at the wanted times; seen (K,): whether samples were near enough.

    gains (3,): standard deviation of q, v and a for unit noise of the samples, in the median over the times.
    """

    q: Array
    v: Array
    a: Array
    seen: np.ndarray
    gains: Array


@dataclass(frozen=True)
class LocalPolynomial:
    """A polynomial of this `order` through the samples of a `window` (s) about each time.

    Where the window holds too few samples for it (twice the order + 1), or none on one side, as many before as after
    are taken, however far; `seen` tells rows that have no sample on one side within half a window, and none next to
    them.
    """

    window: float
    order: int = 3

    def __post_init__(self) -> None:
        if not self.window > 0 or not np.isfinite(self.window):
            raise wrong("LocalPolynomial", "window", "> 0 (s)", repr(self.window))
        if isinstance(self.order, bool) or not isinstance(self.order, int) or self.order < 2:
            raise wrong("LocalPolynomial", "order", "a whole number ≥ 2", repr(self.order))

    def of_joint(self, joint: Joint, t: Array, q: Array, times: Array) -> Smoothed:
        """The motion of a joint sampled at t (T,), q (T, nq), at the wanted times (K,)."""
        needed = 2 * (self.order + 1)
        if len(t) < needed:
            raise wrong("LocalPolynomial", "samples", f"{needed} or more", str(len(t)))
        near, counts, seen = self._neighbours(t, times, needed)
        inside = np.arange(near.shape[1]) < counts[:, None]
        s = t[near] - times[:, None]
        scale = np.maximum(0.5 * self.window, np.where(inside, np.abs(s), 0.0).max(axis=1))
        powers = np.where(
            inside[..., None], (s / scale[:, None])[..., None] ** np.arange(self.order + 1), 0.0
        )
        fit = np.linalg.pinv(powers)
        nearest = np.where(inside, np.abs(s), np.inf).argmin(axis=1)
        centre = q[near[np.arange(len(times)), nearest]]
        for _ in range(_RECENTRINGS if _curved(joint) else 1):
            around = np.repeat(centre[:, None], near.shape[1], axis=1)
            c = fit @ joint.local(around, q[near])
            centre = joint.retract(centre, c[:, 0])
        unit = np.stack([np.ones_like(scale), 1.0 / scale, 2.0 / scale**2], axis=1)
        gains = np.median(np.linalg.norm(fit[:, :3], axis=2) * unit, axis=0)
        return Smoothed(
            renormalised(joint, centre), c[:, 1] * unit[:, 1, None], c[:, 2] * unit[:, 2, None], seen, gains
        )

    def _neighbours(self, t: Array, times: Array, needed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Indices (K, m) of the samples that count at each time, the first `counts` (K,) of each row; whether they are
        near enough (K,)."""
        first = np.searchsorted(t, times - 0.5 * self.window, side="left")
        last = np.searchsorted(t, times + 0.5 * self.window, side="right")
        after = np.searchsorted(t, times, side="left")
        before = np.searchsorted(t, times + 0.1 * self.window, side="right")
        behind = np.searchsorted(t, times - 0.1 * self.window, side="left")
        seen = (first < before) & (last > behind)
        few = (last - first < needed) | ~seen
        first[few] = np.clip(after[few] - needed // 2, 0, len(t) - needed)
        last[few] = first[few] + needed
        counts = last - first
        return np.minimum(first[:, None] + np.arange(counts.max()), len(t) - 1), counts, seen


def _curved(joint: Joint) -> bool:
    return isinstance(joint, SubgroupJoint) and joint.nv > 1


def renormalised(joint: Joint, q: Array) -> Array:
    """The configuration (..., nq) with its rotation next to the one given, where the joint is stored as a pose."""
    if not _curved(joint):
        return q
    g = pose_from_numbers(q).copy()
    g[..., :3, :3] = so3.project(g[..., :3, :3])
    return numbers_from_pose(g)
