"""In which order the outputs of a function are computed: from the first to the last, or the other way."""

from __future__ import annotations

from collections.abc import Iterable

from ..trace import Traced, scheduled
from ..trace.graph import LEAVES, operands

#: the other way is taken only if it shortens the lives of values to this part
_CLEARLY = 0.75


def ends_first(traced: Traced) -> bool:
    """Whether values wait clearly less long to be used if the last outputs are computed first.

    So it is with matrices that a recursion towards the root fills: it leaves their last rows first.
    """
    outputs = traced.flat_outputs
    return _waiting(traced, outputs[::-1]) < _CLEARLY * _waiting(traced, outputs)


def _waiting(traced: Traced, outputs: Iterable[int]) -> int:
    """For how many operations values wait to be used, all of them together, if these outputs follow one another."""
    nodes = traced.graph.nodes
    born: dict[int, int] = {}
    last: dict[int, int] = {}
    for time, index in enumerate(scheduled(traced.graph, outputs)):
        born[index] = time
        for operand in operands(nodes[index]):
            last[operand] = time
    return sum(end - born[index] for index, end in last.items() if nodes[index][0] not in LEAVES)
