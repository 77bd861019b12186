"""Sample functions with loops, or too long to be one: values go through a scratch array, as do inputs and outputs."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...trace import Traced
from ...trace.graph import CONDITIONS, LEAVES
from ..memory_plan import Plan
from .block import Block, Parts, freed, heap_lines
from .homes import homes
from .lanes import chunk_starts, chunk_width, load_columns, store_columns
from .llvm_types import LlvmTypes
from .pieces import Pieces, is_long
from .samples import function_text, row_pointers
from .scan_functions import scan_functions

#: numbers that are copied one by one
_FEW = 16


def looped_function(traced: Traced, words: LlvmTypes, parts: Parts, name: str) -> str:
    """The same function as `scalar_function` (width 1) or `lane_function`, for graphs with loops, or long ones."""
    plan = Plan(traced, calls=True)
    texts, body = _computed(plan, words, parts, name)
    block = Block(traced, words, lambda block, k: block.load(block.place(k)), parts)
    arrays, inputs = len(traced.input_shapes) + len(traced.outputs), len(traced.input_shapes)
    outputs = [[plan.place(index) for index in output] for output in traced.outputs]
    if words.width == 1 and not is_long(traced):
        sizes = [
            (first, math.prod(shape))
            for first, shape in zip(traced.input_offsets, traced.input_shapes, strict=False)
        ]
        given = [(first, size, f"%a{k}") for k, (first, size) in enumerate(sizes)]
        block.homes = homes(plan, given, [(f"%a{inputs + k}", places) for k, places in enumerate(outputs)])
    at_home = {array for _, _, array in block.homes}
    release = _scratch(block, plan)
    rows = [[f"%a{k}"] for k in range(arrays)] if words.width == 1 else row_pointers(block, arrays)
    for array, shape in enumerate(traced.input_shapes):
        if f"%a{array}" not in at_home:
            texts.append(
                _unpack(
                    block, rows[array], math.prod(shape), traced.input_offsets[array], f"{name}_in{array}"
                )
            )
    texts += body(block)
    for array, places in enumerate(outputs, start=inputs):
        if f"%a{array}" not in at_home:
            texts.append(_pack(block, rows[array], places, f"{name}_out{array - inputs}"))
    block.lines += release
    if words.width == 1:
        head = f"define internal void @{name}({', '.join(f'ptr noalias %a{k}' for k in range(arrays))})"
    else:
        pairs = ", ".join(f"ptr noalias %a{k}, i64 %s{k}" for k in range(arrays))
        head = f"define internal void @{name}({pairs}, i64 %count)"
    return "\n".join([*texts, *block.tables(name), function_text(block, head)])


def looped_part(traced: Traced, words: LlvmTypes, parts: Parts, name: str) -> str:
    """The same function as `part_function`, for graphs with loops, or long ones."""
    plan = Plan(traced, calls=True)
    texts, body = _computed(plan, words, parts, name)
    block = Block(traced, words, lambda block, k: block.load(block.place(k)), parts)
    places = [plan.place(index) for index in traced.flat_outputs]
    if not is_long(traced):
        block.homes = homes(plan, [(0, traced.input_offsets[-1], "%arguments")], [("%results", places)])
    release = _scratch(block, plan)
    at_home = {array for _, _, array in block.homes}
    if "%arguments" not in at_home:
        _copy(block, "%arguments", list(range(traced.input_offsets[-1])), "%scratch")
    texts += body(block)
    if "%results" not in at_home:
        _copy(block, "%scratch", places, "%results")
    block.lines += release
    head = f"define internal void @{name}(ptr noalias %arguments, ptr noalias %results)"
    return "\n".join([*texts, *block.tables(name), function_text(block, head)])


def _scratch(block: Block, plan: Plan) -> list[str]:
    """Begin with the scratch array, if anything lies in it; how it is given back."""
    if plan.size <= sum(count for _, count, _ in block.homes):
        return []
    block.lines += heap_lines("%scratch", plan.size * block.words.bytes)
    return [freed("%scratch")]


def _copy(block: Block, source: str, places: list[int], target: str) -> None:
    """Lane vectors from their places to an array, in a loop if they are many."""
    if len(places) <= _FEW:
        for k, place in enumerate(places):
            block.store(block.load(source, place), target, k)
    else:
        _collect(block, source, places, target)


def _collect(block: Block, source: str, places: list[int], target: str) -> None:
    table = block.table(places)
    call = (
        f"call void @collect_{block.words.width}(ptr {source}, ptr {table}, i64 {len(places)}, ptr {target})"
    )
    block.lines.append(call)


def _computed(
    plan: Plan, words: LlvmTypes, parts: Parts, name: str
) -> tuple[list[str], Callable[[Block], list[str]]]:
    """Functions of the loops and of the pieces, and how a block computes everything with them."""
    names = {index: f"{name}_scan{k}" for k, index in enumerate(plan.scans)}
    texts = [scan_functions(plan, index, words, parts, names[index]) for index in plan.scans]
    if not is_long(plan.traced):
        return texts, lambda block: _emit(block, plan, plan.order, names, parts)
    pieces = Pieces(plan)
    for number, own in enumerate(pieces.lists):
        block = _Piece(pieces, number, words, parts)
        texts += _emit(block, plan, own, names, parts)
        title = f"{name}_piece{number}"
        texts += [
            *block.tables(title), function_text(block, f"define internal void @{title}(ptr noalias %scratch)"),
        ]  # fmt: skip

    def body(block: Block) -> list[str]:
        block.lines += [
            f"call void @{name}_piece{number}(ptr %scratch)" for number in range(len(pieces.lists))
        ]
        return []

    return texts, body


class _Piece(Block):
    """Instructions of one piece; values of other pieces are loaded."""

    def __init__(self, pieces: Pieces, number: int, words: LlvmTypes, parts: Parts) -> None:
        plan = pieces.plan
        super().__init__(plan.traced, words, lambda block, k: block.load("%scratch", k), parts)
        self.pieces, self.number = pieces, number
        self.names |= {index: str(place) for index, place in plan.results.items()}

    def emit(self, index: int) -> str:
        found = self.graph.nodes[index][0] in CONDITIONS or self.graph.nodes[index][0] in LEAVES
        if index not in self.names and not found and self.pieces.of[index] != self.number:
            place = self.pieces.places.get(index)
            self.names[index] = self.load(
                "%scratch", self.pieces.plan.place(index) if place is None else place
            )
        return super().emit(index)


def _emit(block: Block, plan: Plan, order: list[int], names: dict[int, str], parts: Parts) -> list[str]:
    """Straight-line code and calls of the loops; what they and the outputs need is stored."""
    nodes = block.graph.nodes
    kept = plan.spilled | (block.pieces.places if isinstance(block, _Piece) else {})
    if not isinstance(block, _Piece) or block.number == 0:
        for index, place in plan.spilled.items():
            if nodes[index][0] == "const":
                block.store(block.emit(index), "%scratch", place)
    for index in order:
        if index in names:
            carry = block.graph.parts[nodes[index][1]].carry
            for k, operand in enumerate(nodes[index][2 : 2 + carry]):
                block.store(block.emit(operand), "%scratch", plan.starts[index] + k)
            block.lines.append(f"call void @{names[index]}(ptr %scratch)")
            block.names[index] = f"{plan.results[index]}"
        elif nodes[index][0] == "loop":
            _run_program(block, plan, index, parts)
            block.names[index] = f"{plan.results[index]}"
        elif nodes[index][0] == "call":
            _run_call(block, plan, index, parts)
            block.names[index] = f"{plan.results[index]}"
        elif nodes[index][0] not in ("input", "const", "result") or (
            nodes[index][0] == "result" and nodes[index][1] not in plan.results
        ):
            block.emit(index)
            if index in kept:
                block.store(block.names[index], "%scratch", kept[index])
    return []


def _run_program(block: Block, plan: Plan, index: int, parts: Parts) -> None:
    """Collect the arrays of a program that are not whole, and call it."""
    for target, places in plan.collected[index].values():
        _collect(block, "%scratch", places, block.at("%scratch", target))
    part = block.graph.parts[block.graph.nodes[index][1]]
    pointers = [block.place(place) for place in (*plan.arrays(index), plan.results[index])]
    name = f"{parts[id(part)]}_{block.words.width}"
    block.lines.append(f"call void @{name}({', '.join(f'ptr {p}' for p in pointers)})")


def _run_call(block: Block, plan: Plan, index: int, parts: Parts) -> None:
    """Call a sub-function with its arguments where they lie, if they lie side by side, else with copies."""
    node = block.graph.nodes[index]
    whole = plan.whole_arguments(index)
    arguments = block.memory(len(node) - 2) if whole is None else block.place(whole)
    if whole is None:
        for position, operand in enumerate(node[2:]):
            block.store(block.emit(operand), arguments, position)
    name = f"{parts[id(block.graph.parts[node[1]])]}_{block.words.width}"
    block.lines.append(f"call void @{name}(ptr {arguments}, ptr {block.place(plan.results[index])})")


def _unpack(block: Block, rows: list[str], columns: int, first: int, name: str) -> str:
    """Columns of an input into the scratch array from `first` on; in a loop if they are many."""
    width = block.words.width
    if columns < width:
        p = chunk_width(columns, width)
        for start in chunk_starts(columns, range(columns), width):
            for k, vector in enumerate(load_columns(block, rows, start, p)):
                block.store(vector, "%scratch", first + start + k)
        return ""
    target = block.at("%scratch", first)
    block.lines.append(f"call void @{name}({', '.join(f'ptr {row}' for row in rows)}, ptr {target})")
    inner = Block(block.traced, block.words, lambda block, k: "", {})
    moved = [
        inner.new(f"getelementptr {block.words.form.llvm}, ptr %row{lane}, i64 %start")
        for lane in range(width)
    ]
    for k, vector in enumerate(load_columns(inner, moved, 0, width)):
        inner.store(vector, "%there", k)
    return _column_loop(inner, columns, width, name, "%scratch")


def _pack(block: Block, rows: list[str], places: list, name: str) -> str:
    """Columns of an output from their places in the scratch array; in a loop if they are many."""
    width, columns = block.words.width, len(places)
    if columns < width:
        p = chunk_width(columns, width)
        for start in chunk_starts(columns, range(columns), width):
            vectors = [block.load("%scratch", place) for place in places[start : start + p]]
            store_columns(block, vectors, rows, start)
        return ""
    block.lines.append(f"call void @{name}({', '.join(f'ptr {row}' for row in rows)}, ptr %scratch)")
    inner, vectors = Block(block.traced, block.words, lambda block, k: "", {}), []
    for k in range(width):
        column = inner.new(f"add i64 %start, {k}")
        address = inner.new(f"getelementptr i32, ptr @{name}_places, i64 {column}")
        place = inner.new(f"sext i32 {inner.new(f'load i32, ptr {address}, align 4')} to i64")
        vectors.append(inner.load(inner.new(f"getelementptr {block.words.real}, ptr %scratch, i64 {place}")))
    moved = [
        inner.new(f"getelementptr {block.words.form.llvm}, ptr %row{lane}, i64 %start")
        for lane in range(width)
    ]
    store_columns(inner, vectors, moved, 0)
    numbers = ", ".join(f"i32 {place}" for place in places)
    table = f"@{name}_places = internal constant [{columns} x i32] [{numbers}], align 4"
    return table + "\n" + _column_loop(inner, columns, width, name, "%scratch")


def _column_loop(inner: Block, columns: int, width: int, name: str, scratch: str) -> str:
    """A loop over chunks of columns around the lines of `inner`; the last chunk ends at the last column."""
    rows = ", ".join(f"ptr %row{lane}" for lane in range(width))
    body = "\n".join(f"  {line}" for line in inner.lines)
    return f"""define internal void @{name}({rows}, ptr {scratch}) {{
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 {columns - width})
  %there = getelementptr {inner.words.real}, ptr {scratch}, i64 %start
{body}
  %next = add i64 %done, {width}
  %more = icmp slt i64 %next, {columns}
  br i1 %more, label %chunk, label %end
end:
  ret void
}}
"""
