"""What a motion costs and what it must not do: terms as residuals, in traceable NumPy (docs/optimize.md)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import ModelError
from ..trace import maximum, plain_numbers
from ..worlds.tunable import Tunable


@dataclass(frozen=True, eq=False)
class Now:
    """What a term sees at a node: t () [s], q (nq,), v (nv,), x (nx,), p (np,), and the input u (nu,); None at
    the end."""

    t: Any
    q: np.ndarray
    v: np.ndarray
    x: np.ndarray
    p: np.ndarray
    u: np.ndarray | None = None


class Cost(Tunable):
    """A term ½|r|² of a cost; subclasses give the residual r (k,), and become frozen dataclasses as laws do.

    Fields that hold numbers (targets, weights) are run-time data: other values need no new kernel, and with a leading
    dimension every problem of a batch has its own (`shapes` says what one problem's are). r must be smooth where it
    vanishes: of second derivatives only those of ½|r|² by r are taken.
    """

    @abstractmethod
    def __call__(self, now: Now) -> np.ndarray:
        """The residual r (k,), weights in it."""


class Limit(Tunable):
    """A limit c ≤ 0 on states; subclasses give c (k,). It holds at the end of every control period."""

    @abstractmethod
    def __call__(self, now: Now) -> np.ndarray:
        """c (k,), positive where the limit is broken; now.u is None."""


class Residual(Cost):
    """½ weight |r|² of a function of the user's: r = function(t, q, v, u) (k,), without u at the end.

    function: traceable NumPy; methods of System and Plant may be called in it.  weight: ≥ 0.
    """

    function: Callable[..., Any]
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_weight(self)
        check_function(self)

    def __call__(self, now: Now) -> np.ndarray:
        given = (now.t, now.q, now.v) if now.u is None else (now.t, now.q, now.v, now.u)
        return np.sqrt(self.weight) * np.atleast_1d(self.function(*given))


class Inequality(Limit):
    """function(t, q, v) ≤ 0, entry by entry; traceable NumPy that gives (k,) or a number."""

    function: Callable[..., Any]

    def __post_init__(self) -> None:
        check_function(self)

    def __call__(self, now: Now) -> np.ndarray:
        return np.atleast_1d(self.function(now.t, now.q, now.v))


class Penalty(Cost):
    """½ weight |max(0, c)|² of a limit: a soft one, which may be broken at a price."""

    limit: Limit
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_weight(self)
        if not isinstance(self.limit, Limit):
            raise ModelError.single("Penalty", "limit", expected="a Limit", given=repr(self.limit))

    def __call__(self, now: Now) -> np.ndarray:
        return np.sqrt(self.weight) * maximum(self.limit(now), 0.0)


class Terms(Tunable):
    """All terms of a problem; their run-time numbers are its gains."""

    running: tuple[Cost, ...] = ()
    final: tuple[Cost, ...] = ()
    limits: tuple[Limit, ...] = ()


def as_terms(where: str, running: Any, final: Any, limits: Any) -> Terms:
    """The terms that were given, one or several of each; functions become `Residual` and `Inequality`."""
    costs = [_several(where, what, x, Cost, Residual) for what, x in (("running", running), ("final", final))]
    if not any(costs):
        raise ModelError.single(where, "costs", expected="running or final terms (um.Cost)", given="none")
    return Terms(costs[0], costs[1], _several(where, "limits", limits, Limit, Inequality))


def _several(where: str, what: str, given: Any, kind: type, wrapper: Any) -> tuple[Any, ...]:
    found = []
    for x in given if isinstance(given, list | tuple) else () if given is None else (given,):
        if not isinstance(x, kind) and (not callable(x) or isinstance(x, Tunable | type)):
            expected = f"um.{kind.__name__} objects, or functions"
            raise ModelError.single(where, what, expected=expected, given=repr(x))
        found.append(x if isinstance(x, kind) else wrapper(x))
    return tuple(found)


def check_weight(term: Any) -> None:
    """Refuse weights below zero."""
    try:
        good = np.all(plain_numbers(term.weight) >= 0)
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ModelError.single(
            type(term).__name__, "weight", expected="numbers ≥ 0", given=repr(term.weight)
        )


def check_function(term: Any) -> None:
    """Refuse what cannot be called."""
    if not callable(term.function):
        raise ModelError.single(
            type(term).__name__, "function", expected="a function", given=repr(term.function)
        )
