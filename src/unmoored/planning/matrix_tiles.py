"""Products, sums and copies of matrices in programs over memory, by tiles that stay in registers.

Matrices lie row by row. A sample that is alone takes rows of them on the lanes, several take a lane each; the sums are
the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..trace.loop_program import Writer
from ..trace.matrices import each_tile, pieces_of_rows

#: sums that stay in registers, pieces of rows and rows that are taken together
_SUMS, _PIECES, _ROWS, _TILE = 24, 4, 6, 4
#: triangles with more rows than this are computed as squares: tiles of a triangle are written one by one
_MOST = 96


class Place(NamedTuple):
    """A matrix in memory: the array, and how far apart rows and columns are."""

    array: Any
    row: int
    column: int = 1


def entries(
    writer: Writer, A: Place, B: Any, stride: int, C: Any, width: int, inner: int, rows: tuple[Any, int],
    columns: tuple[Sequence[Any], int], given: Any = None, negative: bool = False,
) -> None:  # fmt: skip
    """Some entries of ± A B (width numbers to a row of C), added to those of `given`, another array, if there is one.

    rows: the first one and how many; columns: the first of every piece, and the columns in a piece.
    """
    (first, count), (starts, size) = rows, columns
    pairs = [(r, start) for r in range(count) for start in starts]

    def add(k: Any, *sums: Any) -> list[Any]:
        right = [writer.row(B, k * stride + start, size) for start in starts]
        found, own = [], iter(sums)
        for r in range(count):
            a = writer.load(A.array, (first + r) * A.row + k * A.column)
            a = writer.spread(writer.apply("neg", a) if negative else a, size)
            found += [writer.on_rows("fma", a, b, next(own)) for b in right]
        return found

    if given is None:
        sums = [writer.spread(writer.constant(0.0), size)] * len(pairs)
    else:
        sums = [writer.row(given, (first + r) * width + start, size) for r, start in pairs]
    for (r, start), total in zip(pairs, writer.loop_rows(0, inner, add, sums), strict=True):
        writer.store_row(C, (first + r) * width + start, total)


def product(
    writer: Writer, A: Place, B: Any, stride: int, C: Any, width: int, sizes: tuple[int, int, int], given: Any = None
) -> None:  # fmt: skip
    """C = A B, sizes (rows, inner, columns), or given + A B; stride and width: from one row of B and of C to the next.

    given: another array than C, with its width.
    """
    rows, inner, columns = sizes
    if writer.lanes > 1:
        for starts, size in pieces_of_rows(writer, columns, _PIECES):
            each_tile(
                writer, rows,
                lambda i, count, starts=starts, size=size: entries(
                    writer, A, B, stride, C, width, inner, (i, count), (starts, size), given
                ),
                _SUMS // len(starts),
            )  # fmt: skip
        return

    def tile(j: Any, count: int) -> None:
        starts = [j + c for c in range(count)]
        each_tile(
            writer,
            rows,
            lambda i, number: entries(writer, A, B, stride, C, width, inner, (i, number), (starts, 1), given),
        )

    each_tile(writer, columns, tile)


def lower_product(
    writer: Writer,
    A: Place,
    B: Any,
    stride: int,
    C: Any,
    width: int,
    sizes: tuple[int, int],
    given: Any = None,
    negative: bool = False,
) -> None:
    """The lower triangle of C = ± A B (n, n), added to `given` if there is one, and some entries above it; sizes
    (n, inner)."""
    n, inner = sizes
    size = 1
    while 2 * size <= min(n, writer.lanes):
        size *= 2
    if writer.lanes > 1 and n <= _MOST:
        for first in range(0, n, _ROWS):
            count = min(_ROWS, n - first)
            starts = [min(c, n - size) for c in range(0, first + count, size)]
            for k in range(0, len(starts), _PIECES):
                columns = starts[k : k + _PIECES], size
                entries(writer, A, B, stride, C, width, inner, (first, count), columns, given, negative)
        return

    def tile(t: Any, rows: int, s: Any, columns: int) -> None:
        starts = [s * _TILE + c for c in range(columns)]
        entries(writer, A, B, stride, C, width, inner, (t * _TILE, rows), (starts, 1), given, negative)

    full, rest = divmod(n, _TILE)
    writer.loop(0, full, lambda t: writer.loop(0, t + 1, lambda s: tile(t, _TILE, s, _TILE)))
    if rest:
        writer.loop(0, full, lambda s: tile(full, rest, s, _TILE))
        tile(full, rest, full, rest)


def mirrored(writer: Writer, A: Any, n: int) -> None:
    """The lower triangle of A (n, n) copied to the upper one, tile by tile."""
    full, rest = divmod(n, _TILE)

    def tile(t: Any, rows: int, s: Any, columns: int, diagonal: bool = False) -> None:
        lower, upper = writer.at(A, t * (_TILE * n) + s * _TILE), writer.at(A, s * (_TILE * n) + t * _TILE)
        for i in range(rows):
            for j in range(i if diagonal else columns):
                writer.store(upper, j * n + i, writer.load(lower, i * n + j))

    def row_of_tiles(t: Any, rows: int) -> None:
        writer.loop(0, t, lambda s: tile(t, rows, s, _TILE))
        tile(t, rows, t, rows, diagonal=True)

    writer.loop(0, full, lambda t: row_of_tiles(t, _TILE))
    if rest:
        row_of_tiles(full, rest)


def added(
    writer: Writer, a: tuple[Any, Any], b: tuple[Any, Any], to: tuple[Any, Any], count: int, operation: str = "add"
) -> None:  # fmt: skip
    """to = a + b, `count` numbers from these places on."""

    def rows(first: Any, size: int) -> None:
        found = [writer.row(array, first + place, size) for array, place in (a, b)]
        writer.store_row(to[0], first + to[1], writer.on_rows(operation, *found))

    in_pieces(writer, count, rows)


def copied(writer: Writer, source: tuple[Any, Any], to: tuple[Any, Any], count: int) -> None:
    """`count` numbers from one place to another."""

    def rows(first: Any, size: int) -> None:
        writer.store_row(to[0], first + to[1], writer.row(source[0], first + source[1], size))

    in_pieces(writer, count, rows)


def cleared(writer: Writer, to: tuple[Any, Any], count: int) -> None:
    """`count` zeros from a place on."""
    zero = writer.constant(0.0)
    in_pieces(
        writer, count, lambda first, size: writer.store_row(to[0], first + to[1], writer.spread(zero, size))
    )


def scaled(writer: Writer, factor: Any, source: tuple[Any, Any], to: tuple[Any, Any], count: int) -> None:
    """to = factor times what is at the source, `count` numbers from these places on."""

    def rows(first: Any, size: int) -> None:
        found = writer.on_rows(
            "mul", writer.spread(factor, size), writer.row(source[0], first + source[1], size)
        )
        writer.store_row(to[0], first + to[1], found)

    in_pieces(writer, count, rows)


def scaled_sum(
    writer: Writer, factor: Any, a: tuple[Any, Any], b: tuple[Any, Any], to: tuple[Any, Any], count: int
) -> None:
    """to = factor a + b, `count` numbers from these places on."""

    def rows(first: Any, size: int) -> None:
        x, y = (writer.row(array, first + place, size) for array, place in (a, b))
        writer.store_row(to[0], first + to[1], writer.on_rows("fma", writer.spread(factor, size), x, y))

    in_pieces(writer, count, rows)


def in_pieces(writer: Writer, count: int, body: Any) -> None:
    """body(first, size) for pieces of at most as many numbers as there are lanes, none of them twice."""
    size, first = writer.lanes, 0
    full = count // size
    if full > _PIECES:
        writer.loop(0, full, lambda t: body(t * size, size))
        first = full * size
    while first < count:
        while size > count - first:
            size //= 2
        body(first, size)
        first += size
