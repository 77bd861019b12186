"""Samples with a NaN among their inputs: found, and all of their results made NaN.

Many results do not depend on all inputs (a mass matrix knows no position), so a NaN would stay hidden in them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from ...trace import Traced, live_nodes
from ..number_formats import Format
from .block import Block
from .lanes import chunk_starts, chunk_width

Shape = tuple[int, ...]
#: entries of one array that are looked at in straight-line code; of more, in a loop
_FEW = 256
_LANES = 8
#: operations whose result is NaN if one of their operands is
_PASSES_ON = frozenset(
    ("add", "sub", "mul", "div", "fma", "neg", "sqrt", "abs", "min", "max", "floor", "rint")
)


def spoiling_functions(shapes: Sequence[Shape], inputs: int, form: Format) -> str:
    """Functions that find a NaN and spread it.

    `i1 has_nan(ptr input...)` tells whether a sample has a NaN among its inputs. `void spoil_sample(ptr array...)` and
    `void spoil_samples(ptr, i64 stride, ..., i64 count)` then fill its outputs with NaN.
    """
    sizes = [math.prod(shape) for shape in shapes]
    arrays = range(len(shapes))
    plain = ", ".join(f"ptr %a{k}" for k in arrays)
    given = ", ".join(f"ptr %a{k}" for k in range(inputs))
    fills = "\n".join(f"  call void @fill_nan(ptr %a{k}, i64 {sizes[k]})" for k in arrays[inputs:])
    strided = ", ".join(f"ptr %a{k}, i64 %s{k}" for k in arrays)
    moved = "\n".join(
        f"  %o{k} = mul i64 %i, %s{k}\n  %p{k} = getelementptr i8, ptr %a{k}, i64 %o{k}" for k in arrays
    )
    row = ", ".join(f"ptr %p{k}" for k in arrays)
    return f"""{_has_nan(sizes[:inputs], form)}
define internal void @fill_nan(ptr %a, i64 %size) {{
start:
  br label %next
next:
  %i = phi i64 [0, %start], [%after, %next]
  %place = getelementptr {form.llvm}, ptr %a, i64 %i
  store {form.llvm} 0x7FF8000000000000, ptr %place, align {form.bytes}
  %after = add i64 %i, 1
  %more = icmp slt i64 %after, %size
  br i1 %more, label %next, label %end
end:
  ret void
}}
define internal void @spoil_sample({plain}) {{
  %bad = call i1 @has_nan({given})
  br i1 %bad, label %fill, label %end
fill:
{fills}
  br label %end
end:
  ret void
}}
define internal void @spoil_samples({strided}, i64 %count) {{
start:
  br label %next
next:
  %i = phi i64 [0, %start], [%after, %next]
{moved}
  call void @spoil_sample({row})
  %after = add i64 %i, 1
  %more = icmp slt i64 %after, %count
  br i1 %more, label %next, label %end
end:
  ret void
}}
"""


def hidden_inputs(traced: Traced) -> set[int]:
    """The inputs, flat, whose NaN may not reach every output by itself."""
    nodes, everything = traced.graph.nodes, (1 << traced.input_offsets[-1]) - 1
    reached: dict[int, int] = {}  # by node: the inputs that certainly spoil it, one bit for each
    for index in live_nodes(traced.graph, traced.flat_outputs):
        operation, *operands = nodes[index]
        spoilt = 0
        if operation == "input":
            spoilt = 1 << operands[0]
        elif operation in _PASSES_ON:
            for k in operands:
                spoilt |= reached.get(k, 0)
        elif operation == "copysign":
            spoilt = reached.get(operands[0], 0)
        elif operation == "select":
            spoilt = reached.get(operands[1], 0) & reached.get(operands[2], 0)
        reached[index] = spoilt
    common = everything
    for index in traced.flat_outputs:
        common &= reached.get(index, 0)
    return {k for k in range(traced.input_offsets[-1]) if not common >> k & 1}


def unordered(block: Block, vectors: Sequence[str], width: int) -> str:
    """A truth value for every lane of vectors of this width: whether one of them has a NaN there."""
    real, truth = (f"<{width} x {kind}>" if width > 1 else kind for kind in (block.words.form.llvm, "i1"))
    pairs = [*zip(vectors[::2], vectors[1::2], strict=False)]
    pairs += [(vectors[-1], vectors[-1])] if len(vectors) % 2 else []
    found = [block.new(f"fcmp uno {real} {a}, {b}") for a, b in pairs]
    total = found[0]
    for flag in found[1:]:
        total = block.new(f"or {truth} {total}, {flag}")
    return total


def watched_rows(
    block: Block, rows: list[list[str]], offsets: Sequence[int], hidden: set[int], flags: list[str]
) -> str:
    """Whether one of the truth values of the lanes is true, or one of these inputs, which are not loaded, is NaN.

    rows: pointers to each lane's row of each array. Rows are looked at as they lie, without a transposition.
    """
    scalar, width = block.words.form.llvm, block.words.width
    by_width: dict[int, list[str]] = {}
    for array, (first, end) in enumerate(pairwise(offsets)):
        p = chunk_width(end - first, width)
        for start in chunk_starts(end - first, [k - first for k in hidden if first <= k < end], width):
            for row in rows[array]:
                place = block.new(f"getelementptr {scalar}, ptr {row}, i64 {start}")
                kind = f"<{p} x {scalar}>" if p > 1 else scalar
                piece = block.new(f"load {kind}, ptr {place}, align {block.words.form.bytes}")
                by_width.setdefault(p, []).append(piece)
    whole: dict[int, list[str]] = {p: [unordered(block, pieces, p)] for p, pieces in by_width.items()}
    if flags:
        whole.setdefault(width, []).extend(flags)
    told = "false"
    for p, found in whole.items():
        truth, total = f"<{p} x i1>" if p > 1 else "i1", found[0]
        for flag in found[1:]:
            total = block.new(f"or {truth} {total}, {flag}")
        if p > 1:
            bits = block.new(f"bitcast {truth} {total} to i{p}")
            total = block.new(f"icmp ne i{p} {bits}, 0")
        told = total if told == "false" else block.new(f"or i1 {told}, {total}")
    return told


def _has_nan(sizes: Sequence[int], form: Format) -> str:
    lines, flags, loops = [], [], []
    for array, size in enumerate(sizes):
        if size > _FEW:
            loops.append((array, size))
            continue
        start = 0
        while start < size:
            lanes = min(_LANES, 1 << ((size - start).bit_length() - 1))
            name = f"{array}_{start}"
            kind = form.llvm if lanes == 1 else f"<{lanes} x {form.llvm}>"
            lines += [
                f"  %p{name} = getelementptr {form.llvm}, ptr %a{array}, i64 {start}",
                f"  %x{name} = load {kind}, ptr %p{name}, align {form.bytes}",
                f"  %u{name} = fcmp uno {kind} %x{name}, %x{name}",
            ]
            if lanes > 1:
                lines += [
                    f"  %b{name} = bitcast <{lanes} x i1> %u{name} to i{lanes}",
                    f"  %f{name} = icmp ne i{lanes} %b{name}, 0",
                ]
            flags.append(f"%f{name}" if lanes > 1 else f"%u{name}")
            start += lanes
    for array, size in loops:
        lines.append(f"  %f{array} = call i1 @nan_in_many(ptr %a{array}, i64 {size})")
        flags.append(f"%f{array}")
    total = "false"
    for k, flag in enumerate(flags):
        lines.append(f"  %any{k} = or i1 {total}, {flag}")
        total = f"%any{k}"
    given = ", ".join(f"ptr %a{k}" for k in range(len(sizes)))
    body = "\n".join(lines)
    return f"""{_many(form) if loops else ""}
define internal i1 @has_nan({given}) {{
{body}
  ret i1 {total}
}}"""


def _many(form: Format) -> str:
    return f"""define internal i1 @nan_in_many(ptr %a, i64 %size) {{
start:
  br label %next
next:
  %i = phi i64 [0, %start], [%after, %next]
  %seen = phi i1 [false, %start], [%now, %next]
  %place = getelementptr {form.llvm}, ptr %a, i64 %i
  %x = load {form.llvm}, ptr %place, align {form.bytes}
  %bad = fcmp uno {form.llvm} %x, %x
  %now = or i1 %seen, %bad
  %after = add i64 %i, 1
  %more = icmp slt i64 %after, %size
  br i1 %more, label %next, label %end
end:
  ret i1 %now
}}
"""
