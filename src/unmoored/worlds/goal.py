"""What a law wants: where a frame, a point or a joint should be, and how far it is off. For those who look at runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..model.short_text import short_repr

#: of (t (...), q (..., nq), v (..., nv)), in NumPy
Told = Callable[[Any, np.ndarray, np.ndarray], np.ndarray]
Kind = Literal["pose", "position", "coordinate", "task"]


@dataclass(frozen=True, eq=False)
class Goal:
    """One thing that a law wants.

    name: for people.  kind: a "pose" (4, 4) or a "position" (3,) in the world of the frame or body `of`, a
    "coordinate" (n,) of the joint `of`, or a "task", which is no place: it has an error only.
    target, error: functions of (t, q, v); the error (..., k) has the names `rows`, in `units`.
    level: of a task, 0 is the most important.  modes: (name, number) that all hold while it is in force.
    """

    __repr__ = short_repr

    name: str
    kind: Kind
    error: Told
    rows: tuple[str, ...]
    units: tuple[str, ...]
    of: str = ""
    target: Told | None = None
    level: int | None = None
    modes: tuple[tuple[str, int], ...] = ()
