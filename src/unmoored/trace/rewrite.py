"""Copying a graph node by node into a new one, with some operations replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .graph import LEAVES, PARTS, Graph
from .node_order import live_nodes
from .traced import Traced

#: builds the replacement of an old node in the new graph; operands are already new indices
Rule = Callable[[Graph, int, tuple], int]


def rewrite(traced: Traced, rule: Rule) -> Traced:
    """The same function on a new graph; `rule(new_graph, old_index, new_node)` adds each live node."""
    old, new = traced.graph, Graph()
    new.parts = list(old.parts)
    renamed: dict[int, int] = {}
    for index in live_nodes(old, traced.flat_outputs):
        node = old.nodes[index]
        if index in old.values:
            renamed[index] = new.constant(old.values[index])
        else:
            renamed[index] = rule(new, index, renumbered(node, renamed))
    outputs = tuple(tuple(renamed[k] for k in output) for output in traced.outputs)
    return replace(traced, graph=new, outputs=outputs)


def renumbered(node: tuple, renamed: dict[int, int]) -> tuple:
    """The node with its operands named by their new indices."""
    operation = node[0]
    if operation in LEAVES:
        return node
    if operation == "result":
        return (operation, renamed[node[1]], node[2])
    if operation in PARTS:
        return (operation, node[1], *(renamed[k] for k in node[2:]))
    return (operation, *(renamed[k] for k in node[1:]))
