"""Dense matrices as loops over memory: products, Cholesky factors, triangular systems, Householder's QR.

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

#: sums that stay in registers, and rows that are taken together
_SUMS, _TILE = 24, 4


def _tiles(count: int, size: int) -> Iterator[tuple[int, int, int]]:
    """(first, number of tiles, size of each): full tiles, then the rest."""
    full, rest = divmod(count, size)
    if full:
        yield 0, full, size
    if rest:
        yield full * size, 1, rest


def _each(writer: Writer, count: int, body: Callable[[Any, int], Any], tile: int = _TILE) -> None:
    """body(first index of a tile, its size) for all tiles."""
    for first, number, size in _tiles(count, tile):
        if number == 1:
            body(first, size)
        else:
            writer.loop(0, number, lambda t, first=first, size=size: body(t * size + first, size))


def _columns(writer: Writer, count: int, most: int) -> list[tuple[list[int], int]]:
    """Columns in groups of at most `most` rows' pieces: (first column of every piece, columns in a piece).

    The last piece ends at the last column; it may overlap the one before, whose columns are then found twice.
    """
    size = 1
    while 2 * size <= min(count, writer.lanes):
        size *= 2
    starts = [min(k, count - size) for k in range(0, count, size)]
    return [(starts[k : k + most], size) for k in range(0, len(starts), most)]


def _subtracted(writer: Writer, a: Any, b: Any, c: Any) -> Any:
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
        strides = (1, self.n) if self.left_transposed else (self.m, 1)
        _write_product(writer, A, B, results, (self.n, self.m, self.p), strides, self.negative)

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

        _each(
            writer, self.n,
            lambda i, rows: _each(writer, self.p, lambda j, columns: tile(i, rows, j, columns)),
        )  # fmt: skip


def _write_product(
    writer: Writer, A: Any, B: Any, results: Any, sizes: tuple[int, int, int], strides: tuple[int, int],
    negative: bool = False, triangular: bool = False,
) -> None:  # fmt: skip
    """A B (n, p) by rows; strides of A's rows and columns. Where A is `triangular`, entries left of row i are zero."""
    n, m, p = sizes

    def columns(starts: list[int], size: int) -> None:
        def tile(i: Any, rows: int) -> None:
            def add(k: Any, *sums: Any) -> list[Any]:
                b = [writer.row(B, k * p + start, size) for start in starts]
                found = []
                for r in range(rows):
                    a = writer.load(A, (i + r) * strides[0] + k * strides[1])
                    a = writer.spread(writer.apply("neg", a) if negative else a, size)
                    found += [writer.on_rows("fma", a, x, sums[r * len(starts) + c]) for c, x in enumerate(b)]
                return found

            zero = writer.spread(writer.constant(0.0), size)
            sums = writer.loop_rows(i if triangular else 0, m, add, [zero] * (rows * len(starts)))
            for r in range(rows):
                for c, start in enumerate(starts):
                    writer.store_row(results, (i + r) * p + start, sums[r * len(starts) + c])

        _each(writer, n, tile, _SUMS // len(starts))

    for starts, size in _columns(writer, p, 4):
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


@dataclass(frozen=True)
class Cholesky(LoopPart):
    """Lower triangular L (n, n) with L Lᵀ = A; only the lower triangle of A is read."""

    n: int

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        return (self.n * self.n,)

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.n * self.n

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return self.n**3 // 6 + 2 * self.n * self.n

    @property
    def by_rows(self) -> bool:  # type: ignore[override]
        """Whether its rows are long enough for the lanes."""
        return self.n >= 8

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        if writer.lanes > 1:
            self._write_rows(writer, operands[0], results)
        else:
            self._write_tiles(writer, operands[0], results)

    def _write_rows(self, writer: Writer, A: Any, L: Any) -> None:
        """Rows of U = Lᵀ, each taken off all rows below it, in pieces; what lies left of the diagonal is never used."""
        n = self.n
        ((starts, size),) = _columns(writer, n, n)
        pieces = len(starts)
        width = pieces * size
        U, zero, one = writer.array(n * width), writer.constant(0.0), writer.constant(1.0)
        writer.loop(0, n * width, lambda k: writer.store(U, k, zero))
        writer.loop(
            0, n,
            lambda i: writer.loop(0, i + 1, lambda j: writer.store(U, j * width + i, writer.load(A, i * n + j))),
        )  # fmt: skip

        def eliminate(block: Any, k: Any) -> None:
            root = writer.apply("sqrt", writer.load(U, k * width + k))
            scale = writer.spread(writer.apply("div", one, root), size)

            def scaled(piece: Any) -> None:
                place = k * width + piece * size
                writer.store_row(U, place, writer.on_rows("mul", writer.row(U, place, size), scale))

            def below(i: Any) -> None:
                factor = writer.spread(writer.apply("neg", writer.load(U, k * width + i)), size)

                def subtract(piece: Any) -> None:
                    u, place = writer.row(U, k * width + piece * size, size), i * width + piece * size
                    new = writer.on_rows("fma", factor, u, writer.row(U, place, size))
                    writer.store_row(U, place, new)

                writer.loop(block, pieces, subtract)

            writer.loop(block, pieces, scaled)
            writer.store(U, k * width + k, root)
            writer.loop(k + 1, n, below)

        full, rest = divmod(n, size)
        writer.loop(0, full, lambda block: writer.loop(0, size, lambda r: eliminate(block, block * size + r)))
        writer.loop(full * size, full * size + rest, lambda k: eliminate(full, k))
        writer.loop(0, n * n, lambda k: writer.store(L, k, zero))
        writer.loop(
            0, n,
            lambda i: writer.loop(0, i + 1, lambda j: writer.store(L, i * n + j, writer.load(U, j * width + i))),
        )  # fmt: skip

    def _write_tiles(self, writer: Writer, A: Any, L: Any) -> None:
        """A few rows at a time, number by number."""
        n = self.n
        inverse = writer.array(n)

        def rest(rows: list[Any], column: Any) -> list[Any]:
            """A - L Lᵀ at these rows of a column, with what is left of it."""

            def subtract(k: Any, *sums: Any) -> list[Any]:
                other = writer.load(L, column * n + k)
                left = [writer.load(L, row * n + k) for row in rows]
                return [_subtracted(writer, a, other, s) for a, s in zip(left, sums, strict=True)]

            return writer.loop(0, column, subtract, [writer.load(A, row * n + column) for row in rows])

        def rows(i: Any, count: int) -> None:
            def before(j: Any) -> None:
                scale = writer.load(inverse, j)
                for r, value in enumerate(rest([i + r for r in range(count)], j)):
                    writer.store(L, (i + r) * n + j, writer.apply("mul", value, scale))

            writer.loop(0, i, before)
            for c in range(count):
                diagonal, *below = rest([i + r for r in range(c, count)], i + c)
                root = writer.apply("sqrt", diagonal)
                scale = writer.apply("div", writer.constant(1.0), root)
                writer.store(L, (i + c) * n + (i + c), root)
                writer.store(inverse, i + c, scale)
                for r, value in enumerate(below, start=c + 1):
                    writer.store(L, (i + r) * n + (i + c), writer.apply("mul", value, scale))

        zero = writer.constant(0.0)
        writer.loop(0, n * n, lambda k: writer.store(L, k, zero))
        _each(writer, n, rows)


@dataclass(frozen=True)
class Substitution(LoopPart):
    """X (n, k) with T X = B for a triangular T (n, n), or with Tᵀ X = B; the other triangle of T is not read."""

    n: int
    k: int
    upper: bool = False
    transposed: bool = False

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        return self.n * self.n, self.n * self.k

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.n * self.k

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return self.n * (self.n + 1) // 2 * self.k

    @property
    def by_rows(self) -> bool:  # type: ignore[override]
        """Whether its rows are long enough for the lanes."""
        return self.k >= 8

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        (T, B), X, n = operands, results, self.n
        backward = self.upper != self.transposed
        row, column = (1, n) if self.transposed else (n, 1)
        inverse = writer.array(n)
        one = writer.constant(1.0)
        writer.loop(
            0, n, lambda i: writer.store(inverse, i, writer.apply("div", one, writer.load(T, i * (n + 1))))
        )

        def columns(starts: Any, size: int) -> None:
            def solve(i: Any) -> None:
                def subtract(j: Any, *sums: Any) -> list[Any]:
                    t = writer.spread(writer.apply("neg", writer.load(T, i * row + j * column)), size)
                    known = [writer.row(X, j * self.k + c, size) for c in starts]
                    return [writer.on_rows("fma", t, x, s) for x, s in zip(known, sums, strict=True)]

                given = [writer.row(B, i * self.k + c, size) for c in starts]
                span = (i + 1, n) if backward else (0, i)
                scale = writer.spread(writer.load(inverse, i), size)
                for c, value in zip(starts, writer.loop_rows(*span, subtract, given), strict=True):
                    writer.store_row(X, i * self.k + c, writer.on_rows("mul", value, scale))

            writer.loop(0, n, solve, down=backward)

        if writer.lanes > 1:
            for starts, size in _columns(writer, self.k, 8):
                columns(starts, size)
        else:
            _each(writer, self.k, lambda c, count: columns([c + r for r in range(count)], 1))


@dataclass(frozen=True)
class Orthogonal(LoopPart):
    """Q (m, n), then R (n, n), of A (m, n), m ≥ n: A = Q R by Householder's reflections, signs as LAPACK's."""

    m: int
    n: int

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        return (self.m * self.n,)

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.m * self.n + self.n * self.n

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return 4 * self.m * self.n * self.n

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        (A,), Q, m, n = operands, results, self.m, self.n
        R = writer.at(results, m * n)
        W, factors = writer.array(m * n), writer.array(n)
        writer.copy(A, 0, W, 0, m * n)
        zero, one = writer.constant(0.0), writer.constant(1.0)
        writer.loop(0, n * n, lambda k: writer.store(R, k, zero))

        def reflect(target: Any, k: Any, j: Any) -> None:
            """Column j of the target (m, n) reflected by the vector in column k of W, from row k on."""

            def project(i: Any, total: Any) -> Any:
                return writer.apply("fma", writer.load(W, i * n + k), writer.load(target, i * n + j), total)

            (total,) = writer.loop(k, m, project, [zero])
            scale = writer.apply("mul", total, writer.load(factors, k))

            def subtract(i: Any) -> None:
                vector, old = writer.load(W, i * n + k), writer.load(target, i * n + j)
                writer.store(target, i * n + j, _subtracted(writer, scale, vector, old))

            writer.loop(k, m, subtract)

        def column(k: Any) -> None:
            def square(i: Any, total: Any) -> Any:
                entry = writer.load(W, i * n + k)
                return writer.apply("fma", entry, entry, total)

            (below,) = writer.loop(k + 1, m, square, [zero])
            top = writer.load(W, k * n + k)
            norm = writer.apply("sqrt", writer.apply("fma", top, top, below))
            end = writer.apply("neg", writer.apply("copysign", norm, top))
            done = writer.apply("eq", below, zero)  # nothing to reflect
            lead = writer.apply("sub", top, end)
            factor = writer.apply("div", one, writer.apply("neg", writer.apply("mul", end, lead)))
            writer.store(factors, k, writer.apply("select", done, zero, factor))
            writer.store(W, k * n + k, lead)
            writer.store(R, k * n + k, writer.apply("select", done, top, end))
            writer.loop(k + 1, n, lambda j: reflect(W, k, j))
            writer.loop(k + 1, n, lambda j: writer.store(R, k * n + j, writer.load(W, k * n + j)))

        writer.loop(0, n, column)
        writer.loop(0, m * n, lambda k: writer.store(Q, k, zero))

        def own(j: Any) -> None:
            writer.store(Q, j * n + j, one)
            writer.loop(0, j + 1, lambda k: reflect(Q, k, j), down=True)

        writer.loop(0, n, own)


@dataclass(frozen=True)
class Solution(LoopPart):
    """X (n, k) with A X = B; by Cholesky's factors of the lower triangle if A is `positive` definite, else by QR."""

    n: int
    k: int
    positive: bool

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        return self.n * self.n, self.n * self.k

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.n * self.k

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        n, k = self.n, self.k
        return Cholesky(n).operations + n * n * k if self.positive else 4 * n**3 + 2 * n * n * k

    @property
    def by_rows(self) -> bool:  # type: ignore[override]
        """Whether its rows are long enough for the lanes."""
        return self.positive and self.k >= 8

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        (A, B), n, k = operands, self.n, self.k
        half = writer.array(n * k)
        if self.positive:
            L = writer.array(n * n)
            Cholesky(n).write(writer, [A], L)
            Substitution(n, k).write(writer, [L, B], half)
            Substitution(n, k, transposed=True).write(writer, [L, half], results)
        else:
            factors = writer.array(2 * n * n)
            Orthogonal(n, n).write(writer, [A], factors)
            Product(n, n, k, left_transposed=True).write(writer, [factors, B], half)
            Substitution(n, k, upper=True).write(writer, [writer.at(factors, n * n), half], results)


@dataclass(frozen=True)
class Inverse(LoopPart):
    """A⁻¹ (n, n), exactly symmetric, of a positive definite A, of which the lower triangle is read."""

    n: int

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        return (self.n * self.n,)

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.n * self.n

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return Cholesky(self.n).operations + self.n**3

    @property
    def by_rows(self) -> bool:  # type: ignore[override]
        """Whether its rows are long enough for the lanes."""
        return self.n >= 8

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        n = self.n
        L, one, K = writer.array(n * n), writer.array(n * n), writer.array(n * n)
        zero, unit = writer.constant(0.0), writer.constant(1.0)
        Cholesky(n).write(writer, operands, L)
        writer.loop(0, n * n, lambda k: writer.store(one, k, zero))
        writer.loop(0, n, lambda i: writer.store(one, i * (n + 1), unit))
        Substitution(n, n).write(writer, [L, one], K)
        # K = L⁻¹ and A⁻¹ = Kᵀ K, whose entries (i, j) and (j, i) are the same products in the same order
        if writer.lanes > 1:
            _write_product(writer, K, K, results, (n, n, n), (1, n), triangular=True)
        else:
            Product(n, n, n, left_transposed=True).write(writer, [K, K], results)


@cache
def shared(part: LoopPart) -> LoopPart:
    """The one program for all parts that are equal to this one, so that its code appears once."""
    return part
