"""An interpreter of graphs with 50 digits, as an oracle."""

import mpmath as mp

from unmoored import trace as T
from unmoored.trace.graph import float_of, operands

DIGITS = 50

_OPERATIONS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a /
    b, "neg": lambda a: -a, "fma": lambda a, b, c: a * b + c, "sqrt": mp.sqrt, "abs": abs, "min": min, "max":
    max, "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan,
    "atan2": mp.atan2, "exp": mp.exp, "log": mp.log, "tanh": mp.tanh, "floor": mp.floor, "rint": mp.nint,
    "copysign": lambda a, b: abs(a) if b >= 0 else -abs(a),
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
    "and": lambda a, b: a and b, "or": lambda a, b: a or b, "not": lambda a: not a,
    "select": lambda c, a, b: a if c else b,
}  # fmt: skip


def outputs(traced: T.Traced, inputs: list) -> list:
    """Flat outputs with 50 digits for flat inputs."""
    graph, values = traced.graph, {}
    for index in T.live_nodes(graph, traced.flat_outputs):
        node = graph.nodes[index]
        if node[0] == "const":
            values[index] = mp.mpf(float_of(node[1]))
        elif node[0] == "input":
            values[index] = inputs[node[1]]
        else:
            values[index] = _OPERATIONS[node[0]](*(values[k] for k in operands(node)))
    return [values[k] for k in traced.flat_outputs]


def jacobian(traced: T.Traced, inputs: list[float]) -> list[list[float]]:
    """Central differences with 50 digits: derivatives [output][input] to about 30 digits."""
    with mp.workdps(DIGITS):
        step = mp.mpf(10) ** -17
        columns = []
        for k in range(len(inputs)):
            ends = []
            for sign in (1, -1):
                moved = [mp.mpf(x) for x in inputs]
                moved[k] += sign * step
                ends.append(outputs(traced, moved))
            columns.append([float((a - b) / (2 * step)) for a, b in zip(*ends, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]


def directions(traced: T.Traced, inputs: list[float], along: list[float]) -> list[float]:
    """The derivative of every flat output along one direction of the flat inputs, to about 30 digits."""
    with mp.workdps(DIGITS):
        step = mp.mpf(10) ** -17
        ends = [
            outputs(traced, [mp.mpf(x) + sign * step * mp.mpf(d) for x, d in zip(inputs, along, strict=True)])
            for sign in (1, -1)
        ]
        return [float((a - b) / (2 * step)) for a, b in zip(*ends, strict=True)]
