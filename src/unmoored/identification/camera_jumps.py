"""What motion capture adds when it changes the markers it sees: steps of all readings at once, which are taken out.

A rigid body's pose is solved from the markers that are seen. When one is lost, or taken for another, the pose jumps
within a frame and stays there until the markers change again; with the same markers it comes back to the same offset.
Between jumps readings are a smooth motion (cubic splines) plus a constant. The sum of many steps wanders, so that
stretches between jumps are made one state, two by two, where the readings speak for it: what lies between them is then
known from both sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..model.value import checked_numbers
from .recorded_inputs import increasing
from .recording import Array, wrong

#: frames of the median that is the slope at a jump, and the fewest readings
_SLOPE, _FEWEST = 7, 30
#: how many slopes a jump has to be larger than
_MOVING = 2.0
#: of the spread of one state's offsets, what is left between two stretches that are made one: a number that is not zero
_TIED = 1e-2


class Steadied(NamedTuple):
    """values (T, k) without their jumps; t (J,) of the jumps (s); offsets (J + 1, k) that were taken from the readings
    before the first, between each two and after the last; states (J + 1,): equal numbers have one offset, 0 has none
    and the most readings."""

    values: Array
    t: Array
    offsets: Array
    states: npt.NDArray[np.int64]


def without_jumps(
    t: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    jump: npt.ArrayLike,
    noise: npt.ArrayLike,
    offset: npt.ArrayLike,
    same: npt.ArrayLike,
    acceleration: npt.ArrayLike,
    knots: float = 0.4,
) -> Steadied:
    """Readings (T, k) of one instrument without the steps that it makes in all of them at once.

    t (T,): increasing (s).  All sizes are (k,) or one. jump: a step between two frames, less the slope of seven, counts
    where the root of the sum of its squares, each entry in these, is above one and above twice that of the slope.
    noise: standard deviation of single readings between jumps.  offset: of the offsets of different states.
    same: of what one state's offset differs by when it comes back.  acceleration: of the motion, root of mean square.
    knots: between those of the motion's spline (s): nothing quicker is a motion. Angles must be unwrapped.
    """
    where = "without_jumps"
    y = checked_numbers(values, where=where, what="values")
    if y.ndim != 2:
        raise wrong(where, "values", "(T, k)", f"shape {y.shape}")
    times, y = increasing(t, y, where)
    if len(times) < _FEWEST:
        raise wrong(where, "readings", f"{_FEWEST} or more", str(len(times)))
    given = {"jump": jump, "noise": noise, "offset": offset, "same": same, "acceleration": acceleration}
    sizes = {name: _positive(x, y.shape[1], name) for name, x in given.items()}
    step = float(_positive(knots, 1, "knots")[0])
    unit = sizes.pop("noise")
    size = {name: x / unit for name, x in sizes.items()}
    y, gaps = y / unit, np.gradient(times)
    at = _jumps(times, y, size["jump"])
    stretch = np.searchsorted(at, np.arange(len(times)), side="right")
    weight = np.clip(gaps / np.median(gaps), 0.0, 3.0)
    bend = size["acceleration"] * step**2
    found, C = _chained(_splines(times, step), stretch, weight, y, bend, size["offset"])
    offsets, states = _joined(found, C, np.bincount(stretch, weights=weight), size["same"], size["offset"])
    return Steadied(unit * (y - offsets[stretch]), times[at], unit * offsets, states)


def _jumps(t: Array, y: Array, jump: Array) -> np.ndarray:
    """Indices (J,) of the first readings after each jump: neither time explains it nor, as stamps come late, frames."""
    rise, span = np.diff(y, axis=0) / jump, np.diff(t)[:, None]
    padded = np.pad(rise, ((_SLOPE // 2, _SLOPE // 2), (0, 0)), mode="edge")
    slope = np.median(np.lib.stride_tricks.sliding_window_view(padded, _SLOPE, axis=0), axis=-1)
    off = [np.linalg.norm(rise - slope * frames, axis=1) for frames in (1.0, span / np.median(span))]
    return np.flatnonzero(np.minimum(*off) > np.maximum(1.0, _MOVING * np.linalg.norm(slope, axis=1))) + 1


def _splines(t: Array, knots: float) -> Array:
    """Cubic B-splines (T, n) with these times between knots."""
    count = int(np.ceil((t[-1] - t[0]) / knots)) + 3
    u = np.abs((t[:, None] - t[0]) / knots - np.arange(-1, count - 1))
    return np.where(u < 1.0, 2.0 / 3.0 - u**2 + u**3 / 2.0, np.maximum(2.0 - u, 0.0) ** 3 / 6.0)


def _chained(
    spline: Array, stretch: np.ndarray, weight: Array, y: Array, bend: Array, spread: Array
) -> tuple[Array, Array]:
    """Offsets (k, J + 1) of the stretches between jumps, and their covariances (k, J + 1, J + 1), of readings y (T, k)
    in units of their noise, by least squares.

    bend, spread (k,): standard deviations of the spline's second differences, and of offsets.
    """
    n, count = spline.shape[1], stretch[-1] + 1
    A = np.concatenate([spline, np.eye(count)[stretch]], axis=1)
    weighed, second = A * weight[:, None], np.diff(np.eye(n), 2, axis=0)
    known = np.zeros((y.shape[1], A.shape[1], A.shape[1]))
    known[:, :n, :n] = second.T @ second / bend[:, None, None] ** 2
    known[:, n:, n:] = np.eye(count) / spread[:, None, None] ** 2
    P = np.linalg.inv(weighed.T @ A + known)
    z = np.einsum("kij,jk->ki", P, weighed.T @ (y - np.median(y, axis=0)))
    return z[:, n:], P[:, n:, n:]


def _joined(o: Array, C: Array, length: Array, same: Array, spread: Array) -> tuple[Array, np.ndarray]:
    """Offsets (J + 1, k) and states (J + 1,) of stretches, two of which are made one as long as the readings speak for
    it: where the density of no difference is larger than it was before there were readings."""
    own, tolerance = np.arange(len(length)), same[:, None, None] ** 2
    before = 2.0 * spread[:, None, None] ** 2 + tolerance
    member, length = own.copy(), length.copy()
    while len(own) > 1:
        v = np.einsum("kii->ki", C)
        S = v[:, :, None] + v[:, None, :] - 2.0 * C + tolerance
        evidence = 0.5 * (np.log(before / S) - (o[:, :, None] - o[:, None, :]) ** 2 / S).sum(axis=0)
        np.fill_diagonal(evidence, -np.inf)
        i, j = divmod(int(evidence.argmax()), len(own))
        if evidence[i, j] <= 0.0:
            break
        seen = C[:, :, i] - C[:, :, j]
        gain = seen / (seen[:, i] - seen[:, j] + (_TIED * same) ** 2)[:, None]
        o, C = o - gain * (o[:, i] - o[:, j])[:, None], C - gain[:, :, None] * seen[:, None, :]
        member[member == own[j]] = own[i]
        length[own[i]] += length[own[j]]
        own, o, C = np.delete(own, j), np.delete(o, j, axis=1), np.delete(np.delete(C, j, axis=1), j, axis=2)
    order = np.argsort(-length[own], kind="stable")
    states = np.argsort(order)[np.searchsorted(own, member)]
    return (o[:, order] - o[:, order[:1]]).T[states], states


def _positive(given: npt.ArrayLike, count: int, name: str) -> Array:
    found = checked_numbers(given, where="without_jumps", what=name)
    if found.shape not in ((), (count,)) or not np.all((found > 0) & np.isfinite(found)):
        raise wrong("without_jumps", name, f"one number > 0, or {count}", repr(found.tolist()))
    return np.broadcast_to(found, (count,))
