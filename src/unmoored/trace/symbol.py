"""The scalar type that lives in NumPy object arrays while a function is traced."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from . import fold
from .graph import Graph
from .tracing_error import TracingError, misuse
from .users_line import caller_line

WHERE = "unmoored.trace.where(condition, a, b)"


def _unary(operation: str) -> Callable[[Symbol], Symbol]:
    def method(self: Symbol) -> Symbol:
        return Symbol(self.graph, fold.function(self.graph, operation, self.index))

    method.__name__, method.__doc__ = operation, f"The {operation} of the symbol."
    return method


class _AskedByNumpy:
    """What NumPy asks of single symbols that its functions are given; arrays of them are another matter."""

    __slots__ = ()
    graph: Graph

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if self.graph.exact_zeros:  # a function of the user's
            from .numpy_functions import run_ufunc

            return run_ufunc(ufunc, method, inputs, kwargs)
        result = getattr(ufunc, method)(*map(boxed, inputs), **kwargs)
        return result.item() if isinstance(result, np.ndarray) and not result.ndim else result

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from .numpy_functions import run_function

        return run_function(func, args, kwargs)


def boxed(x: Any) -> Any:
    """A single symbol as an array without dimensions, which NumPy takes without asking it."""
    if isinstance(x, _AskedByNumpy):
        array = np.empty((), dtype=object)
        array[()] = x
        return array
    return x


class Symbol(_AskedByNumpy):
    """A real number that is not known yet: a node of a graph. NumPy's arithmetic works on arrays of them."""

    __slots__ = ("graph", "index")

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph = graph
        self.index = index

    def __add__(self, other: Any) -> Any:
        return _binary(fold.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _binary(fold.add, self, other)

    def __sub__(self, other: Any) -> Any:
        return _binary(fold.subtract, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _reflected(fold.subtract, self, other)

    def __mul__(self, other: Any) -> Any:
        return _binary(fold.multiply, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _binary(fold.multiply, self, other)

    def __truediv__(self, other: Any) -> Any:
        return _binary(fold.divide, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _reflected(fold.divide, self, other)

    def __pow__(self, exponent: Any) -> Any:
        if isinstance(exponent, np.ndarray):
            return NotImplemented
        if isinstance(exponent, numbers.Real) and float(exponent).is_integer():
            return Symbol(self.graph, fold.power(self.graph, self.index, int(float(exponent))))
        if isinstance(exponent, numbers.Real) and (2.0 * float(exponent)).is_integer():
            if exponent < 0.0:
                return 1.0 / self**-exponent
            whole = int(float(exponent) // 1.0)
            return self.sqrt() if whole == 0 else self**whole * self.sqrt()
        raise misuse(
            f"power {exponent!r}", "powers must be integers or halves; else write np.exp(p * np.log(x))"
        )

    def __rpow__(self, base: Any) -> Any:
        if isinstance(base, numbers.Real) and float(base) > 0.0:
            return (math.log(float(base)) * self).exp()
        raise misuse(f"a power of {base!r}", "write np.exp(x * np.log(base)) for a base that is positive")

    def __neg__(self) -> Symbol:
        return Symbol(self.graph, fold.negate(self.graph, self.index))

    def __pos__(self) -> Symbol:
        return self

    __abs__, __floor__ = _unary("abs"), _unary("floor")

    # NumPy calls these methods for object arrays: np.sin(array) is array[i].sin() for every entry.
    sqrt, exp, log, rint = _unary("sqrt"), _unary("exp"), _unary("log"), _unary("rint")
    sin, cos, tan, tanh = _unary("sin"), _unary("cos"), _unary("tan"), _unary("tanh")
    arcsin, arccos, arctan = _unary("asin"), _unary("acos"), _unary("atan")

    def arctan2(self, other: Any) -> Any:
        """Angle of the point (other, self)."""
        return _binary(lambda graph, a, b: fold.pair(graph, "atan2", a, b), self, other)

    def conjugate(self) -> Symbol:
        """The symbol itself: it is real."""
        return self

    def __lt__(self, other: Any) -> Any:
        return compare("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return compare("le", self, other)

    def __gt__(self, other: Any) -> Any:
        return compare("lt", other, self)

    def __ge__(self, other: Any) -> Any:
        return compare("le", other, self)

    def __eq__(self, other: Any) -> Any:
        return compare("eq", self, other)

    def __ne__(self, other: Any) -> Any:
        return compare("ne", self, other)

    def __bool__(self) -> bool:
        raise misuse("truth value of a symbol", f"use {WHERE} instead of if, and, or", self)

    def __float__(self) -> float:
        raise misuse(
            "float() of a symbol",
            "keep arrays free to hold symbols: build them with np.array([...]) or np.stack, not by "
            "writing into np.zeros (np.zeros_like(x) holds symbols if x does), give no dtype=float, and use "
            "np.sin and its like, not math.sin",
            self,
        )

    def __int__(self) -> int:
        raise misuse(
            "int() of a symbol",
            "indices and counts must not depend on the function's inputs; unmoored.trace.table looks up",
            self,
        )

    __index__ = __int__

    def __complex__(self) -> complex:
        raise misuse("complex() of a symbol", "only real arithmetic can be traced")

    def __round__(self, digits: Any = None) -> Any:
        raise misuse("round() of a symbol", "use np.rint")

    def __mod__(self, other: Any) -> Any:
        raise misuse("% of a symbol", "write np.mod(x, y), or x - y * np.floor(x / y)")

    def __floordiv__(self, other: Any) -> Any:
        raise misuse("// of a symbol", "write np.floor(x / y)")

    __rmod__ = __divmod__ = __rdivmod__ = __mod__
    __rfloordiv__ = __floordiv__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.float64, name):
            raise AttributeError(f"'Symbol' object has no attribute {name!r}")
        raise _NoAttribute(*misuse(f".{name} of a single symbol", f"np.asarray(x) has .{name}").args)

    def item(self) -> Symbol:
        """The symbol itself, as a number of NumPy's gives itself."""
        return self

    def __hash__(self) -> int:
        raise misuse("hash of a symbol", "a symbol cannot be a dictionary key or a member of a set")

    def __repr__(self) -> str:
        value = self.graph.values.get(self.index)
        text = f"#{self.index} {self.graph.nodes[self.index][0]}" if value is None else repr(value)
        return f"Symbol({text})"


class _NoAttribute(TracingError, AttributeError):
    """What a number of NumPy's has and a symbol has not; `hasattr` is False."""


class Condition(_AskedByNumpy):
    """A comparison that is not decided yet: for `unmoored.trace.where`; joined by `&`, `|` and `~`."""

    __slots__ = ("graph", "index")

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph = graph
        self.index = index

    def __and__(self, other: Any) -> Any:
        return _join("and", self, other)

    def __or__(self, other: Any) -> Any:
        return _join("or", self, other)

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> Condition:
        return Condition(self.graph, fold.invert(self.graph, self.index))

    def __bool__(self) -> bool:
        raise misuse(
            "truth value of a comparison of symbols",
            f"use {WHERE} instead of if, and, or; and unmoored.trace.less, greater, minimum, maximum, clip, sign "
            "instead of NumPy's on arrays that np.array made of single symbols (np.stack makes better ones)",
            self,
        )

    def __float__(self, *_: Any) -> Any:
        raise misuse("a comparison of symbols as a number", "write np.where(condition, 1.0, 0.0)", self)

    __int__ = __index__ = __complex__ = __neg__ = __pos__ = __abs__ = __float__
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = (
        __float__
    )

    def __eq__(self, other: Any) -> Any:
        raise misuse("== of two conditions", "join conditions with &, | and ~")

    __ne__ = __eq__

    def __hash__(self) -> int:
        raise misuse("hash of a condition", "a condition cannot be a dictionary key or a member of a set")

    def __repr__(self) -> str:
        return f"Condition(#{self.index} {self.graph.nodes[self.index][0]})"


def for_users(array: np.ndarray) -> np.ndarray:
    """The array as one that knows more of NumPy's functions if there are symbols of a user's function in it."""
    first = next((entry for entry in array.flat if isinstance(entry, Symbol)), None)
    if first is None or not first.graph.exact_zeros:
        return array
    from .numpy_functions import SymbolArray  # which needs everything that can be traced

    return array.view(SymbolArray)


def node_of(graph: Graph, value: Any) -> int:
    """Index in `graph` of a symbol or a number."""
    if isinstance(value, Symbol):
        return value.index if value.graph is graph else _captured(graph, value)
    if value.__class__ is float:
        return graph.constant(value)
    if isinstance(value, numbers.Real):
        return graph.constant(float(value))
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return node_of(graph, value.item())
    if isinstance(value, Condition):
        float(value)
    raise TracingError(f"expected a real number or a symbol, got {value!r}. At {caller_line()}")


def _captured(graph: Graph, value: Symbol) -> int:
    """Index in the graph of a loop's step of a symbol of a graph around it."""
    if graph.outer is None or graph.depth <= value.graph.depth:
        why = "a symbol of another trace was used: pass it as an argument of the traced function"
        raise TracingError(f"{why}. At {caller_line()}")
    around = node_of(graph.outer, value)
    known = graph.outer.values.get(around)
    return graph.node("captured", around) if known is None else graph.constant(known)


def innermost(*values: Any) -> Graph | None:
    """The graph of the values that lies deepest inside scans, None if there is no symbol among them."""
    graphs = [value.graph for value in values if isinstance(value, Symbol | Condition)]
    return max(graphs, key=lambda graph: graph.depth) if graphs else None


def condition_of(graph: Graph, value: Any) -> int:
    """Index in `graph` of a condition or a truth value."""
    if isinstance(value, Condition):
        return value.index if value.graph is graph else _captured_condition(graph, value)
    if isinstance(value, bool | np.bool_):
        return graph.node("true" if value else "false")
    raise TracingError(
        f"expected a condition such as unmoored.trace.less(a, b), got {value!r}. At {caller_line()}"
    )


def _captured_condition(graph: Graph, value: Condition) -> int:
    """Index in the graph of a loop's step of a condition of a graph around it, taken in as the number 1 or 0."""
    if graph.depth <= value.graph.depth:
        raise TracingError(f"a condition of another trace was used. At {caller_line()}")
    one, zero = value.graph.constant(1.0), value.graph.constant(0.0)
    number = node_of(graph, Symbol(value.graph, fold.select(value.graph, value.index, one, zero)))
    return fold.compare(graph, "ne", number, graph.constant(0.0))


def compare(operation: str, a: Any, b: Any) -> Any:
    """Condition `a operation b`; at least one of the two is a symbol."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return NotImplemented
    graph: Any = innermost(a, b)
    return Condition(graph, fold.compare(graph, operation, node_of(graph, a), node_of(graph, b)))


def _binary(build: Any, a: Symbol, b: Any) -> Any:
    graph, kind = a.graph, b.__class__
    if kind is Symbol:
        if b.graph is graph:
            return Symbol(graph, build(graph, a.index, b.index))
        if b.graph.depth > graph.depth:
            graph = b.graph
    elif kind is float:
        return Symbol(graph, build(graph, a.index, graph.constant(b)))
    elif isinstance(b, np.ndarray):
        return NotImplemented
    return Symbol(graph, build(graph, node_of(graph, a), node_of(graph, b)))


def _reflected(build: Any, a: Symbol, b: Any) -> Any:
    if isinstance(b, np.ndarray):
        return NotImplemented
    return Symbol(a.graph, build(a.graph, node_of(a.graph, b), a.index))


def _join(operation: str, a: Condition, b: Any) -> Any:
    if isinstance(b, np.ndarray):
        return NotImplemented
    return Condition(a.graph, fold.logic(a.graph, operation, a.index, condition_of(a.graph, b)))
