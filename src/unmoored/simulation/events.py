"""Events: a sample stops where a function of its state goes through zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..model import ModelError
from ..model.errors import unknown_name
from ..trace import greater, greater_equal, less, less_equal
from .identity_of_code import verified_identity

DIRECTIONS = ("both", "rising", "falling")


@dataclass(frozen=True)
class Event:
    """Stop when function(t, q, v) → number goes through zero, in traceable NumPy for one sample.

    direction: "rising" (from below zero), "falling" (from above), or "both".
    """

    function: Callable[..., Any]
    name: str = ""
    direction: str = "both"

    def __post_init__(self):
        if not callable(self.function):
            raise ModelError.single(
                "Event", "function", expected="g(t, q, v) → number", given=repr(self.function)
            )
        if self.direction not in DIRECTIONS:
            raise unknown_name("Event", "direction", self.direction, DIRECTIONS)
        if not self.name:
            object.__setattr__(self, "name", getattr(self.function, "__name__", "event"))

    def crossed(self, before: Any, after: Any) -> Any:
        """Whether the function went through zero between two values (...)."""
        rising = less(before, 0.0) & greater_equal(after, 0.0)
        falling = greater(before, 0.0) & less_equal(after, 0.0)
        return {"rising": rising, "falling": falling}.get(self.direction, rising | falling)


def as_events(events: Any) -> tuple[Event, ...]:
    """Events from events, functions, or one of them."""
    given = events if isinstance(events, Iterable) else (events,)
    return tuple(event if isinstance(event, Event) else Event(event) for event in given)


def identity_of_events(events: tuple[Event, ...], plant: Any) -> tuple[Any, ...]:
    """What tells the kernels of events from those of others; a function that is not pure, or no number, is refused."""
    shapes = ((), (plant.nq,), (plant.nv,))
    return tuple(
        (event.direction, verified_identity(f"event {event.name}", event.function, shapes, ()))
        for event in events
    )
