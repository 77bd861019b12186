"""The functions that compute one sample, or a sub-function of as many as the vector has lanes."""

from __future__ import annotations

import re
from bisect import bisect_right

from ...trace import Traced, live_nodes, scheduled
from .block import Block, Parts
from .llvm_types import LlvmTypes

_LONG = 8000  # nodes
#: instructions in one basic block

STRAIGHT = 1000
#: A function of few results is a recursion whose numbers live long: up to this length it is 15 % faster in one block.
RECURSION, FEW_RESULTS = 10_000, 64


def scalar_function(traced: Traced, words: LlvmTypes, parts: Parts, name: str) -> str:
    """`void name(ptr input..., ptr output...)` for one sample whose arrays are contiguous."""
    offsets = traced.input_offsets

    def load(block: Block, k: int) -> str:
        array = bisect_right(offsets, k) - 1
        return block.load(f"%a{array}", k - offsets[array])

    block = Block(traced, words, load, parts)
    for index in _order(traced, words):
        block.emit(index)
    first = len(traced.input_shapes)
    for array, output in enumerate(traced.outputs):
        for k, index in enumerate(output):
            block.store(block.emit(index), f"%a{first + array}", k)
    arguments = ", ".join(f"ptr noalias %a{k}" for k in range(first + len(traced.outputs)))
    return function_text(block, f"define internal void @{name}({arguments})")


def part_function(traced: Traced, words: LlvmTypes, parts: Parts, name: str) -> str:
    """`void name(ptr arguments, ptr results)` over arrays of lane vectors: a sub-function."""
    block = Block(traced, words, lambda block, k: block.load("%arguments", k), parts)
    for index in _order(traced, words):
        block.emit(index)
    for k, index in enumerate(traced.flat_outputs):
        block.store(block.emit(index), "%results", k)
    head = f"define internal void @{name}(ptr noalias %arguments, ptr noalias %results)"
    return function_text(block, head)


def _order(traced: Traced, words: LlvmTypes) -> list[int]:
    """The order of computation.

    One short sample alone gains more from independent neighbours, as in the order of the program, than from short
    lives; in a long one, and in lanes, it is the other way round, also for the time to compile.
    """
    alone = words.width == 1 and len(traced.graph.nodes) < _LONG
    return (live_nodes if alone else scheduled)(traced.graph, traced.flat_outputs)


def function_text(block: Block, head: str, result: str = "void") -> str:
    """A whole function with its result; long straight-line code is cut into basic blocks.

    The code generator works on one basic block at a time, and its time grows with the square of the length. It would
    join blocks that can only follow each other, so each seems to have a way out: if the first argument were null.
    """
    lines, end = block.lines, [f"ret {result}"]
    if block.straight and len(lines) > _longest(block):
        pointer = re.search(r"ptr (?:noalias )?(%\w+)", head)
        assert pointer is not None
        lines = [f"%there = icmp ne ptr {pointer[1]}, null"]
        end = ["br label %end", "end:", *end] if result == "void" else [*end, "end:", "ret i1 true"]
        length = 0
        for k, line in enumerate(block.lines):
            length = 0 if line[-1] == ":" else length + 1  # a label begins a block
            if length > STRAIGHT:
                lines += [f"br i1 %there, label %cut{k}, label %end", f"cut{k}:"]
                length = 1
            lines.append(line)
    body = "\n".join(f"  {line}" for line in [*block.reserved, *lines, *end])
    return f"{head} {{\n{body}\n}}\n"


def _longest(block: Block) -> int:
    """Most instructions that stay in one basic block."""
    return RECURSION if len(block.traced.flat_outputs) <= FEW_RESULTS else STRAIGHT


def row_pointers(block: Block, arrays: int) -> list[list[str]]:
    """Pointers to each lane's row of each array."""
    width = block.words.width
    last = block.new("sub i64 %count, 1")
    lanes = [block.new(f"call i64 @llvm.umin.i64(i64 {lane}, i64 {last})") for lane in range(1, width)]
    rows = []
    for array in range(arrays):
        offsets = [block.new(f"mul i64 {lane}, %s{array}") for lane in lanes]
        pointers = [block.new(f"getelementptr i8, ptr %a{array}, i64 {offset}") for offset in offsets]
        rows.append([f"%a{array}", *pointers])
    return rows
