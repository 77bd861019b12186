"""Results of large batches written past the caches, which they would only fill.

Samples that the lanes compute side by side write to rows that lie apart, at any place of a cache line and in any order,
so that memory is read before it is written. Here their rows are put together in a buffer first, and go to memory line
by line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .llvm_types import LlvmTypes
from .streamed_columns import PAST

Shape = tuple[int, ...]
#: bytes of all results from which on they are streamed: more than stays near one processor core, since what comes from
#: the cache that cores share is asked for early enough
LARGE = 6 << 20
#: bytes of results that a thread should take at once
SHARE = 3 << 20
#: least bytes of a sample's results, and most bytes of a buffer
_LEAST, _BUFFER = 512, 1 << 17


def row_bytes(shapes: Sequence[Shape], inputs: int, words: LlvmTypes) -> int:
    """Bytes of a sample's results, if it is worth streaming them, else 0."""
    size = sum(map(math.prod, shapes[inputs:])) * words.form.bytes
    return size if size >= _LEAST and size * words.width <= _BUFFER else 0


def streamed_function(
    shapes: Sequence[Shape], inputs: int, words: LlvmTypes, lanes: str, name: str, told: bool
) -> str:
    """The same function as the lanes', whose results are streamed."""
    count, result = len(shapes), "i1" if told else "void"
    arguments = ", ".join(f"ptr %a{k}, i64 %s{k}" for k in range(count))
    sizes = {k: math.prod(shapes[k]) * words.form.bytes for k in range(inputs, count)}
    passed = [f"ptr %a{k}, i64 %s{k}" for k in range(inputs)] + [f"ptr %b{k}, i64 {sizes[k]}" for k in sizes]
    buffers = "\n".join(f"  %b{k} = alloca i8, i64 {sizes[k] * words.width}, align 64" for k in sizes)
    streams = "\n".join(
        f"  call void @stream_rows(ptr %a{k}, i64 %s{k}, ptr %b{k}, i64 {sizes[k]}, i64 %rows)" for k in sizes
    )
    return f"""{_stream_rows(words)}
define internal {result} @{name}({arguments}, i64 %count) {{
{buffers}
  {"%told = " if told else ""}call {result} @{lanes}({", ".join(passed)}, i64 %count)
  %rows = call i64 @llvm.umin.i64(i64 %count, i64 {words.width})
{streams}
  ret {"i1 %told" if told else "void"}
}}
"""


def _stream_rows(words: LlvmTypes) -> str:
    """`void stream_rows(ptr to, i64 stride, ptr from, i64 bytes, i64 rows)`: rows that lie side by side in `from`."""
    size, scalar = words.form.bytes, words.form.llvm
    return f"""{PAST}
define internal void @stream_rows(ptr %to, i64 %stride, ptr %from, i64 %bytes, i64 %rows) {{
entry:
  %whole = icmp eq i64 %stride, %bytes
  %all = mul i64 %bytes, %rows
  %length = select i1 %whole, i64 %all, i64 %bytes
  %pieces = select i1 %whole, i64 1, i64 %rows
  br label %piece
piece:
  %k = phi i64 [0, %entry], [%k_next, %piece_end]
  %away = mul i64 %k, %stride
  %target = getelementptr i8, ptr %to, i64 %away
  %along = mul i64 %k, %bytes
  %source = getelementptr i8, ptr %from, i64 %along
  %address = ptrtoint ptr %target to i64
  %behind = sub i64 0, %address
  %off = and i64 %behind, {words.bytes - 1}
  %head = call i64 @llvm.umin.i64(i64 %off, i64 %length)
  call void @copy_numbers(ptr %target, ptr %source, i64 0, i64 %head)
  %rest = sub i64 %length, %head
  %full = and i64 %rest, {-words.bytes}
  %end = add i64 %head, %full
  %some = icmp ne i64 %full, 0
  br i1 %some, label %line, label %tail
line:
  %i = phi i64 [%head, %piece], [%i_next, %line]
  %there = getelementptr i8, ptr %source, i64 %i
  %here = getelementptr i8, ptr %target, i64 %i
  %x = load {words.real}, ptr %there, align {size}
  store {words.real} %x, ptr %here, align {words.bytes}, !nontemporal !0
  %i_next = add i64 %i, {words.bytes}
  %more = icmp slt i64 %i_next, %end
  br i1 %more, label %line, label %tail
tail:
  call void @copy_numbers(ptr %target, ptr %source, i64 %end, i64 %length)
  br label %piece_end
piece_end:
  %k_next = add i64 %k, 1
  %k_more = icmp slt i64 %k_next, %pieces
  br i1 %k_more, label %piece, label %end_all
end_all:
  ret void
}}
define internal void @copy_numbers(ptr %to, ptr %from, i64 %start, i64 %end) {{
entry:
  %any = icmp slt i64 %start, %end
  br i1 %any, label %next, label %done
next:
  %i = phi i64 [%start, %entry], [%after, %next]
  %there = getelementptr i8, ptr %from, i64 %i
  %here = getelementptr i8, ptr %to, i64 %i
  %x = load {scalar}, ptr %there, align {size}
  store {scalar} %x, ptr %here, align {size}
  %after = add i64 %i, {size}
  %more = icmp slt i64 %after, %end
  br i1 %more, label %next, label %done
done:
  ret void
}}
"""
