"""Columns of matrices stored through the caches or, for large batches, line by line past them, among the computing.

A chunk of columns of one sample is as long as a cache line. Where it lies in one, it goes there as it is. Where rows
begin inside of lines (at any place, which the lanes do not share), a line is the end of one chunk and the beginning of
the next: the chunk before waits, and the two are permuted into the line. What a row has of its first and last line
goes through the caches, since the rest of it belongs to other rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from .block import Block
from .lanes import ask_for_columns, store_rows, transposed_columns
from .llvm_types import LlvmTypes

#: how a function of lanes stores: through the caches, whole lines past them, or lines put together past them
NEAR, WHOLE, SHIFTED = 0, 1, 2
#: bytes of a cache line
LINE = 64
#: what `!0` means of a store: past the caches
PAST = "!0 = !{i32 1}"


def declared_for_streams(words: LlvmTypes) -> str:
    """What the code of streams calls, and the name that says: past the caches."""
    store = f"declare void @llvm.masked.store.{words.suffix}.p0({words.real}, ptr, i32, {words.truth})"
    permuted = (
        f"declare {words.real} @{_PERMUTE[words.form.bytes]}({words.real}, {words.integer}, {words.real})"
    )
    return f"{PAST}\n{store}\n{permuted}"


_PERMUTE = {8: "llvm.x86.avx512.vpermi2var.pd.512", 4: "llvm.x86.avx512.vpermi2var.ps.512"}


class ColumnStore:
    """How a function stores the columns of its outputs: plainly, if there are no ways to choose from.

    rows: pointers to each lane's row, of every output; sizes: how many columns they have. ways: whether the function
    has an argument `i32 %way`: NEAR, WHOLE (if rows of all outputs begin with a line) or SHIFTED.
    """

    def __init__(self, block: Block, rows: list[list[str]], sizes: Sequence[int], ways: bool) -> None:
        self._block, self._rows, self._sizes = block, rows, sizes
        self._width = block.words.width
        self._whole = all(size % self._width == 0 for size in sizes)
        self._upwards: dict[int, bool] = {}
        self._labels = 0
        self._near = ""
        if ways:
            self._near = block.new(f"icmp eq i32 %way, {NEAR}")
            self._is_whole = block.new(f"icmp eq i32 %way, {WHOLE}")
            #: the chunk before and the order of the line, of every lane; and the borders of lines where rows begin
            self._before, self._order = block.memory(self._width), block.memory(self._width)
            block.reserved.append(f"%borders = alloca [{self._width} x ptr], align 8")
            self._ask_for_ends()

    def ask(self, array: int, column: int) -> None:
        """A column will be stored soon."""
        if not self._near:
            ask_for_columns(self._block, self._rows[array], column)
            return
        near, then = self._label("ask"), self._label("on")
        self._branch(self._near, near, then)
        ask_for_columns(self._block, self._rows[array], column)
        self._go(then)

    def store(self, array: int, start: int, columns: list[str]) -> None:
        """Lane vectors of neighbouring columns from `start` on: from the first of an output to the last, or back."""
        block, rows = self._block, self._rows[array]
        pieces = transposed_columns(block, columns, self._width)
        if not self._near or len(columns) < self._width:
            store_rows(block, pieces, rows, start, len(columns))
            return
        near, past, then = self._label("near"), self._label("past"), self._label("on")
        self._branch(self._near, near, past)
        store_rows(block, pieces, rows, start, len(columns))
        self._go(then, past)
        if self._whole:
            lines, shifted = self._label("lines"), self._label("shifted")
            self._branch(self._is_whole, lines, shifted)
            for row, piece in zip(rows, pieces, strict=True):
                place = block.new(f"getelementptr {block.words.form.llvm}, ptr {row}, i64 {start}")
                self._past_caches(piece, place)
            self._go(then, shifted)
        self._store_shifted(array, start, pieces)
        self._go(then)

    def _store_shifted(self, array: int, start: int, pieces: list[str]) -> None:
        """Lines that are complete with this chunk. Line c of a row ends with the beginning of chunk c."""
        width, (full, rest) = self._width, divmod(self._sizes[array], self._width)
        chunk, last = -(-start // width), full - (rest == 0)
        if array not in self._upwards:
            self._upwards[array] = start == 0
            self._begin(array)
        upwards = self._upwards[array]
        for lane, piece in enumerate(pieces):
            if chunk == full:  # fewer columns are left than a chunk has: they come first
                piece = self._turned(piece, width - rest)
            if chunk == 0:
                self._partly(self._line(lane, piece, piece), array, lane, 0, "sge", 0)
            if chunk == last:  # what is left of it, beyond its line
                beyond = rest - width if rest else 0
                self._partly(self._line(lane, piece, piece), array, lane, last + 1, "slt", beyond)
            if chunk != (0 if upwards else last):
                before = self._block.load(self._before, lane)
                line, number = self._line(lane, piece, before), chunk + (not upwards)
                if number == full and rest:
                    self._partly(line, array, lane, number, "slt", rest)
                else:
                    self._past_caches(line, self._place(lane, number))
            self._block.store(piece, self._before, lane)

    def _begin(self, array: int) -> None:
        """Note where lines begin, and how a line is put together from a chunk and the one before."""
        block, words = self._block, self._block.words
        table = block.table(orders(self._width, self._upwards[array]), words.scalar_integer)
        for lane, row in enumerate(self._rows[array]):
            border = block.new(f"call ptr @llvm.ptrmask.p0.i64(ptr {row}, i64 {-LINE})")
            slot = block.new(f"getelementptr ptr, ptr %borders, i64 {lane}")
            block.lines.append(f"store ptr {border}, ptr {slot}, align 8")
            order = block.new(f"getelementptr {words.integer}, ptr {table}, i64 {self._shift(array, lane)}")
            block.store(block.load(order), self._order, lane)

    def _shift(self, array: int, lane: int) -> str:
        """How many numbers after the border of a line a row begins."""
        address = self._block.new(f"ptrtoint ptr {self._rows[array][lane]} to i64")
        inside = self._block.new(f"and i64 {address}, {LINE - 1}")
        return self._block.new(f"udiv i64 {inside}, {self._block.words.form.bytes}")

    def _ask_for_ends(self) -> None:
        """Bring near what rows have of their first and last lines, if they are to be shifted."""
        ask, then = self._label("ends"), self._label("on")
        self._branch(self._block.new(f"icmp eq i32 %way, {SHIFTED}"), ask, then)
        for rows, size in zip(self._rows, self._sizes, strict=True):
            if size >= self._width:
                ask_for_columns(self._block, rows, 0)
                ask_for_columns(self._block, rows[-1:], size - 1)
        self._go(then)

    def _line(self, lane: int, piece: str, before: str) -> str:
        block, words = self._block, self._block.words
        place = block.at(self._order, lane)
        order = block.new(f"load {words.integer}, ptr {place}, align {words.form.bytes}")
        given = f"{words.real} {piece}, {words.integer} {order}, {words.real} {before}"
        return block.new(f"call {words.real} @{_PERMUTE[words.form.bytes]}({given})")

    def _place(self, lane: int, line: int) -> str:
        slot = self._block.new(f"getelementptr ptr, ptr %borders, i64 {lane}")
        border = self._block.new(f"load ptr, ptr {slot}, align 8")
        return self._block.new(f"getelementptr i8, ptr {border}, i64 {LINE * line}")

    def _partly(self, line: str, array: int, lane: int, number: int, relation: str, more: int) -> None:
        """Store those numbers of a line whose position has this relation to the row's shift and `more`."""
        block, words = self._block, self._block.words
        kind, width = words.scalar_integer, self._width
        end = block.new(f"add i64 {self._shift(array, lane)}, {more}")
        own = end if kind == "i64" else block.new(f"trunc i64 {end} to {kind}")
        one = block.new(f"insertelement {words.integer} poison, {kind} {own}, i32 0")
        zeros = f"<{width} x i32> zeroinitializer"
        all_of_them = block.new(f"shufflevector {words.integer} {one}, {words.integer} poison, {zeros}")
        positions = f"<{', '.join(f'{kind} {k}' for k in range(width))}>"
        mask = block.new(f"icmp {relation} {words.integer} {positions}, {all_of_them}")
        place = self._place(lane, number)
        block.lines.append(
            f"call void @llvm.masked.store.{words.suffix}.p0({words.real} {line}, ptr {place}, "
            f"i32 {words.form.bytes}, {words.truth} {mask})"
        )

    def _turned(self, piece: str, by: int) -> str:
        """The numbers from `by` on first, then the others."""
        real, width = self._block.words.real, self._width
        order = ", ".join(f"i32 {(k + by) % width}" for k in range(width))
        return self._block.new(f"shufflevector {real} {piece}, {real} poison, <{width} x i32> <{order}>")

    def _past_caches(self, line: str, place: str) -> None:
        real = self._block.words.real
        self._block.lines.append(f"store {real} {line}, ptr {place}, align {LINE}, !nontemporal !0")

    def _label(self, name: str) -> str:
        self._labels += 1
        return f"{name}_{self._labels}"

    def _branch(self, condition: str, first: str, second: str) -> None:
        """Go to the first label, which begins here, if the condition holds, else to the second."""
        self._block.lines += [f"br i1 {condition}, label %{first}, label %{second}", f"{first}:"]

    def _go(self, then: str, label: str = "") -> None:
        """Go on there; this label, or that one, begins here."""
        self._block.lines += [f"br label %{then}", f"{label or then}:"]


def orders(width: int, upwards: bool) -> list[int]:
    """For every shift, the numbers of a line among those of the chunk at hand, and those of the one before (+ width).

    Upwards the chunk at hand is the end of the line, downwards its beginning.
    """
    upper, lower = (0, width) if upwards else (width, 0)
    return [
        lower + width - shift + k if k < shift else upper + k - shift
        for shift in range(width)
        for k in range(width)
    ]
