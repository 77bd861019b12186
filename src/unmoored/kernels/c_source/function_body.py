"""The inside of a function of one sample: statements up to the values of its outputs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Any

from ...trace import Traced, live_nodes
from ..memory_plan import Plan, has_loops
from .dialect import Dialect
from .scan_functions import scan_functions
from .statements import Names, Statements

#: the expression of a column (a number or a variable) of an input
Read = Callable[[int, Any], str]


class Body:
    """Statements that compute a lowered function, made as far as the values that are asked for need them.

    Values of straight-line code are constants of the function; where there are loops over tables, values go
    through the array `scratch`, and `texts` has the functions of the loops.
    """

    def __init__(
        self, traced: Traced, dialect: Dialect, names: Names, read: Read, order: Iterable[int], name: str
    ) -> None:
        offsets = traced.input_offsets

        def load(k: int) -> str:
            array = bisect_right(offsets, k) - 1
            return read(array, k - offsets[array])

        self.texts: list[str] = []
        self.through_memory = False
        #: length of the array `scratch`
        self.scratch = 0
        self.block = Statements(traced, dialect, names, load)
        self.lines = self.block.lines
        self._order, self._outputs = iter(order), traced.flat_outputs
        if has_loops(traced):
            plan = Plan(traced)
            self.through_memory = True
            self.texts, self.scratch = _through_scratch(self.block, plan, read, name), plan.size

    def read_inputs(self) -> None:
        """Read everything that is needed from the inputs, in the order in which it lies."""
        if not self.through_memory:
            nodes = self.block.graph.nodes
            needed = live_nodes(self.block.graph, self._outputs)
            for index in sorted((k for k in needed if nodes[k][0] == "input"), key=lambda k: nodes[k][1]):
                self.block.emit(index)

    def value(self, index: int) -> str:
        """Name, literal or place of the value of an output."""
        while index not in self.block.names:
            self.block.emit(next(self._order))
        return self.block.names[index]


def _through_scratch(block: Statements, plan: Plan, read: Read, name: str) -> list[str]:
    """Copy the inputs, run straight-line code and loops, and leave all outputs in `scratch`."""
    traced, nodes = plan.traced, plan.traced.graph.nodes
    block.lines.append(f"{block.dialect.real} scratch[{max(1, plan.size)}];")
    offsets = traced.input_offsets
    for array, first in enumerate(offsets[:-1]):
        if count := offsets[array + 1] - first:
            loop = f"for (int k = 0; k < {count}; ++k)"
            block.lines.append(f"{loop} scratch[{first} + k] = {read(array, 'k')};")
    loops = {index: f"{name}_scan{k}" for k, index in enumerate(plan.scans)}
    texts = [scan_functions(plan, index, block.dialect, block.shared, loops[index]) for index in plan.scans]
    for index, place in plan.spilled.items():
        if nodes[index][0] == "const":
            block.lines.append(f"scratch[{place}] = {block.emit(index)};")
    for index in plan.order:
        if index in loops:
            for k, operand in enumerate(nodes[index][2 : 2 + traced.graph.parts[nodes[index][1]].carry]):
                block.lines.append(f"scratch[{plan.starts[index] + k}] = {block.emit(operand)};")
            block.lines.append(f"{loops[index]}(scratch);")
            block.results[index] = ("scratch", plan.results[index])
        elif nodes[index][0] == "loop":
            texts += _run_program(block, plan, index, name)
            block.results[index] = ("scratch", plan.results[index])
        elif not (
            nodes[index][0] in ("input", "const")
            or (nodes[index][0] == "result" and nodes[index][1] in plan.results)
        ):
            value = block.emit(index)
            if index in plan.spilled:
                block.lines.append(f"scratch[{plan.spilled[index]}] = {value};")
    block.names.update((index, f"scratch[{plan.position(index)}]") for index in traced.flat_outputs)
    return texts


def _run_program(block: Statements, plan: Plan, index: int, name: str) -> list[str]:
    """Collect the arrays of a program that are not whole, and call it; the tables of where they are."""
    texts = []
    for group, (target, places) in plan.collected[index].items():
        table = f"{name}_from{index}_{group}"
        listed = ", ".join(map(str, places))
        texts.append(f"{block.dialect.table} int {table}[{len(places)}] = {{{listed}}};\n")
        block.lines.append(
            f"for (int k = 0; k < {len(places)}; ++k) scratch[{target} + k] = scratch[{table}[k]];"
        )
    part = plan.traced.graph.parts[plan.traced.graph.nodes[index][1]]
    places = (*plan.arrays(index), plan.results[index])
    block.lines.append(f"{block.shared.parts[id(part)]}({', '.join(f'scratch + {k}' for k in places)});")
    return texts
