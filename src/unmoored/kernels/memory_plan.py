"""Where values live in memory in a function with loops: a scratch array of lane vectors.

Inputs come first, then what the loops leave and accumulate, then values of straight-line code that a loop or
an output needs.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..trace import Scan, Traced, live_nodes


def has_loops(traced: Traced) -> bool:
    """Whether the outputs need a loop, so that values go through memory."""
    nodes = traced.graph.nodes
    if not traced.graph.parts:
        return False
    return any(nodes[k][0] in ("scan", "loop") for k in live_nodes(traced.graph, traced.flat_outputs))


class Plan:
    """Positions in the scratch array.

    calls: whether sub-functions leave their results there, too, and find arguments there that lie side by side.
    """

    def __init__(self, traced: Traced, calls: bool = False) -> None:
        self.traced = traced
        self.order = live_nodes(traced.graph, traced.flat_outputs)
        self.size = traced.input_offsets[-1]
        nodes, parts = traced.graph.nodes, traced.graph.parts
        self.scans = [index for index in self.order if nodes[index][0] == "scan"]
        self.programs = [index for index in self.order if nodes[index][0] == "loop"]
        self.calls = [index for index in self.order if calls and nodes[index][0] == "call"]
        #: first result of every scan, program and call; of every scan, first accumulator and first entry of the start
        self.results: dict[int, int] = {}
        self.accumulators: dict[int, int] = {}
        self.sums: dict[int, Sums] = {}
        self.starts: dict[int, int] = {}
        #: nodes of straight-line code and constants that must be in memory
        self.spilled: dict[int, int] = {}
        for index in self.scans:
            scan: Scan = parts[nodes[index][1]]
            self.results[index] = self.reserve(scan.size)
            self.sums[index] = Sums(scan.parents if scan.inward else ())
            self.accumulators[index] = self.reserve(self.sums[index].count * scan.carry)
            self.starts[index] = self.reserve(scan.carry)
        for index in self.scans:
            for operand in self.variables(index):
                self._locate(operand)
        for index in self.programs:
            self.results[index] = self.reserve(parts[nodes[index][1]].size)
        for index in self.calls:
            self.results[index] = self.reserve(len(parts[nodes[index][1]].flat_outputs))
        for index in self.programs:
            for operand in nodes[index][2:]:
                self._locate(operand)
        for index in traced.flat_outputs:
            self._locate(index)
        #: arrays of programs whose numbers do not lie side by side: where they are collected, and from where
        self.collected: dict[int, dict[int, tuple[int, list[int]]]] = {index: {} for index in self.programs}
        for index in self.programs:
            for group, places in enumerate(self._group_places(index)):
                if any(b != a + 1 for a, b in pairwise(places)):
                    self.collected[index][group] = (self.reserve(len(places)), places)

    def whole_arguments(self, index: int) -> int | None:
        """First place of the arguments of a call, if they lie side by side."""
        places = [self.position(k) for k in self.traced.graph.nodes[index][2:]]
        if not places or places[0] is None or places != list(range(places[0], places[0] + len(places))):
            return None
        return places[0]

    def _group_places(self, index: int) -> list[list[int]]:
        node = self.traced.graph.nodes[index]
        arrays = self.traced.graph.parts[node[1]].cut(node[2:])
        return [[int(self.position(k) or 0) for k in array] for array in arrays]

    def arrays(self, index: int) -> list[int]:
        """First place of every operand array of a program."""
        collected = self.collected[index]
        return [
            collected[group][0] if group in collected else own[0] if own else 0
            for group, own in enumerate(self._group_places(index))
        ]

    def variables(self, index: int) -> tuple[int, ...]:
        """Operands of a scan node after the carry at the start."""
        node = self.traced.graph.nodes[index]
        return node[2 + self.traced.graph.parts[node[1]].carry :]

    def reserve(self, count: int) -> int:
        """First of so many new places."""
        first = self.size
        self.size += count
        return first

    def _locate(self, index: int) -> None:
        if self.position(index) is None:
            self.spilled[index] = self.reserve(1)

    def position(self, index: int) -> int | None:
        """Place of a node's value in the scratch array, None if it is in registers only."""
        node = self.traced.graph.nodes[index]
        if node[0] == "input":
            return node[1]
        if node[0] == "result" and node[1] in self.results:
            return self.results[node[1]] + node[2]
        return self.spilled.get(index)

    def place(self, index: int) -> int:
        """Place of a value that is in memory."""
        place = self.position(index)
        assert place is not None
        return place

    def records(self, index: int) -> tuple[list[list[int]], list[list[int]]]:
        """For every item: kind, table row, places of the carry in, carry out, what is kept, what the carry out is added
        to (of inward scans), and of every run.

        Also, for every kind, the first variables of its runs, which lie side by side for all its items.
        """
        scan: Scan = self.traced.graph.parts[self.traced.graph.nodes[index][1]]
        places = np.array([self.position(k) for k in self.variables(index)], dtype=int)
        count = len(scan.parents)
        owns = [
            places[first - scan.carry :][: self._width(scan, item)]
            for item, first in enumerate(scan.variables)
        ]
        runs = [
            _run_starts([owns[i] for i in range(count) if scan.kinds[i] == k]) for k in range(len(scan.steps))
        ]
        records = []
        for item in range(count):
            kind = scan.kinds[item]
            row = scan.rows[item] * scan.tables[kind].shape[1]
            fixed = [kind, row, *self._carry_places(index, scan, item)]
            records.append(fixed + [int(owns[item][first]) for first in runs[kind]])
        return records, runs

    @staticmethod
    def _width(scan: Scan, item: int) -> int:
        return scan.steps[scan.kinds[item]].input_shapes[2][0]

    def _carry_places(self, index: int, scan: Scan, item: int) -> list[int]:
        """Places of the carry that an item reads, of the one that it writes, of what it keeps, of what it adds to."""
        base, parent = self.results[index], scan.parents[item]
        own, start = base + scan.offsets[item], self.starts[index]
        if not scan.inward:
            before = start if parent < 0 else base + scan.offsets[parent]
            return [before, own, own + scan.carry, before]

        def arriving(i: int) -> int:
            slot = self.sums[index].slots[i]
            return start if slot is None else self.accumulators[index] + slot * scan.carry

        after = base + scan.size - scan.carry if parent < 0 else arriving(parent)
        return [arriving(item), after, own, start if item in self.sums[index].first else after]


class Sums:
    """Which of few sums of messages belongs to every item of an inward scan, as long as messages arrive there."""

    def __init__(self, parents: tuple[int, ...]) -> None:
        #: of every item; None where no message arrives
        self.slots: list[int | None] = [None] * len(parents)
        #: items whose message is the first to arrive at their parent
        self.first: set[int] = set()
        self.count = 0
        free: list[int] = []
        reached = False
        for item in reversed(range(len(parents))):
            parent = parents[item]
            if (not reached) if parent < 0 else self.slots[parent] is None:
                self.first.add(item)
            if parent < 0:
                reached = True
            elif self.slots[parent] is None:
                if not free:
                    free.append(self.count)
                    self.count += 1
                self.slots[parent] = free.pop()
            own = self.slots[item]
            if own is not None:  # after the parent's: a step may read its own to the end
                free.append(own)


def _run_starts(rows: list[np.ndarray]) -> list[int]:
    table = np.array(rows).reshape(len(rows), -1)
    if not table.shape[1]:
        return []
    joined = np.all(np.diff(table, axis=1) == 1, axis=0)
    return [0, *(int(k) + 1 for k in np.flatnonzero(~joined))]
