"""Running a function on symbols and keeping the graph that it leaves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .active_graph import active
from .graph import Graph
from .node_order import live_nodes, operation_count
from .symbol import Condition, Symbol, for_users, node_of
from .tracing_error import TracingError
from .users_line import failing_line

Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Traced:
    """A function as a graph: flat inputs are the nodes `("input", k)`, outputs are lists of node indices."""

    graph: Graph
    input_shapes: tuple[Shape, ...]
    #: node indices of every output, flattened in C order
    outputs: tuple[tuple[int, ...], ...]
    output_shapes: tuple[Shape, ...]
    #: whether there is one output, which is returned bare and not in a tuple
    single: bool = True
    name: str = "function"
    #: derivatives that the function brings with it, see `derivative_rule`; None to find them on the graph
    rule: Any = None

    @property
    def input_offsets(self) -> tuple[int, ...]:
        """Flat index of the first entry of every input, and the total number at the end."""
        offsets = [0]
        for shape in self.input_shapes:
            offsets.append(offsets[-1] + math.prod(shape))
        return tuple(offsets)

    @property
    def operations(self) -> int:
        """Number of operations, those of sub-functions and loops included."""
        return operation_count(self.graph, self.flat_outputs)

    @property
    def flat_outputs(self) -> tuple[int, ...]:
        """Node indices of all outputs, one after the other."""
        return tuple(index for output in self.outputs for index in output)

    @cached_property
    def live(self) -> list[int]:
        """Node indices of all that the outputs depend on, operands first."""
        return live_nodes(self.graph, self.flat_outputs)


def trace(
    function: Callable[..., Any],
    *input_shapes: Sequence[int],
    name: str | None = None,
    loops_beyond: int | None = None,
    exact_zeros: bool = False,
) -> Traced:
    """Run `function` on arrays of symbols of the given shapes and return its graph.

    A shape `()` passes a bare symbol. The function returns an array (or number), or a tuple of them;
    a tuple of one counts as the one. Scans over more than `loops_beyond` items become loops (never if None).
    `exact_zeros` is for functions that are not ours: 0 x is computed then, as it is NaN where x is infinite or NaN
    (else it is 0, as are the structural zeros of a model), and their arrays know more of NumPy's functions.
    """
    graph = Graph()
    graph.loops_beyond, graph.exact_zeros = loops_beyond, exact_zeros
    shapes = tuple(tuple(int(size) for size in shape) for shape in input_shapes)
    arguments, first = [], 0
    for shape in shapes:
        arguments.append(input_symbols(graph, shape, first))
        first += math.prod(shape)
    with active(graph):
        results = _told(function, arguments) if exact_zeros else function(*arguments)
    arrays = [_array(result) for result in (results if isinstance(results, tuple | list) else (results,))]
    return Traced(
        graph, shapes,
        outputs=tuple(tuple(node_of(graph, entry) for entry in array.ravel()) for array in arrays),
        output_shapes=tuple(array.shape for array in arrays),
        single=len(arrays) == 1,
        name=name or getattr(function, "__name__", "function"),
    )  # fmt: skip


def _told(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """What a user's function returns; NumPy's own words for a symbol as the index of numbers say too little."""
    try:
        return function(*arguments)
    except IndexError as error:
        if "valid indices" not in str(error):
            raise
        raise TracingError(
            f"{error}. A symbol is no index: use unmoored.trace.table(values, index). At {failing_line(error)}"
        ) from error


def input_symbols(graph: Graph, shape: Shape, first: int) -> Any:
    """Symbols for the flat inputs from `first` on, in the given shape."""
    return symbols(graph, [graph.node("input", first + k) for k in range(math.prod(shape))], shape)


def symbols(graph: Graph, indices: Sequence[int], shape: Shape) -> Any:
    """Object array (or bare symbol for shape `()`) of the nodes with the given indices."""
    array = np.empty(len(indices), dtype=object)
    for k, index in enumerate(indices):
        array[k] = Symbol(graph, index)
    return for_users(array.reshape(shape)) if shape else array[0]


def _array(result: Any) -> np.ndarray:
    if isinstance(result, Condition):
        raise TracingError("a traced function must return numbers: wrap the condition in trace.where")
    if result is None:
        raise TracingError("a traced function must return numbers or arrays, this one returned None")
    array = np.empty((), dtype=object)
    if isinstance(result, Symbol):
        array[()] = result
        return array
    return np.asarray(result, dtype=object)
