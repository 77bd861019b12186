"""An order of operations in which others are done while the result of one is waited for.

Depth first, an order of short lives, is also one of long waits: every operation needs the one before it, whose result
takes three or four cycles, and a processor that looks for other work sees only some hundred operations that are not
done yet. A recursion along a chain of joints has other work, but further ahead. Here it comes earlier: operations start
in the given order, two in a cycle, but those whose operands are not there yet are overtaken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

from ...trace.graph import LEAVES, operands

#: cycles until a result is there, of most operations (three or four, by processor) and of the slow ones
_CYCLES, _SLOW = 3, {"div": 24, "sqrt": 24}
#: operations that start in a cycle
_AT_ONCE = 2
#: how many operations may be overtaken: the fewer, the sooner values are used and the fewer wait in memory
_WINDOWS = (250, 500, 1000)
#: a smaller window is taken if it costs no more than this part of the time
_WORSE = 1.05
#: what costs nothing, and comes with what uses it
_FREE = LEAVES | {"neg"}


def with_waits_filled(nodes: Sequence[tuple], order: Sequence[int]) -> list[int]:
    """The nodes of an order, operands first, in an order in which less is waited for."""
    work = _Work(nodes, order)
    found = [work.started(window) for window in _WINDOWS]
    least = min(cycles for _, cycles in found)
    chosen = next(started for started, cycles in found if cycles <= _WORSE * least)
    return list(_with_free_ones(nodes, chosen, order))


class _Work:
    """Operations that take time, by their place in an order, and which of them wait for which."""

    def __init__(self, nodes: Sequence[tuple], order: Sequence[int]) -> None:
        self._order = [k for k in order if nodes[k][0] not in _FREE]
        self._cycles = [_SLOW.get(nodes[k][0], _CYCLES) for k in self._order]
        place = {k: i for i, k in enumerate(self._order)}
        self._users: list[list[int]] = [[] for _ in self._order]
        self._missing: list[int] = []
        for i, k in enumerate(self._order):
            needed = {place[x] for x in (_source(nodes, x) for x in operands(nodes[k])) if x in place}
            self._missing.append(len(needed))
            for x in needed:
                self._users[x].append(i)

    def started(self, window: int) -> tuple[list[int], int]:
        """(nodes in the order in which they start, cycles), if none overtakes more than `window` others."""
        count, missing = len(self._order), list(self._missing)
        there, begun = [0] * count, [False] * count
        ready = [i for i in range(count) if not missing[i]]  # the first in the order first
        waiting: list[tuple[int, int]] = []  # (cycle from which on, place)
        found: list[int] = []
        cycle = oldest = 0
        while len(found) < count:
            while waiting and waiting[0][0] <= cycle:
                heappush(ready, heappop(waiting)[1])
            for _ in range(_AT_ONCE):
                if not ready or ready[0] >= oldest + window:
                    break
                i = heappop(ready)
                found.append(self._order[i])
                begun[i] = True
                while oldest < count and begun[oldest]:
                    oldest += 1
                for user in self._users[i]:
                    there[user] = max(there[user], cycle + self._cycles[i])
                    missing[user] -= 1
                    if not missing[user]:
                        heappush(waiting, (there[user], user))
            cycle += 1
            if waiting and (not ready or ready[0] >= oldest + window):
                cycle = max(cycle, waiting[0][0])
        return found, cycle


def _source(nodes: Sequence[tuple], k: int) -> int:
    """The operation whose result, up to its sign, a node is."""
    while nodes[k][0] == "neg":
        k = nodes[k][1]
    return k


def _with_free_ones(nodes: Sequence[tuple], started: Sequence[int], order: Sequence[int]) -> Iterator[int]:
    """The same nodes, with those that cost nothing before the first that uses them, or at the end."""
    done: set[int] = set()

    def before(k: int) -> Iterator[int]:
        for x in operands(nodes[k]):
            if x not in done and nodes[x][0] in _FREE:
                yield from before(x)
                done.add(x)
                yield x

    for k in started:
        yield from before(k)
        done.add(k)
        yield k
    yield from (k for k in order if k not in done)
