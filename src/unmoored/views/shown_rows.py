"""Rows of recordings: which one is shown at a time, and which ones stand for all."""

from __future__ import annotations

import numpy as np


def row_at(times: np.ndarray, t: float) -> int:
    """The last row of times (T,) at or before t (s); the first one if t is earlier."""
    return int(np.searchsorted(times[1:], t, side="right"))


def spread_rows(count: int, most: int) -> np.ndarray:
    """At most that many of `count` rows, evenly spread, first and last kept."""
    return np.unique(np.linspace(0, count - 1, most).round().astype(int))
