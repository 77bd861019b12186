"""The derivative of every operation of the graph with respect to its operands."""

from __future__ import annotations

from collections.abc import Callable

from . import fold
from .graph import CONDITIONS, Graph
from .tracing_error import TracingError

_STEPS = frozenset(("floor", "rint"))


def partial_derivatives(graph: Graph, index: int) -> list[tuple[int, int]]:
    """Pairs (operand, node of the partial derivative with respect to it); `select` is not among them."""
    operation, *operands = graph.nodes[index]
    if operation in _STEPS or operation in CONDITIONS or operation in ("const", "input"):
        return []
    if operation in _UNARY:
        return [(operands[0], _UNARY[operation](graph, operands[0], index))]
    if operation in _BINARY:
        a, b = operands
        return list(zip((a, b), _BINARY[operation](graph, a, b, index), strict=True))
    if operation == "fma":
        a, b, c = operands
        return [(a, b), (b, a), (c, graph.constant(1.0))]
    raise TracingError(f"the operation {operation!r} has no derivative on the graph")


def _one_minus_square(graph: Graph, x: int) -> int:
    return fold.subtract(graph, graph.constant(1.0), fold.multiply(graph, x, x))


def _one_plus_square(graph: Graph, x: int) -> int:
    return fold.add(graph, graph.constant(1.0), fold.multiply(graph, x, x))


def _reciprocal(graph: Graph, x: int) -> int:
    return fold.divide(graph, graph.constant(1.0), x)


def _asin(graph: Graph, x: int, _: int) -> int:
    return _reciprocal(graph, fold.function(graph, "sqrt", _one_minus_square(graph, x)))


#: operation -> (graph, operand x, the node y itself) -> dy/dx
_UNARY: dict[str, Callable[[Graph, int, int], int]] = {
    "neg": lambda g, x, y: g.constant(-1.0),
    "sqrt": lambda g, x, y: fold.divide(g, g.constant(0.5), y),
    "abs": lambda g, x, y: fold.pair(g, "copysign", g.constant(1.0), x),
    "sin": lambda g, x, y: fold.function(g, "cos", x),
    "cos": lambda g, x, y: fold.negate(g, fold.function(g, "sin", x)),
    "tan": lambda g, x, y: _one_plus_square(g, y),
    "asin": _asin,
    "acos": lambda g, x, y: fold.negate(g, _asin(g, x, y)),
    "atan": lambda g, x, y: _reciprocal(g, _one_plus_square(g, x)),
    "exp": lambda g, x, y: y,
    "log": lambda g, x, y: _reciprocal(g, x),
    "tanh": lambda g, x, y: _one_minus_square(g, y),
}


def _divide(graph: Graph, a: int, b: int, y: int) -> tuple[int, int]:
    reciprocal = _reciprocal(graph, b)
    return reciprocal, fold.negate(graph, fold.multiply(graph, y, reciprocal))


def _atan2(graph: Graph, y: int, x: int, _: int) -> tuple[int, int]:
    square = fold.add(graph, fold.multiply(graph, x, x), fold.multiply(graph, y, y))
    return fold.divide(graph, x, square), fold.negate(graph, fold.divide(graph, y, square))


def _choice(graph: Graph, a: int, b: int, y: int) -> tuple[int, int]:
    """min and max follow the operand that they return; the first one of two equal ones."""
    first = fold.compare(graph, "eq", y, a)
    one, zero = graph.constant(1.0), graph.constant(0.0)
    return fold.select(graph, first, one, zero), fold.select(graph, first, zero, one)


def _copysign(graph: Graph, a: int, b: int, _: int) -> tuple[int, int]:
    one = graph.constant(1.0)
    of_a, of_b = (fold.pair(graph, "copysign", one, x) for x in (a, b))
    return fold.multiply(graph, of_a, of_b), graph.constant(0.0)


_BINARY: dict[str, Callable[[Graph, int, int, int], tuple[int, int]]] = {
    "add": lambda g, a, b, y: (g.constant(1.0), g.constant(1.0)),
    "sub": lambda g, a, b, y: (g.constant(1.0), g.constant(-1.0)),
    "mul": lambda g, a, b, y: (b, a),
    "div": _divide,
    "atan2": _atan2,
    "min": _choice,
    "max": _choice,
    "copysign": _copysign,
}
