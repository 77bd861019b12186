"""Instructions over a group of samples, one per lane."""

from __future__ import annotations

from collections.abc import Callable

from ...trace import Traced
from ..llvm_source.block import Block
from ..llvm_source.lanes import chunk_starts, chunk_width, load_columns, store_columns
from ..llvm_source.llvm_types import LlvmTypes

#: more columns than this are moved by loops: straight-line code for thousands takes the code generator long
MANY = 256


class GroupBlock(Block):
    """Instructions of a function `(ptr words, i64 sample, i64 count)` with branches.

    The lanes are the samples from `sample` on; those beyond the last repeat it, load and store included.
    """

    straight = False

    def __init__(self, traced: Traced, words: LlvmTypes) -> None:
        super().__init__(traced, words, lambda block, k: "", {})
        #: type of a lane vector of integers, and the number of every lane's sample
        self.counts = f"<{words.width} x i64>" if words.width > 1 else "i64"
        last = self.new("sub i64 %count, 1")
        lanes = [
            self.new(f"call i64 @llvm.umin.i64(i64 {lane}, i64 {last})") if lane else "0"
            for lane in range(words.width)
        ]
        self.samples = [self.new(f"add i64 %sample, {lane}") for lane in lanes]

    def line(self, text: str) -> None:
        """Append a line."""
        self.lines.append(text)

    def label(self, name: str) -> None:
        """Begin a basic block."""
        self.line(f"{name}:")

    def branch(self, target: str) -> None:
        """Go on at a label."""
        self.line(f"br label %{target}")

    def choose(self, condition: str, true: str, false: str) -> None:
        """Go on at one of two labels."""
        self.line(f"br i1 {condition}, label %{true}, label %{false}")

    def rows(self, base: str, stride: str) -> list[str]:
        """Pointers to the group's rows of an array whose rows are `stride` bytes apart."""
        offsets = [self.new(f"mul i64 {sample}, {stride}") for sample in self.samples]
        return [self.new(f"getelementptr i8, ptr {base}, i64 {offset}") for offset in offsets]

    def each(self, count: int, body: Callable[[str], None]) -> None:
        """body(i) for i = 0 … count − 1, as a loop."""
        number = len(self.reserved)
        counter, top, end = f"%i{number}", f"each{number}", f"each{number}_end"
        self.reserved.append(f"{counter} = alloca i64, align 8")
        self.line(f"store i64 0, ptr {counter}, align 8")
        self.branch(top)
        self.label(top)
        i = self.new(f"load i64, ptr {counter}, align 8")
        body(i)
        after = self.new(f"add i64 {i}, 1")
        self.line(f"store i64 {after}, ptr {counter}, align 8")
        self.choose(self.new(f"icmp slt i64 {after}, {count}"), top, end)
        self.label(end)

    def beyond(self, pointer: str, position: str) -> str:
        """Pointer to a lane vector of an array of them, at a place that is computed."""
        return self.new(f"getelementptr {self.words.real}, ptr {pointer}, i64 {position}")

    def copy(self, source: str, target: str, first: int, count: int) -> None:
        """Lane vectors of an array into another one from `first` on."""
        if count <= MANY:
            for k in range(count):
                self.store(self.load(source, k), target, first + k)
            return
        size = count * self.words.width * self.words.form.bytes
        to = self.at(target, first)
        self.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 {size}, i1 false)")

    def load_rows(self, rows: list[str], columns: int, target: str, first: int) -> None:
        """Columns of the group's rows as lane vectors, into an array of them from `first` on."""
        p = chunk_width(columns, self.words.width)
        if columns > MANY and self.words.width == 1:
            return self.copy(rows[0], target, first, columns)
        if columns > MANY:

            def chunk(i: str) -> None:
                start = self.new(f"mul i64 {i}, {p}")
                place = self.beyond(self.at(target, first), start)
                for k, vector in enumerate(load_columns(self, rows, start, p)):
                    self.store(vector, place, k)

            self.each(columns // p, chunk)
            if columns % p:
                for k, vector in enumerate(load_columns(self, rows, columns - p, p)):
                    self.store(vector, target, first + columns - p + k)
            return None
        for start in chunk_starts(columns, range(columns), self.words.width):
            for k, vector in enumerate(load_columns(self, rows, start, p)):
                self.store(vector, target, first + start + k)
        return None

    def spread_row(self, row: str, columns: int, target: str, first: int) -> None:
        """Columns of a row that all samples share, in every lane, into an array of lane vectors from `first` on."""
        kind, size = self.words.form.llvm, self.words.form.bytes

        def some(i: str, count: int = 8) -> None:
            start = self.new(f"mul i64 {i}, 8")
            place = self.beyond(self.at(target, first), start)
            for k in range(count):
                entry = self.new(f"getelementptr {kind}, ptr {row}, i64 {self.new(f'add i64 {start}, {k}')}")
                self.store(self.spread(self.new(f"load {kind}, ptr {entry}, align {size}")), place, k)

        self.each(columns // 8, some)
        if columns % 8:
            some(str(columns // 8), columns % 8)

    def store_rows(self, source: str, columns: int, rows: list[str]) -> None:
        """Lane vectors of an array into the group's rows."""
        p = chunk_width(columns, self.words.width)
        if columns > MANY and self.words.width == 1:
            return self.copy(source, rows[0], 0, columns)
        if columns > MANY:

            def chunk(i: str) -> None:
                start = self.new(f"mul i64 {i}, {p}")
                place = self.beyond(source, start)
                store_columns(self, [self.load(place, k) for k in range(p)], rows, start)

            self.each(columns // p, chunk)
            if columns % p:
                vectors = [self.load(source, columns - p + k) for k in range(p)]
                store_columns(self, vectors, rows, columns - p)
            return None
        for start in chunk_starts(columns, range(columns), self.words.width):
            vectors = [self.load(source, start + k) for k in range(p)]
            store_columns(self, vectors, rows, start)
        return None

    def narrowed(self, value: str) -> str:
        """A double in the format of the loop."""
        return value if self.words.form.bytes == 8 else self.new(f"fptrunc double {value} to float")

    def spread(self, value: str, kind: str | None = None) -> str:
        """A number in every lane."""
        scalar = kind or self.words.form.llvm
        if self.words.width == 1:
            return value
        vector = f"<{self.words.width} x {scalar}>"
        first = self.new(f"insertelement {vector} poison, {scalar} {value}, i32 0")
        mask = f"<{self.words.width} x i32> zeroinitializer"
        return self.new(f"shufflevector {vector} {first}, {vector} poison, {mask}")

    def gathered(self, base: str) -> str:
        """The group's entries of an array of integers."""
        vector = "poison"
        for lane, sample in enumerate(self.samples):
            place = self.new(f"getelementptr i64, ptr {base}, i64 {sample}")
            value = self.new(f"load i64, ptr {place}, align 8")
            if self.words.width == 1:
                return value
            vector = self.new(f"insertelement {self.counts} {vector}, i64 {value}, i32 {lane}")
        return vector

    def any(self, truth: str) -> str:
        """Whether any lane of a truth vector is true."""
        width = self.words.width
        if width == 1:
            return truth
        bits = self.new(f"bitcast {self.words.truth} {truth} to i{width}")
        return self.new(f"icmp ne i{width} {bits}, 0")

    def scattered(self, vector: str, base: str) -> None:
        """The group's entries of an array of integers, written."""
        for lane, sample in enumerate(self.samples):
            place = self.new(f"getelementptr i64, ptr {base}, i64 {sample}")
            value = vector
            if self.words.width > 1:
                value = self.new(f"extractelement {self.counts} {vector}, i32 {lane}")
            self.line(f"store i64 {value}, ptr {place}, align 8")
