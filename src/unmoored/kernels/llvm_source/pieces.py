"""Long straight-line code cut into pieces, each a function of its own: the time to compile one grows faster than it.

Values that a later piece needs go through the scratch array; conditions are found again where they are needed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...trace import Traced, live_nodes, scheduled
from ...trace.graph import CONDITIONS, LEAVES, operands
from ..memory_plan import Plan

#: functions with more operations than this are cut, into pieces of about this many (the seams cost run time)
LONG, PIECE = 30000, 4000
#: operations that it takes to bring a number of every sample from its array to a lane vector, or back
_COLUMN = 6
_NO_VALUE = frozenset(("call", "scan", "loop"))


def is_long(traced: Traced) -> bool:
    """Whether a function is cut into pieces."""
    nodes, columns = traced.graph.nodes, traced.input_offsets[-1] + len(traced.flat_outputs)
    if len(nodes) + _COLUMN * columns <= LONG:
        return False
    live = live_nodes(traced.graph, traced.flat_outputs)
    if any(nodes[k][0] in ("scan", "loop") for k in live):
        columns = 0  # which are then brought to their lanes and back by loops
    return sum(_weight(nodes, k) for k in live) + _COLUMN * columns > LONG


def _weight(nodes: list[tuple], index: int) -> int:
    """Instructions of a node, roughly; what a loop leaves is in memory."""
    node = nodes[index]
    if node[0] in LEAVES or (node[0] == "result" and nodes[node[1]][0] != "call"):
        return 0
    return len(node) - 2 if node[0] == "call" else 1


class Pieces:
    """The nodes of every piece, and the places of the values that go from one to another."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self._nodes = plan, plan.traced.graph.nodes
        self.lists: list[list[int]] = [[]]
        weight = 0
        for index in self._order():
            if weight > PIECE and self._nodes[index][0] != "result":
                self.lists.append([])
                weight = 0
            self.lists[-1].append(index)
            weight += _weight(self._nodes, index)
        self.of = {index: piece for piece, own in enumerate(self.lists) for index in own}
        self.places = self._places()

    def _order(self) -> Iterator[int]:
        """Operands first, short lives; results right after their call."""
        graph, results = self.plan.traced.graph, {}
        for index in self.plan.order:
            if self._nodes[index][0] == "result":
                results.setdefault(self._nodes[index][1], []).append(index)
        for index in scheduled(graph, self.plan.traced.flat_outputs):
            if self._nodes[index][0] != "result":
                yield index
                yield from results.get(index, ())

    def _places(self) -> dict[int, int]:
        """A place for every value that a later piece needs; places are used again when nobody needs them."""
        last: dict[int, int] = {}
        for piece, own in enumerate(self.lists):
            for index in own:
                for operand in self._values(index):
                    if self.of[operand] < piece and self.plan.position(operand) is None:
                        last[operand] = piece
        ends: dict[int, list[int]] = {}
        for index, piece in last.items():
            ends.setdefault(piece, []).append(index)
        places: dict[int, int] = {}
        free: list[int] = []
        for piece, own in enumerate(self.lists):
            free += [places[index] for index in ends.get(piece - 1, ())]
            for index in own:
                if index in last:
                    places[index] = free.pop() if free else self.plan.reserve(1)
        return places

    def _values(self, index: int) -> Iterator[int]:
        """The numbers that a node needs, those of its conditions included."""
        for operand in operands(self._nodes[index]):
            operation = self._nodes[operand][0]
            if operation in CONDITIONS:
                yield from self._values(operand)
            elif operation not in LEAVES and operation not in _NO_VALUE:
                yield operand
