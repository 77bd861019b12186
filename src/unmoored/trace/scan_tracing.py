"""Recursions over trees as loops over tables, so that the code does not grow with the number of items.

A step is a function of one item. It is traced once per kind of item; numbers that differ from item to item
become columns of a table, and what one scan leaves for each item stays in memory for the next. Nothing is
assumed about the meaning of the entries: those that are the same constant, or equal to each other, for all
items of a kind are found and folded, in the items' own values and in what is carried from item to item.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .active_graph import active, innermost_active
from .carry_classes import Classes, refined
from .graph import Graph
from .item_kinds import Kind, group
from .nested_values import Form, flatten, joined, leaves, rebuild
from .scan_node import ScanResults, TracedStep
from .symbol import Symbol, node_of
from .tracing_error import TracingError

#: trees with more bodies than this become loops in kernels: unrolled code is up to 2.5 times as fast, but is larger,
#: and takes as long to compile as there are bodies
LOOPS_BEYOND = 40


def scan_each(step: Callable[..., Any], kinds: Sequence[Hashable], *per_item: Sequence[Any]) -> list[Any]:
    """[step(i, *(x[i] for x in per_item)) for every item]; items of one kind must differ in numbers only."""
    parents = [-1] * len(kinds)
    return _scan(lambda i, _, *own: ((), step(i, *own)), parents, kinds, (), per_item, inward=False)[1]


def scan_outward(
    step: Callable[..., Any],
    parents: Sequence[int],
    kinds: Sequence[Hashable],
    start: Any,
    *per_item: Sequence[Any],
) -> list[Any]:
    """carry_i = step(i, carry of the parent, *(x[i] for x in per_item)), or of `start` for the parent −1.

    `i` only tells the form of the item: the step must take all its numbers from the other arguments, or from
    values around it that are the same for all items. Parents come before their children. A carry with leading
    dimensions that `start` does not have is a batch, and `start` is broadcast. Arrays in the carry whose shape
    differs otherwise are results of their item only: a child sees those of `start`.
    """
    beginning, frame = leaves(start)
    own: set[int] = set()
    while True:
        try:
            passed = [k for k in range(len(beginning)) if k not in own]
            guarded = _passing(step, beginning, frame, passed)
            first = tuple(beginning[k] for k in passed)
            carries, kept, _ = _scan(guarded, parents, kinds, first, per_item, inward=False)
            break
        except _OtherShape as found:
            own |= _broadcast(beginning, found.shapes)
    order = [*passed, *sorted(own)]
    merged = [dict(zip(order, (*a, *b), strict=True)) for a, b in zip(carries, kept, strict=True)]
    return [joined(frame, [value[k] for k in range(len(beginning))]) for value in merged]


class _OtherShape(Exception):
    """Some arrays of a carry have another shape than at the start."""

    def __init__(self, shapes: dict[int, tuple[int, ...]]) -> None:
        super().__init__(shapes)
        self.shapes = shapes


def _broadcast(beginning: list[Any], shapes: dict[int, tuple[int, ...]]) -> set[int]:
    """Give the arrays at these positions the leading dimensions of these shapes; the positions that do not fit."""
    unfit = set()
    for k, shape in shapes.items():
        inner = np.shape(beginning[k])
        if len(shape) > len(inner) and shape[len(shape) - len(inner) :] == inner:
            beginning[k] = np.broadcast_to(beginning[k], shape)
        else:
            unfit.add(k)
    return unfit


def _passing(
    step: Callable[..., Any], beginning: list[Any], frame: Any, passed: list[int]
) -> Callable[..., Any]:
    """The step as a function of the arrays that are passed on, returning (those, the others)."""

    def guarded(i: int, carry: tuple, *own: Any) -> tuple[tuple, tuple]:
        arriving = list(beginning)
        for k, value in zip(passed, carry, strict=True):
            arriving[k] = value
        parts, form = leaves(step(i, joined(frame, arriving), *own))
        if form != frame:
            raise TracingError(f"a scan's step must return a carry of the form {frame}, not {form}")
        other = {k: np.shape(parts[k]) for k in passed if np.shape(parts[k]) != np.shape(beginning[k])}
        if other:
            raise _OtherShape(other)
        return tuple(parts[k] for k in passed), tuple(parts[k] for k in range(len(parts)) if k not in passed)

    return guarded


def scan_inward(
    step: Callable[..., Any],
    parents: Sequence[int],
    kinds: Sequence[Hashable],
    zero: Any,
    *per_item: Sequence[Any],
) -> tuple[list[Any], Any]:
    """message_i, kept_i = step(i, zero + messages of the children, *(x[i] for x in per_item)).

    Children come first. Returns what every item kept, and the sum that reached the root. Messages with leading
    dimensions that `zero` does not have are a batch, and `zero` is broadcast.
    """
    beginning, frame = leaves(zero)

    def guarded(i: int, carry: tuple, *own: Any) -> tuple[tuple, Any]:
        message, kept = step(i, joined(frame, list(carry)), *own)
        parts, form = leaves(message)
        if form != frame:
            raise TracingError(f"a scan's step must return a message of the form {frame}, not {form}")
        other = {k: np.shape(x) for k, x in enumerate(parts) if np.shape(x) != np.shape(beginning[k])}
        if other:
            raise _OtherShape(other)
        return tuple(parts), kept

    while True:
        try:
            _, kept, total = _scan(guarded, parents, kinds, tuple(beginning), per_item, inward=True)
            return kept, joined(frame, list(total))
        except _OtherShape as found:
            if unfit := _broadcast(beginning, found.shapes):
                shape, given = np.shape(beginning[min(unfit)]), found.shapes[min(unfit)]
                raise TracingError(
                    f"a scan's step must return a message of shape {shape}, not {given}"
                ) from None


def loops(count: int, *values: Any) -> bool:
    """Whether scans over `count` items become loops where these values are traced (see `trace`)."""
    graph = traced_into(values)
    return graph is not None and graph.loops_beyond is not None and count > graph.loops_beyond


@contextmanager
def loops_from(count: int, *values: Any) -> Iterator[None]:
    """Scans over `count` items or more are loops in this block, where scans over many are and these are traced."""
    graph = traced_into(values)
    if graph is None or graph.loops_beyond is None:
        yield
        return
    before = graph.loops_beyond
    graph.loops_beyond = min(before, count - 1)
    try:
        yield
    finally:
        graph.loops_beyond = before


def graph_among(values: Any) -> Graph | None:
    """The graph of the first symbol in nested values; None if there are numbers only."""
    for value in values:
        if isinstance(value, Symbol):
            return value.graph
        if isinstance(value, np.ndarray):
            found = graph_among(value.flat) if value.dtype == object else None
        else:
            found = graph_among(value) if isinstance(value, tuple | list) else None
        if found is not None:
            return found
    return None


def traced_into(values: Any) -> Graph | None:
    """The graph that a function of nested values is traced into; None if there are numbers only."""
    graph = graph_among(values)
    return graph if graph is None else innermost_active() or graph


def _taken_in(graph: Graph, entries: list[Any], form: Form) -> tuple[list[Any], Form]:
    """Entries with symbols of graphs around `graph` made its own."""
    own = [
        Symbol(graph, node_of(graph, x)) if isinstance(x, Symbol) and x.graph is not graph else x
        for x in entries
    ]
    return own, form


def _scan(
    step: Callable[..., Any], parents: Sequence[int], kinds: Sequence[Hashable], start: Any,
    per_item: Sequence[Sequence[Any]], *, inward: bool,
) -> tuple[list[Any], list[Any], Any]:  # fmt: skip
    """Carries (outward), what was kept, and the total (inward)."""
    graph = traced_into((start, *per_item))
    if graph is None:
        raise TracingError("a scan needs symbols: on numbers, loop in Python")
    items = [_taken_in(graph, *flatten(tuple(x[i] for x in per_item))) for i in range(len(parents))]
    grouped = group(kinds, items)
    first, form = flatten(start)
    initial = [node_of(graph, entry) for entry in first]

    def run(kind: Kind, classes: Classes) -> TracedStep:
        traced = TracedStep(Graph(graph))
        width = kind.columns
        carry = classes.entries(traced.graph, width)
        own = kind.symbols(traced.graph, width + classes.count)
        with active(traced.graph):
            message, kept = step(kind.items[0], rebuild(form, carry), *rebuild(kind.form, own))
        entries, message_form = flatten(message)
        if message_form != form:
            raise TracingError(f"a scan's step must return a carry of the form {form}, not {message_form}")
        traced.message = [node_of(traced.graph, entry) for entry in entries]
        entries, traced.form = flatten(kept)
        traced.kept = [node_of(traced.graph, entry) for entry in entries]
        return traced

    classes, steps = refined(graph, initial, lambda classes: [run(kind, classes) for kind in grouped], inward)
    return ScanResults(graph, grouped, classes, steps, items, inward, tuple(parents)).values(form)
