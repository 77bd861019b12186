"""Inputs of a log at the rows of a recording, however much quicker or slower the log is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..model.value import checked_numbers
from .recording import Array, wrong


class RowInputs(NamedTuple):
    """u (T, nu) at rows, what it does between them, and its standard deviation, None where that was not told."""

    u: Array
    between: str | None
    noise: Array | None


def inputs_at(
    times: Array,
    t: npt.ArrayLike,
    values: npt.ArrayLike,
    between: str | None,
    noise: npt.ArrayLike | None,
) -> RowInputs:
    """Inputs at rows, from those of times t (N,), values (N, nu), which are held or linear between them.

    Held ones that change at rows only stay so. If they change between rows too, or the log of linear ones is quicker
    than the rows, a row has the mean of half a row on both sides: no impulse is lost, and noise averages out.
    """
    t, values = increasing(t, np.asarray(values, dtype=float), "inputs")
    σ = None if noise is None else np.asarray(noise, dtype=float)
    slow = len(t) < 2 or np.median(np.diff(t)) > 0.75 * np.diff(times).mean()
    if between == "linear" and slow:
        return RowInputs(_interpolated(times, t, values), between, σ)
    if between != "linear":
        held = values[_before(times, t)]
        inside = (t > times[0]) & (t < times[-1])
        if np.array_equal(values[inside], held[_before(t[inside], times)]):
            return RowInputs(held, between, σ)
    half = 0.5 * np.diff(times).mean()
    edges = np.clip(np.stack([times - half, times + half]), t[0], t[-1] + (between != "linear") * 2 * half)
    sums = _integrals(edges.reshape(-1), t, values, between).reshape(2, len(times), -1)
    width = np.diff(edges, axis=0)[0]
    u = np.where(
        width[:, None] > 0, np.diff(sums, axis=0)[0] / np.maximum(width, 1e-300)[:, None], values[-1]
    )
    share = np.sqrt(min(1.0, float(np.median(np.diff(t))) / (2 * half)))
    return RowInputs(u, "linear", None if σ is None else share * σ)


def _integrals(at: Array, t: Array, values: Array, between: str | None) -> Array:
    """∫ of the inputs (K, nu) from t[0] to each of these times (K,)."""
    k = _before(at, t)
    own, width = values[k], np.diff(t)
    if between == "linear":
        parts = 0.5 * width[:, None] * (values[:-1] + values[1:])
        end = _interpolated(at, t, values)
        last = 0.5 * (at - t[k])[:, None] * (own + end)
    else:
        parts, last = width[:, None] * values[:-1], (at - t[k])[:, None] * own
    return np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(parts, axis=0)])[k] + last


def _interpolated(times: Array, t: Array, values: Array) -> Array:
    return np.stack([np.interp(times, t, column) for column in values.T], axis=-1)


def _before(times: Array, t: Array) -> np.ndarray:
    """Which of the times t (N,) is the last one that is not after each of the others; the first one before it.

    Stamps of computers that count from 1970 have digits for 0.2 µs: what differs by less than a thousandth of their
    period is the same time.
    """
    rounding = (
        max(1e-3 * float(np.median(np.diff(t))), 4.0 * float(np.spacing(np.abs(t).max())))
        if len(t) > 1
        else 0.0
    )
    return np.maximum(np.searchsorted(t, times + rounding, side="right") - 1, 0)


def increasing(t: npt.ArrayLike, rows: Array, where: str) -> tuple[Array, Array]:
    """Times and rows, of samples with one time the first; times that go back are refused."""
    t = checked_numbers(t, where=where, what="t")
    if t.ndim != 1 or len(t) != len(rows) or not np.all(np.isfinite(t)) or not np.all(np.isfinite(rows)):
        raise wrong(where, "samples", "as many finite times as rows", f"{t.shape} and {rows.shape}")
    if np.any(np.diff(t) < 0):
        raise wrong(where, "t", "times that do not go back", f"{t[np.argmin(np.diff(t))]:g} s and then less")
    kept = np.append(True, np.diff(t) > 0)
    return t[kept], rows[kept]
