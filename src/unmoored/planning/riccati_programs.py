"""The backward pass of one node as programs over memory (equations: `backward_pass`).

Matrices lie row by row; nothing is written out, and nothing is gathered between the programs: each takes whole what
the one before has left. Of symmetric matrices the lower triangle is computed, and copied where both are read. A
problem that is alone takes rows of its matrices on the lanes, several take a lane each; the sums are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..trace.loop_program import LoopPart, Writer
from ..trace.matrices import each_tile, pieces_of_rows
from ..trace.matrix_factors import Solution

#: sums that stay in registers, pieces of rows and rows that are taken together
_SUMS, _PIECES, _ROWS, _TILE = 24, 4, 6, 4
#: triangles with more rows than this are computed as squares: tiles of a triangle are written one by one
_MOST = 96

#: (row, first column, number of columns) of entries side by side in the lower triangle of H (k, k)
Runs = tuple[tuple[int, int, int], ...]


class Place(NamedTuple):
    """A matrix in memory: the array, and how far apart rows and columns are."""

    array: Any
    row: int
    column: int = 1


@dataclass(frozen=True)
class Model(LoopPart):
    """The cost from a node on to second order in z = (δ, δu), from that after it.

    Operands: V_xx (n, n); V_x, η, ω (3, n); D = [A B] (n, k), k = n + m; entries of H in its `runs`; l (k); g (n); μ.
    Results: as `model_parts` names them.
    """

    n: int
    m: int
    runs: Runs

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        n, k = self.n, self.n + self.m
        return n * n, 3 * n, n * k, sum(count for _, _, count in self.runs), k, n, 1

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return sum(rows * columns for rows, columns in _shapes(self.n, self.m).values())

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        n, m = self.n, self.m
        return n * n * (n + m) + n * n * (n + 1) // 2 + n * m * (n + m) + 4 * n * (n + m)

    @property
    def by_rows(self) -> bool:  # type: ignore[override]
        """Whether its rows are long enough for the lanes."""
        return self.n >= 8

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        V, X, D, H, l, g, μ = operands
        n, m, k = self.n, self.m, self.n + self.m
        at = {name: writer.at(results, place) for name, place in _places(n, m).items()}
        W, E, T = writer.array(n * k), writer.array(3 * n), writer.array(3 * k)
        A, B = Place(D, 1, k), Place(writer.at(D, n), 1, k)
        _product(writer, Place(V, n), D, k, W, k, (n, n, k))
        _product(writer, Place(g, 0), V, n, at["Vg"], n, (1, n, n))
        _added(writer, (X, 0), (at["Vg"], 0), (E, 0), n)
        _copied(writer, (X, n), (E, n), 2 * n)
        _product(writer, Place(E, n), D, k, T, k, (3, n, k))
        for r in range(3):
            _added(writer, (T, r * k), (l, 0), (at["by_x"], r * n), n)
            to, first = (at["by_u"], (r - 1) * m) if r else (E, 0)
            _added(writer, (T, r * k + n), (l, n), (to, first), m)
        _lower_product(writer, A, W, k, at["Q_xx"], n, (n, n))
        _product(writer, B, W, k, at["Q_ux"], n + 1, (m, n, n))
        _product(writer, B, writer.at(W, n), k, at["Q_uu"], m, (m, n, m))
        for i in range(m):
            writer.store(at["Q_ux"], i * (n + 1) + n, writer.load(E, i))
        self._add_hessian(writer, H, at)
        factor = writer.load(μ, 0)

        def damp(i: Any) -> None:
            entry = writer.load(at["Q_uu"], i * (m + 1))
            damping = writer.apply("mul", factor, entry)
            writer.store(at["damping"], i, damping)
            writer.store(at["Q_uu"], i * (m + 1), writer.apply("add", entry, damping))

        writer.loop(0, m, damp)
        _mirrored(writer, at["Q_uu"], m)

    def _add_hessian(self, writer: Writer, H: Any, at: dict[str, Any]) -> None:
        n, m, first = self.n, self.m, 0
        for i, j, count in self.runs:
            split = min(max(n - j, 0), count) if i >= n else count  # how many of them are by δ
            place = (at["Q_xx"], i * n + j) if i < n else (at["Q_ux"], (i - n) * (n + 1) + j)
            _added(writer, place, (H, first), place, split)
            place = at["Q_uu"], (i - n) * m + j + split - n
            _added(writer, place, (H, first + split), place, count - split)
            first += count


def model_parts(found: np.ndarray, n: int, m: int) -> dict[str, np.ndarray]:
    """The results of `Model` by name: Q_uu (m, m) with its damping, Q_ux (m, n + 1) with Q_u as its last column,
    damping (1, m), Q_xx (n, n) of which the lower triangle counts, by_x (3, n): Q_x, η, ω, and by_u (2, m): l_u + Bᵀη,
    l_u + Bᵀω, and Vg (1, n)."""
    shapes, places = _shapes(n, m), _places(n, m)
    return {
        name: found[places[name] : places[name] + shape[0] * shape[1]].reshape(shape)
        for name, shape in shapes.items()
    }


def _shapes(n: int, m: int) -> dict[str, tuple[int, int]]:
    return {
        "Q_uu": (m, m), "Q_ux": (m, n + 1), "damping": (1, m), "Q_xx": (n, n), "by_x": (3, n), "by_u": (2, m),
        "Vg": (1, n),
    }  # fmt: skip


def _places(n: int, m: int) -> dict[str, int]:
    sizes = {name: rows * columns for name, (rows, columns) in _shapes(n, m).items()}
    return dict(zip(sizes, np.cumsum([0, *sizes.values()]).tolist(), strict=False))


@dataclass(frozen=True)
class Eliminated(LoopPart):
    """X (m, k) with A X = B for a symmetric positive definite A (m, m): `Solution`, number for number.

    A problem alone is eliminated row by row with its right-hand sides beside it: A = UᵀU and U⁻ᵀB are found together.
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
        return Solution(self.m, self.k, True).operations

    @property
    def by_rows(self) -> bool:  # type: ignore[override]
        """Whether its rows are long enough for the lanes."""
        return self.k >= 8

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        if writer.lanes == 1:
            return Solution(self.m, self.k, True).write(writer, operands, results)
        (A, B), m, size = operands, self.m, writer.lanes
        pieces = -(-(m + self.k) // size)
        width = pieces * size
        T, inverse = writer.array(m * width), writer.array(m)
        zero, one = writer.constant(0.0), writer.constant(1.0)
        empty = writer.spread(zero, size)

        def begin(i: Any) -> None:
            writer.store_row(T, i * width + (width - size), empty)
            _copied(writer, (A, i * m), (T, i * width), m)
            _copied(writer, (B, i * self.k), (T, i * width + m), self.k)

        def eliminate(block: Any, k: Any) -> None:
            scale = writer.apply("div", one, writer.apply("sqrt", writer.load(T, k * (width + 1))))
            writer.store(inverse, k, scale)
            spread = writer.spread(scale, size)

            def scaled(piece: Any) -> None:
                place = k * width + piece * size
                writer.store_row(T, place, writer.on_rows("mul", writer.row(T, place, size), spread))

            def below(i: Any) -> None:
                factor = writer.spread(writer.apply("neg", writer.load(T, k * width + i)), size)

                def subtract(piece: Any) -> None:
                    u, place = writer.row(T, k * width + piece * size, size), i * width + piece * size
                    new = writer.on_rows("fma", factor, u, writer.row(T, place, size))
                    writer.store_row(T, place, new)

                writer.loop(block, pieces, subtract)

            writer.loop(block, pieces, scaled)
            writer.loop(k + 1, m, below)

        writer.loop(0, m, begin)
        full, rest = divmod(m, size)
        writer.loop(0, full, lambda block: writer.loop(0, size, lambda r: eliminate(block, block * size + r)))
        writer.loop(full * size, full * size + rest, lambda k: eliminate(full, k))
        for starts, count in pieces_of_rows(writer, self.k, 8):
            self._substitute(writer, (T, width), inverse, results, starts, count)
        return None

    def _substitute(
        self, writer: Writer, T: tuple[Any, int], inverse: Any, X: Any, starts: list[int], size: int
    ) -> None:
        """Columns of X from U X = U⁻ᵀB, the last row first."""
        (T, width), m, k = T, self.m, self.k

        def solve(i: Any) -> None:
            def subtract(j: Any, *sums: Any) -> list[Any]:
                u = writer.spread(writer.apply("neg", writer.load(T, i * width + j)), size)
                known = [writer.row(X, j * k + c, size) for c in starts]
                return [writer.on_rows("fma", u, x, s) for x, s in zip(known, sums, strict=True)]

            given = [writer.row(T, i * width + (m + c), size) for c in starts]
            scale = writer.spread(writer.load(inverse, i), size)
            for c, value in zip(starts, writer.loop_rows(i + 1, m, subtract, given), strict=True):
                writer.store_row(X, i * k + c, writer.on_rows("mul", value, scale))

        writer.loop(0, m, solve, down=True)


@dataclass(frozen=True)
class Closed(LoopPart):
    """The values of a node, with its policy.

    Operands: the results of `Model`; [K κ] (m, n + 1); V_x, η, ω (3, n), slope and change after the node; g (n).
    Results: V_xx (n, n), V_x, η, ω (3, n), slope, change, K (m, n), κ (m), the gradient (m) by its inputs, and zero:
    the verdict of a step of a time loop.
    """

    n: int
    m: int

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        n, m = self.n, self.m
        return Model(n, m, ()).size, m * (n + 1), 3 * n + 2, n

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return values_size(self.n) + policy_size(self.n, self.m) + 1

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        n, m = self.n, self.m
        return m * n * (n + 1) // 2 + 3 * m * n + m * m

    @property
    def by_rows(self) -> bool:  # type: ignore[override]
        """Whether its rows are long enough for the lanes."""
        return self.n >= 8

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        model, F, X, g = operands
        n, m, r = self.n, self.m, self.n + 1
        at = {name: writer.at(model, place) for name, place in _places(n, m).items()}
        vectors = writer.at(results, n * n)
        policy = writer.at(results, values_size(n))
        L, κ, Qκ, taken = writer.array(m * r), writer.at(policy, m * n), writer.array(m), writer.array(2 * n)

        def row(i: Any) -> None:
            damping = writer.load(at["damping"], i)
            _scaled_sum(writer, damping, (F, i * r), (at["Q_ux"], i * r), (L, i * r), r)
            _copied(writer, (F, i * r), (policy, i * n), n)
            writer.store(κ, i, writer.load(F, i * r + n))

        writer.loop(0, m, row)
        _lower_product(writer, Place(L, 1, r), F, r, results, n, (n, m), given=at["Q_xx"])
        _mirrored(writer, results, n)
        along = writer.at(at["by_u"], m)
        _product(writer, Place(κ, 0), L, r, taken, n, (1, m, n))
        _product(writer, Place(along, 0), F, r, writer.at(taken, n), n, (1, m, n))
        _product(writer, Place(κ, 0), at["Q_uu"], m, Qκ, m, (1, m, m))
        for source, less, place in ((0, 0, 0), (2 * n, n, 2 * n)):
            _added(writer, (at["by_x"], source), (taken, less), (vectors, place), n, "sub")
        _copied(writer, (at["by_x"], n), (vectors, n), n)
        _copied(writer, (at["by_u"], 0), (policy, m * n + m), m)
        for k, total in enumerate(self._sums(writer, at, X, g, κ, along, Qκ)):
            writer.store(vectors, 3 * n + k, total)
        writer.store(policy, m * n + 2 * m, writer.constant(0.0))

    def _sums(
        self, writer: Writer, at: dict[str, Any], X: Any, g: Any, κ: Any, along: Any, Qκ: Any
    ) -> list[Any]:
        """The slope and the change of the cost from the node on."""
        n, m, apply = self.n, self.m, writer.apply
        half = writer.constant(0.5)

        def by_gap(i: Any, slope: Any, change: Any) -> list[Any]:
            gap = writer.load(g, i)
            mean = apply("fma", half, writer.load(at["Vg"], i), writer.load(X, i))
            return [
                apply("fma", writer.load(X, i + 2 * n), gap, slope), apply("fma", mean, gap, change),
            ]  # fmt: skip

        def by_input(i: Any, slope: Any, change: Any) -> list[Any]:
            step = apply("neg", writer.load(κ, i))
            plain = apply(
                "sub", writer.load(Qκ, i), apply("mul", writer.load(at["damping"], i), writer.load(κ, i))
            )
            force = apply("sub", writer.load(at["Q_ux"], i * (n + 1) + n), apply("mul", half, plain))
            return [apply("fma", writer.load(along, i), step, slope), apply("fma", force, step, change)]

        sums = writer.loop(0, n, by_gap, [writer.load(X, 3 * n), writer.load(X, 3 * n + 1)])
        return writer.loop(0, m, by_input, sums)


def values_size(n: int) -> int:
    """Numbers of the values at a node: V_xx, V_x, η, ω, slope, change."""
    return n * n + 3 * n + 2


def policy_size(n: int, m: int) -> int:
    """Numbers of a node's policy: K, κ, gradient."""
    return m * n + 2 * m


def _tile(
    writer: Writer, A: Place, B: Any, stride: int, C: Any, width: int, inner: int, rows: tuple[Any, int],
    columns: tuple[Sequence[Any], int], given: Any = None,
) -> None:  # fmt: skip
    """Some entries of A B (width numbers to a row of C), or of given − A B.

    rows: the first one and how many; columns: the first of every piece, and the columns in a piece.
    """
    (first, count), (starts, size) = rows, columns
    pairs = [(r, start) for r in range(count) for start in starts]

    def add(k: Any, *sums: Any) -> list[Any]:
        right = [writer.row(B, k * stride + start, size) for start in starts]
        found, own = [], iter(sums)
        for r in range(count):
            a = writer.load(A.array, (first + r) * A.row + k * A.column)
            a = writer.spread(a if given is None else writer.apply("neg", a), size)
            found += [writer.on_rows("fma", a, b, next(own)) for b in right]
        return found

    if given is None:
        sums = [writer.spread(writer.constant(0.0), size)] * len(pairs)
    else:
        sums = [writer.row(given, (first + r) * width + start, size) for r, start in pairs]
    for (r, start), total in zip(pairs, writer.loop_rows(0, inner, add, sums), strict=True):
        writer.store_row(C, (first + r) * width + start, total)


def _product(
    writer: Writer, A: Place, B: Any, stride: int, C: Any, width: int, sizes: tuple[int, int, int]
) -> None:
    """C = A B, sizes (rows, inner, columns); stride and width: from one row of B and of C to the next."""
    rows, inner, columns = sizes
    if writer.lanes > 1:
        for starts, size in pieces_of_rows(writer, columns, _PIECES):
            each_tile(
                writer, rows,
                lambda i, count, starts=starts, size=size: _tile(
                    writer, A, B, stride, C, width, inner, (i, count), (starts, size)
                ),
                _SUMS // len(starts),
            )  # fmt: skip
        return

    def tile(j: Any, count: int) -> None:
        starts = [j + c for c in range(count)]
        each_tile(
            writer,
            rows,
            lambda i, number: _tile(writer, A, B, stride, C, width, inner, (i, number), (starts, 1)),
        )

    each_tile(writer, columns, tile)


def _lower_product(
    writer: Writer,
    A: Place,
    B: Any,
    stride: int,
    C: Any,
    width: int,
    sizes: tuple[int, int],
    given: Any = None,
) -> None:
    """The lower triangle of C = A B (n, n), or of given − A B, and some entries above it; sizes (n, inner)."""
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
                _tile(writer, A, B, stride, C, width, inner, (first, count), columns, given)
        return

    def tile(t: Any, rows: int, s: Any, columns: int) -> None:
        starts = [s * _TILE + c for c in range(columns)]
        _tile(writer, A, B, stride, C, width, inner, (t * _TILE, rows), (starts, 1), given)

    full, rest = divmod(n, _TILE)
    writer.loop(0, full, lambda t: writer.loop(0, t + 1, lambda s: tile(t, _TILE, s, _TILE)))
    if rest:
        writer.loop(0, full, lambda s: tile(full, rest, s, _TILE))
        tile(full, rest, full, rest)


def _mirrored(writer: Writer, A: Any, n: int) -> None:
    """The lower triangle of A (n, n) copied to the upper one."""
    writer.loop(
        1, n, lambda i: writer.loop(0, i, lambda j: writer.store(A, j * n + i, writer.load(A, i * n + j)))
    )


def _added(
    writer: Writer, a: tuple[Any, Any], b: tuple[Any, Any], to: tuple[Any, Any], count: int, operation: str = "add"
) -> None:  # fmt: skip
    """to = a + b, `count` numbers from these places on."""

    def rows(first: Any, size: int) -> None:
        found = [writer.row(array, first + place, size) for array, place in (a, b)]
        writer.store_row(to[0], first + to[1], writer.on_rows(operation, *found))

    _in_pieces(writer, count, rows)


def _copied(writer: Writer, source: tuple[Any, Any], to: tuple[Any, Any], count: int) -> None:
    """`count` numbers from one place to another."""

    def rows(first: Any, size: int) -> None:
        writer.store_row(to[0], first + to[1], writer.row(source[0], first + source[1], size))

    _in_pieces(writer, count, rows)


def _scaled_sum(
    writer: Writer, factor: Any, a: tuple[Any, Any], b: tuple[Any, Any], to: tuple[Any, Any], count: int
) -> None:
    """to = factor a + b, `count` numbers from these places on."""

    def rows(first: Any, size: int) -> None:
        x, y = (writer.row(array, first + place, size) for array, place in (a, b))
        writer.store_row(to[0], first + to[1], writer.on_rows("fma", writer.spread(factor, size), x, y))

    _in_pieces(writer, count, rows)


def _in_pieces(writer: Writer, count: int, body: Any) -> None:
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
