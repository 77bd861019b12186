"""Building the node of a scan from its traced steps, and the values that it leaves for every item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .carry_classes import Classes
from .graph import Graph
from .item_kinds import Kind
from .nested_values import rebuild
from .scan import Scan
from .symbol import Symbol, node_of
from .traced import Traced


@dataclass
class TracedStep:
    """A step of one kind, traced with symbols for the distinct entries only."""

    graph: Graph
    message: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    form: Any = None

    def take_captured(self, first: int) -> list[int]:
        """Turn the values that the step takes from around it into inputs from `first` on; their nodes around it."""
        nodes, found = self.graph.nodes, []
        for index, node in enumerate(nodes):
            if node[0] == "captured":
                nodes[index] = ("input", first + len(found))
                found.append(node[1])
        return found


class ScanResults:
    """The scan node and the values that it leaves."""

    def __init__(
        self, graph: Graph, grouped: list[Kind], classes: Classes, steps: list[TracedStep], items: list[Any],
        inward: bool, parents: tuple[int, ...],
    ) -> None:  # fmt: skip
        self.graph, self.grouped, self.classes, self.steps, self.items = graph, grouped, classes, steps, items
        self.inward, count = inward, len(items)
        self.kind_of = [0] * count
        rows = [0] * count
        for position, kind in enumerate(grouped):
            for row, item in enumerate(kind.items):
                self.kind_of[item], rows[item] = position, row
        self.stored = [self._stored(kind, step) for kind, step in zip(grouped, steps, strict=True)]
        captured = [
            step.take_captured(kind.columns + classes.count + len(kind.variable))
            for kind, step in zip(grouped, steps, strict=True)
        ]
        own = 0 if inward else classes.count
        variables, offsets, size, operands = [], [], 0, classes.start(graph)
        for item in range(count):
            kind = self.kind_of[item]
            variables.append(len(operands))
            operands += [node_of(graph, items[item][0][k]) for k in grouped[kind].variable]
            operands += captured[kind]
            offsets.append(size)
            size += own + len(self.stored[kind])
        self.offsets, self.size = offsets, size
        tables = tuple(kind.table for kind in grouped)
        total = classes.count if inward else 0
        part = Scan(
            inward, parents, tuple(self.kind_of), self._traced_steps(captured), tables, tuple(rows),
            classes.count, tuple(variables), tuple(offsets), size + total,
        )  # fmt: skip
        self.node = graph.node("scan", graph.part(part), *operands)

    def _stored(self, kind: Kind, step: TracedStep) -> list[int]:
        """The kept nodes that need memory: not constants, and not the item's own values."""
        nodes = step.graph.nodes
        wanted = dict.fromkeys(k for k in step.kept if self._forwarded(kind, nodes[k]) is None)
        return list(wanted)

    def _forwarded(self, kind: Kind, node: tuple) -> Callable[[int], Any] | None:
        """How to get a kept entry without memory, from the item's number; None if it must be stored."""
        if node[0] == "const":
            return lambda item: None
        if node[0] != "input":
            return None
        entry = kind.entry_of_input(node[1], self.classes.count)
        return None if entry is None else lambda item: self.items[item][0][entry]

    def _traced_steps(self, captured: list[list[int]]) -> tuple[Traced, ...]:
        steps = []
        parts = zip(self.grouped, self.steps, self.stored, captured, strict=True)
        for kind, step, stored, around in parts:
            message = tuple(step.message[k] for k in self.classes.representatives)
            inputs = (kind.columns, self.classes.count, len(kind.variable) + len(around))
            shapes = (len(message),), (len(stored),)
            steps.append(
                Traced(
                    step.graph, tuple((n,) for n in inputs), (message, tuple(stored)), shapes, False, "step"
                )
            )
        return tuple(steps)

    def _result(self, position: int) -> Symbol:
        return Symbol(self.graph, self.graph.node("result", self.node, position))

    def values(self, form: Any) -> tuple[list[Any], list[Any], Any]:
        """Carries (outward), what every item kept, and the total (inward)."""
        carries, kept = [], []
        for item, kind_index in enumerate(self.kind_of):
            kind, step = self.grouped[kind_index], self.steps[kind_index]
            base = self.offsets[item]
            if not self.inward:
                carries.append(
                    rebuild(form, self.classes.expanded(lambda k, base=base: self._result(base + k)))
                )
                base += self.classes.count
            places = {node: base + k for k, node in enumerate(self.stored[kind_index])}
            kept.append(
                rebuild(step.form, [self._kept(kind, step, node, item, places) for node in step.kept])
            )
        total = (
            rebuild(form, self.classes.expanded(lambda k: self._result(self.size + k)))
            if self.inward
            else None
        )
        return carries, kept, total

    def _kept(self, kind: Kind, step: TracedStep, node: int, item: int, places: dict[int, int]) -> Any:
        if node in step.graph.values:
            return step.graph.values[node]
        if node in places:
            return self._result(places[node])
        forward = self._forwarded(kind, step.graph.nodes[node])
        return forward(item) if forward else None
