"""Sums that take their other term in at the beginning, where it costs no operation of its own.

x + (a b + c d) is a product, a fused operation and a sum; (x + a b) + c d is two fused operations. The rounding error
has the same bound: what was the rounding of the first product is that of its sum with x. It is done where the result
does not have to be waited for longer.
"""

from __future__ import annotations

from .graph import LEAVES, Graph, operands
from .node_order import live_nodes
from .rewrite import rewrite
from .traced import Traced

_FREE = LEAVES | {"neg"}


def with_sums_taken_in(traced: Traced) -> Traced:
    """The same function, whose products are fused already, with fewer operations."""
    nodes = traced.graph.nodes
    uses: dict[int, int] = {}
    for index in live_nodes(traced.graph, traced.flat_outputs):
        for k in operands(nodes[index]):
            uses[k] = uses.get(k, 0) + 1
    for index in traced.flat_outputs:
        uses[index] = uses.get(index, 0) + 2
    chains = _Chains()

    def rule(new: Graph, index: int, node: tuple) -> int:
        found = chains.taken_in(new, node) if node[0] in ("add", "sub") else None
        if found is None:
            found = chains.noted(new, new.node(*node))
        if uses.get(index) == 1:
            chains.single.add(found)
        return found

    return rewrite(traced, rule)


class _Chains:
    """What is known of the nodes of the new graph: how many operations they wait for, and which are used once."""

    def __init__(self) -> None:
        self.single: set[int] = set()
        self._depth: dict[int, int] = {}

    def noted(self, new: Graph, index: int) -> int:
        """The index of a node, whose depth is known then."""
        if index not in self._depth:
            node = new.nodes[index]
            below = max((self._depth.get(k, 0) for k in operands(node)), default=0)
            self._depth[index] = below + (node[0] not in _FREE)
        return index

    def taken_in(self, new: Graph, node: tuple) -> int | None:
        """The sum or difference by fused operations only, if it is there no later than by an operation of its own."""
        operation, first, second = node
        depths = self._depth.get(first, 0), self._depth.get(second, 0)
        pairs = (
            ((first, second), (second, first))
            if depths[0] <= depths[1]
            else ((second, first), (first, second))
        )
        for x, chain in pairs:
            products = sorted(self._products(new, chain), key=self._ready)
            depth = self._depth.get(x, 0)
            for product in products:
                depth = max(depth, self._ready(product)) + 1
            if not products or depth > max(depths) + 1:
                continue
            turned = operation == "sub" and chain == second
            total = x if operation == "add" or turned else self._negated(new, x)
            for a, b in products:
                total = self.noted(new, new.node("fma", self._negated(new, a) if turned else a, b, total))
                self.single.add(total)
            self.single.discard(total)  # of the last one others know
            return total
        return None

    def _ready(self, product: tuple[int, int]) -> int:
        return max(self._depth.get(k, 0) for k in product)

    def _negated(self, new: Graph, k: int) -> int:
        if new.nodes[k][0] == "neg":
            return new.nodes[k][1]
        value = new.values.get(k)
        return self.noted(new, new.node("neg", k)) if value is None else new.constant(-value)

    def _products(self, new: Graph, chain: int) -> list[tuple[int, int]]:
        """The products of a sum of products only, all of which nobody else needs."""
        found = []
        while chain in self.single:
            operation, *given = new.nodes[chain]
            if operation == "mul":
                return [*found, (given[0], given[1])]
            if operation == "neg" and given[0] in self.single and new.nodes[given[0]][0] == "mul":
                _, a, b = new.nodes[given[0]]
                return [*found, (self._negated(new, a), b)]
            if operation != "fma":
                break
            found.append((given[0], given[1]))
            chain = given[2]
        return []
