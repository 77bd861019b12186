"""Loops over tables: one function per kind of item, and one that goes through the items."""

from __future__ import annotations

from bisect import bisect_right

from ...trace import Scan, Traced, scheduled
from ..memory_plan import Plan
from .block import Block, Parts
from .llvm_types import LlvmTypes
from .samples import function_text

_FIXED = 6  # kind, table row, carry in, carry out, kept, what the carry out is added to


def scan_functions(plan: Plan, index: int, words: LlvmTypes, parts: Parts, name: str) -> str:
    """`void name(ptr scratch)` for a scan node, with its tables and steps."""
    scan: Scan = plan.traced.graph.parts[plan.traced.graph.nodes[index][1]]
    records, runs = plan.records(index)
    length = max(map(len, records))
    numbers = [value for record in records for value in record + [0] * (length - len(record))]
    texts = [
        f"@{name}_records = internal constant {_array('i32', [str(value) for value in numbers])}, align 4"
    ]
    one = LlvmTypes(words.form, 1)
    for kind, table in enumerate(scan.tables):
        values = _array(
            words.form.llvm, [one.constant(value) for value in table.ravel()] or [one.constant(0.0)]
        )
        texts.append(f"@{name}_table{kind} = internal constant {values}, align 64")
    for kind, step in enumerate(scan.steps):
        texts.append(
            _step(step, scan.inward, runs[kind], words, parts, f"{name}_step{kind}", f"@{name}_table{kind}")
        )
    texts.append(_loop(scan, length, name))
    return "\n".join(texts)


def _array(kind: str, values: list[str]) -> str:
    return f"[{len(values)} x {kind}] [{', '.join(f'{kind} {value}' for value in values)}]"


def _step(
    step: Traced, inward: bool, runs: list[int], words: LlvmTypes, parts: Parts, name: str, table: str
) -> str:
    """`void name(ptr scratch, ptr record)`: one item of one kind."""
    columns, carry = step.input_shapes[0][0], step.input_shapes[1][0]
    pointers: dict[int, str] = {}

    def field(block: Block, position: int) -> str:
        address = block.new(f"getelementptr i32, ptr %record, i64 {position}")
        value = block.new(f"load i32, ptr {address}, align 4")
        return block.new(f"sext i32 {value} to i64")

    def place(block: Block, position: int) -> str:
        if position not in pointers:
            pointers[position] = block.new(
                f"getelementptr {words.real}, ptr %scratch, i64 {field(block, position)}"
            )
        return pointers[position]

    def load(block: Block, k: int) -> str:
        if k < columns:
            if -1 not in pointers:
                pointers[-1] = block.new(
                    f"getelementptr {words.form.llvm}, ptr {table}, i64 {field(block, 1)}"
                )
            return _broadcast(block, pointers[-1], k)
        if k < columns + carry:
            return block.load(place(block, 2), k - columns)
        k -= columns + carry
        run = bisect_right(runs, k) - 1
        return block.load(place(block, _FIXED + run), k - runs[run])

    block = Block(step, words, load, parts)
    for index in scheduled(step.graph, step.flat_outputs):
        block.emit(index)
    message, kept = step.outputs
    for k, index in enumerate(message):
        value = block.emit(index)
        if inward:
            value = block.new(f"fadd {words.real} {block.load(place(block, 5), k)}, {value}")
        block.store(value, place(block, 3), k)
    for k, index in enumerate(kept):
        block.store(block.emit(index), place(block, 4), k)
    return function_text(block, f"define internal void @{name}(ptr %scratch, ptr %record)")


def _broadcast(block: Block, table: str, column: int) -> str:
    """A number of the table in every lane."""
    words = block.words
    scalar = words.form.llvm
    address = block.new(f"getelementptr {scalar}, ptr {table}, i64 {column}")
    value = block.new(f"load {scalar}, ptr {address}, align {words.form.bytes}")
    if words.width == 1:
        return value
    first = block.new(f"insertelement {words.real} poison, {scalar} {value}, i32 0")
    return block.new(
        f"shufflevector {words.real} {first}, {words.real} poison, <{words.width} x i32> zeroinitializer"
    )


def _loop(scan: Scan, length: int, name: str) -> str:
    """`void name(ptr scratch)`: all items in order."""
    count = len(scan.parents)
    first, more, step = (count - 1, "sgt", -1) if scan.inward else (0, "slt", 1)
    end = -1 if scan.inward else count
    cases = " ".join(f"i32 {kind}, label %kind{kind}" for kind in range(len(scan.steps)))
    calls = "\n".join(
        f"kind{kind}:\n  call void @{name}_step{kind}(ptr %scratch, ptr %record)\n  br label %after"
        for kind in range(len(scan.steps))
    )
    return f"""define internal void @{name}(ptr %scratch) {{
entry:
  br label %items
items:
  %item = phi i64 [{first}, %entry], [%next, %after]
  %position = mul i64 %item, {length}
  %record = getelementptr i32, ptr @{name}_records, i64 %position
  %kind = load i32, ptr %record, align 4
  switch i32 %kind, label %after [{cases}]
{calls}
after:
  %next = add i64 %item, {step}
  %again = icmp {more} i64 %next, {end}
  br i1 %again, label %items, label %end
end:
  ret void
}}
"""
