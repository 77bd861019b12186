"""Copying functions: into another graph, or on a graph of their own that may grow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import fold
from .graph import PARTS, Graph
from .node_order import live_nodes
from .rewrite import rewrite
from .traced import Traced


def copied(traced: Traced) -> Traced:
    """The same function on a new graph; parts are shared."""
    return rewrite(traced, lambda new, _, node: new.node(*node))


def part_position(graph: Graph, part: Any) -> int:
    """Position of a part among those of a graph, which takes it in if it is new."""
    found = next((k for k, other in enumerate(graph.parts) if other is part), None)
    return graph.part(part) if found is None else found


def call_nodes(graph: Graph, part: Traced, operands: Sequence[int]) -> list[int]:
    """Nodes of the results of a call of `part`; results that are constants are those."""
    node = graph.node("call", part_position(graph, part), *operands)
    values = part.graph.values
    return [
        graph.constant(values[output]) if output in values else graph.node("result", node, k)
        for k, output in enumerate(part.flat_outputs)
    ]


def embedded(graph: Graph, part: Traced, arguments: Sequence[int], folded: bool = False) -> list[int]:
    """Nodes of the outputs of `part` in `graph`, its inputs replaced by `arguments`; its calls and loops stay.

    folded: work out again what constants among the arguments make simpler.
    """
    old, renamed = part.graph, {}
    for index in live_nodes(old, part.flat_outputs):
        node = old.nodes[index]
        if node[0] == "input":
            renamed[index] = arguments[node[1]]
        elif index in old.values:
            renamed[index] = graph.constant(old.values[index])
        elif node[0] in ("true", "false"):
            renamed[index] = graph.node(*node)
        elif node[0] == "result":
            renamed[index] = graph.node("result", renamed[node[1]], node[2])
        elif node[0] in PARTS:
            position = part_position(graph, old.parts[node[1]])
            renamed[index] = graph.node(node[0], position, *(renamed[k] for k in node[2:]))
        elif folded:
            renamed[index] = fold.operation(graph, node[0], *(renamed[k] for k in node[1:]))
        else:
            renamed[index] = graph.node(node[0], *(renamed[k] for k in node[1:]))
    return [renamed[k] for k in part.flat_outputs]


def inputs_of(graph: Graph, first: int, count: int) -> list[int]:
    """Nodes of flat inputs."""
    return [graph.node("input", first + k) for k in range(count)]
