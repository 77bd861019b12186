"""Recursions over trees as loops over tables, so that the code does not grow with the number of items.

A step is a function of one item. It is traced once per kind of item; numbers that differ from item to item
become columns of a table, and what one scan leaves for each item stays in memory for the next. Nothing is
assumed about the meaning of the entries: those that are the same constant, or equal to each other, for all
items of a kind are found and folded, in the items' own values and in what is carried from item to item.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from .carries import Classes, refined
from .errors import TracingError
from .graph import Graph
from .kinds import Kind, group
from .scan_results import ScanResults, TracedStep
from .structure import flatten, rebuild
from .symbol import Symbol, node_of


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

    `i` only tells the form of the item: the step must take all its numbers from the other arguments. Parents
    come before their children, and carries have one form.
    """
    return _scan(lambda *given: (step(*given), None), parents, kinds, start, per_item, inward=False)[0]


def scan_inward(
    step: Callable[..., Any],
    parents: Sequence[int],
    kinds: Sequence[Hashable],
    zero: Any,
    *per_item: Sequence[Any],
) -> tuple[list[Any], Any]:
    """message_i, kept_i = step(i, zero + messages of the children, *(x[i] for x in per_item)).

    Children come first. Returns what every item kept, and the sum that reached the root.
    """
    _, kept, total = _scan(step, parents, kinds, zero, per_item, inward=True)
    return kept, total


def loops(count: int, *values: Any) -> bool:
    """Whether scans over `count` items become loops where these values are traced (see `trace`)."""
    graph = _graph_among(values)
    return graph is not None and graph.loops_beyond is not None and count > graph.loops_beyond


def _graph_among(values: Any) -> Graph | None:
    for value in values:
        if isinstance(value, Symbol):
            return value.graph
        if isinstance(value, np.ndarray):
            found = _graph_among(value.flat) if value.dtype == object else None
        else:
            found = _graph_among(value) if isinstance(value, tuple | list) else None
        if found is not None:
            return found
    return None


def _scan(
    step: Callable[..., Any], parents: Sequence[int], kinds: Sequence[Hashable], start: Any,
    per_item: Sequence[Sequence[Any]], *, inward: bool,
) -> tuple[list[Any], list[Any], Any]:  # fmt: skip
    """Carries (outward), what was kept, and the total (inward)."""
    graph = _graph_among((start, *per_item))
    if graph is None:
        raise TracingError("a scan needs symbols: on numbers, loop in Python")
    items = [flatten(tuple(values[i] for values in per_item)) for i in range(len(parents))]
    grouped = group(kinds, items)
    first, form = flatten(start)
    initial = [node_of(graph, entry) for entry in first]

    def run(kind: Kind, classes: Classes) -> TracedStep:
        traced = TracedStep()
        width = kind.columns
        carry = classes.entries(traced.graph, width)
        own = kind.symbols(traced.graph, width + classes.count)
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
