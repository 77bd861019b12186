"""Products of dense matrices as loops over memory, and how loops over rows and columns are written.

Matrices lie row by row. Rows and columns are taken a few at a time, whose sums stay in registers, and neighbouring
columns as one row where a sample is alone; every entry is summed in the order of the textbook, so that results do not
depend on how many are taken together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from .loop_program import LoopPart, Writer
from .packed_columns import few_columns, write_packed

#: sums that stay in registers, and rows that are taken together
_SUMS, _TILE = 27, 4


def _tiles(count: int, size: int) -> Iterator[tuple[int, int, int]]:
    """(first, number of tiles, size of each): as few tiles as can be, the larger ones first."""
    number = -(-count // size)
    small, larger = divmod(count, number) if number else (0, 0)
    if larger:
        yield 0, larger, small + 1
    if number > larger:
        yield larger * (small + 1), number - larger, small


def each_tile(writer: Writer, count: int, body: Callable[[Any, int], Any], tile: int = _TILE) -> None:
    """body(first index of a tile, its size) for all tiles."""
    for first, number, size in _tiles(count, tile):
        if number == 1:
            body(first, size)
        else:
            writer.loop(0, number, lambda t, first=first, size=size: body(t * size + first, size))


def pieces_of_rows(writer: Writer, count: int, most: int) -> list[tuple[list[int], int]]:
    """Columns in groups of at most `most` rows' pieces: (first column of every piece, columns in a piece).

    The last piece ends at the last column; it may overlap the one before, whose columns are then found twice.
    """
    size = 1
    while 2 * size <= min(count, writer.lanes):
        size *= 2
    starts = [min(k, count - size) for k in range(0, count, size)]
    return [(starts[k : k + most], size) for k in range(0, len(starts), most)]


def subtracted(writer: Writer, a: Any, b: Any, c: Any) -> Any:
    """c - a b, rounded once."""
    return writer.apply("fma", writer.apply("neg", a), b, c)


@dataclass(frozen=True)
class Product(LoopPart):
    """A B (n, p) of A (n, m) and B (m, p), or −A B; stored transposed where it says so."""

    n: int
    m: int
    p: int
    left_transposed: bool = False
    right_transposed: bool = False
    negative: bool = False

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        return self.n * self.m, self.m * self.p

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.n * self.p

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return self.n * self.m * self.p

    @property
    def by_rows(self) -> bool:  # type: ignore[override]
        """Whether its rows are long enough for the lanes."""
        return self.p >= 8

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        A, B = operands
        if writer.lanes > 1 and self.right_transposed and self.p > 1:
            B = _turned(writer, B, self.p, self.m)
        elif self.right_transposed:
            return self._write_tiles(writer, A, B, results)
        if writer.lanes == 1:
            return self._write_tiles(writer, A, B, results)
        strides, sizes = (1, self.n) if self.left_transposed else (self.m, 1), (self.n, self.m, self.p)
        if (few := few_columns(writer, sizes)) is not None:
            return write_packed(writer, A, B, results, sizes, strides, self.negative, few)
        write_product(writer, A, B, results, sizes, strides, self.negative)

    def _write_tiles(self, writer: Writer, A: Any, B: Any, results: Any) -> None:
        """A few rows and columns at a time, number by number."""
        row, step = (1, self.n) if self.left_transposed else (self.m, 1)
        across, down = (self.m, 1) if self.right_transposed else (1, self.p)

        def tile(i: Any, rows: int, j: Any, columns: int) -> None:
            def add(k: Any, *sums: Any) -> list[Any]:
                a = [writer.load(A, (i + r) * row + k * step) for r in range(rows)]
                a = [writer.apply("neg", x) for x in a] if self.negative else a
                b = [writer.load(B, k * down + (j + c) * across) for c in range(columns)]
                return [writer.apply("fma", a[r], b[c], sums[r * columns + c]) for r, c in pairs]

            pairs = [(r, c) for r in range(rows) for c in range(columns)]
            sums = writer.loop(0, self.m, add, [writer.constant(0.0)] * len(pairs))
            for (r, c), total in zip(pairs, sums, strict=True):
                writer.store(results, (i + r) * self.p + (j + c), total)

        each_tile(
            writer, self.n,
            lambda i, rows: each_tile(writer, self.p, lambda j, columns: tile(i, rows, j, columns)),
        )  # fmt: skip


def write_product(
    writer: Writer, A: Any, B: Any, results: Any, sizes: tuple[int, int, int], strides: tuple[int, int],
    negative: bool = False, triangular: bool = False,
) -> None:  # fmt: skip
    """A B (n, p) by rows; strides of A's rows and columns. Where A is `triangular`, entries left of row i are zero."""
    n, m, p = sizes

    def columns(starts: list[int], size: int) -> None:
        def tile(i: Any, rows: int) -> None:
            def add(k: Any, *sums: Any) -> list[Any]:
                A_k, B_k = writer.at(A, i * strides[0] + k * strides[1]), writer.at(B, k * p)
                b = [writer.row(B_k, start, size) for start in starts]
                found = []
                for r in range(rows):
                    a = writer.load(A_k, r * strides[0])
                    a = writer.spread(writer.apply("neg", a) if negative else a, size)
                    found += [writer.on_rows("fma", a, x, sums[r * len(starts) + c]) for c, x in enumerate(b)]
                return found

            zero = writer.spread(writer.constant(0.0), size)
            sums = writer.loop_rows(i if triangular else 0, m, add, [zero] * (rows * len(starts)))
            own = writer.at(results, i * p)
            for r in range(rows):
                for c, start in enumerate(starts):
                    writer.store_row(own, r * p + start, sums[r * len(starts) + c])

        each_tile(writer, n, tile, _SUMS // len(starts))

    for starts, size in pieces_of_rows(writer, p, 4):
        columns(starts, size)


def _turned(writer: Writer, A: Any, n: int, m: int) -> Any:
    """The transpose (m, n) of A (n, m), in new memory."""
    result = writer.array(n * m)
    writer.loop(
        0,
        n,
        lambda i: writer.loop(0, m, lambda j: writer.store(result, j * n + i, writer.load(A, i * m + j))),
    )
    return result


@cache
def shared(part: LoopPart) -> LoopPart:
    """The one program for all parts that are equal to this one, so that its code appears once."""
    return part
