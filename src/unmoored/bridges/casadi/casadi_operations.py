"""The operations of the graph on CasADi's scalars SX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...error_roots import optional
from ...trace.loop_program import ListWriter
from ...trace.traced import Traced
from ...trace.tracing_error import TracingError

ca: Any = optional("casadi", "casadi", "the bridge to CasADi")

# SX.binary and SX.unary do what + and sin do, ten times as fast: nothing is asked about the kinds of the operands.
_binary, _unary = ca.SX.binary, ca.SX.unary
_ONE = ca.SX(1.0)


def _with(code: int) -> Callable[..., Any]:
    return lambda *values: _unary(code, *values) if len(values) == 1 else _binary(code, *values)


def _select(condition: Any, a: Any, b: Any) -> Any:
    """Both are computed; where the condition does not hold, whatever `a` is counts as zero, and the other way round."""
    other = _unary(ca.OP_NOT, condition)
    return _binary(
        ca.OP_ADD, _binary(ca.OP_IF_ELSE_ZERO, condition, a), _binary(ca.OP_IF_ELSE_ZERO, other, b)
    )


# Where there is a kink, CasADi's own |x|, min and max take the mean of both slopes. Those below take the slope that the
# graph's derivatives take: of |x| at 0 that to the right, of min and max that of the first operand.


def _abs(x: Any) -> Any:
    return _binary(ca.OP_MUL, x, _binary(ca.OP_COPYSIGN, _ONE, x))


def _copysign(x: Any, y: Any) -> Any:
    return _binary(ca.OP_MUL, _abs(x), _binary(ca.OP_COPYSIGN, _ONE, y))


def _min(a: Any, b: Any) -> Any:
    return _select(_binary(ca.OP_LE, a, b), a, b)


def _max(a: Any, b: Any) -> Any:
    return _select(_binary(ca.OP_LE, b, a), a, b)


def _rint(x: Any) -> Any:
    """The nearest whole number, of two the even one: x less its remainder."""
    return _binary(ca.OP_SUB, x, _binary(ca.OP_REMAINDER, x, _ONE))


#: every operation of an unlowered graph
OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": _with(ca.OP_ADD), "sub": _with(ca.OP_SUB), "mul": _with(ca.OP_MUL), "div": _with(ca.OP_DIV),
    "neg": _with(ca.OP_NEG), "sqrt": _with(ca.OP_SQRT), "abs": _abs, "min": _min,
    "max": _max, "floor": _with(ca.OP_FLOOR), "rint": _rint, "copysign": _copysign,
    "sin": _with(ca.OP_SIN), "cos": _with(ca.OP_COS), "tan": _with(ca.OP_TAN), "asin": _with(ca.OP_ASIN),
    "acos": _with(ca.OP_ACOS), "atan": _with(ca.OP_ATAN), "atan2": _with(ca.OP_ATAN2), "exp": _with(ca.OP_EXP),
    "log": _with(ca.OP_LOG), "tanh": _with(ca.OP_TANH), "lt": _with(ca.OP_LT), "le": _with(ca.OP_LE),
    "eq": _with(ca.OP_EQ), "ne": _with(ca.OP_NE), "and": _with(ca.OP_AND), "or": _with(ca.OP_OR),
    "not": _with(ca.OP_NOT), "select": _select,
    "fma": lambda a, b, c: _binary(ca.OP_ADD, _binary(ca.OP_MUL, a, b), c),
}  # fmt: skip


def column(values: Sequence[Any]) -> Any:
    """Scalars as a dense vector (n, 1)."""
    return ca.vertcat(*values) if values else ca.SX(0, 1)


class ScalarWriter(ListWriter):
    """Programs over memory written out on SX, without loops."""

    def __init__(self, call: Callable[[Traced, list[Any]], list[Any]]) -> None:
        self._call = call

    def constant(self, value: float) -> Any:
        return ca.SX(value)

    def number(self, index: Any) -> Any:
        return ca.SX(float(index))

    def apply(self, operation: str, *values: Any) -> Any:
        return OPERATIONS[operation](*values)

    def call(self, part: Traced, arguments: Any, results: Any) -> None:
        given = [self.load(arguments, k) for k in range(part.input_offsets[-1])]
        for k, value in enumerate(self._call(part, given)):
            self.store(results, k, value)

    def gather(self, array: Any, size: int, place: Any) -> Any:
        found = self.load(array, 0)
        for k in range(1, size):
            here = _binary(ca.OP_EQ, place, ca.SX(float(k)))
            found = _select(here, self.load(array, k), found)
        return found

    def scatter_add(self, array: Any, size: int, place: Any, value: Any) -> None:
        for k in range(size):
            here, old = _binary(ca.OP_EQ, place, ca.SX(float(k))), self.load(array, k)
            self.store(array, k, _binary(ca.OP_ADD, old, _binary(ca.OP_IF_ELSE_ZERO, here, value)))

    def far(self, handle: Sequence[Any]) -> Any:
        raise TracingError("a table that is given by its address has no meaning in CasADi")

    def known(self, double: Any, single: Any) -> Any:
        raise AssertionError

    def fetch(self, far: Any, first: int, place: Any) -> Any:
        raise AssertionError
