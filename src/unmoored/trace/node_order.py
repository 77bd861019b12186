"""Which nodes are needed, and in which order they are computed."""

from __future__ import annotations

from collections.abc import Iterable

from .graph import LEAVES, PARTS, Graph, operands


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


def operation_count(graph: Graph, outputs: Iterable[int]) -> int:
    """Number of operations that the outputs need; sign changes ride along with other operations."""
    free = LEAVES | {"neg", "result"}
    total = 0
    for index in live_nodes(graph, outputs):
        operation = graph.nodes[index][0]
        if operation in PARTS:
            total += graph.parts[graph.nodes[index][1]].operations
        elif operation not in free:
            total += 1
    return total


def scheduled(graph: Graph, outputs: Iterable[int]) -> list[int]:
    """The live nodes in an order of short lives: depth first from each output, the deeper operand first."""
    outputs = list(outputs)
    height: dict[int, int] = {}
    for index in live_nodes(graph, outputs):
        below = operands(graph.nodes[index])
        height[index] = 1 + max(height[k] for k in below) if below else 0
    order: list[int] = []
    done: set[int] = set()
    for output in outputs:
        stack = [(output, False)]
        while stack:
            index, computed = stack.pop()
            if computed:
                order.append(index)
            elif index not in done:
                done.add(index)
                stack.append((index, True))
                pending = [k for k in operands(graph.nodes[index]) if k not in done]
                stack.extend((k, False) for k in sorted(pending, key=height.__getitem__))
    return order
