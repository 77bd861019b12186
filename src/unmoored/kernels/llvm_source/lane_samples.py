"""The function that computes as many samples as the vector has lanes."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...trace import Traced, live_nodes, scheduled
from ...trace.graph import LEAVES, operands
from .block import Block, Parts
from .filled_waits import with_waits_filled
from .lanes import chunk_starts, chunk_width, load_columns
from .llvm_types import LlvmTypes
from .nan_watch import hidden_inputs, unordered, watched_rows
from .register_plan import REACH, Fetch, Keep, RegisterPlan
from .samples import FEW_RESULTS, function_text, row_pointers
from .streamed_columns import ColumnStore

#: nodes of code of matrices that is fetched more slowly than it could run: from there on its bytes count more than its
#: loads
_LONG = 7000
#: nodes of recursions that are told what stays in registers, and of those that are fetched more slowly than they could
#: run
_RECURSION, _LONG_RECURSION = 500, 3500
#: so many events before columns are stored, their places are asked for: they may be far away
_AHEAD = 40
#: memory is filled backwards only if that shortens the lives of values to this part
_CLEARLY = 0.75


def lane_function(
    traced: Traced,
    words: LlvmTypes,
    parts: Parts,
    name: str,
    watched: bool = False,
    registers: int = 0,
    ways: bool = False,
) -> str:
    """`void name(ptr, i64 stride, ..., i64 count)`: the first `count` samples, at most one per lane.

    watched: it is `i1 name(...)`, which tells whether any of them has a NaN among its inputs that may not reach all of
    its outputs. registers: for lane vectors; long code of matrices is then told what stays in them (see
    `register_plan`). ways: it has one more argument, `i32 way`, how results are stored (see `streamed_columns`).

    Lanes beyond the last sample repeat it, load and store included, so that no lane reads or writes
    elsewhere.
    """
    arrays = len(traced.input_shapes) + len(traced.outputs)
    offsets, columns = traced.input_offsets, _needed_columns(traced)
    hidden = hidden_inputs(traced) if watched else set()
    chunks = [
        chunk_starts(math.prod(shape), needed, words.width)
        for shape, needed in zip(traced.input_shapes, columns, strict=True)
    ]
    loaded: dict[tuple[int, int], list[str]] = {}

    def load(block: Block, k: int) -> str:
        array = bisect_right(offsets, k) - 1
        column, count = k - offsets[array], offsets[array + 1] - offsets[array]
        p = chunk_width(count, words.width)
        start = chunks[array][bisect_right(chunks[array], column) - 1]
        if (array, start) not in loaded:
            loaded[array, start] = load_columns(block, rows[array], start, p)
            first = offsets[array] + start
            if own := [x for i, x in enumerate(loaded[array, start]) if first + i in hidden]:
                flags.append(unordered(block, own, words.width))
                seen.update(range(first, first + p))
        return loaded[array, start][column - start]

    def store(event: Store | Soon) -> None:
        if isinstance(event, Soon):
            columns_of.ask(event.array, event.last)
        else:
            columns_of.store(event.array, event.start, [block.names[index] for index in event.nodes])

    flags: list[str] = []
    seen: set[int] = set()
    block = Block(traced, words, load, parts)
    rows = row_pointers(block, arrays)
    columns_of = ColumnStore(
        block, rows[len(traced.input_shapes) :], [len(output) for output in traced.outputs], ways
    )
    planned = _is_planned(traced, registers)
    events = _events(traced, words.width, planned)
    if _is_matrix(traced):
        events = list(_announced(events))
    elif planned and len(traced.live) <= _LONG_RECURSION:
        events = _filled(traced, events)
    pointers = 0
    if planned:
        plan = RegisterPlan(traced.graph.nodes, _inputs_together(traced, events, chunks), registers)
        pointers = -(-len(plan) // REACH)
        _emit_planned(block, plan, store)
    else:
        for event in events:
            if isinstance(event, int):
                block.emit(event)
            else:
                store(event)
    told = watched_rows(block, rows, offsets, hidden - seen, flags) if watched else ""
    kind, result = ("i1", f"i1 {told}") if watched else ("void", "void")
    arguments = ", ".join(f"ptr noalias %a{k}, i64 %s{k}" for k in range(arrays)) + ", i64 %count"
    arguments += ", i32 %way" if ways else ""
    tables = "".join(f"{table}\n" for table in block.tables(name))
    if not pointers:
        return tables + function_text(block, f"define internal {kind} @{name}({arguments})", result)
    near = ", ".join(f"ptr noalias %w{k}" for k in range(pointers))
    text = function_text(block, f"define internal {kind} @{name}_in({arguments}, {near})", result)
    return tables + text + _with_workspace(words, arguments.replace("noalias ", ""), kind, name, pointers)


def _is_matrix(traced: Traced) -> bool:
    return len(traced.flat_outputs) > FEW_RESULTS


def _is_planned(traced: Traced, registers: int) -> bool:
    """Whether the code is so long that it is told which values stay in registers."""
    calls = any(traced.graph.nodes[k][0] in ("call", "result") for k in traced.live)
    return registers > 0 and len(traced.live) > (_LONG if _is_matrix(traced) else _RECURSION) and not calls


def _inputs_together(traced: Traced, events: list[Event], chunks: list[list[int]]) -> list[Event]:
    """The same events with all inputs of a chunk of columns at the place of the first."""
    nodes, offsets = traced.graph.nodes, traced.input_offsets

    def chunk(k: int) -> tuple[int, int]:
        array = bisect_right(offsets, k) - 1
        return array, bisect_right(chunks[array], k - offsets[array])

    together: dict[tuple[int, int], list[int]] = {}
    for event in events:
        if isinstance(event, int) and nodes[event][0] == "input":
            together.setdefault(chunk(nodes[event][1]), []).append(event)
    found: list[Event] = []
    for event in events:
        if isinstance(event, int) and nodes[event][0] == "input":
            found += together.pop(chunk(nodes[event][1]), [])
        else:
            found.append(event)
    return found


def _emit_planned(block: Block, plan: RegisterPlan, store: Callable[[Store | Soon], object]) -> None:
    def place(k: int) -> tuple[str, int]:
        pointer, offset = divmod(plan.places[k], REACH)
        return f"%w{pointer}", offset - REACH // 2

    for step in plan.steps:
        if isinstance(step, Keep):
            block.store(block.names[step.node], *place(step.node))
        elif isinstance(step, Fetch):
            block.names[step.node] = block.load(*place(step.node))
        elif not isinstance(step, int):
            assert isinstance(step, Store | Soon)
            store(step)
        else:
            for k in operands(block.graph.nodes[step]):
                if k in plan.turned:  # anew for every use, which takes it in
                    block.names[k] = block.operation("neg", [block.emit(plan.turned[k])])
            block.emit(step)


def _with_workspace(words: LlvmTypes, arguments: str, kind: str, name: str, pointers: int) -> str:
    """The function with memory for its values, and pointers to the middle of every part of it."""
    size = words.bytes * REACH
    result = "" if kind == "void" else "%told = "
    lines = [f"  %workspace = alloca i8, i64 {size * pointers}, align 64"]
    lines += [
        f"  %w{k} = getelementptr i8, ptr %workspace, i64 {size * k + size // 2}" for k in range(pointers)
    ]
    given = f"{arguments}, " + ", ".join(f"ptr %w{k}" for k in range(pointers))
    lines.append(f"  {result}call {kind} @{name}_in({given})")
    lines.append("  ret void" if kind == "void" else "  ret i1 %told")
    body = "\n".join(lines)
    return f"define internal {kind} @{name}({arguments}) {{\n{body}\n}}\n"


class Store(NamedTuple):
    """Columns `start` … of an output, whose nodes are these."""

    array: int
    start: int
    nodes: tuple[int, ...]


class Soon(NamedTuple):
    """Columns up to `last` of an output will be stored."""

    array: int
    last: int

    @property
    def nodes(self) -> tuple[int, ...]:
        """None are needed for that."""
        return ()


#: a node to compute, or columns to store, or to be stored
Event = int | Store | Soon


def _announced(events: list[Event]) -> Iterator[Event]:
    """The same events, with what will be stored told some time before."""
    for time in range(-_AHEAD, len(events)):
        later = events[time + _AHEAD] if time + _AHEAD < len(events) else None
        if isinstance(later, Store):
            yield Soon(later.array, later.start + len(later.nodes) - 1)
        if time >= 0:
            yield events[time]


def _events(traced: Traced, width: int, last_first: bool = False) -> list[Event]:
    """Nodes to compute and columns to store, as soon as they are complete, from the first column on or from the last.

    A recursion towards the root, which fills a matrix, leaves the last rows first. In an order that suits it half as
    many values wait to be used, and so fewer have to leave the registers. last_first: of several outputs, those that
    were named last come first. (Derivatives: the inverse of the mass matrix, of which the others are products.)
    """
    stores = [
        Store(array, start, tuple(output[start : start + chunk_width(len(output), width)]))
        for array, output in enumerate(traced.outputs)
        for start in chunk_starts(len(output), range(len(output)), width)
    ]
    if last_first:
        stores.sort(key=lambda store: -store.array)
    forwards, backwards = (list(_in_order(traced, own)) for own in (stores, stores[::-1]))
    return backwards if _waiting(traced, backwards) < _CLEARLY * _waiting(traced, forwards) else forwards


def _in_order(traced: Traced, stores: list[Store]) -> Iterator[Event]:
    return _with_stores(scheduled(traced.graph, [index for store in stores for index in store.nodes]), stores)


def _filled(traced: Traced, events: list[Event]) -> list[Event]:
    """The same events, nodes in an order in which less is waited for."""
    nodes = [event for event in events if isinstance(event, int)]
    stores = [event for event in events if isinstance(event, Store)]
    return list(_with_stores(with_waits_filled(traced.graph.nodes, nodes), stores))


def _with_stores(nodes: list[int], stores: list[Store]) -> Iterator[Event]:
    """Nodes, operands first, and among them columns to store, one after the other, as soon as they are complete."""
    done: set[int] = set()
    order = iter(nodes)
    for store in stores:
        while not done.issuperset(store.nodes):
            index = next(order)
            done.add(index)
            yield index
        yield store


def _waiting(traced: Traced, events: list[Event]) -> int:
    """For how many events values wait to be used, all of them together."""
    nodes = traced.graph.nodes
    born: dict[int, int] = {}
    last: dict[int, int] = {}
    for time, event in enumerate(events):
        if isinstance(event, int):
            born[event] = time
        for index in operands(nodes[event]) if isinstance(event, int) else event.nodes:
            last[index] = time
    return sum(end - born[index] for index, end in last.items() if nodes[index][0] not in LEAVES)


def _needed_columns(traced: Traced) -> list[set[int]]:
    """For every input, the columns that the outputs depend on."""
    nodes, offsets = traced.graph.nodes, traced.input_offsets
    needed: list[set[int]] = [set() for _ in traced.input_shapes]
    for index in live_nodes(traced.graph, traced.flat_outputs):
        if nodes[index][0] == "input":
            k = nodes[index][1]
            array = bisect_right(offsets, k) - 1
            needed[array].add(k - offsets[array])
    return needed
