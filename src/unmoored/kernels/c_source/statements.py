"""Straight-line code: the nodes of a lowered graph as statements of a C-like language, one operation each.

One operation per statement leaves a compiler nothing to contract within an expression, so that every result
is rounded as in the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...trace import Traced
from ...trace.graph import CONDITIONS
from .dialect import DIVIDE, Dialect

_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "eq": "==", "ne": "!=",
    "and": "&&", "or": "||",
}  # fmt: skip
_PREFIX = {"neg": "-", "not": "!"}
_LIBRARY = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor", "rint": "rint", "copysign": "copysign"}
_HELPED = {
    "min": "um_least", "max": "um_greatest", "pow2": "um_pow2", "exponent": "um_exponent",
    "mantissa": "um_mantissa", "bit0": "um_bit0", "bit1": "um_bit1",
}  # fmt: skip


class Names:
    """What the functions of one file share: names of sub-functions by identity, and the helpers that they use."""

    def __init__(self) -> None:
        self.parts: dict[int, str] = {}
        #: the sub-functions themselves: another one must not get the identity of one that is gone
        self.kept: list[object] = []
        self.helpers: set[str] = set()


class Statements:
    """Statements for some nodes of one graph, appended in the order in which they are asked for."""

    def __init__(
        self, traced: Traced, dialect: Dialect, names: Names, load: Callable[[int], str], prefix: str = "t"
    ) -> None:
        self.graph, self.dialect, self.shared = traced.graph, dialect, names
        self.lines: list[str] = []
        #: name or literal of every node that is there
        self.names: dict[int, str] = {}
        #: array and first position of the results of every call and loop that is there
        self.results: dict[int, tuple[str, int]] = {}
        self._load, self._prefix, self._counter = load, prefix, 0

    def emit(self, index: int) -> str:
        """Name or literal of a node; its statement is appended if it is new, operands before it."""
        name = self.names.get(index)
        if name is None:
            name = self.names[index] = self._statement(index, self.graph.nodes[index])
        return name

    def new(self, expression: str, kind: str | None = None) -> str:
        """Append a new constant with this value and return its name."""
        self._counter += 1
        name = f"{self._prefix}{self._counter}"
        self.lines.append(f"const {kind or self.dialect.real} {name} = {expression};")
        return name

    def _statement(self, index: int, node: tuple) -> str:
        operation = node[0]
        if operation == "const":
            return self.dialect.literal(self.graph.values[index])
        if operation in ("true", "false"):
            return str(int(operation == "true"))
        if operation == "input":
            return self.new(self._load(node[1]))
        if operation == "call":
            self.results[index] = (self._call(node), 0)
            return self.results[index][0]
        if operation == "result":
            array, first = self.results[node[1]]
            return self.new(f"{array}[{first + node[2]}]")
        expression = self.expression(operation, [self.emit(k) for k in node[1:]])
        return self.new(expression, "int" if operation in CONDITIONS else None)

    def expression(self, operation: str, values: list[str]) -> str:
        """An operation of the graph on named values."""
        if operation == "div" and self.dialect.divide:
            self.shared.helpers.add(DIVIDE)
            return f"{DIVIDE}({', '.join(values)})"
        if operation in _INFIX:
            return f"{values[0]} {_INFIX[operation]} {values[1]}"
        if operation in _PREFIX:
            return f"{_PREFIX[operation]}{values[0]}"
        if operation == "select":
            return "{} ? {} : {}".format(*values)
        if operation == "fma":
            return f"{self.dialect.fma}({', '.join(values)})"
        if operation in _HELPED:
            self.shared.helpers.add(_HELPED[operation])
            return f"{_HELPED[operation]}({', '.join(values)})"
        if operation in _LIBRARY:
            return f"{_LIBRARY[operation]}{self.dialect.suffix}({', '.join(values)})"
        raise ValueError(f"the operation {operation!r} cannot be printed; lower the graph first")

    def _call(self, node: tuple) -> str:
        """Store the arguments, call the sub-function, and return the array with its results."""
        part, real = self.graph.parts[node[1]], self.dialect.real
        values = [self.emit(k) for k in node[2:]]
        self._counter += 1
        arguments, results = f"a{self._counter}", f"r{self._counter}"
        self.lines.append(f"{real} {arguments}[{max(len(values), 1)}];")
        self.lines.append(f"{real} {results}[{max(len(part.flat_outputs), 1)}];")
        self.lines += [f"{arguments}[{k}] = {value};" for k, value in enumerate(values)]
        self.lines.append(f"{self.shared.parts[id(part)]}({arguments}, {results});")
        return results


def function_text(head: str, lines: Iterable[str]) -> str:
    """A function from its head and the statements of its body."""
    body = "\n".join(f"    {line}" for line in lines)
    return f"{head}\n{{\n{body}\n}}\n"
