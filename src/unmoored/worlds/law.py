"""What drives a plant: laws, what they see, and what they remember."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import FunctionType, MappingProxyType
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.misfit import misfit
from ..model.short_text import short_repr
from .goal import Goal
from .tunable import Tunable

#: the signals of no sensors
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Seen:
    """What a law with memory sees at the start of a control period.

    t: time (s).  q (nq,), v (nv,): configuration and velocity, with the noise of measuring them.
    x: states of the actuators (nx,), in the order of `plant.state_names`.  y: signals of sensors, by name.
    p: parameters (n,) as the plant was built, in the order of `plant.parameter_names`: a law knows its model, not the
    truth of each sample.  period: of control (s).  modes: {name: number} that events set (`um.Mode`), zero before.
    delivered: forces (nv,) along the DoFs that the actuators give with the inputs of the period before; None where the
    law is not inside `Allocated`, which tells it to those that want it.
    u: inputs (nu,) of the period before, for filters inside `Estimated` that want them; None for all others.
    """

    __repr__ = short_repr

    t: Any
    q: Any
    v: Any
    x: Any = field(default_factory=lambda: np.zeros(0))
    y: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    p: Any = field(default_factory=lambda: np.zeros(0))
    period: Any = None
    delivered: Any = None
    u: Any = None
    modes: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


class Law(Tunable):
    """A law that gives a plant's inputs, in traceable NumPy for one sample. Subclasses become frozen dataclasses.

    The short form is `__call__(self, t, q, v) → u`. A class attribute (or property) `memory` selects the full form
    `__call__(self, seen, memory) → (u, memory)`: {name: shape (an int or a tuple of ints; zero at the start), or an
    initial value (a float or an array)}; see `Seen`.

    Fields annotated `int`, `bool` or `str`, frozen objects and names in `static` are structure. Every other field that
    holds numbers is a gain: run-time data, which no kernel depends on. A gain annotated `float` is one number per
    sample, any other has the shape of its value, or the one in `shapes`; a further leading dimension gives each sample
    of a batch its own. Laws add up with +.
    """

    @abstractmethod
    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Inputs u (..., nu) at time t (...) [s], q (..., nq), v (..., nv); or (u, memory) of (seen, memory)."""

    @property
    def has_memory(self) -> bool:
        """Whether the law is in the full form. A wrapper says whether what it wraps is."""
        return hasattr(type(self), "memory")

    @property
    def wants_delivered(self) -> bool:
        """Whether the law uses `seen.delivered`. A wrapper or sum says whether one inside does."""
        return False

    def _when_held(self) -> Law:
        """The law for a run that holds its inputs over control periods, where it can remember what it reports."""
        return self

    def goals(self) -> tuple[Goal, ...]:
        """What the law wants, for plots and the viewer; those of the laws inside it, unless it says more."""
        return tuple(goal for law in laws_inside(self) for goal in law.goals())

    def __add__(self, other: Law) -> Law:
        """The law that gives the sum of both inputs."""
        laws = [part for law in (self, other) for part in (law.laws if isinstance(law, Sum) else (law,))]
        return Sum(tuple(laws))


class Sum(Law):
    """Several laws whose inputs add up; the memory of law i is named "i.name"."""

    laws: tuple[Law, ...]

    def __post_init__(self) -> None:
        for law in self.laws:
            if not isinstance(law, Law):
                raise ModelError.single("Sum", "laws", expected="laws (um.Law)", given=repr(law))

    def _when_held(self) -> Law:
        return Sum(tuple(law._when_held() for law in self.laws))

    @property
    def has_memory(self) -> bool:
        """Whether one of the laws is in the full form."""
        return any(law.has_memory for law in self.laws)

    @property
    def wants_delivered(self) -> bool:
        """Whether one of the laws uses `seen.delivered`."""
        return any(law.wants_delivered for law in self.laws)

    @property
    def memory(self) -> dict[str, Any]:
        """Those of all laws, under their positions."""
        owners = [(i, law) for i, law in enumerate(self.laws) if law.has_memory]
        return {f"{i}.{name}": start for i, law in owners for name, start in law.memory.items()}  # type: ignore[attr-defined]

    def __call__(self, *seen: Any) -> Any:
        if len(seen) == 3:
            inputs = [law(*seen) for law in self.laws]
            return sum(inputs[1:], inputs[0])
        now, memory = seen
        inputs, kept = [], {}
        for i, law in enumerate(self.laws):
            own = {
                name.partition(".")[2]: x for name, x in memory.items() if name.partition(".")[0] == str(i)
            }
            u, new = respond(law, now, own)
            inputs.append(u)
            kept |= {f"{i}.{name}": x for name, x in new.items()}
        return sum(inputs[1:], inputs[0]), kept


def has_memory(law: Callable[..., Any]) -> bool:
    """Whether a law, or any other callable that declares `memory`, is in the full form."""
    if isinstance(law, Law):
        return law.has_memory
    return hasattr(law if isinstance(law, FunctionType) else type(law), "memory")


def check_form(law: Callable[..., Any]) -> None:
    """Refuse a law that does not take what it will be given."""
    full = has_memory(law)
    if why := misfit(law, *("seen", "memory") if full else ("t", "q", "v")):
        short = "(t, q, v); a law of (seen, memory) declares `memory`, if only as {}"
        where = f"controller {getattr(law, '__qualname__', type(law).__qualname__)}"
        expected = "(seen, memory)" if full else short
        raise ModelError.single(where, "arguments", expected=expected, given=why)
    for inner in laws_inside(law) if isinstance(law, Law) else ():
        check_form(inner)


def respond(law: Callable[..., Any], seen: Seen, memory: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """(u, new memory) of a law in either form."""
    if has_memory(law):
        return law(seen, memory)
    return law(seen.t, seen.q, seen.v), {}


def laws_inside(law: Law) -> tuple[Law, ...]:
    """The laws that a law is made of, in the order of its fields; of those inside these too, each says itself."""
    return tuple(x for field in fields(law) for x in _laws_of_field(getattr(law, field.name)))


def _laws_of_field(value: Any) -> tuple[Law, ...]:
    """The laws that a field of a law holds."""
    if isinstance(value, Law):
        return (value,)
    return tuple(law for part in value for law in _laws_of_field(part)) if isinstance(value, tuple) else ()
