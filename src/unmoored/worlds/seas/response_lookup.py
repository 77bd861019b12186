"""A ship's response at frequencies and headings that are only known at run time: looked up in constants of the code.

Between two frequencies and two headings an operator is c₀ + c₁ω + s(c₂ + c₃ω), s the share of the second heading; the
coefficients of one such field are one row of a table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lie.arrays import scale_vector
from ...trace import is_symbolic, minimum
from ...trace.span_table import SpanTable


def looked_up(around: np.ndarray, frequencies: np.ndarray, values: np.ndarray, heading: Any, ω: Any) -> Any:
    """Values (..., k), bilinear in headings and frequencies (...), at least one of which is a symbol.

    around: headings (m,), increasing.  frequencies: (n,).  values: (m, n, k). Below the first frequency
    they stay, above the last they are 0.
    """
    if not is_symbolic(heading):
        return _at_known_headings(around, frequencies, values, heading, ω)
    m, _, k = values.shape
    width = 2.0 * frequencies[-1]  # of the part of the table that belongs to one pair of headings
    pairs = [
        np.hstack([_lines(frequencies, values[i]), _lines(frequencies, values[i + 1] - values[i])])
        for i in range(m - 1)
    ]
    starts = [i * width + np.concatenate([[0.0], frequencies]) for i in range(m - 1)]
    # the slopes count from the start of the part
    rows = np.concatenate([pairs[0][:1], *pairs])
    fields = SpanTable(np.concatenate(starts), rows)
    gap = np.diff(around)
    shares = np.stack([np.arange(m - 1.0), -around[:-1] / gap, 1.0 / gap], axis=-1)
    place = SpanTable(around, np.concatenate([shares[:1], shares, shares[-1:]])).row(heading)
    i, s = place[..., 0], place[..., 1] + place[..., 2] * np.asarray(heading)
    kept = minimum(ω, 1.5 * frequencies[-1])
    c = fields.row(i * width + kept)
    along = [c[..., j * k : (j + 1) * k] for j in range(4)]
    first = along[0] + scale_vector(kept, along[1])
    return first + scale_vector(s, along[2] + scale_vector(kept, along[3]))


def _lines(frequencies: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Rows (n + 1, 2k) of c₀, c₁: below the first frequency, between two, above the last; values (n, k)."""
    slopes = np.diff(values, axis=0) / np.diff(frequencies)[:, None]
    starts = values[:-1] - slopes * frequencies[:-1, None]
    none = np.zeros((1, values.shape[1]))
    return np.hstack([np.concatenate([values[:1], starts, none]), np.concatenate([none, slopes, none])])


def _at_known_headings(
    around: np.ndarray, frequencies: np.ndarray, values: np.ndarray, heading: Any, ω: Any
) -> Any:
    """One table for each heading (...)."""
    k, tables, found = values.shape[-1], {}, []
    ω, headings = np.broadcast_arrays(np.asarray(ω), np.asarray(heading, dtype=float))
    for one, x in zip(headings.ravel(), ω.ravel(), strict=True):
        if one not in tables:
            i = int(np.clip(np.searchsorted(around, one) - 1, 0, len(around) - 2))
            s = (one - around[i]) / (around[i + 1] - around[i])
            tables[one] = SpanTable(
                frequencies, _lines(frequencies, values[i] + s * (values[i + 1] - values[i]))
            )
        c = tables[one].row(x)
        found.append(c[:k] + c[k:] * x)
    return np.stack(found).reshape((*ω.shape, k))
