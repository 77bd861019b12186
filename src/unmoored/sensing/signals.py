"""What a sensor gives: its last reading, whether it has just arrived, and when it was taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.short_text import short_repr


@dataclass(frozen=True, eq=False)
class Signal:
    """value (..., *shape): the last reading that arrived, zero before the first.  fresh (...): 1 in the control period
    in which it arrived, else 0.  stamp (...): when it was taken (s): a delay before it arrived."""

    __repr__ = short_repr

    value: Any
    fresh: Any
    stamp: Any


@dataclass(frozen=True, eq=False, repr=False)
class RecordedSignal(Signal):
    """A signal of a run, ([S,] T, …): what the law saw in the control period of each row.

    bias ([S,] T, n): what the sensor added to the truth in its last reading, which no law sees.
    """

    bias: Any

    def map(self, change: Callable[[Any], Any]) -> RecordedSignal:
        """The same with every array changed."""
        return RecordedSignal(*(change(getattr(self, name)) for name in PARTS))

    def with_row(self, row: RecordedSignal) -> RecordedSignal:
        """The same with a row more at the end."""
        pairs = [(getattr(self, name), getattr(row, name)) for name in PARTS]
        return RecordedSignal(*(np.concatenate(pair) for pair in pairs))


#: the arrays of a recorded signal
PARTS = ("value", "fresh", "stamp", "bias")
