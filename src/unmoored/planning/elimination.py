"""The solution of a symmetric positive definite system with many right-hand sides, as a program over memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..trace.loop_program import LoopPart, Writer
from .matrix_tiles import cleared, copied

#: systems of at most so many rows are written out row by row, so that one row's work overlaps the next one's wait
_WRITTEN_OUT = 16


@dataclass(frozen=True)
class Eliminated(LoopPart):
    """X (m, k) with A X = B for a symmetric positive definite A (m, m); NaN where A is none.

    Rows of [A B] are eliminated with A = Uᵀ diag(1/d) U, U's diagonal is d: a quotient for every row, no root waits for
    another. The roots of d, which only tell whether A is positive definite, come in at the end.
    """

    m: int
    k: int

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        return self.m * self.m, self.m * self.k

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.m * self.k

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return self.m**3 // 6 + self.m * self.m * self.k + 2 * self.m

    @property
    def by_rows(self) -> bool:  # type: ignore[override]
        """Whether its rows are long enough for the lanes."""
        return self.k >= 8

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        (A, B), m, k, size = operands, self.m, self.k, writer.lanes
        first = (
            -(-m // size) * size
        )  # where the right-hand sides begin: rows of both begin with whole vectors
        width = first + -(-k // size) * size
        T, inverse = writer.array(m * width), writer.array(m)
        each = _one_by_one if m <= _WRITTEN_OUT and size > 1 else writer.loop

        def begin(i: Any) -> None:
            for place, count, source in ((0, m, A), (first, k, B)):
                end = -(-count // size) * size
                cleared(writer, (T, i * width + (place + end - size)), size)
                copied(writer, (source, i * count), (T, i * width + place), count)

        def eliminate(j: Any) -> None:
            pivot = writer.load(T, j * (width + 1))
            reciprocal = writer.apply("div", writer.constant(1.0), pivot)
            told = writer.apply("mul", writer.constant(0.0), writer.apply("sqrt", pivot))
            writer.store(inverse, j, writer.apply("add", reciprocal, told))

            def below(i: Any) -> None:
                factor = writer.apply("mul", writer.load(T, j * width + i), writer.apply("neg", reciprocal))
                factor = writer.spread(factor, size)

                def subtract(piece: Any) -> None:
                    row, place = writer.row(T, j * width + piece * size, size), i * width + piece * size
                    writer.store_row(T, place, writer.on_rows("fma", factor, row, writer.row(T, place, size)))

                # entries left of the diagonal are not read again
                begun = (j + 1) // size if each is _one_by_one else 0
                each(begun, width // size, subtract)

            each(j + 1, m, below)

        writer.loop(0, m, begin)
        each(0, m, eliminate)
        for place in range(first, width, 8 * size):
            starts = range(place, min(width, place + 8 * size), size)
            self._substitute(writer, (T, width), inverse, list(starts), each)
        writer.loop(0, m, lambda i: copied(writer, (T, i * width + first), (results, i * k), k))

    def _substitute(
        self, writer: Writer, T: tuple[Any, int], inverse: Any, starts: list[int], each: Callable[..., Any]
    ) -> None:
        """Columns of X from U X = U⁻ᵀ…B, the last row first, in the place of the right-hand sides."""
        (T, width), m, size = T, self.m, writer.lanes

        def solve(i: Any) -> None:
            def subtract(j: Any, *sums: Any) -> list[Any]:
                u = writer.spread(writer.apply("neg", writer.load(T, i * width + j)), size)
                known = [writer.row(T, j * width + c, size) for c in starts]
                return [writer.on_rows("fma", u, x, s) for x, s in zip(known, sums, strict=True)]

            sums = [writer.row(T, i * width + c, size) for c in starts]
            if each is _one_by_one:
                for j in reversed(range(i + 1, m)):  # the row that was found last comes last
                    sums = subtract(j, *sums)
            else:
                sums = writer.loop_rows(i + 1, m, subtract, sums, down=True)
            scale = writer.spread(writer.load(inverse, i), size)
            for c, value in zip(starts, sums, strict=True):
                writer.store_row(T, i * width + c, writer.on_rows("mul", value, scale))

        each(0, m, solve, down=True)


def _one_by_one(start: int, stop: int, body: Callable[[int], Any], down: bool = False) -> None:
    """A loop that is written out."""
    for i in reversed(range(start, stop)) if down else range(start, stop):
        body(i)
