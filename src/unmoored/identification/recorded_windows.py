"""Stretches of recordings through which a model moves, and the inputs that it has there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .recording import Array, Recording


class Windows(NamedTuple):
    """Stretches of recordings, B of them, each of N intervals or fewer; the rest is padding.

    recording (B,): which.  first (B,): its first row.  rows (B, N + 1): rows of the recording.  counted (B, N + 1):
    whether a row is compared (the last one of a window is the next one's first).  t (B, N + 1): times of the plant (s).
    onward (B, N + 1): how far the input of the interval that begins here is from its row's to the next row's, 0 … 1.
    """

    recording: np.ndarray
    first: np.ndarray
    rows: np.ndarray
    counted: np.ndarray
    t: Array
    onward: Array


def windows(recordings: Sequence[Recording], starts: Sequence[float], length: float | None) -> Windows:
    """Windows of about this length (s) over all recordings, or each recording whole; starts: added to their times."""
    cuts: list[tuple[int, int, int]] = []
    for i, recording in enumerate(recordings):
        count, span = len(recording.t) - 1, recording.t[-1] - recording.t[0]
        pieces = 1 if length is None else min(count, max(1, round(span / length)))
        edges = np.linspace(0, count, pieces + 1).round().astype(int)
        cuts += [(i, int(a), int(b)) for a, b in pairwise(edges)]
    N = max(b - a for _, a, b in cuts)
    rows = np.array([np.minimum(a + np.arange(N + 1), b) for _, a, b in cuts])
    inside = np.array([np.arange(N + 1) <= b - a for _, a, b in cuts])
    last = np.array([b == len(recordings[i].t) - 1 for i, _, b in cuts])
    ends = np.array([np.arange(N + 1) == b - a for _, a, b in cuts])
    seen = np.array([recordings[i].seen[row] for (i, _, _), row in zip(cuts, rows, strict=True)])
    t = np.array([recordings[i].t[row] + starts[i] for (i, _, _), row in zip(cuts, rows, strict=True)])
    which, first = np.array([i for i, _, _ in cuts]), np.array([a for _, a, _ in cuts])
    return Windows(which, first, rows, inside & seen & ~(ends & ~last[:, None]), t, np.zeros(t.shape))


def with_ramps(made: Windows, rules: Sequence[str], steps: int) -> Windows:
    """The same windows with every interval in so many steps, an even number, on which "linear" inputs go their way.

    Two halves of a step with the inputs u₀ + δ/6 and u₁ − δ/6 have the mean and the first moment of the straight line
    from u₀ to u₁ = u₀ + δ, so a motion under them is that under the line to order four (a commutator-free method).
    """
    k = np.arange(steps)
    line = 2.0 * (k // 2 + np.where(k % 2, 5 / 6, 1 / 6)) / steps
    linear = np.array([rules[i] == "linear" for i in made.recording])
    onward = np.tile(line, made.rows.shape[1] - 1) * linear[:, None]
    inner = np.repeat(np.arange(made.rows.shape[1] - 1), steps)
    whole = np.append(np.tile(k == 0, made.rows.shape[1] - 1), True)
    t = made.t[:, inner] + np.tile(k / steps, made.rows.shape[1] - 1) * np.diff(made.t)[:, inner]
    counted = np.zeros((len(t), len(whole)), dtype=bool)
    counted[:, whole] = made.counted
    return made._replace(
        rows=np.append(made.rows[:, inner], made.rows[:, -1:], axis=1),
        counted=counted,
        t=np.append(t, made.t[:, -1:], axis=1),
        onward=np.append(onward, np.zeros((len(t), 1)), axis=1),
    )
