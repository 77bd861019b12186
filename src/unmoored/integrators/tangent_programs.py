"""Programs over the matrices of tangents (n, c) of a step, as loops: nothing of them is written out.

Rows are the tangent (δq, δw, δx), n = nv + nw + nx; columns are its directions and r further ones, c = n + r. Blocks
are the rows of joints whose motions do not commute, (first, size) each; their matrices lie one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..trace import is_symbolic
from ..trace.evaluate import run_program
from ..trace.loop_program import LoopPart, Writer
from ..trace.matrices import Product, shared
from ..trace.scan_tracing import traced_into
from ..trace.symbol import node_of
from ..trace.traced import symbols

Blocks = tuple[tuple[int, int], ...]


def run(part: LoopPart, shape: tuple[int, ...], *arrays: Any) -> Any:
    """The result (shape) of a program for arrays; one sample after the other where all are numbers."""
    graph = traced_into(arrays)
    if graph is None:
        return run_program(part, *(np.ravel(array) for array in arrays)).reshape(shape)
    nodes = [[node_of(graph, entry) for entry in np.asarray(array, dtype=object).ravel()] for array in arrays]
    return symbols(graph, shared(part).nodes(graph, *nodes), shape)


def added(A: Any, B: Any, factor: float) -> Any:
    """A + factor B of tangents (..., n, c)."""
    if not is_symbolic(A, B):
        return A + factor * B
    return run(AddScaled(A.size), A.shape, A, B, factor)


@dataclass(frozen=True)
class AddScaled(LoopPart):
    """A + f B, entry by entry."""

    size: int  # type: ignore[assignment]

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        return self.size, self.size, 1

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return self.size

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        A, B, f = operands
        factor = writer.load(f, 0)

        def add(k: Any) -> None:
            writer.store(results, k, writer.apply("fma", factor, writer.load(B, k), writer.load(A, k)))

        writer.loop(0, self.size, add)


@dataclass(frozen=True)
class FirstSlopes(LoopPart):
    """Tangents (n, c) of (v, ẇ, ẋ) from their derivatives J (m, n) and B (m, r), those of the state being its own.

    Where m < n the rows of v are those of w, `first` on.
    """

    n: int
    m: int
    r: int

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        return self.m * self.n, self.m * self.r

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.n * (self.n + self.r)

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return 0

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        J, B = operands
        above, c = self.n - self.m, self.n + self.r
        zero, one = writer.constant(0.0), writer.constant(1.0)
        writer.loop(0, above * c, lambda k: writer.store(results, k, zero))
        writer.loop(0, above, lambda i: writer.store(results, i * (c + 1) + above, one))

        def row(i: Any) -> None:
            writer.copy(J, i * self.n, results, (i + above) * c, self.n)
            writer.copy(B, i * self.r, results, (i + above) * c + self.n, self.r)

        writer.loop(0, self.m, row)


@dataclass(frozen=True)
class Carried(LoopPart):
    """Tangents (n, c) of a state moved by f s whose own tangents are f S (n, c): the identity beside f S, in blocks
    [Ad 0] + dexp f S."""

    n: int
    r: int
    blocks: Blocks

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        square = sum(size * size for _, size in self.blocks)
        return 1, self.n * (self.n + self.r), square, square

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.n * (self.n + self.r)

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return self.size + sum(size * size for _, size in self.blocks) * (self.n + self.r)

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        f, S, Ad, dexp = operands
        factor, one, c = writer.load(f, 0), writer.constant(1.0), self.n + self.r
        for first, last in outside(self.blocks, self.n):
            writer.loop(first * c, last * c, _scale(writer, S, factor, results))
            writer.loop(
                first,
                last,
                lambda i: writer.store(
                    results, i * (c + 1), writer.apply("add", one, writer.load(results, i * (c + 1)))
                ),
            )
        for (first, size), place in _places(self.blocks):
            scaled = writer.array(size * c)
            writer.loop(0, size * c, _scale(writer, writer.at(S, first * c), factor, scaled))
            own = writer.at(results, first * c)
            Product(size, size, c).write(writer, [writer.at(dexp, place), scaled], own)

            def turn(
                i: Any, own: Any = own, first: int = first, size: int = size, place: int = place
            ) -> None:
                for j in range(size):
                    at = i * c + (first + j)
                    entry = writer.load(Ad, i * size + (place + j))
                    writer.store(own, at, writer.apply("add", entry, writer.load(own, at)))

            writer.loop(0, size, turn)


@dataclass(frozen=True)
class OneStage(LoopPart):
    """Tangents (n, c) of a state moved by f times its own rates, v = w: `Carried` of `FirstSlopes`, without the matrix
    between them. Most of the rows of δq are zero."""

    n: int
    m: int
    r: int
    blocks: Blocks

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        square = sum(size * size for _, size in self.blocks)
        return 1, self.m * self.n, self.m * self.r, square, square

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.n * (self.n + self.r)

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return self.m * (self.n + self.r) + sum(size * size for _, size in self.blocks)

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        f, J, B, Ad, dexp = operands
        factor, above, c = writer.load(f, 0), self.n - self.m, self.n + self.r
        zero, one = writer.constant(0.0), writer.constant(1.0)
        writer.loop(0, above * c, lambda k: writer.store(results, k, zero))
        for first, last in outside(self.blocks, above):

            def straight(i: Any) -> None:
                writer.store(results, i * (c + 1), one)
                writer.store(results, i * (c + 1) + above, factor)

            writer.loop(first, last, straight)
        for (first, size), place in _places(self.blocks):

            def turned(i: Any, first: int = first, size: int = size, place: int = place) -> None:
                for j in range(size):
                    at = (i + first) * c + (first + j)
                    writer.store(results, at, writer.load(Ad, i * size + (place + j)))
                    slope = writer.load(dexp, i * size + (place + j))
                    writer.store(results, at + above, writer.apply("mul", slope, factor))

            writer.loop(0, size, turned)

        def row(i: Any) -> None:
            own = writer.at(results, (i + above) * c)
            writer.loop(0, self.n, _scale(writer, writer.at(J, i * self.n), factor, own))
            writer.loop(0, self.r, _scale(writer, writer.at(B, i * self.r), factor, writer.at(own, self.n)))
            diagonal = writer.load(own, i + above)
            writer.store(own, i + above, writer.apply("add", one, diagonal))

        writer.loop(0, self.m, row)


@dataclass(frozen=True)
class StageSlopes(LoopPart):
    """Tangents (n, c) of a stage's (k, ẇ, ẋ): (v, ẇ, ẋ) moves by J Z + [0 B], Z (n, c) those of the stage's state, and
    in blocks k by Π δv − bending f S. Where m < n the rows of v are those of w."""

    n: int
    m: int
    r: int
    blocks: Blocks

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        square = sum(size * size for _, size in self.blocks)
        whole = self.n * (self.n + self.r)
        return 1, whole, whole, self.m * self.n, self.m * self.r, square, square

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.n * (self.n + self.r)

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        c = self.n + self.r
        return self.m * self.n * c + 2 * sum(size * size for _, size in self.blocks) * c

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        f, S, Z, J, B, Pi, bending = operands
        factor, above, c = writer.load(f, 0), self.n - self.m, self.n + self.r
        slopes = writer.at(results, above * c)
        Product(self.m, self.n, c).write(writer, [J, Z], slopes)

        def along(i: Any) -> None:
            def add(j: Any) -> None:
                at = i * c + j + self.n
                entry = writer.load(B, i * self.r + j)
                writer.store(slopes, at, writer.apply("add", entry, writer.load(slopes, at)))

            writer.loop(0, self.r, add)

        writer.loop(0, self.m, along)
        for first, last in outside(self.blocks, above):
            writer.copy(Z, (first + above) * c, results, first * c, (last - first) * c)
        for (first, size), place in _places(self.blocks):
            v, bent = writer.array(size * c), writer.array(size * c)
            own = writer.at(results, first * c)
            writer.copy(*((Z, (first + above) * c) if above else (own, 0)), v, 0, size * c)
            Product(size, size, c).write(writer, [writer.at(Pi, place), v], own)
            Product(size, size, c).write(writer, [writer.at(bending, place), writer.at(S, first * c)], bent)
            less = writer.apply("neg", factor)

            def subtract(k: Any, own: Any = own, bent: Any = bent, less: Any = less) -> None:
                value = writer.apply("fma", less, writer.load(bent, k), writer.load(own, k))
                writer.store(own, k, value)

            writer.loop(0, size * c, subtract)


def _scale(writer: Writer, source: Any, factor: Any, target: Any) -> Callable[[Any], None]:
    return lambda k: writer.store(target, k, writer.apply("mul", factor, writer.load(source, k)))


def outside(blocks: Blocks, stop: int) -> Iterator[tuple[int, int]]:
    """Ranges (first, after the last) of the rows below `stop` that are in no block."""
    first = 0
    for start, size in blocks:
        if first < start < stop:
            yield first, start
        first = start + size
    if first < stop:
        yield first, stop


def _places(blocks: Blocks) -> Iterator[tuple[tuple[int, int], int]]:
    """The blocks with the places of their matrices."""
    place = 0
    for first, size in blocks:
        yield (first, size), place
        place += size * size
