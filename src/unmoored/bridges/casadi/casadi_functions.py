"""A traced function as a CasADi Function.

Straight-line code becomes scalar operations on SX. A graph with calls and loops is cut at them into stages: what can be
computed before the first call, what needs the results of one, and so on. Each stage is one Function of SX, each
sub-function and loop one Function of its own, and they call each other in MX; so the code of a sub-function exists
once, however often it is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ...trace import LoopPart, Scan, Traced
from ...trace.graph import PARTS, Graph, operands
from .casadi_operations import OPERATIONS, ca, column
from .casadi_programs import program_function, scan_results


def casadi_function(traced: Traced, name: str, inputs: Sequence[str], outputs: Sequence[str]) -> Any:
    """The traced function as a `casadi.Function` with named inputs and outputs.

    Vectors are columns, numbers (1, 1); of an array with more dimensions than two, all after the first lie in its
    columns, in NumPy's order.
    """
    core = FunctionMaker().function(traced)
    kind = ca.SX if core.is_a("SXFunction") else ca.MX
    given = [kind.sym(word, *_shape(s)) for word, s in zip(inputs, traced.input_shapes, strict=True)]
    results, found, first = core(ca.vertcat(*map(_flat, given))) if given else core(kind(0, 1)), [], 0
    for shape in traced.output_shapes:
        size = prod(shape)
        found.append(_formed(results[first : first + size], _shape(shape)))
        first += size
    return ca.Function(name, given, found, list(inputs), list(outputs))


def _shape(shape: tuple[int, ...]) -> tuple[int, int]:
    return (shape[0] if shape else 1), prod(shape[1:])


def _flat(x: Any) -> Any:
    """The entries in NumPy's order, as a column."""
    return x if x.size2() == 1 else ca.vec(x.T)


def _formed(flat: Any, shape: tuple[int, int]) -> Any:
    return flat if shape[1] == 1 else ca.reshape(flat, shape[1], shape[0]).T


class FunctionMaker:
    """Makes the Functions of sub-functions and loops, each once; what they are made of is kept with them."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Any]] = {}

    def function(self, traced: Traced) -> Any:
        """The Function of the flat inputs (n, 1) with the flat outputs (m, 1)."""
        return self._once(traced, lambda: _StageByStage(traced, self).made())

    def program(self, part: LoopPart) -> Any:
        """The Function of a program."""
        return self._once(part, lambda: program_function(part, self.function))

    def _once(self, part: Any, make: Any) -> Any:
        if id(part) not in self._made:
            self._made[id(part)] = part, make()
        return self._made[id(part)][1]


class _StageByStage:
    """One function, cut at its calls and loops.

    stage: of every live node, the number of calls and loops that lie one after the other before it.
    """

    def __init__(self, traced: Traced, maker: FunctionMaker) -> None:
        self.traced, self.graph, self.maker = traced, traced.graph, maker
        self.stage = _stages(traced)
        self.count = max(self.stage.values(), default=0) + 1
        #: vectors of MX: the inputs, what stages leave for later ones, and results of calls
        self.vectors: list[Any] = []
        #: vector and position of every node that is in one
        self.places: dict[int, tuple[int, int]] = {}

    def made(self) -> Any:
        traced, graph = self.traced, self.graph
        size = traced.input_offsets[-1]
        live = [(index, graph.nodes[index]) for index in traced.live]
        x = ca.MX.sym("x", size)
        self._add(x, {index: node[1] for index, node in live if node[0] == "input"})
        if self.count == 1:
            return self._stage(0, [0], [list(traced.flat_outputs)])
        for number in range(self.count - 1):
            calls = [k for k, node in live if node[0] in PARTS and self.stage[k] == number]
            groups = [self._groups(index) for index in calls]
            variable = [g for call in groups for g in call if not self._constant(g)]
            kept = self._kept(number)
            found = self._called(number, [*variable, kept])
            self._add(found[-1], {index: k for k, index in enumerate(kept)})
            results = iter(found)
            for index, call in zip(calls, groups, strict=True):
                given = [
                    ca.MX(ca.DM([graph.values[k] for k in g])) if self._constant(g) else next(results)
                    for g in call
                ]
                self._call(index, given)
        (outputs,) = self._called(self.count - 1, [list(traced.flat_outputs)])
        return ca.Function(word(traced.name), [x], [outputs])

    def _add(self, vector: Any, entries: dict[int, int]) -> None:
        self.places.update((index, (len(self.vectors), k)) for index, k in entries.items())
        self.vectors.append(vector)

    def _groups(self, index: int) -> list[list[int]]:
        """The operands of a call or loop, array by array."""
        _, position, *given = self.graph.nodes[index]
        part = self.graph.parts[position]
        return [list(g) for g in part.cut(given)] if isinstance(part, LoopPart) else [given]

    def _constant(self, group: list[int]) -> bool:
        return all(k in self.graph.values for k in group)

    def _kept(self, number: int) -> list[int]:
        """What a stage computes itself that later ones need, but not as the operand of one of its own calls."""
        own = {k for k, s in self.stage.items() if s == number and k not in self.places}
        used = [k for index, s in self.stage.items() if s > number for k in operands(self.graph.nodes[index])]
        nodes = self.graph.nodes
        wanted = dict.fromkeys(k for k in (*used, *self.traced.flat_outputs) if k in own)
        return [k for k in wanted if nodes[k][0] not in PARTS and k not in self.graph.values]

    def _call(self, index: int, given: list[Any]) -> None:
        """Put the results of a call or loop among the vectors."""
        part = self.graph.parts[self.graph.nodes[index][1]]
        if isinstance(part, Scan):
            found = scan_results(part, given[0], self.maker.function)
        elif isinstance(part, LoopPart):
            found = self.maker.program(part)(*given)
        else:
            found = self.maker.function(part)(*given)
        nodes = self.graph.nodes
        own = (k for k in self.traced.live if nodes[k][0] == "result" and nodes[k][1] == index)
        self._add(found, {k: nodes[k][2] for k in own})

    def _called(self, number: int, groups: list[list[int]]) -> list[Any]:
        """Vectors of the nodes in every group, by the Function of a stage."""
        needed = self._needed(number, groups)
        function = self._stage(number, needed, groups)
        found = function(*(self.vectors[k] for k in needed))
        return list(found) if isinstance(found, tuple | list) else [found]

    def _needed(self, number: int, groups: list[list[int]]) -> list[int]:
        """The vectors that a stage reads."""
        own = [k for k, s in self.stage.items() if s == number and k not in self.places]
        read = [k for index in own for k in operands(self.graph.nodes[index])]
        read += [k for group in groups for k in group]
        return sorted({self.places[k][0] for k in read if k in self.places}) or [0]

    def _stage(self, number: int, needed: list[int], groups: list[list[int]]) -> Any:
        """The scalar operations of a stage as a Function of the vectors that it reads."""
        symbols = [ca.SX.sym(f"x{k}", self.vectors[k].size1()) for k in needed]
        entries = {k: ca.vertsplit(symbol) for k, symbol in zip(needed, symbols, strict=True)}
        values = _Values(self.graph, {i: entries[v][k] for i, (v, k) in self.places.items() if v in entries})
        for index in self.traced.live:
            if self.stage[index] == number and index not in self.places:
                values.compute(index)
        vectors = [column([values[k] for k in group]) for group in groups]
        return ca.Function(f"{word(self.traced.name)}_stage{number}", symbols, vectors)


class _Values:
    """SX of the nodes that are there."""

    def __init__(self, graph: Graph, known: dict[int, Any]) -> None:
        self.graph, self.known = graph, known

    def compute(self, index: int) -> None:
        node = self.graph.nodes[index]
        if node[0] not in PARTS and index not in self.graph.values:
            self.known[index] = (
                ca.SX(float(node[0] == "true"))
                if node[0] in ("true", "false")
                else OPERATIONS[node[0]](*(self[k] for k in node[1:]))
            )

    def __getitem__(self, index: int) -> Any:
        if index in self.graph.values:
            return self.known.setdefault(index, ca.SX(self.graph.values[index]))
        return self.known[index]


def _stages(traced: Traced) -> dict[int, int]:
    stage: dict[int, int] = {}
    for index in traced.live:
        node = traced.graph.nodes[index]
        stage[index] = max((stage[k] for k in operands(node)), default=0) + (node[0] == "result")
    return stage


def word(name: str) -> str:
    """A name that CasADi takes."""
    word = "".join(c if c.isascii() and c.isalnum() else "_" for c in name).strip("_")
    while "__" in word:
        word = word.replace("__", "_")
    return word if word and word[0].isalpha() else f"f_{word}" if word else "f"
