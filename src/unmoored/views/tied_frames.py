"""Springs, bushings, lines and closures of a plant, as what views draw: lines between the frames that they tie."""

from __future__ import annotations

from typing import Any

from ..worlds import Contact, RollingDisc
from .shown_rows import row_at


def ties_of(plant: Any) -> tuple[Any, ...]:
    """The elements and closures of a plant, none if it is not known."""
    return () if plant is None else (*plant.elements, *plant.closures)


def drawn_as_lines(ties: tuple[Any, ...]) -> list[Any]:
    """Those that tie two frames; contacts and wheels touch instead."""
    return [tie for tie in ties if not isinstance(tie, Contact | RollingDisc)]


def closes(tie: Any) -> bool:
    """Whether a tie is a closure, a joint that closes a loop."""
    return hasattr(tie, "joint")


def acts_as_built(tie: Any, t: float) -> bool:
    """Whether an element or closure acts in the plant as it was made."""
    return bool(tie.active > 0.5)


def acts(run: Any, tie: Any, t: float, sample: int = 0) -> bool:
    """Whether an element or closure of a run acts at time t (s) in a sample: events may have switched it."""
    values = (getattr(run, "switches", None) or {}).get(f"{tie.label}.active")
    if values is None:
        return acts_as_built(tie, t)
    own = values[sample] if run.batched else values
    return bool(own[row_at(run.t, t)] > 0.5)
