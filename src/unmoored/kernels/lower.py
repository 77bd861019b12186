"""From a traced function to the graph that every backend prints: fused, and without elementary functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..trace import Graph, LoopPart, Scan, Symbol, Traced, fuse, live_nodes, pruned, rewrite
from ..trace.join_scans import joined_scans
from ..trace.prune import without_dead_parts
from ..trace.sum_chains import with_sums_taken_in
from .elementary import EXPANSIONS
from .memory_plan import has_loops
from .number_formats import Format


def lowered(traced: Traced, form: Format, done: dict[int, Any] | None = None) -> Traced:
    """The same function in arithmetic only, with fused operations chosen, for the given format.

    Products are fused and sums taken in first, so that the expansions keep exactly the operations they are written
    with.
    Sub-functions are lowered once each; `done` holds them by the identity of the original.
    """
    done = {} if done is None else done

    def rule(new: Graph, _: int, node: tuple) -> int:
        operation, *operands = node
        if operation in EXPANSIONS:
            return EXPANSIONS[operation](form, *(Symbol(new, k) for k in operands)).index
        return new.node(*node)

    needed = without_dead_parts(traced)
    fused = fuse(pruned(joined_scans(_without_unused_arguments(needed, form, done))))
    plain = rewrite(with_sums_taken_in(fused), rule)
    for position, part in enumerate(plain.graph.parts):
        plain.graph.parts[position] = _lowered_part(part, form, done)
    return plain


def _lowered_part(part: Any, form: Format, done: dict[int, Any]) -> Any:
    """A sub-function or loop, lowered once; `done` keeps the original, too, whose identity is its key."""
    if id(part) not in done:
        if isinstance(part, Scan):
            steps = tuple(_without_loops(lowered(step, form, done)) for step in part.steps)
            done[id(part)] = part, replace(part, steps=steps)
        elif isinstance(part, LoopPart):
            done[id(part)] = part, part.mapped(lambda function: lowered(function, form, done))
        else:
            done[id(part)] = part, lowered(part, form, done)
    return done[id(part)][1]


def _without_loops(step: Traced) -> Traced:
    """A scan's step that has loops of its own, as one call of the function that has them."""
    if not has_loops(step):
        return step
    graph = Graph()
    inputs = [graph.node("input", k) for k in range(step.input_offsets[-1])]
    call = graph.node("call", graph.part(step), *inputs)
    flat = iter([graph.node("result", call, k) for k in range(len(step.flat_outputs))])
    outputs = tuple(tuple(next(flat) for _ in output) for output in step.outputs)
    return replace(step, graph=graph, outputs=outputs)


def _without_unused_arguments(traced: Traced, form: Format, done: dict[int, Any]) -> Traced:
    """The same function with zeros for the arguments that sub-functions do not use, so that nothing computes them."""
    used: dict[int, set[int]] = {}
    for position, part in enumerate(traced.graph.parts):
        if isinstance(part, Traced):
            used[position] = _used_inputs(_lowered_part(part, form, done))
    if not used:
        return traced

    def rule(new: Graph, _: int, node: tuple) -> int:
        if node[0] != "call":
            return new.node(*node)
        needed = used[node[1]]
        return new.node(*node[:2], *(x if k in needed else new.constant(0.0) for k, x in enumerate(node[2:])))

    return rewrite(traced, rule)


def _used_inputs(traced: Traced) -> set[int]:
    nodes = (traced.graph.nodes[index] for index in live_nodes(traced.graph, traced.flat_outputs))
    return {node[1] for node in nodes if node[0] == "input"}
