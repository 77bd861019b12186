"""Products A B of a few columns more than fill rows of lanes: those of several rows of the product share one.

Of 26 columns and 8 lanes, 24 make three rows; the last two, of four rows of the product, make a row of their own:
(i, 24), (i, 25), (i + 1, 24), … The entries of A that it needs are kept, each twice, where the other columns are
computed; it follows together with the next rows of the product, when they lie in memory. Every entry is summed in the
order of the textbook.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from .loop_program import Writer

#: rows of lanes that stay in registers; most numbers that are kept (all should stay in the first cache)
_REGISTERS, _KEPT = 31, 2048


class Few(NamedTuple):
    """How a product is cut: `few` last columns, `together` rows of them in one row of lanes.

    tiles: rows that are taken together, multiples of `together`. After them come `last` rows, whose last columns are
    computed on their own.
    """

    few: int
    together: int
    tiles: tuple[int, ...]
    last: int


def few_columns(writer: Writer, sizes: tuple[int, int, int]) -> Few | None:
    """How A B (n, p) of A (n, m) is cut; None if it is no gain."""
    n, m, p = sizes
    whole, rest = divmod(p, writer.lanes)
    few = 1
    while few < rest:
        few *= 2
    if not 1 <= whole <= 3 or not rest or 2 * few > writer.lanes or m * n * few > _KEPT:
        return None
    together = writer.lanes // few
    last = n % together or together
    groups = (_REGISTERS - whole - 2) // (together * whole + 1)
    if not groups or n <= last or last * (whole + 1) + groups + whole + 3 > _REGISTERS:
        return None
    count = (n - last) // together
    full, rest = divmod(count, groups)
    tiles = (groups * together,) * full + ((rest * together,) if rest else ())
    return Few(few, together, tiles, last)


def write_packed(
    writer: Writer, A: Any, B: Any, results: Any, sizes: tuple[int, int, int], strides: tuple[int, int],
    negative: bool, cut: Few,
) -> None:  # fmt: skip
    """A B (n, p), strides of A's rows and columns."""
    n, m, p = sizes
    lanes, few, together = writer.lanes, cut.few, cut.together
    #: entry (i + r, k) of A for a tile of rows from i on lies at m i few + (k rows + r) few
    kept = writer.array(m * (n - cut.last) * few)

    def tile(i: Any, rows: int, before: int, keep: bool) -> None:
        """Rows i to i + rows, and the last columns of the `before` rows before them."""
        starts = [*range(0, p - lanes + 1, lanes), *([] if keep else [p - lanes])]
        firsts = range(0, before, together)

        def add(k: Any, *sums: Any) -> list[Any]:
            A_k, B_k = writer.at(A, i * strides[0] + k * strides[1]), writer.at(B, k * p)
            for array in (A, B):  # of the next sample
                writer.soon(array, i * m + k * rows + n * m)
            b = [writer.row(B_k, start, lanes) for start in starts]
            kept_k = writer.at(kept, i * (m * few) + k * (rows * few)) if keep else None
            found = []
            for r in range(rows):
                a = writer.load(A_k, r * strides[0])
                a = writer.spread(writer.apply("neg", a) if negative else a, lanes)
                if keep:
                    writer.store_row(kept_k, r * few, writer.part(a, 0, few))
                found += [writer.on_rows("fma", a, x, sums[r * len(starts) + c]) for c, x in enumerate(b)]
            if before:
                b_last = writer.repeated(writer.row(B_k, p - few, few), together)
                kept_k = writer.at(kept, (i - before) * (m * few) + k * (before * few))
                a_last = [writer.row(kept_k, r * few, lanes) for r in firsts]
                rest = sums[rows * len(starts) :]
                found += [writer.on_rows("fma", a, b_last, s) for a, s in zip(a_last, rest, strict=True)]
            return found

        zero = writer.spread(writer.constant(0.0), lanes)
        sums = writer.loop_rows(0, m, add, [zero] * (rows * len(starts) + len(firsts)))
        own = writer.at(results, i * p)
        for r in range(rows):
            for c, start in enumerate(starts):
                writer.store_row(own, r * p + start, sums[r * len(starts) + c])
        own = writer.at(results, (i - before) * p)
        for first, total in zip(firsts, sums[rows * len(starts) :], strict=True):
            _store_last(writer, own, first, total, p, cut)

    i = before = 0
    for rows, times in _runs((0, *cut.tiles)):
        if times == 1:
            tile(i, rows, before, True)
        else:
            writer.loop(0, times, lambda t, i=i, rows=rows: tile(t * rows + i, rows, rows, True))
        i, before = i + times * rows, rows
    tile(i, cut.last, before, False)


def _store_last(writer: Writer, results: Any, first: int, total: Any, p: int, cut: Few) -> None:
    """The last columns of the rows from `first` on."""
    for r in range(cut.together):
        place = (first + r + 1) * p - cut.few
        writer.store_row(results, place, writer.part(total, r * cut.few, cut.few))


def _runs(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """(rows, number) of neighbouring tiles that follow a tile of as many rows, or of another number of rows."""
    runs: list[tuple[int, int]] = []
    for before, rows in pairwise(sizes):
        if runs and rows == before and runs[-1][0] == rows and len(runs) > 1:
            runs[-1] = (rows, runs[-1][1] + 1)
        else:
            runs.append((rows, 1))
    return runs
