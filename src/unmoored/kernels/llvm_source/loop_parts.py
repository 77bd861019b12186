"""Programs with loops as LLVM functions over arrays of lane vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...trace import Graph, LoopPart, Traced
from ...trace.loop_program import FAR, Writer, as_list
from .block import Block, Parts, freed, heap_lines
from .llvm_types import LlvmTypes
from .samples import function_text

#: arrays of more bytes than this do not go on the stack
_STACK = 16384
_NOTHING = Traced(Graph(), (), (), ())


def program_function(part: LoopPart, words: LlvmTypes, parts: Parts, name: str) -> str:
    """`void name(ptr operand..., ptr results)`: a program, its arrays lane vectors side by side."""
    writer = _LlvmWriter(words, parts)
    part.write(writer, [f"%o{k}" for k in range(len(part.groups))], "%results")
    writer.release()
    pointers = ", ".join(f"ptr %o{k}" for k in range(len(part.groups)))
    head = f"define internal void @{name}({pointers}{', ' if pointers else ''}ptr %results)"
    return "\n".join([*writer.block.tables(name), function_text(writer.block, head)])


def collect_function(words: LlvmTypes) -> str:
    """`void collect_W(ptr from, ptr places, i64 count, ptr to)`: lane vectors from their places to an array."""
    real, size = words.real, words.form.bytes
    return f"""define internal void @collect_{words.width}(ptr %from, ptr %places, i64 %count, ptr %to) {{
entry:
  br label %next
next:
  %k = phi i64 [0, %entry], [%after, %next]
  %entry_k = getelementptr i32, ptr %places, i64 %k
  %short = load i32, ptr %entry_k, align 4
  %place = sext i32 %short to i64
  %source = getelementptr {real}, ptr %from, i64 %place
  %value = load {real}, ptr %source, align {size}
  %target = getelementptr {real}, ptr %to, i64 %k
  store {real} %value, ptr %target, align {size}
  %after = add i64 %k, 1
  %more = icmp slt i64 %after, %count
  br i1 %more, label %next, label %end
end:
  ret void
}}
"""


class _Index:
    """A loop variable, or a sum of them and whole numbers."""

    def __init__(self, block: Block, text: str) -> None:
        self.block, self.text = block, text

    def _new(self, operation: str, a: Any, b: Any) -> _Index:
        return _Index(self.block, self.block.new(f"{operation} i64 {a}, {b}"))

    def __str__(self) -> str:
        return self.text

    def __add__(self, other: Any) -> _Index:
        return self if other == 0 else self._new("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> _Index:
        return self._new("sub", self, other)

    def __rsub__(self, other: Any) -> _Index:
        return self._new("sub", other, self)

    def __mul__(self, other: int) -> Any:
        return self if other == 1 else 0 if other == 0 else self._new("mul", self, other)

    __rmul__ = __mul__


class _Row(str):
    """Name of a vector of numbers of one sample, and its type."""

    words: LlvmTypes


class _LlvmWriter(Writer):
    """Instructions with branches; a loop's variable and carried numbers are phis of the block that it begins with.

    A sample that is alone leaves the lanes free: they take the numbers of a row.
    """

    def __init__(self, words: LlvmTypes, parts: Parts) -> None:
        self.words, self._parts = words, parts
        self.lanes = words.lanes
        self.block = Block(_NOTHING, words, lambda block, k: "", parts)
        self.block.straight = False
        self._label, self._loops = "begin", 0
        self._owned: list[str] = []

    def release(self) -> None:
        """Give back the memory that is not on the stack."""
        self.block.lines += [freed(name) for name in self._owned]
        self.block.lines.insert(0, "br label %begin")
        self.block.lines.insert(1, "begin:")

    def array(self, size: int) -> str:
        if size * self.words.bytes <= _STACK:
            return self.block.memory(size)
        name = f"%owned{len(self._owned)}"
        self._owned.append(name)
        self.block.reserved += heap_lines(name, size * self.words.bytes)
        return name

    def at(self, array: str, index: Any) -> str:
        zero = isinstance(index, int) and index == 0
        return array if zero else self.block.new(f"getelementptr {self.words.real}, ptr {array}, i64 {index}")

    def load(self, array: str, index: Any) -> str:
        place = self.at(array, index)
        return self.block.new(f"load {self.words.real}, ptr {place}, align {self.words.form.bytes}")

    def store(self, array: str, index: Any, value: str) -> None:
        place = self.at(array, index)
        self.block.lines.append(
            f"store {self.words.real} {value}, ptr {place}, align {self.words.form.bytes}"
        )

    def constant(self, value: float) -> str:
        return self.words.constant(value)

    def number(self, index: Any) -> str:
        if isinstance(index, int):
            return self.words.constant(float(index))
        scalar, width = self.words.form.llvm, self.words.width
        value = self.block.new(f"sitofp i64 {index} to {scalar}")
        if width == 1:
            return value
        first = self.block.new(f"insertelement {self.words.real} poison, {scalar} {value}, i32 0")
        mask = f"<{width} x i32> zeroinitializer"
        return self.block.new(f"shufflevector {self.words.real} {first}, {self.words.real} poison, {mask}")

    def apply(self, operation: str, *values: str) -> str:
        return self.block.operation(operation, list(values))

    def loop(
        self, start: Any, stop: Any, body: Callable[..., Any], carried: Sequence[Any] = (), down: bool = False
    ) -> list[Any]:
        self._loops += 1
        lines, k, before = self.block.lines, self._loops, self._label
        names = [f"%c{k}_{j}" for j in range(len(carried))]
        lines += [f"br label %head{k}", f"head{k}:"]
        phis = len(lines)
        lines += [""] * (1 + len(names))
        lines += [f"%more{k} = icmp slt i64 %n{k}, {stop}", f"br i1 %more{k}, label %body{k}, label %exit{k}"]
        lines.append(f"body{k}:")
        self._label = f"body{k}"
        index = _Index(self.block, f"%n{k}")
        if down:  # the last one first
            index = (stop - 1) + start - index
        after = as_list(body(index, *names)) if names else (body(index), [])[1]
        lines.append(f"%next{k} = add i64 %n{k}, 1")
        end = self._label
        lines += [f"br label %head{k}", f"exit{k}:"]
        lines[phis] = f"%n{k} = phi i64 [{start}, %{before}], [%next{k}, %{end}]"
        for j, (name, first, new) in enumerate(zip(names, carried, after, strict=True)):
            kind = first.words.real if isinstance(first, _Row) else self.words.real
            lines[phis + 1 + j] = f"{name} = phi {kind} [{first}, %{before}], [{new}, %{end}]"
        self._label = f"exit{k}"
        return list(names)

    def unless(self, flag: str, body: Callable[[], Any]) -> None:
        self._loops += 1
        block, k, width = self.block, self._loops, self.words.width
        runs = block.new(f"fcmp ult {self.words.real} {flag}, {self.words.constant(0.5)}")
        if width > 1:  # any of the lanes
            bits = block.new(f"bitcast <{width} x i1> {runs} to i{width}")
            runs = block.new(f"icmp ne i{width} {bits}, 0")
        block.lines += [f"br i1 {runs}, label %run{k}, label %ran{k}", f"run{k}:"]
        self._label = f"run{k}"
        body()
        block.lines += [f"br label %ran{k}", f"ran{k}:"]
        self._label = f"ran{k}"

    def row(self, array: str, index: Any, count: int) -> Any:
        if self.lanes == 1:
            return super().row(array, index, count)
        words = LlvmTypes(self.words.form, count)
        place = self.at(array, index)
        return self._row(words, self.block.new(f"load {words.real}, ptr {place}, align {words.form.bytes}"))

    def spread(self, x: str, count: int) -> Any:
        if self.lanes == 1:
            return super().spread(x, count)
        words = LlvmTypes(self.words.form, count)
        if count == 1:
            return self._row(words, x)
        first = self.block.new(f"insertelement {words.real} poison, {words.form.llvm} {x}, i32 0")
        mask = f"<{count} x i32> zeroinitializer"
        return self._row(
            words, self.block.new(f"shufflevector {words.real} {first}, {words.real} poison, {mask}")
        )

    def soon(self, array: str, index: Any) -> None:
        place = self.at(array, index)
        self.block.lines.append(f"call void @llvm.prefetch.p0(ptr {place}, i32 0, i32 3, i32 1)")

    def part(self, row: Any, first: int, count: int) -> Any:
        if self.lanes == 1:
            return super().part(row, first, count)
        return self._chosen(row, range(first, first + count))

    def repeated(self, row: Any, times: int) -> Any:
        if self.lanes == 1:
            return super().repeated(row, times)
        return self._chosen(row, [*range(row.words.width)] * times)

    def _chosen(self, row: Any, places: Sequence[int]) -> Any:
        """The numbers at these places of a row."""
        words, kind = LlvmTypes(self.words.form, len(places)), row.words.real
        if row.words.width == 1:
            return self.spread(str(row), len(places))
        if words.width == 1:
            return self._row(words, self.block.new(f"extractelement {kind} {row}, i32 {places[0]}"))
        mask = ", ".join(f"i32 {place}" for place in places)
        name = self.block.new(f"shufflevector {kind} {row}, {kind} poison, <{len(places)} x i32> <{mask}>")
        return self._row(words, name)

    def store_row(self, array: str, index: Any, row: Any) -> None:
        if self.lanes == 1:
            return super().store_row(array, index, row)
        place = self.at(array, index)
        line = f"store {row.words.real} {row}, ptr {place}, align {row.words.form.bytes}"
        self.block.lines.append(line)

    def on_rows(self, operation: str, *rows: Any) -> Any:
        if self.lanes == 1:
            return super().on_rows(operation, *rows)
        own, self.block.words = self.block.words, rows[0].words
        result = self._row(rows[0].words, self.block.operation(operation, list(rows)))
        self.block.words = own
        return result

    def loop_rows(
        self, start: Any, stop: Any, body: Callable[..., Any], carried: Sequence[Any], down: bool = False
    ) -> list[Any]:
        if self.lanes == 1:
            return super().loop_rows(start, stop, body, carried, down)
        kinds = [row.words for row in carried]

        def named(names: Sequence[str]) -> list[_Row]:
            return [self._row(words, name) for words, name in zip(kinds, names, strict=True)]

        return named(self.loop(start, stop, lambda k, *names: body(k, *named(names)), carried, down))

    @staticmethod
    def _row(words: LlvmTypes, name: str) -> _Row:
        row = _Row(name)
        row.words = words
        return row

    def call(self, part: Traced, arguments: str, results: str) -> None:
        name = f"{self._parts[id(part)]}_{self.words.width}"
        self.block.lines.append(f"call void @{name}(ptr {arguments}, ptr {results})")

    def far(self, handle: Sequence[str]) -> Any:
        """The address of the first lane, which all samples share; then a mask, zero if there is none."""
        words, block, address = self.words, self.block, "0"
        if words.width > 1:
            handle = [block.new(f"extractelement {words.real} {number}, i32 0") for number in handle]
        scalar = LlvmTypes(words.form, 1)
        marked = block.new(f"fcmp oeq {scalar.real} {handle[0]}, {scalar.constant(FAR)}")
        for k, number in enumerate(handle[1:]):
            part = block.new(f"fptoui {scalar.real} {number} to i64")
            address = block.new(f"or i64 {address}, {block.new(f'shl i64 {part}, {16 * k}')}")
        pointer = block.new(f"inttoptr i64 {address} to ptr")
        nothing = self.array(1)
        self.store(nothing, 0, self.constant(float("nan")))
        return block.new(f"select i1 {marked}, ptr {pointer}, ptr {nothing}"), block.new(
            f"sext i1 {marked} to i64"
        )

    def known(self, double: np.ndarray, single: np.ndarray) -> Any:
        form = self.words.form
        return self.block.table((single if form.bytes == 4 else double).tolist(), form.llvm), "-1"

    def fetch(self, far: Any, first: int, place: str) -> str:
        words, block, vector = self.words, self.block, "poison"
        far, mask = far
        scalar, width = words.form.llvm, words.width
        whole = "i64" if width == 1 else f"<{width} x i64>"
        numbers = block.new(f"fptosi {words.real} {place} to {whole}")
        for lane in range(width):
            number = numbers if width == 1 else block.new(f"extractelement {whole} {numbers}, i32 {lane}")
            number = block.new(f"and i64 {block.new(f'add i64 {number}, {first}')}, {mask}")
            pointer = block.new(f"getelementptr {scalar}, ptr {far}, i64 {number}")
            value = block.new(f"load {scalar}, ptr {pointer}, align {words.form.bytes}")
            if width == 1:
                return value
            vector = block.new(f"insertelement {words.real} {vector}, {scalar} {value}, i32 {lane}")
        return vector

    def _places(self, array: str, size: int, place: str) -> list[str]:
        """For every lane, the pointer to its number of the lane vector at its own place."""
        words, block = self.words, self.block
        scalar, width = words.form.llvm, words.width
        whole = "i64" if width == 1 else f"<{width} x i64>"
        numbers = block.new(f"fptosi {words.real} {place} to {whole}")
        found = []
        for lane in range(width):
            number = numbers if width == 1 else block.new(f"extractelement {whole} {numbers}, i32 {lane}")
            number = block.new(f"call i64 @llvm.umin.i64(i64 {number}, i64 {size - 1})")
            entry = block.new(f"mul i64 {number}, {width}")
            entry = block.new(f"add i64 {entry}, {lane}")
            found.append(block.new(f"getelementptr {scalar}, ptr {array}, i64 {entry}"))
        return found

    def gather(self, array: str, size: int, place: str) -> str:
        words, block, vector = self.words, self.block, "poison"
        scalar = words.form.llvm
        for lane, pointer in enumerate(self._places(array, size, place)):
            value = block.new(f"load {scalar}, ptr {pointer}, align {words.form.bytes}")
            if words.width == 1:
                return value
            vector = block.new(f"insertelement {words.real} {vector}, {scalar} {value}, i32 {lane}")
        return vector

    def scatter_add(self, array: str, size: int, place: str, value: str) -> None:
        words, block = self.words, self.block
        scalar = words.form.llvm
        for lane, pointer in enumerate(self._places(array, size, place)):
            own = value
            if words.width > 1:
                own = block.new(f"extractelement {words.real} {value}, i32 {lane}")
            old = block.new(f"load {scalar}, ptr {pointer}, align {words.form.bytes}")
            total = block.new(f"fadd {scalar} {old}, {own}")
            block.lines.append(f"store {scalar} {total}, ptr {pointer}, align {words.form.bytes}")
