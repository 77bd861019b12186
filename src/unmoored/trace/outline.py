"""Sub-functions: called out of line by a traced function; fused operations never cross the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from . import fold
from .array_functions import is_symbolic
from .graph import PARTS, Graph
from .loop_program import ListWriter, LoopPart
from .node_order import live_nodes
from .rewrite import rewrite
from .scan import Scan, run_items
from .scan_tracing import LOOPS_BEYOND
from .symbol import innermost, node_of
from .traced import Traced, symbols, trace
from .tracing_error import TracingError


def outlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, but kept as a function of its own inside kernels (its code appears once).

    On numbers it is the function itself. Arguments and results are arrays or tuples of arrays as for `trace`.
    """
    shared: dict[tuple, Traced] = {}

    def call(*arguments: Any) -> Any:
        if not is_symbolic(*arguments):
            return function(*arguments)
        graph: Any = innermost(*(entry for x in arguments for entry in np.asarray(x, dtype=object).ravel()))
        key = (graph.exact_zeros, *(np.shape(argument) for argument in arguments))
        if key not in shared:
            shared[key] = trace(function, *key[1:], exact_zeros=graph.exact_zeros)
        return call_traced(shared[key], *arguments)

    call.__name__ = getattr(function, "__name__", "function")
    return call


def call_traced(part: Traced, *arguments: Any) -> Any:
    """Symbols for the results of the sub-function `part` at symbolic arguments of its input shapes."""
    entries = [entry for argument in arguments for entry in np.asarray(argument, dtype=object).ravel()]
    graph: Any = innermost(*entries)
    position = next((k for k, other in enumerate(graph.parts) if other is part), None)
    if position is None:
        position = graph.part(part)
    node = graph.node("call", position, *(node_of(graph, entry) for entry in entries))
    results, first = [], 0
    for output, shape in zip(part.outputs, part.output_shapes, strict=True):
        indices = [graph.node("result", node, first + k) for k in range(len(output))]
        results.append(symbols(graph, indices, shape))
        first += len(output)
    return results[0] if part.single else tuple(results)


def inlined(traced: Traced) -> Traced:
    """The same function with every call replaced by the called graph, every loop by its items."""
    if not any(node[0] in PARTS for node in traced.graph.nodes):
        return traced
    results: dict[int, list[int]] = {}

    def rule(new: Graph, index: int, node: tuple) -> int:
        if node[0] == "call":
            results[index] = _copy_into(new, inlined(traced.graph.parts[node[1]]), node[2:])
            return -index - 1
        if node[0] == "scan":
            results[index] = _unrolled(new, traced.graph.parts[node[1]], node[2:])
            return -index - 1
        if node[0] == "loop":
            results[index] = _Nodes(new).run(traced.graph.parts[node[1]], node[2:])
            return -index - 1
        if node[0] == "result":
            return results[-node[1] - 1][node[2]]
        return new.node(*node)

    return rewrite(traced, rule)


def _unrolled(new: Graph, scan: Scan, operands: tuple[int, ...]) -> list[int]:
    """Indices in `new` of the results of a scan, item after item."""
    steps = [inlined(step) for step in scan.steps]

    def run(item: int, arriving: list[int]) -> tuple[list[int], list[int]]:
        kind, first = scan.kinds[item], scan.variables[item]
        step = steps[kind]
        columns = [new.constant(value) for value in scan.tables[kind][scan.rows[item]]]
        own = operands[first : first + step.input_shapes[2][0]]
        values = _copy_into(new, step, (*columns, *arriving, *own))
        return values[: scan.carry], values[scan.carry :]

    return run_items(scan, list(operands[: scan.carry]), run, lambda a, b: fold.add(new, a, b))


def _copy_into(new: Graph, part: Traced, arguments: tuple[int, ...]) -> list[int]:
    """Indices in `new` of the outputs of `part` with its inputs replaced by `arguments`."""
    old, renamed = part.graph, {}
    for index in live_nodes(old, part.flat_outputs):
        node = old.nodes[index]
        if node[0] == "input":
            renamed[index] = arguments[node[1]]
        elif index in old.values:
            renamed[index] = new.constant(old.values[index])
        elif node[0] in ("true", "false"):
            renamed[index] = new.node(*node)
        else:
            renamed[index] = new.node(node[0], *(renamed[k] for k in node[1:]))
    return [renamed[k] for k in part.flat_outputs]


def unrolled(part: LoopPart) -> Callable[..., list[int]]:
    """A program as a function of a graph and the nodes of its operands, written out without loops."""
    return lambda graph, *operands: _Nodes(graph).run(part, [k for group in operands for k in group])


class _Nodes(ListWriter):
    """Programs unrolled into nodes of a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def constant(self, value: float) -> Any:
        return self.graph.constant(value)

    def number(self, index: Any) -> Any:
        return self.graph.constant(float(index))

    def apply(self, operation: str, *values: Any) -> Any:
        return fold.operation(self.graph, operation, *values)

    def call(self, part: Traced, arguments: Any, results: Any) -> None:
        given = tuple(self.load(arguments, k) for k in range(part.input_offsets[-1]))
        for k, index in enumerate(_copy_into(self.graph, inlined(part), given)):
            self.store(results, k, index)

    def gather(self, array: Any, size: int, place: Any) -> Any:
        found = self.load(array, 0)
        for k in range(1, size):
            here = fold.compare(self.graph, "eq", place, self.constant(float(k)))
            found = fold.select(self.graph, here, self.load(array, k), found)
        return found

    def far(self, handle: Sequence[Any]) -> Any:
        raise TracingError("a table that is given by its address cannot be written out number by number")

    def known(self, double: np.ndarray, single: np.ndarray) -> Any:
        return double

    def fetch(self, far: Any, first: int, place: Any) -> Any:
        """The number among constants, chosen one after the other."""
        found = self.constant(float(far[first]))
        for k in range(1, len(far) - first):
            here = fold.compare(self.graph, "eq", place, self.constant(float(k)))
            found = fold.select(self.graph, here, self.constant(float(far[first + k])), found)
        return found

    def scatter_add(self, array: Any, size: int, place: Any, value: Any) -> None:
        for k in range(size):
            here = fold.compare(self.graph, "eq", place, self.constant(float(k)))
            old = self.load(array, k)
            self.store(array, k, fold.select(self.graph, here, fold.add(self.graph, old, value), old))


class Part:
    """A function of arrays that is called out of line by whatever is traced; on numbers it is the function itself.

    `as_written` keeps its products from being fused with its sums: it then rounds as the same NumPy code does.
    `exact_zeros` is for functions of users', see `trace`.
    `on_numbers` is what is called on numbers instead, if the function itself takes symbols or single samples only.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        *,
        as_written: bool = False,
        exact_zeros: bool = False,
        on_numbers: Callable[..., Any] | None = None,
    ):
        self.function, self.name, self.as_written, self.exact_zeros = function, name, as_written, exact_zeros
        self.on_numbers = on_numbers or function
        self._traced: dict[tuple, Traced] = {}

    def __call__(self, *arguments: Any) -> Any:
        if not is_symbolic(*arguments):
            return self.on_numbers(*arguments)
        return call_traced(self.traced(*(np.shape(argument) for argument in arguments)), *arguments)

    def traced(self, *shapes: tuple[int, ...]) -> Traced:
        """The function's own graph for arguments of these shapes."""
        if shapes not in self._traced:
            traced = trace(
                self.function,
                *shapes,
                name=self.name,
                loops_beyond=LOOPS_BEYOND,
                exact_zeros=self.exact_zeros,
            )
            self._traced[shapes] = unfused(traced) if self.as_written else traced
        return self._traced[shapes]


def unfused(traced: Traced) -> Traced:
    """The same function with every product behind two negations, which no fused operation reaches through."""

    def rule(new: Graph, _: int, node: tuple) -> int:
        index = new.node(*node)
        return new.node("neg", new.node("neg", index)) if node[0] == "mul" else index

    return replace(rewrite(traced, rule), name=traced.name)
