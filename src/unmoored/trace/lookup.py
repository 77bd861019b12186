"""Looking numbers up in arrays that are given when a kernel is called: by index, and by bisection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .array_functions import clip, equal, greater, greater_equal, less_equal, maximum, minimum, where
from .linear import entries_of
from .loop_program import LoopPart, Writer
from .matrices import shared
from .scan_tracing import traced_into
from .symbol import Symbol, node_of
from .traced import symbols
from .tracing_error import TracingError
from .users_line import caller_line

KINDS = ("previous", "nearest", "linear", "cubic")


@dataclass(frozen=True)
class Bracket(LoopPart):
    """The number i of the interval of increasing points (n,) with point i ≤ x < point i + 1; 0 … n - 2."""

    n: int

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        return 1, self.n

    size = 1

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return 6 * (self.n - 2).bit_length()

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        place, points = operands
        x, half = writer.load(place, 0), writer.constant(0.5)

        def halve(_: Any, low: Any, high: Any) -> list[Any]:
            middle = writer.apply("floor", writer.apply("mul", half, writer.apply("add", low, high)))
            above = writer.apply("le", writer.gather(points, self.n, middle), x)
            return [
                writer.apply("select", above, middle, low), writer.apply("select", above, high, middle),
            ]  # fmt: skip

        ends = [writer.constant(0.0), writer.constant(float(self.n - 1))]
        low, _ = writer.loop(0, (self.n - 2).bit_length(), halve, ends)
        writer.store(results, 0, low)


@dataclass(frozen=True)
class Row(LoopPart):
    """Row i (k,) of values (n, k), for a whole number i in 0 … n - 1."""

    n: int
    k: int

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        return 1, self.n * self.k

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.k

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return self.k

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        place, values = operands
        first = writer.apply("mul", writer.load(place, 0), writer.constant(float(self.k)))

        def entry(j: Any) -> None:
            own = writer.apply("add", first, writer.number(j))
            writer.store(results, j, writer.gather(values, self.n * self.k, own))

        writer.loop(0, self.k, entry)


@dataclass(frozen=True)
class Spread(LoopPart):
    """Zeros (n, k) but for row i, which is the given one (k,): the derivative of `Row`, transposed."""

    n: int
    k: int

    @property
    def groups(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of entries of the operands, one after the other."""
        return 1, self.k

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.n * self.k

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return self.k

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        place, row = operands
        zero = writer.constant(0.0)
        writer.loop(0, self.size, lambda j: writer.store(results, j, zero))
        first = writer.apply("mul", writer.load(place, 0), writer.constant(float(self.k)))

        def entry(j: Any) -> None:
            own = writer.apply("add", first, writer.number(j))
            writer.scatter_add(results, self.size, own, writer.load(row, j))

        writer.loop(0, self.k, entry)


def table(values: Any, index: Any) -> Any:
    """values[index] for values (n, ...) and an index (any shape S): S + (...). Rounded down, and kept in 0 … n - 1.

    The values may be arguments of the traced function: they are then given when the kernel is called, the same
    ones for all samples or some for each, and are no part of the code.
    """
    values, index = entries_of(values), entries_of(index)
    if not values.ndim or not len(values):
        raise TracingError(
            f"table: values must be (n, ...) with n ≥ 1, got {values.shape}. At {caller_line()}"
        )
    return _known(index, _rows(values, clip(_floor(index), 0.0, float(len(values) - 1))))


def interp(x: Any, points: Any, values: Any, kind: str = "linear", *, slopes: Any = None) -> Any:
    """The function through (points[i], values[i]) at x, whose ends go on beyond the first and the last point.

    points (n,) increase strictly, n ≥ 2; values (n, ...); x of any shape S gives S + (...). `kind`: "previous" (the
    last value before x), "nearest" (of two the earlier one), "linear" as np.interp, "cubic" (Hermite's polynomials:
    smooth, with the `slopes` (n, ...) if they are given, else those of parabolas through neighbours as np.gradient).
    Any of the arrays may be an argument of the traced function, see `table`.
    """
    x, points, values = entries_of(x), entries_of(points), entries_of(values)
    _check(points, values, kind, slopes)
    n = len(points)
    first, last = points[0], points[-1]
    if kind == "previous":
        i = _bracket(x, points)
        return _known(x, _rows(values, where(greater_equal(x, last), float(n - 1), i)))
    x = minimum(maximum(x, first), last)
    i = _bracket(x, points)
    a, b = _rows(points, i), _rows(points, i + 1.0)
    if kind == "nearest":
        return _known(x, _rows(values, where(less_equal(x - a, b - x), i, i + 1.0)))
    extra = (...,) + (None,) * (values.ndim - 1)
    h, s = np.asarray(b - a)[extra], np.asarray((x - a) / (b - a))[extra]
    f, g = _rows(values, i), _rows(values, i + 1.0)
    if kind == "linear":
        return _bare(f + s * (g - f))
    if slopes is None:
        secant = (g - f) / h
        u, w = _slope(i, -1.0, points, values, secant, h), _slope(i + 1.0, 1.0, points, values, secant, h)
    else:
        slopes = entries_of(slopes)
        u, w = _rows(slopes, i), _rows(slopes, i + 1.0)
    rest = 1.0 - s
    hermite = rest * rest * ((1.0 + 2.0 * s) * f + s * h * u) + s * s * ((3.0 - 2.0 * s) * g - rest * h * w)
    return _bare(hermite)


def _bare(values: Any) -> Any:
    return values[()] if isinstance(values, np.ndarray) else values


def _known(x: Any, rows: Any) -> Any:
    """The rows found for x, NaN where x is NaN."""
    extra = (...,) + (None,) * (np.ndim(rows) - np.ndim(x))
    return _bare(where(np.asarray(equal(x, x))[extra], rows, np.nan))


def _slope(i: Any, side: float, points: Any, values: Any, secant: Any, h: Any) -> Any:
    """Slope at point i of the parabola through it and its neighbours; of the line where there is none on this side."""
    n = len(points)
    there = greater(i, 0.5) if side < 0 else greater(n - 1.5, i)
    other = clip(i + side, 0.0, float(n - 1))
    extra = (...,) + (None,) * (values.ndim - 1)
    gap = np.asarray(where(there, side * (_rows(points, other) - _rows(points, i)), 1.0))[extra]
    outer = side * (_rows(values, other) - _rows(values, i)) / gap
    return where(np.asarray(there)[extra], (gap * secant + h * outer) / (gap + h), secant)


def _check(points: Any, values: Any, kind: str, slopes: Any) -> None:
    if kind not in KINDS:
        raise TracingError(
            f"interp: kind must be one of {', '.join(KINDS)}, got {kind!r}. At {caller_line()}"
        )
    if points.ndim != 1 or len(points) < 2 or values.shape[:1] != points.shape:
        raise TracingError(
            f"interp: expected points (n,), n ≥ 2, and values (n, ...), got {points.shape} and {values.shape}. "
            f"At {caller_line()}"
        )
    if slopes is not None and (kind != "cubic" or np.shape(slopes) != values.shape):
        raise TracingError(
            f"interp: slopes belong to kind 'cubic' and have the shape of the values {values.shape}, "
            f"got {np.shape(slopes)} for {kind!r}. At {caller_line()}"
        )
    if points.dtype != object and not np.all(np.diff(points) > 0.0):
        raise TracingError(f"interp: points must increase strictly, got {points}. At {caller_line()}")


def _floor(x: np.ndarray) -> Any:
    return np.floor(x.astype(float)) if x.dtype != object else np.frompyfunc(np.floor, 1, 1)(x)


def _bracket(x: Any, points: np.ndarray) -> Any:
    """Number of the interval that x (S) lies in, (S)."""
    x, n = np.asarray(x), len(points)
    graph = traced_into((x, points))
    if graph is None:
        found = np.searchsorted(points.astype(float), x.astype(float), side="right") - 1
        return np.clip(found, 0, n - 2).astype(float)
    nodes, part = [node_of(graph, entry) for entry in points], shared(Bracket(n))
    found = [part.nodes(graph, [node_of(graph, entry)], nodes)[0] for entry in x.ravel()]
    return symbols(graph, found, x.shape)


def _rows(values: np.ndarray, index: Any) -> Any:
    """values[index] for whole numbers `index` (S) within range."""
    index = np.asarray(index)
    graph = traced_into((values, index))
    if graph is None:
        whole = np.where(np.isnan(index.astype(float)), 0, index).astype(int)
        return values[whole]
    if index.dtype != object or not any(isinstance(i, Symbol) for i in index.ravel()):
        return values[index.astype(int)]
    n, shape = len(values), values.shape[1:]
    flat = values.reshape(n, -1)
    nodes, part = [node_of(graph, entry) for entry in flat.ravel()], shared(Row(n, flat.shape[1]))
    found = [k for i in index.ravel() for k in part.nodes(graph, [node_of(graph, i)], nodes)]
    return symbols(graph, found, (*index.shape, *shape))
