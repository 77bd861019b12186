"""Traced functions evaluated with 50 digits, and derivatives by differences, exact to double precision."""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
import numpy as np

from unmoored.trace import Traced, inlined, live_nodes, trace
from unmoored.trace.graph import float_of, operands

DIGITS = 50
STEP = mp.mpf(10) ** -12  # the error of a central difference is its square, 1e-24

OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "fma": lambda a, b, c: a * b + c,
    "sqrt": mp.sqrt,
    "abs": abs,
    "min": min,
    "max": max,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "atan2": mp.atan2,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "select": lambda condition, a, b: a if condition else b,
}


def evaluate_exactly(traced: Traced, inputs: list) -> list:
    """Flat outputs of a traced function at flat inputs (mpmath numbers)."""
    traced = inlined(traced)
    values = {}
    for index in live_nodes(traced.graph, traced.flat_outputs):
        operation, *rest = node = traced.graph.nodes[index]
        if operation == "const":
            values[index] = mp.mpf(float_of(rest[0]))
        elif operation == "input":
            values[index] = inputs[rest[0]]
        else:
            values[index] = OPERATIONS[operation](*(values[k] for k in operands(node)))
    return [values[index] for index in traced.flat_outputs]


def derivative(function: Callable, q: np.ndarray, direction: np.ndarray, retract: Callable) -> np.ndarray:
    """d/dε function(retract(q, ε direction)) at 0, correctly rounded but for the 1e-24 of the difference."""
    traced = trace(lambda q, dq: function(retract(q, dq)), q.shape, direction.shape)
    with mp.workdps(DIGITS):
        base = [mp.mpf(x) for x in q]
        ends = [
            evaluate_exactly(traced, base + [sign * STEP * mp.mpf(x) for x in direction]) for sign in (1, -1)
        ]
        slopes = [float((b - a) / (2 * STEP)) for b, a in zip(*ends, strict=True)]
    return np.array(slopes).reshape(traced.output_shapes[0])
