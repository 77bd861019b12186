"""Array functions that NumPy cannot apply to symbols, for numbers and symbols alike.

All of them broadcast like NumPy's. On numbers they are NumPy's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import fold
from .symbol import Condition, Symbol, compare, condition_of, innermost, node_of


def is_symbolic(*values: Any) -> bool:
    """Whether any of the values is a symbol, a condition or an array of objects."""
    for value in values:
        if isinstance(value, Symbol | Condition):
            return True
        dtype = getattr(value, "dtype", None)  # arrays elsewhere, on a GPU, are not brought here to ask them
        kind = np.asarray(value).dtype if dtype is None else dtype
        if getattr(kind, "kind", "") == "O":
            return True
    return False


def made_of_symbols(x: Any) -> bool:
    """Whether x is a symbol, or an array of symbols and numbers; other objects are symbolic in name only."""
    return is_symbolic(x) and all(isinstance(part, Symbol | int | float) for part in np.ravel(np.asarray(x)))


def is_zero(x: Any) -> bool:
    """Whether every entry of x is the number zero and none a symbol: what is known to be absent.

    A symbol is present whatever value it will have, so code that leaves out absent terms must ask this and nothing
    else of a model's number.
    """
    array = np.asarray(x)
    if array.dtype != object:
        return not array.any()
    return all(isinstance(entry, float | int) and entry == 0 for entry in array.flat)


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`. Both are computed, so neither may raise."""
    if not is_symbolic(condition, a, b):
        return np.where(condition, a, b)[()]
    return _select(condition, a, b)


def less(a: Any, b: Any) -> Any:
    """`a < b`, entry by entry."""
    return _less(a, b) if is_symbolic(a, b) else np.less(a, b)


def less_equal(a: Any, b: Any) -> Any:
    """`a <= b`, entry by entry."""
    return _less_equal(a, b) if is_symbolic(a, b) else np.less_equal(a, b)


def greater(a: Any, b: Any) -> Any:
    """`a > b`, entry by entry."""
    return less(b, a)


def greater_equal(a: Any, b: Any) -> Any:
    """`a >= b`, entry by entry."""
    return less_equal(b, a)


def equal(a: Any, b: Any) -> Any:
    """`a == b`, entry by entry."""
    return _equal(a, b) if is_symbolic(a, b) else np.equal(a, b)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of `a` and `b`; NaN where either is NaN."""
    return _minimum(a, b) if is_symbolic(a, b) else np.minimum(a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of `a` and `b`; NaN where either is NaN."""
    return _maximum(a, b) if is_symbolic(a, b) else np.maximum(a, b)


def clip(x: Any, low: Any, high: Any) -> Any:
    """`x` limited to `[low, high]`."""
    return minimum(maximum(x, low), high)


def sign(x: Any) -> Any:
    """-1, 0 or 1 by the sign of `x`; NaN of NaN."""
    if not is_symbolic(x):
        return np.sign(x)
    return where(greater(x, 0.0), 1.0, where(less(x, 0.0), -1.0, x))


def copysign(magnitude: Any, sign_of: Any) -> Any:
    """`magnitude` with the sign bit of `sign_of`."""
    if not is_symbolic(magnitude, sign_of):
        return np.copysign(magnitude, sign_of)
    return _copysign(magnitude, sign_of)


def arctan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y), in [-pi, pi]."""
    return _arctan2(y, x) if is_symbolic(y, x) else np.arctan2(y, x)


def fma(a: Any, b: Any, c: Any) -> Any:
    """`a*b + c`; rounded once in kernels, twice on numbers."""
    return _fma(a, b, c) if is_symbolic(a, b, c) else np.add(np.multiply(a, b), c)


def _select_entry(condition: Any, a: Any, b: Any) -> Any:
    graph = innermost(condition, a, b)
    if graph is None or isinstance(condition, bool | np.bool_):
        return a if condition else b
    if isinstance(a, Condition) or isinstance(b, Condition):
        return (condition & a) | (~condition & b)
    return Symbol(
        graph, fold.select(graph, condition_of(graph, condition), node_of(graph, a), node_of(graph, b))
    )


def _comparison(operation: str, numeric: Any) -> Any:
    def entry(a: Any, b: Any) -> Any:
        return numeric(a, b) if innermost(a, b) is None else compare(operation, a, b)

    return np.frompyfunc(entry, 2, 1)


def _pair(operation: str, numeric: Any) -> Any:
    def entry(a: Any, b: Any) -> Any:
        graph = innermost(a, b)
        if graph is None:
            return float(numeric(a, b))
        return Symbol(graph, fold.pair(graph, operation, node_of(graph, a), node_of(graph, b)))

    return np.frompyfunc(entry, 2, 1)


def _fma_entry(a: Any, b: Any, c: Any) -> Any:
    graph = innermost(a, b, c)
    if graph is None:
        return a * b + c
    return Symbol(graph, fold.fused(graph, node_of(graph, a), node_of(graph, b), node_of(graph, c)))


_select = np.frompyfunc(_select_entry, 3, 1)
_fma = np.frompyfunc(_fma_entry, 3, 1)
_less = _comparison("lt", lambda a, b: bool(a < b))
_less_equal = _comparison("le", lambda a, b: bool(a <= b))
_equal = _comparison("eq", lambda a, b: bool(a == b))
_minimum = _pair("min", np.minimum)
_maximum = _pair("max", np.maximum)
_arctan2 = _pair("atan2", np.arctan2)
_copysign = _pair("copysign", np.copysign)
