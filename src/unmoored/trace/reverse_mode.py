"""Gradients, from the outputs to the inputs; the adjoint of a call is a call, and of a loop a loop.

The adjoint of a call computes its values anew: nothing is stored but its arguments. What comes from a branch of a
`select` holds under its condition, and is made zero elsewhere only where it leaves the branch: in between, derivatives
of the branch that is not taken may be infinite, and zero times infinity is not zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from . import fold
from .embed import call_nodes, copied
from .graph import PARTS, Graph
from .graph import operands as node_operands
from .loop_derivatives import adjoints_of_program
from .node_order import live_nodes
from .partials import partial_derivatives
from .scan import Scan
from .scan_derivatives import scan_adjoints
from .traced import Traced

_pulled: WeakKeyDictionary[Traced, dict] = WeakKeyDictionary()


def pullback(part: Traced, active: tuple[int, ...], weighted: tuple[int, ...]) -> Traced:
    """The function of (x, weights) flat, weights of the `weighted` outputs only; gradients of the `active` inputs."""
    known = _pulled.setdefault(part, {})
    if (active, weighted) not in known:
        if part.rule is not None and part.rule.vjp is not None:
            known[active, weighted] = part.rule.pullback(part, active, weighted)
        else:
            known[active, weighted] = _pulled_function(part, active, weighted)
    return known[active, weighted]


def _pulled_function(part: Traced, active: tuple[int, ...], weighted: tuple[int, ...]) -> Traced:
    new = copied(part)
    graph, count = new.graph, new.input_offsets[-1]
    flat = new.flat_outputs
    weights = [(flat[k], graph.node("input", count + j)) for j, k in enumerate(weighted)]
    by_input = pull(graph, flat, weights, active)
    shapes = ((count,), (len(weighted),))
    return Traced(graph, shapes, (tuple(by_input),), ((len(active),),), True, f"{part.name}_gradient")


def pull(
    graph: Graph, outputs: Sequence[int], weights: Sequence[tuple[int, int]], active: Sequence[int]
) -> list[int]:
    """Gradients by the active flat inputs of the sum of weights times outputs."""
    sweep = _Sweep(graph, outputs, active)
    for output, weight in weights:
        sweep.add(output, weight, None)
    sweep.run()
    return [sweep.plain(graph.node("input", k)) for k in active]


class _Sweep:
    """One pass over the nodes, the last one first."""

    def __init__(self, graph: Graph, outputs: Sequence[int], active: Sequence[int]) -> None:
        self.graph, self.order = graph, live_nodes(graph, outputs)
        self.zero = graph.constant(0.0)
        #: what has been added to the adjoint of every node: {condition under which it holds, or None: sum}
        self.terms: dict[int, dict[int | None, int]] = {}
        self.varied = self._varied({graph.node("input", k) for k in active})
        self.results: dict[int, list[int]] = {}
        for index in self.order:
            if graph.nodes[index][0] == "result":
                self.results.setdefault(graph.nodes[index][1], []).append(index)

    def _varied(self, seeds: set[int]) -> set[int]:
        """Nodes that depend on the active inputs."""
        found, nodes = set(seeds), self.graph.nodes
        for index in self.order:
            if any(k in found for k in node_operands(nodes[index])):
                found.add(index)
        return found

    def add(self, node: int, term: int, guard: int | None) -> None:
        """Add to the adjoint of a node, if it depends on an active input, a term that holds under a condition."""
        if node in self.varied and term != self.zero:
            own = self.terms.setdefault(node, {})
            own[guard] = fold.add(self.graph, own[guard], term) if guard in own else term

    def adjoint(self, node: int) -> tuple[int, int | None]:
        """The adjoint of a node, and the condition under which it holds (elsewhere it counts as zero)."""
        own = self.terms[node]
        if len(own) == 1:
            ((guard, term),) = own.items()
            return term, guard
        total, either = self.zero, next(iter(own))
        for guard, term in own.items():
            total = fold.add(self.graph, total, self._cleared(term, guard))
            either = None if guard is None or either is None else fold.logic(self.graph, "or", either, guard)
        return total, either

    def plain(self, node: int) -> int:
        """The adjoint of a node, zero where nothing holds."""
        return self._cleared(*self.adjoint(node)) if node in self.terms else self.zero

    def _cleared(self, term: int, guard: int | None) -> int:
        return term if guard is None else fold.select(self.graph, guard, term, self.zero)

    def run(self) -> None:
        """All nodes."""
        for index in reversed(self.order):
            node = self.graph.nodes[index]
            if node[0] in PARTS:
                self._part(index)
            elif index in self.terms and node[0] not in ("result", "input"):
                self._operation(index, node)

    def _operation(self, index: int, node: tuple) -> None:
        graph, (adjoint, guard) = self.graph, self.adjoint(index)
        if node[0] == "select":
            self.add(node[2], adjoint, self._both(guard, node[1]))
            self.add(node[3], adjoint, self._both(guard, fold.invert(graph, node[1])))
            return
        for operand, partial in partial_derivatives(graph, index):
            if operand in self.varied:
                self.add(operand, fold.multiply(graph, adjoint, partial), guard)

    def _both(self, guard: int | None, condition: int) -> int:
        return condition if guard is None else fold.logic(self.graph, "and", guard, condition)

    def _part(self, index: int) -> None:
        """The adjoint of a call or a loop."""
        graph, node = self.graph, self.graph.nodes[index]
        used = [k for k in self.results.get(index, ()) if k in self.terms]
        active = tuple(k for k, operand in enumerate(node[2:]) if operand in self.varied)
        if not used or not active:
            return
        found = {graph.nodes[k][2]: self.adjoint(k) for k in used}
        guards = {guard for _, guard in found.values()}
        weights = {
            k: term if len(guards) == 1 else self._cleared(term, own) for k, (term, own) in found.items()
        }
        part, operands = graph.parts[node[1]], node[2:]
        for position, term in part_adjoints(graph, part, index, operands, weights, active).items():
            self.add(operands[position], term, self._guard_of(part, position, found, guards))

    def _guard_of(
        self, part: object, position: int, found: dict[int, tuple[int, int | None]], guards: set[int | None]
    ) -> int | None:
        """The condition under which the adjoint of a part's operand holds: any of those of what depends on it."""
        if len(guards) == 1:
            return next(iter(guards))
        if guards == {None} or not isinstance(part, Traced):
            return None
        reached = _outputs_reached(part)[position]
        either: int | None = None
        for k, (_, guard) in found.items():
            if reached >> k & 1:
                if guard is None:
                    return None
                either = guard if either is None else fold.logic(self.graph, "or", either, guard)
        return either


_reached: WeakKeyDictionary[Traced, dict[int, int]] = WeakKeyDictionary()


def _outputs_reached(part: Traced) -> dict[int, int]:
    """For every flat input, a bit for every flat output that depends on it."""
    if part not in _reached:
        masks: dict[int, int] = {}
        for k, output in enumerate(part.flat_outputs):
            masks[output] = masks.get(output, 0) | 1 << k
        by_input = dict.fromkeys(range(part.input_offsets[-1]), 0)
        for index in reversed(live_nodes(part.graph, part.flat_outputs)):
            node, mask = part.graph.nodes[index], masks.get(index, 0)
            if node[0] == "input":
                by_input[node[1]] |= mask
            for operand in node_operands(node):
                masks[operand] = masks.get(operand, 0) | mask
        _reached[part] = by_input
    return _reached[part]


def part_adjoints(
    graph: Graph, part: object, index: int, operands: Sequence[int], weights: dict[int, int],
    active: tuple[int, ...],
) -> dict[int, int]:  # fmt: skip
    """Adjoints of the active operands of a part, by their positions; `weights` are those of its results."""
    if isinstance(part, Traced):
        weighted = tuple(sorted(weights))
        pulled = pullback(part, active, weighted)
        bars = call_nodes(graph, pulled, (*operands, *(weights[k] for k in weighted)))
        return dict(zip(active, bars, strict=True))
    if isinstance(part, Scan):
        return scan_adjoints(graph, part, index, operands, weights, active, pullback)
    return adjoints_of_program(graph, part, index, operands, weights, active, pullback)
