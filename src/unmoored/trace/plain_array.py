"""Arrays of other kinds (a table's column, a labelled or a masked array) as NumPy's own."""

from __future__ import annotations

from typing import Any

import numpy as np


def plain_array(x: Any) -> np.ndarray:
    """The numbers of x as a NumPy array of no other kind; a TypeError if an entry is masked, for that is no number."""
    if x.__class__ is np.ndarray:
        return x  # type: ignore[no-any-return]
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise TypeError("an entry is masked")
    return np.asarray(x)


def plain_numbers(x: Any) -> np.ndarray:
    """The numbers of x as a new float64 array; a TypeError where x is text, a truth value or complex."""
    raw = plain_array(x)
    if raw.dtype.kind not in "iuf":
        raise TypeError(f"{raw.dtype} is no kind of real number")
    return raw.astype(float)
