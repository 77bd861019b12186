"""Which nodes are needed, and in which order they are computed."""

from __future__ import annotations

from collections.abc import Iterable

from .graph import Graph, operands


def live_nodes(graph: Graph, outputs: Iterable[int]) -> list[int]:
    """Indices of the nodes that the outputs depend on, operands first (dead code is not among them)."""
    needed: set[int] = set()
    stack = list(outputs)
    nodes = graph.nodes
    while stack:
        index = stack.pop()
        if index not in needed:
            needed.add(index)
            stack.extend(operands(nodes[index]))
    return sorted(needed)
