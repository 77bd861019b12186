"""Derivatives of traced functions: new graphs in forward and in reverse mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from . import fold
from .graph import Graph
from .node_order import live_nodes
from .outline import inlined
from .partials import partial_derivatives
from .traced import Traced


def jacobian(traced: Traced, wrt: int | Sequence[int] | None = None) -> Traced:
    """Forward mode. For each output of shape S and each chosen input of shape T, an output of shape S + T.

    `wrt` is the position, or positions, of the inputs to differentiate by; all of them if None. Outputs
    come in the order (output 0 by input 0, output 0 by input 1, ...).
    """
    traced = inlined(traced)
    chosen = _positions(traced, wrt)
    offsets = traced.input_offsets
    seeds = [k for position in chosen for k in range(offsets[position], offsets[position + 1])]
    graph, one = traced.graph, traced.graph.constant(1.0)
    columns = _push(graph, traced.flat_outputs, {graph.node("input", k): {k: one} for k in seeds})
    outputs, shapes, zero = [], [], graph.constant(0.0)
    for output, shape in zip(traced.outputs, traced.output_shapes, strict=True):
        for position in chosen:
            entries = range(offsets[position], offsets[position + 1])
            outputs.append(tuple(columns[node].get(k, zero) for node in output for k in entries))
            shapes.append(shape + traced.input_shapes[position])
    return replace(traced, outputs=tuple(outputs), output_shapes=tuple(shapes), single=len(outputs) == 1)


def jvp(traced: Traced) -> Traced:
    """Forward mode along one direction: inputs (x..., dx...), outputs their derivatives along dx."""
    traced = inlined(traced)
    graph, count = traced.graph, traced.input_offsets[-1]
    tangents = {graph.node("input", k): {0: graph.node("input", count + k)} for k in range(count)}
    columns, zero = _push(graph, traced.flat_outputs, tangents), graph.constant(0.0)
    outputs = tuple(tuple(columns[node].get(0, zero) for node in output) for output in traced.outputs)
    return replace(traced, outputs=outputs, input_shapes=traced.input_shapes * 2)


def vjp(traced: Traced) -> Traced:
    """Reverse mode: inputs (x..., weights of every output...), outputs the gradients by every input.

    The branch of a `where` that is not taken must have finite derivatives: it is weighted with zero.
    """
    traced = inlined(traced)
    graph, count = traced.graph, traced.input_offsets[-1]
    flat = traced.flat_outputs
    adjoints: dict[int, int] = {}
    for k, node in enumerate(flat):
        _accumulate(graph, adjoints, node, graph.node("input", count + k))
    return _gradients(traced, adjoints, traced.input_shapes + traced.output_shapes)


def gradient(traced: Traced) -> Traced:
    """Reverse mode for a function with one scalar output: its gradient by every input."""
    if traced.output_shapes != ((),):
        raise ValueError(f"gradient needs one scalar output, {traced.name} has shapes {traced.output_shapes}")
    traced = inlined(traced)
    return _gradients(traced, {traced.flat_outputs[0]: traced.graph.constant(1.0)}, traced.input_shapes)


def _positions(traced: Traced, wrt: int | Sequence[int] | None) -> list[int]:
    count = len(traced.input_shapes)
    chosen = list(range(count)) if wrt is None else [wrt] if isinstance(wrt, int) else list(wrt)
    for position in chosen:
        if not 0 <= position < count:
            raise ValueError(
                f"{traced.name} has inputs 0..{count - 1}, cannot differentiate by input {position}"
            )
    return chosen


def _push(
    graph: Graph, outputs: tuple[int, ...], seeds: dict[int, dict[int, int]]
) -> dict[int, dict[int, int]]:
    """Sparse tangents {direction: node} of every live node."""
    tangents: dict[int, dict[int, int]] = {}
    zero = graph.constant(0.0)
    for index in live_nodes(graph, outputs):
        node = graph.nodes[index]
        own: dict[int, int] = dict(seeds.get(index, {}))
        if node[0] == "select":
            first, second = tangents[node[2]], tangents[node[3]]
            for k in first.keys() | second.keys():
                own[k] = fold.select(graph, node[1], first.get(k, zero), second.get(k, zero))
        else:
            for operand, partial in partial_derivatives(graph, index):
                for k, tangent in tangents[operand].items():
                    term = fold.multiply(graph, partial, tangent)
                    own[k] = fold.add(graph, own[k], term) if k in own else term
        tangents[index] = own
    return tangents


def _gradients(traced: Traced, adjoints: dict[int, int], input_shapes: tuple) -> Traced:
    graph, zero = traced.graph, traced.graph.constant(0.0)
    for index in reversed(live_nodes(graph, traced.flat_outputs)):
        adjoint = adjoints.get(index)
        if adjoint is None:
            continue
        node = graph.nodes[index]
        if node[0] == "select":
            _accumulate(graph, adjoints, node[2], fold.select(graph, node[1], adjoint, zero))
            _accumulate(graph, adjoints, node[3], fold.select(graph, node[1], zero, adjoint))
            continue
        for operand, partial in partial_derivatives(graph, index):
            _accumulate(graph, adjoints, operand, fold.multiply(graph, adjoint, partial))
    count = traced.input_offsets[-1]
    by_input = [adjoints.get(graph.node("input", k), zero) for k in range(count)]
    offsets = traced.input_offsets
    outputs = tuple(tuple(by_input[a:b]) for a, b in pairwise(offsets))
    return replace(
        traced, outputs=outputs, output_shapes=traced.input_shapes, input_shapes=input_shapes,
        single=len(outputs) == 1,
    )  # fmt: skip


def _accumulate(graph: Graph, adjoints: dict[int, int], node: int, term: int) -> None:
    adjoints[node] = fold.add(graph, adjoints[node], term) if node in adjoints else term
