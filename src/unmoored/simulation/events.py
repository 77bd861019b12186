"""Events: where a function of its state goes through zero a sample stops, or something in it is switched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..model import ModelError, Tree
from ..model.errors import unknown_name
from ..model.identity_of_code import verified_identity
from ..model.misfit import misfit
from ..model.names import check_label
from ..model.value import Value, frozen_array, replace_arrays
from ..trace import greater, greater_equal, less, less_equal
from .channel import channel
from .switchboard import checked_switches
from .switches import Switch

DIRECTIONS = ("both", "rising", "falling")


@dataclass(frozen=True)
class Event:
    """Something happens when function(t, q, v) → number goes through zero, in traceable NumPy for one sample.

    direction: "rising" (from below zero), "falling" (from above), or "both".
    then: what is switched in the sample (`Close`, `Open`, `Fail`, `Mode`), which goes on; without it the sample stops.
    """

    function: Callable[..., Any]
    name: str = ""
    direction: str = "both"
    then: Any = ()
    #: makes the function for a tree with other numbers, where free parameters change what it sees
    of_tree: Callable[[Tree], Callable[..., Any]] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError.single(
                "Event", "function", expected="g(t, q, v) → number", given=repr(self.function)
            )
        if why := misfit(self.function, "t", "q", "v"):
            raise ModelError.single("Event", "function", expected="g(t, q, v) → number", given=why)
        if self.direction not in DIRECTIONS:
            raise unknown_name("Event", "direction", self.direction, DIRECTIONS)
        object.__setattr__(self, "then", checked_switches("Event", self.then))
        if not self.name:
            object.__setattr__(self, "name", getattr(self.function, "__name__", "event"))
        check_label("Event", "name", self.name)

    def crossed(self, before: Any, after: Any) -> Any:
        """Whether the function went through zero between two values (...)."""
        rising = less(before, 0.0) & greater_equal(after, 0.0)
        falling = greater(before, 0.0) & less_equal(after, 0.0)
        return {"rising": rising, "falling": falling}.get(self.direction, rising | falling)


@dataclass(frozen=True, eq=False, repr=False)
class ChannelEvent(Value):
    """Something happens when a channel ("tool.z", "elbow.rate", … see `channel_values`) passes a value. One is given:

    rises_above, falls_below, crosses: the value, in the channel's unit.  name: of the event in the run's status.
    then: what is switched (`Close`, `Open`, `Fail`, `Mode`); without it the sample stops.
    """

    channel: str
    rises_above: float | None = None
    falls_below: float | None = None
    crosses: float | None = None
    name: str = ""
    then: tuple[Switch, ...] = ()

    def __post_init__(self) -> None:
        given = [kind for kind in _PASSING if getattr(self, kind) is not None]
        if len(given) != 1:
            expected, got = f"one of {', '.join(_PASSING)}", ", ".join(given) or "none"
            raise ModelError.single("ChannelEvent", "event", expected=expected, given=got)
        value = float(frozen_array(getattr(self, given[0]), (), where="ChannelEvent", what=given[0]))
        name = self.name or f"{self.channel} {given[0].replace('_', ' ')} {value:g}"
        check_label("ChannelEvent", "name", name)
        then = checked_switches("ChannelEvent", self.then)
        replace_arrays(self, name=name, then=then, **{given[0]: value})

    def of(self, tree: Tree) -> Event:
        """The event for a tree, which must have the channel."""
        (kind,) = (kind for kind in _PASSING if getattr(self, kind) is not None)
        value = getattr(self, kind)

        def of_tree(tree: Tree) -> Callable[..., Any]:
            function = channel(tree, self.channel)
            return lambda t, q, v: function(t, q, v) - value

        return Event(of_tree(tree), self.name, _PASSING[kind], self.then, of_tree)


_PASSING = {"rises_above": "rising", "falls_below": "falling", "crosses": "both"}


def as_events(events: Any, tree: Tree) -> tuple[Event, ...]:
    """Events of a tree from events, functions, or one of them."""
    given = events if isinstance(events, Iterable) else (events,)
    own = [event.of(tree) if isinstance(event, ChannelEvent) else event for event in given]
    return tuple(event if isinstance(event, Event) else Event(event) for event in own)


def identity_of_events(events: tuple[Event, ...], plant: Any) -> tuple[Any, ...]:
    """What tells the kernels of events from those of others; a function that is not pure, or no number, is refused."""
    shapes = ((), (plant.nq,), (plant.nv,))
    return tuple(
        (event.direction, event.then, verified_identity(f"event {event.name}", event.function, shapes, ()))
        for event in events
    )
