"""Building nodes with constant folding and algebraic identities.

Exact zeros and ones of the model fold away (`0 * x` is 0 even where x might be infinite, unless the graph has
`exact_zeros`: users' functions), and negations move outward, where additions and subtractions absorb them. Nothing here
changes a rounding except those zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .graph import COMMUTATIVE, Graph


def _is_power_of_two(value: float) -> bool:
    return value != 0 and math.isfinite(value) and abs(math.frexp(value)[0]) == 0.5 and abs(value) < 1e300


def add(graph: Graph, a: int, b: int) -> int:
    """`a + b`."""
    x, y = graph.values.get(a), graph.values.get(b)
    if x is not None and y is not None:
        return graph.constant(x + y)
    if x == 0.0:
        return b
    if y == 0.0:
        return a
    nodes = graph.nodes
    if nodes[b][0] == "neg":
        return subtract(graph, a, nodes[b][1])
    if nodes[a][0] == "neg":
        return subtract(graph, b, nodes[a][1])
    return graph.node("add", a, b) if a < b else graph.node("add", b, a)


def subtract(graph: Graph, a: int, b: int) -> int:
    """`a - b`."""
    x, y = graph.values.get(a), graph.values.get(b)
    if x is not None and y is not None:
        return graph.constant(x - y)
    if y == 0.0:
        return a
    if x == 0.0:
        return negate(graph, b)
    if a == b and not graph.exact_zeros:
        return graph.constant(0.0)
    nodes = graph.nodes
    if nodes[b][0] == "neg":
        return add(graph, a, nodes[b][1])
    if nodes[a][0] == "neg":
        return negate(graph, add(graph, nodes[a][1], b))
    return graph.node("sub", a, b)


def negate(graph: Graph, a: int) -> int:
    """`-a`."""
    value = graph.values.get(a)
    if value is not None:
        return graph.constant(-value)
    node = graph.nodes[a]
    if node[0] == "neg":
        return node[1]
    if node[0] == "sub":
        return graph.node("sub", node[2], node[1])
    return graph.node("neg", a)


def multiply(graph: Graph, a: int, b: int) -> int:
    """`a * b`."""
    x, y = graph.values.get(a), graph.values.get(b)
    if x is not None:
        if y is not None:
            return graph.constant(x * y)
        return _scale(graph, b, x)
    if y is not None:
        return _scale(graph, a, y)
    nodes, negative = graph.nodes, False
    if nodes[a][0] == "neg":
        a, negative = nodes[a][1], True
    if nodes[b][0] == "neg":
        b, negative = nodes[b][1], not negative
    product = graph.node("mul", a, b) if a < b else graph.node("mul", b, a)
    return negate(graph, product) if negative else product


def _scale(graph: Graph, a: int, factor: float) -> int:
    """`factor * a`; the sign moves outward so that `c*a` and `-c*a` share one product."""
    if factor == 0.0 and not graph.exact_zeros:
        return graph.constant(0.0)
    if factor == 1.0:
        return a
    node = graph.nodes[a]
    if node[0] == "neg":
        a, factor = node[1], -factor
    if factor < 0.0:
        return negate(graph, _scale(graph, a, -factor))
    if factor == 1.0:
        return a
    constant = graph.constant(factor)
    return graph.node("mul", a, constant) if a < constant else graph.node("mul", constant, a)


def divide(graph: Graph, a: int, b: int) -> int:
    """`a / b`; exact, so a constant divisor becomes a factor only if it is a power of two."""
    x, y = graph.values.get(a), graph.values.get(b)
    if x is not None and y is not None and y != 0.0:
        return graph.constant(x / y)
    if x == 0.0 and y is None and not graph.exact_zeros:
        return graph.constant(0.0)
    if y is not None and _is_power_of_two(y):
        return _scale(graph, a, 1.0 / y)
    nodes = graph.nodes
    if nodes[a][0] == "neg":
        return negate(graph, divide(graph, nodes[a][1], b))
    if nodes[b][0] == "neg":
        return negate(graph, divide(graph, a, nodes[b][1]))
    return graph.node("div", a, b)


def fused(graph: Graph, a: int, b: int, c: int) -> int:
    """`a*b + c`, rounded once."""
    x, y, z = graph.values.get(a), graph.values.get(b), graph.values.get(c)
    if z == 0.0 or x in (0.0, 1.0, -1.0) or y in (0.0, 1.0, -1.0):
        return add(graph, multiply(graph, a, b), c)
    return graph.node("fma", a, b, c) if a < b else graph.node("fma", b, a, c)


def power(graph: Graph, a: int, exponent: int) -> int:
    """`a**exponent` for an integer exponent, by repeated squaring."""
    if exponent < 0:
        return divide(graph, graph.constant(1.0), power(graph, a, -exponent))
    result, square = graph.constant(1.0), a
    while exponent:
        if exponent & 1:
            result = multiply(graph, result, square)
        exponent >>= 1
        if exponent:
            square = multiply(graph, square, square)
    return result


def select(graph: Graph, condition: int, a: int, b: int) -> int:
    """`a` where the condition holds, else `b`."""
    operation = graph.nodes[condition][0]
    if operation == "true" or a == b:
        return a
    if operation == "false":
        return b
    if operation == "not":
        return select(graph, graph.nodes[condition][1], b, a)
    return graph.node("select", condition, a, b)


_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin,
    "acos": math.acos, "atan": math.atan, "exp": math.exp, "log": math.log, "tanh": math.tanh,
    "floor": lambda x: float(math.floor(x)), "rint": lambda x: float(round(x)), "abs": abs,
}  # fmt: skip
_HUGE = 1e300
#: where a constant argument is folded; elsewhere the kernel computes the NaN or the infinity
_DOMAINS = {
    "sqrt": (0.0, _HUGE), "log": (1e-300, _HUGE), "asin": (-1.0, 1.0), "acos": (-1.0, 1.0), "exp": (-700.0,
    700.0),
}  # fmt: skip
_ODD = frozenset(("sin", "tan", "asin", "atan", "tanh"))


def function(graph: Graph, operation: str, a: int) -> int:
    """Unary function `operation` of node `a`; odd and even functions drop or pull out a minus sign."""
    value = graph.values.get(a)
    if value is not None:
        low, high = _DOMAINS.get(operation, (-_HUGE, _HUGE))
        if low <= value <= high:
            return graph.constant(_FUNCTIONS[operation](value))
        return graph.node(operation, a)
    node = graph.nodes[a]
    if node[0] == "neg":
        if operation in _ODD:
            return negate(graph, function(graph, operation, node[1]))
        if operation in ("cos", "abs"):
            return function(graph, operation, node[1])
    if operation == "abs" and node[0] in ("abs", "sqrt"):
        return a
    return graph.node(operation, a)


def _smaller(x: float, y: float) -> float:
    return x if x < y or x != x else y


def _larger(x: float, y: float) -> float:
    return x if x > y or x != x else y


_PAIRS: dict[str, Callable[[float, float], float]] = {
    "min": _smaller, "max": _larger, "atan2": math.atan2, "copysign": math.copysign,
}  # fmt: skip
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "lt": lambda x, y: x < y, "le": lambda x, y: x <= y, "eq": lambda x, y: x == y, "ne": lambda x, y: x != y,
}  # fmt: skip


def pair(graph: Graph, operation: str, a: int, b: int) -> int:
    """min, max, atan2 or copysign of two nodes."""
    x, y = graph.values.get(a), graph.values.get(b)
    if x is not None and y is not None:
        return graph.constant(_PAIRS[operation](x, y))
    if a == b and operation in ("min", "max"):
        return a
    if operation in COMMUTATIVE and a > b:
        a, b = b, a
    return graph.node(operation, a, b)


def compare(graph: Graph, operation: str, a: int, b: int) -> int:
    """A condition node: lt, le, eq or ne of two nodes (false where one is NaN, except ne)."""
    x, y = graph.values.get(a), graph.values.get(b)
    if x is not None and y is not None:
        return graph.node("true" if _COMPARE[operation](x, y) else "false")
    if operation in COMMUTATIVE and a > b:
        a, b = b, a
    return graph.node(operation, a, b)


def logic(graph: Graph, operation: str, a: int, b: int) -> int:
    """`and` or `or` of two conditions."""
    neutral, absorbing = ("true", "false") if operation == "and" else ("false", "true")
    for one, other in ((a, b), (b, a)):
        kind = graph.nodes[one][0]
        if kind == absorbing or one == other:
            return one
        if kind == neutral:
            return other
    return graph.node(operation, min(a, b), max(a, b))


def invert(graph: Graph, a: int) -> int:
    """`not` of a condition."""
    node = graph.nodes[a]
    if node[0] == "not":
        return node[1]
    opposite = {"true": "false", "false": "true"}.get(node[0])
    return graph.node(opposite) if opposite else graph.node("not", a)


_BUILDERS: dict[str, Callable[..., int]] = {
    "add": add, "sub": subtract, "mul": multiply, "div": divide, "neg": negate, "fma": fused, "select": select,
    "not": invert,
}  # fmt: skip


def operation(graph: Graph, name: str, *operands: int) -> int:
    """Any operation of the graph, by its name."""
    if name in _BUILDERS:
        return _BUILDERS[name](graph, *operands)
    if name in _PAIRS:
        return pair(graph, name, *operands)
    if name in _COMPARE:
        return compare(graph, name, *operands)
    if name in ("and", "or"):
        return logic(graph, name, *operands)
    return function(graph, name, *operands)
