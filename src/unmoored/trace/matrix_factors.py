"""Factors, triangular systems and inverses of dense matrices, as loops over memory: Cholesky's, Householder's QR.

Matrices lie row by row; every entry is summed in the order of the textbook, see `matrices`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .loop_program import LoopPart, Writer
from .matrices import Product, each_tile, pieces_of_rows, subtracted, write_product


@dataclass(frozen=True)
class _OfOneMatrix(LoopPart):
    """A matrix (n, n) of a matrix (n, n)."""

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
    def by_rows(self) -> bool:  # type: ignore[override]
        """Whether its rows are long enough for the lanes."""
        return self.n >= 8


@dataclass(frozen=True)
class Cholesky(_OfOneMatrix):
    """Lower triangular L (n, n) with L Lᵀ = A; only the lower triangle of A is read."""

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return self.n**3 // 6 + 2 * self.n * self.n

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        if writer.lanes > 1:
            self._write_rows(writer, operands[0], results)
        else:
            self._write_tiles(writer, operands[0], results)

    def _write_rows(self, writer: Writer, A: Any, L: Any) -> None:
        """Rows of U = Lᵀ, each taken off all rows below it, in pieces; what lies left of the diagonal is never used."""
        n = self.n
        ((starts, size),) = pieces_of_rows(writer, n, n)
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
                return [subtracted(writer, a, other, s) for a, s in zip(left, sums, strict=True)]

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
        each_tile(writer, n, rows)


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
            for starts, size in pieces_of_rows(writer, self.k, 8):
                columns(starts, size)
        else:
            each_tile(writer, self.k, lambda c, count: columns([c + r for r in range(count)], 1))


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
                writer.store(target, i * n + j, subtracted(writer, scale, vector, old))

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
class Inverse(_OfOneMatrix):
    """A⁻¹ (n, n), exactly symmetric, of a positive definite A, of which the lower triangle is read."""

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return Cholesky(self.n).operations + self.n**3

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
            write_product(writer, K, K, results, (n, n, n), (1, n), triangular=True)
        else:
            Product(n, n, n, left_transposed=True).write(writer, [K, K], results)
