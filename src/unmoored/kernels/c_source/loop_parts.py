"""Programs with loops as functions of a C-like language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...trace import Graph, LoopPart, Traced
from ...trace.graph import CONDITIONS
from ...trace.loop_program import FAR, Writer, as_list
from .dialect import Dialect
from .statements import Names, Statements, function_text

_NOTHING = Traced(Graph(), (), (), ())


def program_function(part: LoopPart, dialect: Dialect, names: Names, name: str) -> str:
    """`void name(const real *operand..., real *results)`: a program."""
    writer = _CWriter(dialect, names, name)
    part.write(writer, [f"o{k}" for k in range(len(part.groups))], "results")
    arguments = [f"const {dialect.real} *o{k}" for k in range(len(part.groups))]
    unused = [f"(void)o{k};" for k in range(len(part.groups))]
    head = f"{dialect.outline} void {name}({', '.join([*arguments, f'{dialect.real} *results'])})"
    return "\n".join([*writer.tables, function_text(head, [*unused, *_indented(writer.block.lines)])])


def _indented(lines: list[str]) -> list[str]:
    depth, result = 0, []
    for line in lines:
        depth -= line == "}"
        result.append("    " * depth + line)
        depth += line.endswith("{")
    return result


class _Index:
    """A loop variable, or a sum of them and whole numbers, as an expression."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __add__(self, other: Any) -> _Index:
        return self if other == 0 else _Index(f"{self} + {other}")

    __radd__ = __add__

    def __sub__(self, other: Any) -> _Index:
        return _Index(f"{self} - ({other})")

    def __rsub__(self, other: Any) -> _Index:
        return _Index(f"{other} - ({self})")

    def __mul__(self, other: int) -> Any:
        return self if other == 1 else 0 if other == 0 else _Index(f"{other} * ({self})")

    __rmul__ = __mul__


class _CWriter(Writer):
    """Statements with for loops; carried numbers are variables."""

    def __init__(self, dialect: Dialect, names: Names, name: str) -> None:
        self.dialect, self.names, self.name = dialect, names, name
        #: constants that stand before the function
        self.tables: list[str] = []
        self.block = Statements(_NOTHING, dialect, names, lambda k: "")
        self._count = 0

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"

    def array(self, size: int) -> str:
        name = self._name("w")
        self.block.lines.append(f"{self.dialect.real} {name}[{max(size, 1)}];")
        return name

    def at(self, array: str, index: Any) -> str:
        return f"({array} + {index})"

    def load(self, array: str, index: Any) -> str:
        return self.block.new(f"{array}[{index}]")

    def store(self, array: str, index: Any, value: str) -> None:
        self.block.lines.append(f"{array}[{index}] = {value};")

    def constant(self, value: float) -> str:
        return self.dialect.literal(value)

    def number(self, index: Any) -> str:
        return self.block.new(f"({self.dialect.real})({index})")

    def apply(self, operation: str, *values: str) -> str:
        expression = self.block.expression(operation, list(values))
        return self.block.new(expression, "int" if operation in CONDITIONS else None)

    def loop(
        self, start: Any, stop: Any, body: Callable[..., Any], carried: Sequence[Any] = (), down: bool = False
    ) -> list[Any]:
        lines, k, real = self.block.lines, self._name("k"), self.dialect.real
        names = [self._name("c") for _ in carried]
        lines += [f"{real} {name} = {first};" for name, first in zip(names, carried, strict=True)]
        if down:
            lines.append(f"for (int {k} = ({stop}) - 1; {k} >= {start}; --{k}) {{")
        else:
            lines.append(f"for (int {k} = {start}; {k} < {stop}; ++{k}) {{")
        after = as_list(body(_Index(k), *names)) if names else (body(_Index(k)), [])[1]
        fresh = [self.block.new(value) for value in after]
        lines += [f"{name} = {value};" for name, value in zip(names, fresh, strict=True)]
        lines.append("}")
        return list(names)

    def unless(self, flag: str, body: Callable[[], Any]) -> None:
        self.block.lines.append(f"if (!({flag} >= {self.dialect.literal(0.5)})) {{")
        body()
        self.block.lines.append("}")

    def call(self, part: Traced, arguments: str, results: str) -> None:
        self.block.lines.append(f"{self.names.parts[id(part)]}({arguments}, {results});")

    def gather(self, array: str, size: int, place: str) -> str:
        return self.block.new(f"{array}[{self._place(size, place)}]")

    def scatter_add(self, array: str, size: int, place: str, value: str) -> None:
        entry = f"{array}[{self._place(size, place)}]"
        self.block.lines.append(f"{entry} = {entry} + {value};")

    def far(self, handle: Sequence[str]) -> Any:
        name, nothing, wide, real = self._name("f"), self.array(1), "unsigned long long", self.dialect.real
        self.store(nothing, 0, self.constant(float("nan")))
        marked = f"{handle[0]} == {self.dialect.literal(FAR)}"
        address = " | ".join(f"({wide}){number} << {16 * k}" for k, number in enumerate(handle[1:]))
        self.block.lines.append(f"const {real} *{name} = {marked} ? (const {real} *)({address}) : {nothing};")
        return name, self.block.new(marked, "int")

    def known(self, double: np.ndarray, single: np.ndarray) -> Any:
        dialect, name = self.dialect, f"{self.name}_known{len(self.tables)}"
        values = single if dialect.form.bytes == 4 else double
        in_bits = bool(dialect.bits) and not np.isfinite(values).all()
        kind, numbers = dialect.real, [dialect.literal(float(x)) for x in values]
        if in_bits:
            raw = np.asarray(values, dtype=f"f{dialect.form.bytes}").view(f"u{dialect.form.bytes}")
            kind, numbers = dialect.bits, [f"{int(x):#x}u" for x in raw]
        rows = [", ".join(numbers[k : k + 6]) for k in range(0, len(numbers), 6)]
        listed = ",\n    ".join(rows)
        self.tables.append(f"{dialect.table} {kind} {name}[{len(numbers)}] = {{\n    {listed}\n}};\n")
        return f"((const {dialect.real} *){name})" if in_bits else name, "1"

    def fetch(self, far: Any, first: int, place: str) -> str:
        pointer, marked = far
        if marked == "1":
            return self.block.new(f"{pointer}[(int){place} + {first}]")
        return self.block.new(f"{pointer}[{marked} ? (int){place} + {first} : 0]")

    def _place(self, size: int, place: str) -> str:
        """A number as an index; out of range (NaN) the last one, so that nothing else is read."""
        return self.block.new(f"{place} >= 0 && {place} < {size} ? (int){place} : {size - 1}", "int")
