"""Products with the derivatives of a step in programs over memory, without the zeros that are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..integrators.tangent_programs import Blocks, outside
from ..trace.loop_program import Writer
from .matrix_tiles import Place, cleared, copied, lower_product, product, scaled


@dataclass(frozen=True)
class StepMatrix:
    """D = [A B] (n, k) of a step by z = (δq, δw, δx, δu), and what is known of it, row by row in memory.

    After a method of one stage, where v is w, the first `above` rows (δq) are

        [turn  h dexp  0  0]

    with matrices of their own in the rows of `blocks`, (first, size) each, and turn = dexp = 1 in the others. Nothing
    is known if above = 0.
    """

    n: int
    k: int
    above: int = 0
    blocks: Blocks = ()

    @property
    def work(self) -> int:
        """Multiplications of a row with D."""
        return (self.n - self.above) * self.k + 2 * sum(size * size for _, size in self.blocks)

    def full_rows(self, writer: Writer, X: Any, width: int) -> tuple[Any, int]:
        """The part of an array with n rows that the full rows of D meet, and how many they are."""
        return writer.at(X, self.above * width), self.n - self.above

    def after(self, writer: Writer, X: Any, D: Any, to: Any, rows: int) -> None:
        """to (rows, k) = X D for X (rows, n)."""
        n, k, above = self.n, self.k, self.above
        full, count = self.full_rows(writer, D, k)
        left = Place(writer.at(X, above), n)
        if not above:
            return product(writer, left, full, k, to, k, (rows, count, k))
        G, step = writer.array(rows * k), self._step(writer, D)

        def row(i: Any) -> None:
            for a, b in outside(self.blocks, above):
                copied(writer, (X, i * n + a), (G, i * k + a), b - a)
                scaled(writer, step, (X, i * n + a), (G, i * k + (above + a)), b - a)
            cleared(writer, (G, i * k + 2 * above), k - 2 * above)

        writer.loop(0, rows, row)
        for first, size in self.blocks:
            for column in (first, above + first):
                given = Place(writer.at(X, first), n), writer.at(D, first * k + column), k
                product(writer, *given, writer.at(G, column), k, (rows, size, size))
        product(writer, left, full, k, to, k, (rows, count, k), G)
        return None

    def before(self, writer: Writer, D: Any, W: Any, to: Any) -> None:
        """The lower triangle of to (n, n) = Aᵀ W for the first n columns of W (n, k), and some entries above it."""
        n, k, above = self.n, self.k, self.above
        (full, count), (right, _) = self.full_rows(writer, D, k), self.full_rows(writer, W, k)
        if not above:
            return lower_product(writer, Place(full, 1, k), right, k, to, n, (n, count))
        G, step = writer.array(n * n), self._step(writer, D)
        for a, b in outside(self.blocks, above):

            def row(i: Any, a: int = a) -> None:
                copied(writer, (W, (i + a) * k), (G, (i + a) * n), n)
                scaled(writer, step, (W, (i + a) * k), (G, (i + (above + a)) * n), n)

            writer.loop(0, b - a, row)
        for first, size in self.blocks:
            for column in (first, above + first):
                given = Place(writer.at(D, first * k + column), 1, k), writer.at(W, first * k), k
                product(writer, *given, writer.at(G, column * n), n, (size, size, n))
        cleared(writer, (G, 2 * above * n), (n - 2 * above) * n)
        lower_product(writer, Place(full, 1, k), right, k, to, n, (n, count), G)
        return None

    def _step(self, writer: Writer, D: Any) -> Any:
        """h, from a row of a joint whose motions commute; anything where there is none."""
        first = next((a for a, _ in outside(self.blocks, self.above)), 0)
        return writer.load(D, first * self.k + self.above + first)
