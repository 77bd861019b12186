"""Choosing fused multiply-adds, once and on the graph, so that every backend rounds alike.

A product is fused into the additions and subtractions that use it when all of its uses can take it; then the
product itself is never computed. Functions are fused one by one, never across a call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .graph import Graph, operands
from .node_order import live_nodes
from .rewrite import rewrite
from .scan_tracing import graph_among
from .symbol import node_of
from .traced import Traced


def fuse(traced: Traced) -> Traced:
    """The same function with `fma` nodes in place of products that are only added or subtracted."""
    chosen = _choose(traced.graph, traced.flat_outputs)

    def rule(new: Graph, index: int, node: tuple) -> int:
        side = chosen.get(index)
        if side is None:
            return new.node(*node)
        product, other = (node[1], node[2]) if side == 0 else (node[2], node[1])
        _, a, b = new.nodes[product]
        if node[0] == "sub":
            if side == 1:
                a = new.node("neg", a)
            else:
                other = _negated(new, other)
        return new.node("fma", a, b, other)

    return rewrite(traced, rule)


def _negated(graph: Graph, index: int) -> int:
    value = graph.values.get(index)
    return graph.node("neg", index) if value is None else graph.constant(-value)


def _choose(graph: Graph, outputs: tuple[int, ...]) -> dict[int, int]:
    """For every addition or subtraction to be fused, the position (0 or 1) of the product it takes in."""
    nodes = graph.nodes
    users: dict[int, list[int]] = {}
    for index in live_nodes(graph, outputs):
        for operand in operands(nodes[index]):
            users.setdefault(operand, []).append(index)
    kept = set(outputs)
    products = [k for k in users if nodes[k][0] == "mul" and k not in kept]
    chosen: dict[int, int] = {}
    # products with few users first: a sum of two products can take in only one of them
    for product in sorted(products, key=lambda k: (len(users[k]), k)):
        takers = users[product]
        if all(
            nodes[k][0] in ("add", "sub") and k not in chosen and nodes[k][1] != nodes[k][2] for k in takers
        ):
            for taker in takers:
                chosen[taker] = 0 if nodes[taker][1] == product else 1
    return chosen


def operations_of(result: Any) -> int:
    """Operations that a traced array (...) takes, products fused; 0 for numbers."""
    array = np.asarray(result, dtype=object)
    graph = graph_among((array,))
    if graph is None:
        return 0
    nodes = tuple(node_of(graph, entry) for entry in array.ravel())
    return fuse(Traced(graph, (), (nodes,), (array.shape,))).operations
