"""The function that computes as many samples as the vector has lanes."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from ...trace import Traced, live_nodes, scheduled
from ...trace.graph import LEAVES, operands
from .block import Block, Parts
from .lanes import chunk_starts, chunk_width, load_columns, store_columns
from .llvm_types import LlvmTypes
from .nan_watch import hidden_inputs, unordered, watched_rows
from .samples import function_text, row_pointers

#: memory is filled backwards only if that shortens the lives of values to this part
_CLEARLY = 0.75


def lane_function(traced: Traced, words: LlvmTypes, parts: Parts, name: str, watched: bool = False) -> str:
    """`void name(ptr, i64 stride, ..., i64 count)`: the first `count` samples, at most one per lane.

    watched: it is `i1 name(...)`, which tells whether any of them has a NaN among its inputs that may not reach all of
    its outputs.

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

    flags: list[str] = []
    seen: set[int] = set()
    block = Block(traced, words, load, parts)
    rows = row_pointers(block, arrays)
    for event in _events(traced, words.width):
        if isinstance(event, Store):
            stored = [block.names[index] for index in event.nodes]
            store_columns(block, stored, rows[len(traced.input_shapes) + event.array], event.start)
        else:
            block.emit(event)
    arguments = ", ".join(f"ptr noalias %a{k}, i64 %s{k}" for k in range(arrays))
    if not watched:
        return function_text(block, f"define internal void @{name}({arguments}, i64 %count)")
    told = watched_rows(block, rows, offsets, hidden - seen, flags)
    return function_text(block, f"define internal i1 @{name}({arguments}, i64 %count)", f"i1 {told}")


class Store(NamedTuple):
    """Columns `start` … of an output, whose nodes are these."""

    array: int
    start: int
    nodes: tuple[int, ...]


def _events(traced: Traced, width: int) -> list[int | Store]:
    """Nodes to compute and columns to store, as soon as they are complete, from the first column on or from the last.

    A recursion towards the root, which fills a matrix, leaves the last rows first. In an order that suits it half as
    many values wait to be used, and so fewer have to leave the registers.
    """
    stores = [
        Store(array, start, tuple(output[start : start + chunk_width(len(output), width)]))
        for array, output in enumerate(traced.outputs)
        for start in chunk_starts(len(output), range(len(output)), width)
    ]
    forwards, backwards = (list(_in_order(traced, own)) for own in (stores, stores[::-1]))
    return backwards if _waiting(traced, backwards) < _CLEARLY * _waiting(traced, forwards) else forwards


def _in_order(traced: Traced, stores: list[Store]) -> Iterator[int | Store]:
    done: set[int] = set()
    order = iter(scheduled(traced.graph, [index for store in stores for index in store.nodes]))
    for store in stores:
        while not done.issuperset(store.nodes):
            index = next(order)
            done.add(index)
            yield index
        yield store


def _waiting(traced: Traced, events: list[int | Store]) -> int:
    """For how many events values wait to be used, all of them together."""
    nodes = traced.graph.nodes
    born: dict[int, int] = {}
    last: dict[int, int] = {}
    for time, event in enumerate(events):
        if not isinstance(event, Store):
            born[event] = time
        for index in event.nodes if isinstance(event, Store) else operands(nodes[event]):
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
