"""Tables that stay where they are: a kernel gets their address as an operand, and finds the row for a time in them.

A `SpanTable` has increasing times (K,) and K + 1 rows, one for what is before the first time, between two, and after
the last. Its numbers lie in memory that the caller keeps; the address goes through the graph as four whole numbers of
16 bits, which every number format holds exactly, behind a mark. So the code knows the layout of a table, never its
content. Where the mark is not there, nothing is read elsewhere, and all that is found is NaN. Code that stands
alone (C source) holds the numbers as constants instead; what is looked up is the same.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .loop_program import FAR, LoopPart, Writer
from .matrices import shared
from .scan_tracing import traced_into
from .symbol import node_of
from .traced import symbols

#: numbers that an address goes through the graph as: the mark, and four of 16 bits from the lowest on
HANDLE = 5
_FORMATS = ("float64", "float32")
#: numbers before the times
_HEAD = 3
#: halvings of a search, the same for times of any spacing as far as possible; buckets per time that are tried for that
_HALVINGS, _FACTORS = 2, (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class TableLayout:
    """times: how many.  columns: of a row.  halvings: of the search among the times of one bucket.

    In memory: the first time, buckets per second, the last bucket's number; the times, and infinity; the rows; how many
    times lie before each bucket, and before the end.
    """

    times: int
    columns: int
    halvings: int

    @property
    def first_row(self) -> int:
        """Where the rows begin."""
        return _HEAD + self.times + 1

    @property
    def first_bucket(self) -> int:
        """Where the buckets begin."""
        return self.first_row + (self.times + 1) * self.columns


class SpanTable:
    """times (K,), increasing; rows (K + 1, k)."""

    def __init__(self, times: np.ndarray, rows: np.ndarray):
        self.times, self.rows = times, rows

    @cached_property
    def _made(self) -> tuple[int, int]:
        """(buckets, halvings): as many buckets as leave few times in each, in every number format."""
        for buckets in (factor * len(self.times) for factor in _FACTORS):
            fullest = max(int(np.diff(self._before(name, buckets)[1]).max()) for name in _FORMATS)
            if fullest < 1 << _HALVINGS:
                return buckets, _HALVINGS
        return buckets, fullest.bit_length()

    @cached_property
    def layout(self) -> TableLayout:
        """Everything about it that is part of a kernel's code."""
        return TableLayout(len(self.times), self.rows.shape[1], self._made[1])

    def _before(self, dtype: str, buckets: int) -> tuple[np.ndarray, np.ndarray]:
        """The head of the table, and how many times lie before each bucket, as the kernel finds them in its format."""
        times = self.times.astype(dtype)
        head = np.array([times[0], buckets / (self.times[-1] - self.times[0]), buckets - 1], dtype=dtype)
        own = np.clip(np.floor((times - head[0]) * head[1]), 0, buckets - 1)
        return head, np.searchsorted(own, np.arange(buckets + 1), side="left")

    def numbers(self, dtype: str) -> np.ndarray:
        """The table as it lies in memory, read-only."""
        if dtype not in self._numbers:
            head, before = self._before(dtype, self._made[0])
            parts = [head, self.times, [np.inf], self.rows.ravel(), before]
            self._numbers[dtype] = np.concatenate([np.asarray(part, dtype=dtype) for part in parts])
            self._numbers[dtype].setflags(write=False)
        return self._numbers[dtype]

    @cached_property
    def _numbers(self) -> dict[str, np.ndarray]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {"times": self.times, "rows": self.rows}

    @cached_property
    def _known_row(self) -> KnownRow:
        return KnownRow(self.layout, *(self.numbers(name) for name in _FORMATS))

    def row(self, t: Any) -> np.ndarray:
        """The row (..., k) for times t (...). Among symbols it is looked up in the table where that is given
        (`tables_at`), or else in constants of the code."""
        t = np.asarray(t)
        graph = traced_into((t,))
        if graph is None:
            return self.rows[np.searchsorted(self.times, t.astype(float), side="right")]
        place = _given.get().get(id(self))
        part = self._known_row if place is None else shared(SpanRow(self.layout))
        handle = [] if place is None else [[node_of(graph, number) for number in place]]
        found = [k for x in t.ravel() for k in part.nodes(graph, [node_of(graph, x)], *handle)]
        return np.asarray(symbols(graph, found, (*t.shape, self.layout.columns)))


_NONE: dict[int, Any] = {}
#: addresses (5,) of tables, by their identity
_given: ContextVar[dict[int, Any]] = ContextVar("given tables", default=_NONE)


@contextmanager
def tables_at(tables: Sequence[SpanTable], handle: np.ndarray) -> Iterator[None]:
    """What is traced meanwhile finds each table at an address of its own (5,) in the handle (5 times tables,)."""
    count = handle.shape[-1] // HANDLE
    places = {id(table): handle[..., k * HANDLE : (k + 1) * HANDLE] for k, table in enumerate(tables[:count])}
    before = _given.set(_given.get() | places)
    try:
        yield
    finally:
        _given.reset(before)


@contextmanager
def no_tables() -> Iterator[None]:
    """What is traced meanwhile, for good, finds no table given: addresses are symbols of another function."""
    before = _given.set(_NONE)
    try:
        yield
    finally:
        _given.reset(before)


def handle_of(array: Any) -> np.ndarray:
    """The address of a contiguous array, here or on a GPU, as numbers."""
    address = array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr
    return np.array([FAR, *((address >> 16 * k) & 0xFFFF for k in range(HANDLE - 1))], dtype=float)


@dataclass(frozen=True, eq=False)
class TableRow(LoopPart):
    """The row for a time, of a table. Its derivatives are zero."""

    layout: TableLayout

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of results."""
        return self.layout.columns

    @property
    def operations(self) -> int:  # type: ignore[override]
        """Arithmetic operations, for the count of a kernel's work."""
        return 8 + 6 * self.layout.halvings + self.layout.columns

    @abstractmethod
    def memory(self, writer: Writer, operands: Sequence[Any]) -> Any:
        """Where the table is."""

    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        layout, apply, constant = self.layout, writer.apply, writer.constant
        x, far = writer.load(operands[0], 0), self.memory(writer, operands)

        def at(first: int, number: Any) -> Any:
            return writer.fetch(far, first, number)

        zero, one = constant(0.0), constant(1.0)
        start, rate, last = (at(k, zero) for k in range(_HEAD))
        bucket = apply("floor", apply("mul", apply("sub", x, start), rate))
        bucket = apply("select", apply("le", zero, bucket), bucket, zero)
        bucket = apply("select", apply("le", bucket, last), bucket, last)
        low, high = at(layout.first_bucket, bucket), at(layout.first_bucket + 1, bucket)
        for k in range(layout.halvings):
            middle = apply("floor", apply("mul", constant(0.5), apply("add", low, high)))
            above = apply("le", at(_HEAD, middle), x)
            low = apply("select", above, apply("add", middle, one), low)
            high = apply("select", above, high, middle) if k < layout.halvings - 1 else high
        row = apply("mul", low, constant(float(layout.columns)))
        for k in range(layout.columns):
            writer.store(results, k, at(layout.first_row + k, row))


@dataclass(frozen=True)
class SpanRow(TableRow):
    """The row for a time, of the table at an address."""

    groups = (1, HANDLE)

    def memory(self, writer: Writer, operands: Sequence[Any]) -> Any:
        """At the address."""
        return writer.far([writer.load(operands[1], k) for k in range(HANDLE)])


@dataclass(frozen=True, eq=False)
class KnownRow(TableRow):
    """The row for a time, of a table whose numbers are constants of the code, in each number format."""

    double: np.ndarray
    single: np.ndarray

    groups = (1,)

    @property
    def content(self) -> tuple[np.ndarray, np.ndarray]:
        """The times (K,) and rows (K + 1, k)."""
        count, first = self.layout.times, self.layout.first_row
        rows = self.double[first : self.layout.first_bucket].reshape(count + 1, -1)
        return self.double[_HEAD : _HEAD + count], rows

    def memory(self, writer: Writer, operands: Sequence[Any]) -> Any:
        """In the code."""
        return writer.known(self.double, self.single)
