"""Whether two functions of the user's are the same, so that a kernel made for one may serve the other.

In memory: by what they depend on (code, closure, globals, attributes). What cannot be seen into is traced again at
every call and told apart by its graph. The first use traces twice, and a function that computes something else the
second time is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..trace import (
    ImpureFunctionError,
    Recent,
    RetraceWarning,
    Traced,
    announce,
    fingerprint,
    graph_digest,
    trace_twice,
)
from .errors import ModelError

_verified: Recent[tuple, str] = Recent(512)


@dataclass(frozen=True)
class Identity:
    """What tells functions apart: a digest, and whether all code is the package's own, so that the digest holds in
    every process. kept: objects in it that are told apart by identity; they must live as long. seen: whether the digest
    is of all that it depends on, and not of its graph."""

    digest: str
    own: bool = False
    kept: tuple[Any, ...] = field(default=(), compare=False)
    seen: bool = field(default=False, compare=False)


def identity(what: str, thing: Any, graph: Callable[[], str]) -> Identity:
    """The identity of data and functions.  graph: the digest of its graph, for what cannot be seen into."""
    seen = fingerprint(thing)
    if not seen.unseen:
        return Identity(seen.digest.hex(), seen.own, seen.kept, seen=True)
    announce_retrace(what, seen.unseen)
    return Identity(graph())


def announce_retrace(what: str, unseen: tuple[str, ...]) -> None:
    """Say that something is traced again at every call."""
    names = ", ".join(sorted(set(unseen)))
    text = f"{what} is traced again at every call: it uses {names}, which cannot be seen into"
    announce(text, RetraceWarning)


def verified_identity(
    what: str, function: Callable[..., Any], shapes: tuple, result: tuple[int, ...]
) -> Identity:
    """The identity of a function of arrays of these shapes that must give one result, and the same at every call."""
    seen = fingerprint(function)
    key = (seen.digest, shapes, result)
    if seen.unseen:
        verified = _verified_graph(what, function, shapes, result)
        announce_retrace(what, seen.unseen)
        return Identity(verified)
    if _verified.find(key) is None:
        _verified.keep(key, _verified_graph(what, function, shapes, result))
    return Identity(seen.digest.hex(), seen.own, seen.kept, seen=True)


def traced_pure(what: str, function: Callable[..., Any], *shapes: tuple[int, ...], **options: Any) -> Traced:
    """The graph of a function, traced twice; refused by its name if the two differ.  options: see `trace_twice`."""
    try:
        return trace_twice(function, *shapes, **options)[0]
    except ImpureFunctionError as why:
        expected = "the same operations at every call: no random numbers, no counters, no memory"
        raise ModelError.single(what, "pure function", expected=expected, given=str(why)) from why


def _verified_graph(what: str, function: Callable[..., Any], shapes: tuple, result: tuple[int, ...]) -> str:
    traced = traced_pure(what, function, *shapes, name="function", exact_zeros=True)
    if traced.output_shapes not in ((result,), ((*result, 1),)):
        given = " and ".join(map(str, traced.output_shapes))
        raise ModelError.single(what, "result", expected=f"shape {result}", given=f"shape {given}")
    return graph_digest(traced)
