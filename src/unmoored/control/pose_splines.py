"""Smooth poses over time: a spline through poses, and one that poses only pull at (docs/laws/references.md)."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, factorial

import numpy as np

from ..lie import se3
from ..lie.arrays import apply
from ..model import ModelError
from ..model.field_types import Pair, Rows6
from ..model.value import frozen_array, replace_arrays
from .polynomials import evaluated
from .pose_paths import PathThrough, PoseMotion, PosePath, along, checked_poses, held_table


@dataclass(frozen=True, eq=False, repr=False)
class PoseSpline(PathThrough):
    """Through all poses, with V and V̇ continuous: quintics x(s) in g = g_k exp(x), one between any two poses.

    velocities, accelerations: V and V̇ (K, 6) at the poses, in their axes. If None, those of the spline of least jerk
    through the screws between the poses as if they were vectors: exact for translations, smooth for all.
    rest: whether it starts and ends at rest; if not, at the speed that it has there. Only if velocities are None.
    """

    velocities: Rows6 = None
    accelerations: Rows6 = None
    rest: bool = True

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in ("velocities", "accelerations")}
        if given["velocities"] is None and given["accelerations"] is not None:
            raise ModelError.single(
                "PoseSpline", "velocities", expected="given with accelerations", given="None"
            )
        for name, rows in given.items():
            if rows is not None:
                shape = (len(self.times), 6)
                replace_arrays(self, **{name: frozen_array(rows, shape, where="PoseSpline", what=name)})
        super().__post_init__()

    def _between(self) -> np.ndarray:
        h = np.diff(self.times)
        x = se3.log(se3.inverse(self.poses[:-1]) @ self.poses[1:])
        if self.velocities is None:
            V, A = least_jerk_through(h, x, self.rest)
        else:
            V = self.velocities
            A = np.zeros_like(V) if self.accelerations is None else self.accelerations
        back = se3.dexp_inv(x)
        x_dot = apply(back, V[1:])
        x_ddot = apply(back, A[1:] - apply(se3.dexp_rate(x, x_dot), x_dot))
        return quintic_between(h, x, V[:-1], A[:-1], x_dot, x_ddot)

    def _moved(self, g: np.ndarray, numbers: np.ndarray, s: np.ndarray) -> PoseMotion:
        x, x_dot, x_ddot = along(numbers, s)
        J = se3.dexp(x)
        V_dot = apply(J, x_ddot) + apply(se3.dexp_rate(x, x_dot), x_dot)
        return PoseMotion(g @ se3.exp(x), apply(J, x_dot), V_dot)


def quintic_between(
    h: np.ndarray, x: np.ndarray, v0: np.ndarray, a0: np.ndarray, v1: np.ndarray, a1: np.ndarray
) -> np.ndarray:
    """Coefficients (K, 5 n) of s, …, s⁵ from 0 to x (K, n) in h (K,), with speeds and accelerations at both ends."""
    h = h[:, None]
    third = (20 * x - (8 * v1 + 12 * v0) * h - (3 * a0 - a1) * h**2) / (2 * h**3)
    fourth = (-30 * x + (14 * v1 + 16 * v0) * h + (3 * a0 - 2 * a1) * h**2) / (2 * h**4)
    fifth = (12 * x - 6 * (v1 + v0) * h + (a1 - a0) * h**2) / (2 * h**5)
    return np.concatenate([v0, 0.5 * a0, third, fourth, fifth], axis=1)


def least_jerk_through(h: np.ndarray, steps: np.ndarray, rest: bool) -> tuple[np.ndarray, np.ndarray]:
    """Speeds and accelerations (K, n) at the knots of the spline with least ∫ jerk² that makes the steps (K − 1, n).

    Third and fourth derivatives are continuous: two equations for the two unknowns (v, a) of every knot, with blocks
    along the diagonal; solved from the front. Without rest they are zero at the ends.
    """
    K = len(h) + 1
    if K == 2 and not rest:  # the screw at even speed
        return np.tile(steps / h[:, None], (2, 1)), np.zeros((2, steps.shape[1]))
    own, left, right = np.zeros((K, 2, 2)), np.zeros((K, 2, 2)), np.zeros((K, 2, 2))
    wanted = np.zeros((K, 2, steps.shape[1]))
    for k in range(K):
        if k > 0:  # the span that ends here: its fourth derivative and minus its third
            g, step = h[k - 1], steps[k - 1]
            own[k] += [[192 / g**3, -36 / g**2], [-36 / g**2, 9 / g]]
            left[k] = [[168 / g**3, 24 / g**2], [-24 / g**2, -3 / g]]
            wanted[k] += np.outer([360 / g**4, -60 / g**3], step)
        if k < K - 1:  # the span that begins here
            g, step = h[k], steps[k]
            own[k] += [[192 / g**3, 36 / g**2], [36 / g**2, 9 / g]]
            right[k] = [[168 / g**3, -24 / g**2], [24 / g**2, -3 / g]]
            wanted[k] += np.outer([360 / g**4, 60 / g**3], step)
    if rest:
        for k, beside in ((0, right), (K - 1, left)):
            own[k], beside[k], wanted[k] = np.eye(2), 0.0, 0.0
    for k in range(1, K):
        factor = left[k] @ np.linalg.inv(own[k - 1])
        own[k] -= factor @ right[k - 1]
        wanted[k] -= factor @ wanted[k - 1]
    found = np.zeros_like(wanted)
    for k in reversed(range(K)):
        later = right[k] @ found[k + 1] if k < K - 1 else 0.0
        found[k] = np.linalg.solve(own[k], wanted[k] - later)
    return found[:, 0], found[:, 1]


@dataclass(frozen=True, eq=False, repr=False)
class PoseBSpline(PosePath):
    """Near poses, smoothly: a cumulative B-spline g = g_k Π_j exp(b_j x_j) (Kim, Kim & Shin 1995; Sommer et al. 2020).

    It begins at rest at the first pose and ends at rest at the last, passes by the others, and stays in every group
    that has the poses.
    times: (begin, end) (s); poses are evenly spread.  degree: 3 (V̇ continuous) or 5 (and its next two derivatives).
    """

    times: Pair
    degree: int = 3

    def __post_init__(self) -> None:
        d = self.degree
        if d not in (3, 5):
            raise ModelError.single("PoseBSpline", "degree", expected="3 or 5", given=repr(d))
        times = frozen_array(self.times, (2,), where="PoseBSpline", what="times (s)")
        if not times[0] < times[1]:
            raise ModelError.single("PoseBSpline", "times", expected="begin < end", given=repr(self.times))
        poses = checked_poses("PoseBSpline", self.poses)
        if len(poses) < 2:
            raise ModelError.single("PoseBSpline", "poses", expected="two or more", given=f"{len(poses)}")
        replace_arrays(self, times=times, poses=poses)
        ends = [poses[:1]] * (d - 1), [poses[-1:]] * (d - 1)
        pulling = np.concatenate([*ends[0], poses, *ends[1]])
        steps = se3.log(se3.inverse(pulling[:-1]) @ pulling[1:])
        spans = len(pulling) - d
        starts = np.linspace(times[0], times[1], spans + 1)
        numbers = np.stack([steps[k : k + d].ravel() for k in range(spans)])
        rate = np.full((spans, 1), spans / (times[1] - times[0]))
        first = np.concatenate([pulling[:1], pulling[:spans], pulling[-1:]])
        replace_arrays(self, _table=held_table(starts, first, np.concatenate([rate, numbers], axis=1)))

    def _moved(self, g: np.ndarray, numbers: np.ndarray, s: np.ndarray) -> PoseMotion:
        rate, steps = numbers[..., :1], numbers[..., 1:]
        b, b_dot, b_ddot = evaluated(_cumulative(self.degree).T, rate * s)
        V = V_dot = np.zeros(6)
        for j in range(1, self.degree + 1):
            x = steps[..., 6 * (j - 1) : 6 * j]
            step = se3.exp(b[..., j : j + 1] * x)
            turned = rate * b_dot[..., j : j + 1] * x
            V = se3.Ad_inv_apply(step, V) + turned
            V_dot = (
                se3.Ad_inv_apply(step, V_dot) + se3.ad_apply(V, turned) + rate**2 * b_ddot[..., j : j + 1] * x
            )
            g = g @ step
        return PoseMotion(g, V, V_dot)


def _cumulative(d: int) -> np.ndarray:
    """Coefficients (d + 1, d + 1): row j those of 1, u, …, u^d in b_j(u), the sum of the basis functions from j on.

    Of the uniform B-spline of degree d in one span, u from 0 to 1 (Sommer et al. 2020).
    """
    k = d + 1
    M = np.zeros((k, k))
    for s in range(k):
        for n in range(k):
            terms = ((-1.0) ** (m - s) * comb(k, m - s) * (k - 1 - m) ** (k - 1 - n) for m in range(s, k))
            M[s, n] = comb(d, n) / factorial(d) * sum(terms)
    return np.cumsum(M[::-1], axis=0)[::-1]
