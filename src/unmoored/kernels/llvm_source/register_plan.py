"""Which values of long straight-line code stay in registers, and which wait in memory.

Code of matrices is longer than the processor's cache of instructions, and runs as fast as it can be fetched: its bytes
count. A value that waits in memory costs few of them where an operation reads it right from there, and where its place
is near a pointer, so that the way to it takes one byte. So values wait in a workspace with pointers to the middle of
its parts, and are loaded into a register of their own only for several uses that follow soon.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple, Protocol

from ...trace.graph import CONDITIONS, LEAVES, operands

#: places that one pointer reaches with a byte
REACH = 256
#: so many uses among so many next events are worth a register
_USES, _SOON = 4, 60
#: registers that the storing of columns needs beside these
_SHUFFLED = 3
_NEVER = 1 << 60
#: constants are in memory anyway, and truth values in registers of their own
_NO_VALUE = (LEAVES | CONDITIONS) - {"input"}
#: operations that read their last operand from memory, and those that read any
_LAST, _ANY = frozenset(("sub", "div")), frozenset(("add", "mul", "fma"))


class Columns(Protocol):
    """Columns of an output to store, whose nodes are these."""

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes."""
        ...


#: a node to compute, or columns to store
Event = int | Columns


class Keep(NamedTuple):
    """Store a value in its place."""

    node: int


class Fetch(NamedTuple):
    """Load a value from its place; `once`: for the next event only."""

    node: int
    once: bool


class RegisterPlan:
    """The steps of the code: events, and what goes to memory and comes back between them."""

    def __init__(self, nodes: Sequence[tuple], events: Sequence[Event], registers: int) -> None:
        """registers: how many values stay in them; a few more are needed on the way."""
        #: numbers with their sign turned, which only fused operations use: these turn it themselves
        self.turned = _turned(nodes, events)
        self._nodes, self._registers = nodes, registers
        self._events = [event for event in events if event not in self.turned]
        self._uses: dict[int, list[int]] = {}
        self._needs = [self._needed(event) for event in self._events]
        for time, wanted in enumerate(self._needs):
            for k in wanted:
                self._uses.setdefault(k, []).append(time)
        for times in self._uses.values():
            times.reverse()  # the next use is the last of the list
        self._held: set[int] = set()
        self._in_memory: set[int] = set()
        #: of every value in memory, when it is stored, and all times when it is read
        self.visits: dict[int, list[int]] = {}
        self.steps: list[Event | Keep | Fetch] = list(self._planned())
        self.places = _places(self.visits)

    def __len__(self) -> int:
        """Number of places in memory."""
        return 1 + max(self.places.values(), default=-1)

    def _needed(self, event: Event) -> tuple[int, ...]:
        """Values in registers or in memory that an event needs."""
        wanted = self._operands(event) if isinstance(event, int) else event.nodes
        return tuple(k for k in dict.fromkeys(wanted) if self._nodes[k][0] not in _NO_VALUE)

    def _operands(self, event: int) -> list[int]:
        return [self.turned.get(k, k) for k in operands(self._nodes[event])]

    def _next(self, k: int) -> int:
        times = self._uses.get(k)
        return times[-1] if times else _NEVER

    def _soon(self, k: int, time: int) -> int:
        """How many uses of a value come soon."""
        return sum(1 for use in self._uses[k][-_USES:] if use <= time + _SOON)

    def _planned(self) -> Iterator[Event | Keep | Fetch]:
        for time, (event, wanted) in enumerate(zip(self._events, self._needs, strict=True)):
            for k in wanted:
                self._uses[k].pop()
            missing = [k for k in wanted if k not in self._held]
            once = self._read_from_memory(event, missing, time)
            for k in missing:
                self.visits[k].append(time)
                if k != once:
                    yield from self._room(1, time, wanted)
                    self._held.add(k)
                    yield Fetch(k, once=False)
            if once is not None:
                yield Fetch(once, once=True)
            if wanted and not isinstance(event, int):
                yield from self._room(_SHUFFLED, time, wanted)
            yield event
            for k in wanted:
                if self._next(k) == _NEVER:
                    self._held.discard(k)
            if isinstance(event, int) and self._next(event) != _NEVER:
                yield from self._room(1, time, ())
                self._held.add(event)

    def _room(self, count: int, time: int, wanted: Sequence[int]) -> Iterator[Keep]:
        """Values that are needed last leave their registers."""
        while len(self._held) + count > self._registers:
            out = max((k for k in self._held if k not in wanted), key=self._next)
            self._held.discard(out)
            if out not in self._in_memory:
                self._in_memory.add(out)
                self.visits[out] = [time]
                yield Keep(out)

    def _read_from_memory(self, event: Event, missing: list[int], time: int) -> int | None:
        """The one value that an operation reads from memory, if there is one."""
        if not isinstance(event, int) or not missing:
            return None
        operation, given = self._nodes[event][0], self._operands(event)
        if operation in _ANY:
            able = [k for k in missing if given.count(k) == 1]
            if operation == "fma" and given[2] in able and not self._dies(given[:2]):
                able.remove(given[2])  # the sum would take the place of a factor
        else:
            able = [k for k in missing if operation in _LAST and k == given[-1] and k != given[0]]
        if not able:
            return None
        chosen = max(able, key=self._next)
        return chosen if len(missing) > 1 or self._soon(chosen, time) < _USES else None

    def _dies(self, values: Sequence[int]) -> bool:
        return any(self._next(k) == _NEVER for k in values if k in self._held)


def _turned(nodes: Sequence[tuple], events: Sequence[Event]) -> dict[int, int]:
    """Nodes of numbers with their sign turned that only fused operations use, and the numbers."""
    others: set[int] = set()
    for event in events:
        if not isinstance(event, int):
            others.update(event.nodes)
        elif nodes[event][0] != "fma":
            others.update(operands(nodes[event]))
    turned = (k for k in events if isinstance(k, int) and nodes[k][0] == "neg" and k not in others)
    return {k: nodes[k][1] for k in turned if nodes[nodes[k][1]][0] != "neg"}


def _places(visits: dict[int, list[int]]) -> dict[int, int]:
    """A place for every value in memory, for as long as it is there."""
    places: dict[int, int] = {}
    free: list[int] = []
    leaving: list[tuple[int, int]] = []  # (last time, place)
    for k, times in sorted(visits.items(), key=lambda item: item[1][0]):
        while leaving and leaving[0][0] < times[0]:
            heappush(free, heappop(leaving)[1])
        places[k] = heappop(free) if free else len(leaving)
        heappush(leaving, (times[-1], places[k]))
    return places
