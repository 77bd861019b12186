"""Tracing functions of the user's: twice, so that what changes from call to call is noticed, and leaving no trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .dependencies import fingerprint
from .graph_digest import graph_digest
from .kept_data import Snapshot
from .traced import Traced, trace
from .tracing_error import TracingError


class ImpureFunctionError(TracingError):
    """A function gave two different graphs: it draws random numbers, counts, or remembers something."""


def trace_twice(
    function: Callable[..., Any],
    *shapes: Sequence[int],
    name: str,
    around: Any = None,
    loops_beyond: int | None = None,
    exact_zeros: bool = False,
) -> tuple[Traced, bool]:
    """(the graph of a function, whether it changes its own data when it is called), from two traces that must agree.

    around: the user's own function or object, whose data are put back as they were; the function itself if None.
    """
    own = function if around is None else around
    before = Snapshot(own)
    try:
        first = trace(function, *shapes, name=name, loops_beyond=loops_beyond, exact_zeros=exact_zeros)
        once = fingerprint(own).digest
        try:
            second = trace(function, *shapes, name=name, loops_beyond=loops_beyond, exact_zeros=exact_zeros)
        except Exception as why:
            raise ImpureFunctionError("its second call used what the first had left") from why
        if before.drawn:
            raise ImpureFunctionError("a call drew random numbers")
        if graph_digest(first) != graph_digest(second):
            raise ImpureFunctionError("two calls with the same arguments computed different things")
        return first, fingerprint(own).digest != once
    finally:
        before.restore()
