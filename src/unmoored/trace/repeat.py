"""A step done over and over: a loop in the graph and in every backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .active_graph import active, innermost_active
from .carry_classes import Classes, refined
from .graph import Graph
from .loop_program import LoopPart, Writer
from .nested_values import flatten, rebuild
from .scan_node import TracedStep
from .scan_tracing import graph_among
from .symbol import Symbol, node_of
from .traced import Traced
from .tracing_error import TracingError
from .users_line import caller_line


@dataclass(frozen=True, eq=False)
class Repeat(LoopPart):
    """`times` runs of `body`, a function of (run (), carry (c,), fixed values (k,), the run's own row (m,)).

    It returns (carry (c,), what is kept of the run (r,)). Operands: the carry at the start, the fixed values, the
    rows of all runs (times × m). Results: the last carry, then what every run kept (times × r). Runs are numbered
    from 0; `down` runs the last one first. until: place of the entry of the carry that is 1 where a sample has arrived,
    which further runs leave as it is: they are left out where all samples side by side have.
    """

    body: Traced
    times: int
    down: bool = False
    until: int | None = None

    @cached_property
    def sizes(self) -> tuple[int, int, int, int]:
        """Numbers in the carry, of fixed values, in a row, and kept of a run."""
        _, (carry,), (fixed,), (row,) = self.body.input_shapes
        return carry, fixed, row, len(self.body.outputs[1])

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        carry, fixed, row, _ = self.sizes
        return carry, fixed, self.times * row

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.sizes[0] + self.times * self.sizes[3]

    @cached_property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return self.times * self.body.operations

    @property
    def functions(self) -> tuple[Traced, ...]:
        return (self.body,)

    def mapped(self, change: Callable[[Traced], Traced]) -> Repeat:
        return replace(self, body=change(self.body))

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        start, around, rows = operands
        carry, fixed, row, kept = self.sizes
        arguments, values = writer.array(1 + carry + fixed + row), writer.array(carry + kept)
        writer.copy(start, 0, arguments, 1, carry)
        writer.copy(around, 0, arguments, 1 + carry, fixed)

        def run(i: Any) -> None:
            writer.store(arguments, 0, writer.number(i))
            writer.copy(rows, i * row, arguments, 1 + carry + fixed, row)
            writer.call(self.body, arguments, values)
            writer.copy(values, 0, arguments, 1, carry)
            writer.copy(values, carry, results, i * kept + carry, kept)

        def run_if_needed(i: Any) -> None:
            place = 0 if self.until is None else self.until
            writer.unless(writer.load(arguments, 1 + place), lambda: run(i))

        writer.loop(0, self.times, run if self.until is None else run_if_needed, down=self.down)
        writer.copy(arguments, 1, results, 0, carry)


def repeat(step: Callable[[Any, Any], Any], carry: Any, times: int) -> Any:
    """carry = step(i, carry) for i = 0 … times - 1; the last carry.

    The carry is an array, a number, or a tuple of them (nested), of the same form after every step. Where symbols
    are traced, the step is traced once and stays a loop in the kernel: its code does not grow with `times`. There
    `i` is a symbol, too (a real number that is whole). All runs are made: to stop early keep the carry with
    `unmoored.trace.where`, or see `repeat_until`. On numbers it is a plain Python loop.
    """
    return _repeat(step, carry, times, lambda _: False)


def repeat_until(step: Callable[[Any, Any], tuple], carry: tuple, times: int) -> tuple:
    """As `repeat`, at most `times` runs, with a carry whose last part is 1.0 where a sample has arrived, else 0.0.

    The step itself leaves the carry of a sample that has arrived as it is (`where`), bit by bit; runs that would
    change no sample are then left out. In a kernel that goes by the few samples that are computed side by side.
    """
    return _repeat(step, carry, times, lambda carry: bool(np.all(np.asarray(carry[-1]) >= 0.5)), until=True)


def _repeat(
    step: Callable[[Any, Any], Any], carry: Any, times: int, arrived: Callable[[Any], bool], until: bool = False
) -> Any:  # fmt: skip
    if isinstance(times, bool) or not isinstance(times, int) or times < 0:
        raise TracingError(
            f"repeat: times must be a whole number, at least 0, got {times!r}. At {caller_line()}"
        )
    first = 0
    while first < times and graph_among((carry,)) is None:
        if arrived(carry):
            return carry
        after = step(first, carry)
        if graph_among((after,)) is not None:
            break  # the step reads symbols from around it: trace it from here on
        carry, first = after, first + 1
    if first == times:
        return carry
    graph = innermost_active() or graph_among((carry,)) or graph_among((after,))
    assert graph is not None
    return _traced(graph, step, carry, first, times - first, until)


def _traced(
    graph: Graph, step: Callable[[Any, Any], Any], carry: Any, first: int, times: int, until: bool
) -> Any:
    entries, form = flatten(carry)
    initial = [node_of(graph, entry) for entry in entries]

    def run(classes: Classes) -> TracedStep:
        traced = TracedStep(Graph(graph))
        traced.graph.loops_beyond = graph.loops_beyond
        with active(traced.graph):
            i = Symbol(traced.graph, traced.graph.node("input", 0))
            after = step(
                i if first == 0 else i + float(first), rebuild(form, classes.entries(traced.graph, 1))
            )
        values, new_form = flatten(after)
        if new_form != form:
            raise TracingError(
                f"the step of a repeat must return a carry of the form {form}, not {new_form}. At {caller_line()}"
            )
        traced.message = [node_of(traced.graph, value) for value in values]
        return traced

    classes, (traced,) = refined(graph, initial, lambda classes: [run(classes)], inward=False)
    around = traced.take_captured(1 + classes.count)
    message = tuple(traced.message[k] for k in classes.representatives)
    shapes = (), (classes.count,), (len(around),), (0,)
    body = Traced(traced.graph, shapes, (message, ()), ((len(message),), (0,)), False, "repeated")
    flag = classes.slot.get(classes.of[-1]) if until else None
    results = Repeat(body, times, until=flag).nodes(graph, classes.start(graph), around, ())
    return rebuild(form, classes.expanded(lambda k: Symbol(graph, results[k])))


def repeat_rows(
    step: Callable[[Any, Any, Any], tuple[Any, Any]], carry: Any, rows: Any, *, down: bool = False
) -> tuple[Any, Any]:
    """carry, kept_i = step(i, carry, rows[i]) for all rows (times, m); the last carry, and what was kept (times, r).

    down: begin with the last row. Otherwise as `repeat`: among symbols it is one loop, whose code does not grow with
    the number of rows.
    """
    rows = np.asarray(rows)
    graph = innermost_active() or graph_among((carry, rows))
    if graph is None or graph_among((carry, rows)) is None:
        kept: list[Any] = [None] * len(rows)
        for i in reversed(range(len(rows))) if down else range(len(rows)):
            carry, kept[i] = step(i, carry, rows[i])
        return carry, np.array(kept)
    entries, form = flatten(carry)
    initial = [node_of(graph, entry) for entry in entries]
    m = rows.shape[1]

    def run(classes: Classes) -> TracedStep:
        traced = TracedStep(Graph(graph))
        traced.graph.loops_beyond = graph.loops_beyond
        with active(traced.graph):
            own = [Symbol(traced.graph, traced.graph.node("input", 1 + classes.count + k)) for k in range(m)]
            i = Symbol(traced.graph, traced.graph.node("input", 0))
            after, kept = step(
                i, rebuild(form, classes.entries(traced.graph, 1)), np.array(own, dtype=object)
            )
        values, new_form = flatten(after)
        if new_form != form:
            raise TracingError(
                f"the step of a repeat must return a carry of the form {form}, not {new_form}. At {caller_line()}"
            )
        traced.message = [node_of(traced.graph, value) for value in values]
        traced.kept = [node_of(traced.graph, value) for value in np.asarray(kept).ravel()]
        return traced

    classes, (traced,) = refined(graph, initial, lambda classes: [run(classes)], inward=False)
    first = 1 + classes.count
    around = traced.take_captured(first + m)
    nodes = traced.graph.nodes
    for index, node in enumerate(nodes):  # fixed values come before those of the row
        if node[0] == "input" and node[1] >= first:
            k = node[1] - first
            nodes[index] = ("input", first + len(around) + k if k < m else first + k - m)
    message, kept_nodes = tuple(traced.message[k] for k in classes.representatives), tuple(traced.kept)
    shapes = (), (classes.count,), (len(around),), (m,)
    outputs = ((len(message),), (len(kept_nodes),))
    body = Traced(traced.graph, shapes, (message, kept_nodes), outputs, False, "repeated")
    given = [node_of(graph, x) for x in rows.ravel()]
    results = Repeat(body, len(rows), down).nodes(graph, classes.start(graph), around, given)
    all_kept = [Symbol(graph, k) for k in results[classes.count :]]
    last = rebuild(form, classes.expanded(lambda k: Symbol(graph, results[k])))
    return last, np.array(all_kept, dtype=object).reshape(len(rows), len(kept_nodes))
