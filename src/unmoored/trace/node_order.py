"""Which nodes are needed, and in which order they are computed."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress

from .graph import LEAVES, PARTS, Graph, operands

#: operations whose operands are not simply all that follows
_OTHER = LEAVES | PARTS | {"result"}


def live_nodes(graph: Graph, outputs: Iterable[int]) -> list[int]:
    """Indices of the nodes that the outputs depend on, operands first (dead code is not among them)."""
    nodes = graph.nodes
    needed = bytearray(len(nodes))
    for index in outputs:
        needed[index] = 1
    for index in range(needed.rfind(1), -1, -1):  # from users to what they use
        if needed[index]:
            node = nodes[index]
            for operand in operands(node) if node[0] in _OTHER else node[1:]:
                needed[operand] = 1
    return list(compress(range(len(nodes)), needed))


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
