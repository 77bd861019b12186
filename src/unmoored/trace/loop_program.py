"""Loops that stay loops: small programs over memory, written once and printed by every backend.

A `LoopPart` reads arrays of numbers (its operands) and fills one (its results). Its `write` is the program, in the
words of a `Writer`: loads, stores, operations of the graph, and loops. Each backend is a writer; so are the
interpreter and the unrolling of loops. What a program does never depends on the values of the numbers, so that the
samples of a batch go through it side by side, one per lane; what would change nothing may be left out (`unless`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..error_roots import ArrayError

if TYPE_CHECKING:
    import numpy as np

    from .graph import Graph
    from .traced import Traced


#: the mark before an address
FAR = 45317.0


class Writer(ABC):
    """The words of a program. Numbers, arrays and indices are whatever the backend makes of them.

    Indices are whole numbers and loop variables; they can be added, subtracted and multiplied by whole numbers.
    """

    @abstractmethod
    def array(self, size: int) -> Any:
        """New memory for `size` numbers."""

    @abstractmethod
    def at(self, array: Any, index: Any) -> Any:
        """The array from an index on."""

    @abstractmethod
    def load(self, array: Any, index: Any) -> Any:
        """The number at an index."""

    @abstractmethod
    def store(self, array: Any, index: Any, value: Any) -> None:
        """Put a number at an index."""

    @abstractmethod
    def constant(self, value: float) -> Any:
        """A number that is known."""

    @abstractmethod
    def number(self, index: Any) -> Any:
        """An index as a number."""

    @abstractmethod
    def apply(self, operation: str, *values: Any) -> Any:
        """An operation of the graph on numbers."""

    @abstractmethod
    def loop(
        self, start: Any, stop: Any, body: Callable[..., Any], carried: Sequence[Any] = (), down: bool = False
    ) -> list[Any]:
        """body(index, *carried) → the new carried numbers, for start ≤ index < stop; from the end if `down`."""

    def unless(self, flag: Any, body: Callable[[], Any]) -> None:
        """Run the body, which changes nothing where the number `flag` is 1; left out where it is 1 in all samples."""
        body()

    @abstractmethod
    def call(self, part: Traced, arguments: Any, results: Any) -> None:
        """Run a function: its flat inputs and outputs are arrays."""

    @abstractmethod
    def gather(self, array: Any, size: int, place: Any) -> Any:
        """The number at a place 0 … size - 1 that is itself a (whole) number, one of its own in every sample."""

    @abstractmethod
    def scatter_add(self, array: Any, size: int, place: Any, value: Any) -> None:
        """Add to the number at such a place."""

    @abstractmethod
    def far(self, handle: Sequence[Any]) -> Any:
        """Memory that is not the kernel's own, at an address; see `span_table`.

        handle: `FAR`, and the address as four numbers of 16 bits. Without `FAR` it is one NaN.
        """

    @abstractmethod
    def known(self, double: np.ndarray, single: np.ndarray) -> Any:
        """Numbers that are constants of the code, as such memory; those for the format that the code computes in."""

    @abstractmethod
    def fetch(self, far: Any, first: int, place: Any) -> Any:
        """The number there so many places after the `first`: a (whole) number, one of its own in every sample."""

    #: how many numbers that lie side by side can be taken together as a row at the price of one
    lanes: int = 1

    def row(self, array: Any, index: Any, count: int) -> Any:
        """The numbers at `index` and after it."""
        return [self.load(array, index + k) for k in range(count)]

    def spread(self, x: Any, count: int) -> Any:
        """A row of the same number."""
        return [x] * count

    def soon(self, array: Any, index: Any) -> None:  # noqa: B027 (most have no use for it)
        """A hint that what lies there, in the array or beyond it, is needed soon: it may be fetched already."""

    def part(self, row: Any, first: int, count: int) -> Any:
        """`count` numbers of a row."""
        return row[first : first + count]

    def repeated(self, row: Any, times: int) -> Any:
        """A row of the numbers of this one again and again."""
        return row * times

    def store_row(self, array: Any, index: Any, row: Any) -> None:
        """Put the numbers of a row at an index and after it."""
        for k, x in enumerate(row):
            self.store(array, index + k, x)

    def on_rows(self, operation: str, *rows: Any) -> Any:
        """An operation of the graph on the numbers of rows, one by one."""
        return [self.apply(operation, *values) for values in zip(*rows, strict=True)]

    def loop_rows(
        self, start: Any, stop: Any, body: Callable[..., Any], carried: Sequence[Any], down: bool = False
    ) -> list[Any]:
        """The same as `loop` with rows that are carried."""
        sizes = [len(row) for row in carried]

        def rows_of(numbers: Sequence[Any]) -> list[Any]:
            rest = iter(numbers)
            return [[next(rest) for _ in range(size)] for size in sizes]

        def flat(index: Any, *numbers: Any) -> list[Any]:
            return [x for row in body(index, *rows_of(numbers)) for x in row]

        return rows_of(self.loop(start, stop, flat, [x for row in carried for x in row], down))

    def copy(self, source: Any, first: Any, target: Any, place: Any, count: int) -> None:
        """Copy `count` numbers from one array to another."""
        if count <= 4:
            for k in range(count):
                self.store(target, place + k, self.load(source, first + k))
        else:
            self.loop(0, count, lambda k: self.store(target, place + k, self.load(source, first + k)))


class LoopPart(ABC):
    """A program as a part of a graph; the operands of its `loop` node are its arrays, one after the other."""

    #: numbers in every operand array
    groups: tuple[int, ...]
    #: numbers in the results
    size: int
    #: operations of one run
    operations: int
    #: whether its work is on rows, which a sample alone takes as fast as a batch takes numbers
    by_rows: bool = False

    @property
    def functions(self) -> tuple[Traced, ...]:
        """Functions that the program calls."""
        return ()

    def mapped(self, change: Callable[[Traced], Traced]) -> LoopPart:
        """The same program that calls changed functions."""
        return self

    @abstractmethod
    def write(self, writer: Writer, operands: Sequence[Any], results: Any) -> None:
        """Write the program."""

    def cut(self, flat: Sequence[Any]) -> list[Sequence[Any]]:
        """The operands of a node, array by array."""
        arrays, first = [], 0
        for size in self.groups:
            arrays.append(flat[first : first + size])
            first += size
        return arrays

    def nodes(self, graph: Graph, *operands: Sequence[int]) -> list[int]:
        """Nodes of the results of this program, run on these nodes."""
        flat = [k for group in operands for k in group]
        if [len(group) for group in operands] != list(self.groups):
            raise ArrayError(
                f"a loop over arrays of {self.groups} numbers was given {list(map(len, operands))}"
            )
        position = next((k for k, part in enumerate(graph.parts) if part is self), None)
        node = graph.node("loop", graph.part(self) if position is None else position, *flat)
        return [graph.node("result", node, k) for k in range(self.size)]


class ListWriter(Writer):
    """Programs run at once, in Python: arrays are (list, first position), indices are integers."""

    def array(self, size: int) -> Any:
        return ([None] * size, 0)

    def at(self, array: Any, index: Any) -> Any:
        return (array[0], array[1] + index)

    def load(self, array: Any, index: Any) -> Any:
        return array[0][array[1] + index]

    def store(self, array: Any, index: Any, value: Any) -> None:
        array[0][array[1] + index] = value

    def loop(
        self, start: Any, stop: Any, body: Callable[..., Any], carried: Sequence[Any] = (), down: bool = False
    ) -> list[Any]:
        values = list(carried)
        for index in reversed(range(start, stop)) if down else range(start, stop):
            values = as_list(body(index, *values)) if values else (body(index), values)[1]
        return values

    def run(self, part: LoopPart, flat: Sequence[Any]) -> list[Any]:
        """Results of a program for the values of its operands."""
        results = self.array(part.size)
        part.write(self, [(list(array), 0) for array in part.cut(flat)], results)
        return results[0]


def as_list(values: Any) -> list[Any]:
    """What a loop's body returns, as a list."""
    return list(values) if isinstance(values, tuple | list) else [values]
