"""What a law wants: where a frame, a point or a joint should be, and how far it is off. For those who look at runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from ..model import ModelError
from ..model.errors import unknown_name
from ..model.names import check_label
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

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise unknown_name("Goal", "kind", self.kind, get_args(Kind))
        texts = [("name", self.name), *(("rows", x) for x in self.rows), *(("units", x) for x in self.units)]
        for what, text in [*texts, ("of", self.of)]:
            if text != "" or what in ("name", "rows"):
                check_label("Goal", what, text)
        if len(self.rows) != len(self.units):
            raise ModelError.single(
                "Goal",
                "units",
                expected=f"one for each of {len(self.rows)} rows",
                given=repr(self.units)[:80],
            )
