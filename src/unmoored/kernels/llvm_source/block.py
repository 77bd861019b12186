"""Straight-line code: the nodes of a lowered graph as LLVM instructions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...trace import Traced
from ...trace.graph import BIT_TESTS
from .llvm_types import LlvmTypes

_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_INTRINSICS = {
    "fma": "fma", "sqrt": "sqrt", "abs": "fabs", "min": "minimum", "max": "maximum", "floor": "floor",
    "rint": "rint", "copysign": "copysign",
}  # fmt: skip
_COMPARISONS = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}
_LOGIC = {"and": "and", "or": "or"}
#: bytes of a cache line
_LINE = 64

#: names of the LLVM functions of sub-functions, by the identity of their graphs
Parts = dict[int, str]


class Block:
    """Instructions for some nodes of one graph, appended in the order in which they are asked for."""

    #: whether there are no branches among them
    straight = True

    def __init__(
        self, traced: Traced, words: LlvmTypes, load: Callable[[Block, int], str], parts: Parts
    ) -> None:
        self.traced, self.graph = traced, traced.graph
        self.words = words
        self.lines: list[str] = []
        #: stack memory, reserved where the function begins
        self.reserved: list[str] = []
        self.names: dict[int, str] = {}
        #: places that do not lie in the scratch array: the first, their number, and the array where they lie
        self.homes: list[tuple[int, int, str]] = []
        self._load = load
        self._parts = parts
        self._counter = 0
        self._tables: list[tuple[list[Any], str]] = []

    def table(self, numbers: list[Any], kind: str = "i32") -> str:
        """Name of a constant table of integers, or reals; the function's own name takes the place of the braces."""
        self._tables.append((numbers, kind))
        return f"@{{}}_table{len(self._tables) - 1}"

    def tables(self, name: str) -> list[str]:
        """Definitions of the tables, whose names in the lines are completed."""
        texts, scalar = [], LlvmTypes(self.words.form, 1)
        for k, (numbers, kind) in enumerate(self._tables):
            listed = ", ".join(f"{kind} {x if kind[0] == 'i' else scalar.constant(x)}" for x in numbers)
            texts.append(
                f"@{name}_table{k} = internal constant [{len(numbers)} x {kind}] [{listed}], align 8"
            )
        if texts:
            self.lines = [line.replace("@{}_table", f"@{name}_table") for line in self.lines]
        return texts

    def new(self, instruction: str) -> str:
        """Append an instruction and return the name of its result."""
        self._counter += 1
        name = f"%t{self._counter}"
        self.lines.append(f"{name} = {instruction}")
        return name

    def memory(self, values: int) -> str:
        """Name of stack memory for that many lane vectors."""
        name = f"%m{len(self.reserved)}"
        self.reserved.append(f"{name} = alloca {self.words.real}, i64 {max(values, 1)}, align 64")
        return name

    def at(self, pointer: str, position: int) -> str:
        """Pointer to a lane vector of an array of them."""
        return (
            self.new(f"getelementptr {self.words.real}, ptr {pointer}, i64 {position}")
            if position
            else pointer
        )

    def place(self, place: int) -> str:
        """Pointer to a place of the scratch array, or to where it lies instead."""
        for first, count, array in self.homes:
            if first <= place < first + count:
                return self.at(array, place - first)
        return self.at("%scratch", place)

    def load(self, pointer: str, position: int = 0) -> str:
        """Name of a lane vector loaded from memory."""
        return self.new(
            f"load {self.words.real}, ptr {self.at(pointer, position)}, align {self.words.form.bytes}"
        )

    def store(self, value: str, pointer: str, position: int = 0) -> None:
        """Append the storing of a lane vector."""
        where = self.at(pointer, position)
        self.lines.append(f"store {self.words.real} {value}, ptr {where}, align {self.words.form.bytes}")

    def intrinsic(self, name: str, *values: str) -> str:
        """Name of the result of one of LLVM's own functions."""
        real = self.words.real
        arguments = ", ".join(f"{real} {value}" for value in values)
        return self.new(f"call {real} @llvm.{name}.{self.words.suffix}({arguments})")

    def emit(self, index: int) -> str:
        """Name or literal of a node; its instruction is appended if it is new, operands must be there."""
        name = self.names.get(index)
        if name is None:
            name = self.names[index] = self._instruction(index, self.graph.nodes[index])
        return name

    def _instruction(self, index: int, node: tuple) -> str:
        operation, words = node[0], self.words
        if operation == "const":
            return words.constant(self.graph.values[index])
        if operation == "input":
            return self._load(self, node[1])
        if operation in ("true", "false"):
            return words.boolean(operation == "true")
        if operation == "call":
            return self._call(node)
        if operation == "result":
            return self._result(node)
        return self.operation(operation, [self.emit(k) for k in node[1:]])

    def operation(self, operation: str, values: list[str]) -> str:
        """Name of the result of an operation of the graph."""
        words = self.words
        if operation in _ARITHMETIC:
            return self.new(f"{_ARITHMETIC[operation]} {words.real} {values[0]}, {values[1]}")
        if operation == "neg":
            return self.new(f"fneg {words.real} {values[0]}")
        if operation in _INTRINSICS:
            return self.intrinsic(_INTRINSICS[operation], *values)
        if operation in _COMPARISONS:
            return self.new(f"fcmp {_COMPARISONS[operation]} {words.real} {values[0]}, {values[1]}")
        if operation in _LOGIC:
            return self.new(f"{_LOGIC[operation]} {words.truth} {values[0]}, {values[1]}")
        if operation == "not":
            return self.new(f"xor {words.truth} {values[0]}, {words.boolean(True)}")
        if operation == "select":
            condition, a, b = values
            return self.new(f"select {words.truth} {condition}, {words.real} {a}, {words.real} {b}")
        return self._number_parts(operation, values[0])

    def _number_parts(self, operation: str, x: str) -> str:
        """Powers of two and the parts of a number, by its bits; integers stay in the low mantissa bits."""
        words, form = self.words, self.words.form
        real, integer, shift = words.real, words.integer, words.whole(form.mantissa_bits)
        if operation == "pow2":
            magic = 1.5 * 2.0**form.mantissa_bits + form.exponent_bias
            field = self.new(
                f"bitcast {real} {self.new(f'fadd {real} {x}, {words.constant(magic)}')} to {integer}"
            )
            return self.new(f"bitcast {integer} {self.new(f'shl {integer} {field}, {shift}')} to {real}")
        bits = self.new(f"bitcast {real} {x} to {integer}")
        if operation in BIT_TESTS:
            kept = self.new(f"and {integer} {bits}, {words.whole(1 << BIT_TESTS.index(operation))}")
            return self.new(f"icmp ne {integer} {kept}, {words.whole(0)}")
        if operation == "mantissa":
            kept = self.new(f"and {integer} {bits}, {words.whole((1 << form.mantissa_bits) - 1)}")
            one = words.whole(form.exponent_bias << form.mantissa_bits)
            return self.new(f"bitcast {integer} {self.new(f'or {integer} {kept}, {one}')} to {real}")
        if operation == "exponent":
            field = self.new(f"lshr {integer} {bits}, {shift}")
            grid = words.whole((form.exponent_bias + form.mantissa_bits) << form.mantissa_bits)
            number = self.new(f"bitcast {integer} {self.new(f'or {integer} {field}, {grid}')} to {real}")
            offset = 2.0**form.mantissa_bits + form.exponent_bias
            return self.new(f"fsub {real} {number}, {words.constant(offset)}")
        raise ValueError(f"the operation {operation!r} cannot be printed; lower the graph first")

    def _result(self, node: tuple) -> str:
        """Load one result of a call or of a loop from memory."""
        source = self.names[node[1]]
        if source.isdigit():  # a place of the scratch array
            return self.load(self.place(int(source) + node[2]))
        return self.load(source, node[2])

    def _call(self, node: tuple) -> str:
        """Store the arguments, call the sub-function, and return the memory with its results."""
        part = self.graph.parts[node[1]]
        arguments, results = self.memory(len(node) - 2), self.memory(len(part.flat_outputs))
        for position, operand in enumerate(node[2:]):
            self.store(self.emit(operand), arguments, position)
        self.lines.append(
            f"call void @{self._parts[id(part)]}_{self.words.width}(ptr {arguments}, ptr {results})"
        )
        return results


def heap_lines(name: str, nbytes: int) -> list[str]:
    """Memory that is not on the stack, from the border of a cache line on: a vector across a border is two accesses."""
    return [
        f"{name}_whole = call ptr @malloc(i64 {nbytes + _LINE})",
        f"{name}_end = getelementptr i8, ptr {name}_whole, i64 {_LINE - 1}",
        f"{name} = call ptr @llvm.ptrmask.p0.i64(ptr {name}_end, i64 {-_LINE})",
    ]


def freed(name: str) -> str:
    """The end of that memory."""
    return f"call void @free(ptr {name}_whole)"


def declarations(words: LlvmTypes) -> list[str]:
    """The intrinsic functions that blocks may call."""
    counts = {"fma": 3, "minimum": 2, "maximum": 2, "copysign": 2}
    widths = [words.width]
    while widths[-1] < words.lanes // 2:  # as many as there are lanes are declared by the words for those
        widths.append(2 * widths[-1])
    kinds = [LlvmTypes(words.form, width) for width in widths]
    return [
        f"declare {own.real} @llvm.{name}.{own.suffix}({', '.join([own.real] * counts.get(name, 1))})"
        for own in kinds
        for name in _INTRINSICS.values()
    ]
