"""What a stepper shows of its samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..sensing.signals import Signal


@dataclass(frozen=True, eq=False, repr=False)
class StepperState:
    """Where the samples of a stepper are: t (S,), q (S, nq), v (S, nv), x (S, nx), status (S,), y {name: Signal}.

    Arrays of NumPy, or of CuPy on the GPU; both speak DLPack. They are views that the next step overwrites. status: 0
    while a sample runs, else why it stopped, `um.Status.of(code)` in words; its other numbers are the last good ones.
    """

    t: Any
    q: Any
    v: Any
    x: Any
    status: Any
    y: Mapping[str, Signal] = field(default_factory=dict)

    def copy(self) -> StepperState:
        """The same numbers in arrays of their own."""
        parts = (self.t, self.q, self.v, self.x, self.status)
        t, q, v, x, status = (part.copy() for part in parts)
        y = {name: Signal(s.value.copy(), s.fresh.copy(), s.stamp.copy()) for name, s in self.y.items()}
        return StepperState(t, q, v, x, status, y)

    def __repr__(self) -> str:
        stopped = int((self.status != 0).sum())
        return f"<StepperState of {len(self.t)} samples, {stopped} stopped>"
