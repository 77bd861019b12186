"""What motion capture adds when it changes the markers it sees: steps of all readings at once, which are taken out.

A rigid body's pose is solved from the markers that are seen. When one is lost, or taken for another, the pose jumps
within a frame and stays there until the markers change again. Between jumps readings are a smooth motion (cubic
splines) plus a constant; that many of these constants are zero is what keeps their sum from wandering.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .recorded_inputs import increasing
from .recording import Array, wrong

#: frames of the medians on either side of a jump, and of the slope that is no jump
_HALF, _SLOPE = 5, 81
_ROUNDS = 15
#: of differences between readings and their fit beyond which they count linearly, standard deviations
_OUTLIER = 2.0
#: of an offset below which it is zero, and of the spline's second differences against the readings
_ZERO, _STIFF = 1e-3, 1e-3


class Steadied(NamedTuple):
    """values (T, k) without their jumps; t (J,) of the jumps (s); offsets (J + 1, k) that were taken from the readings
    before the first, between each two and after the last."""

    values: Array
    t: Array
    offsets: Array


def without_jumps(
    t: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    jump: npt.ArrayLike,
    noise: npt.ArrayLike,
    offset: npt.ArrayLike,
    knots: float = 0.4,
) -> Steadied:
    """Readings (T, k) of one instrument without the steps that it makes in all of them at once.

    t (T,): increasing (s).  jump (k,) or one: a step counts where the root of the sum of its squares, each entry in
    these, is above one: medians of five frames on either side, less the slope of 81.
    noise: standard deviation of single readings between jumps.  offset: how large offsets are; the larger, the less
    they are held to zero (their absolute values are added to the squares).
    knots: between those of the motion's spline (s): nothing quicker is a motion. Angles must be unwrapped.
    """
    where = "without_jumps"
    y = np.asarray(values, dtype=float)
    if y.ndim != 2:
        raise wrong(where, "values", "(T, k)", f"shape {y.shape}")
    times, y = increasing(t, y, where)
    if len(times) < 2 * _SLOPE:
        raise wrong(where, "readings", f"{2 * _SLOPE} or more", str(len(times)))
    sizes = [
        _positive(x, y.shape[1], name)
        for name, x in (("jump", jump), ("noise", noise), ("offset", offset), ("knots", knots))
    ]
    at = _jumps(times, y, sizes[0])
    segment = np.searchsorted(at, np.arange(len(times)), side="right")
    spline = _splines(times, float(sizes[3][0]))
    A = np.concatenate([spline, np.eye(len(at) + 1)[segment]], axis=1)
    gaps = np.gradient(times)
    weight = np.clip(gaps / np.median(gaps), 0.0, 3.0)
    columns = [
        _offsets(A, spline.shape[1], weight, y[:, c] / σ, size / σ) * σ
        for c, (σ, size) in enumerate(zip(sizes[1], sizes[2], strict=True))
    ]
    offsets = np.stack(columns, axis=1)
    return Steadied(y - offsets[segment], times[at], offsets)


def _jumps(t: Array, y: Array, jump: Array) -> np.ndarray:
    """Indices (J,) of the first readings after each jump: the largest first, none nearer to another than a median."""
    middle = np.median(np.lib.stride_tricks.sliding_window_view(y, _HALF, axis=0), axis=-1)
    when = np.median(np.lib.stride_tricks.sliding_window_view(t, _HALF), axis=-1)
    rise, span = middle[_HALF:] - middle[:-_HALF], (when[_HALF:] - when[:-_HALF])[:, None]
    padded = np.pad(rise / span, ((_SLOPE // 2, _SLOPE // 2), (0, 0)), mode="edge")
    slope = np.median(np.lib.stride_tricks.sliding_window_view(padded, _SLOPE, axis=0), axis=-1)
    score = np.linalg.norm((rise - slope * span) / jump, axis=1)
    taken = np.zeros(len(score), dtype=bool)
    for j in np.argsort(-score):
        if score[j] < 1.0:
            break
        taken[j] = not taken[max(0, j - _HALF + 1) : j + _HALF].any()
    step = np.linalg.norm(
        np.diff(y, axis=0, prepend=y[:1]) / jump, axis=1
    )  # medians do not tell which frame of some
    near = (np.flatnonzero(taken) + _HALF)[:, None] + np.arange(-(_HALF // 2), _HALF // 2 + 1)
    return np.unique(np.take_along_axis(near, step[near].argmax(axis=1)[:, None], axis=1))


def _splines(t: Array, knots: float) -> Array:
    """Cubic B-splines (T, n) with these times between knots."""
    count = int(np.ceil((t[-1] - t[0]) / knots)) + 3
    u = np.abs((t[:, None] - t[0]) / knots - np.arange(-1, count - 1))
    return np.where(u < 1.0, 2.0 / 3.0 - u**2 + u**3 / 2.0, np.maximum(2.0 - u, 0.0) ** 3 / 6.0)


def _offsets(A: Array, motion: int, weight: Array, y: Array, size: float) -> Array:
    """Offsets of readings y in standard deviations, by least squares that are weighted anew: the readings' outliers
    count linearly, and so do all offsets."""
    bend = np.diff(np.eye(motion), 2, axis=0)
    known = np.zeros((A.shape[1], A.shape[1]))
    known[:motion, :motion] = _STIFF * bend.T @ bend
    own, w, found = np.arange(motion, A.shape[1]), weight, np.full(A.shape[1] - motion, size)
    for _ in range(_ROUNDS):
        known[own, own] = 1.0 / (size * np.maximum(np.abs(found), _ZERO * size))
        weighed = A * w[:, None]
        z = np.linalg.solve(A.T @ weighed + known, weighed.T @ y)
        found = z[motion:]
        w = weight / np.maximum(1.0, np.abs(y - A @ z) / _OUTLIER)
    return found


def _positive(given: npt.ArrayLike, count: int, name: str) -> Array:
    found = np.asarray(given, dtype=float)
    if found.shape not in ((), (count,)) or not np.all((found > 0) & np.isfinite(found)):
        raise wrong("without_jumps", name, f"one number > 0, or {count}", repr(found.tolist()))
    return np.broadcast_to(found, (count,))
