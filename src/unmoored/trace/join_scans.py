"""Scans over the same items joined into one pass, so that what one leaves for another need not go through memory.

A scan joins an earlier one if both go the same way (or one passes nothing on, and may go either way), and if all that
it needs of the earlier one are values of its own item. A step of the pass is then the one step after the other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from .graph import LEAVES, PARTS, Graph, operands
from .node_order import live_nodes
from .rewrite import renumbered
from .scan import Scan
from .traced import Traced


@dataclass
class Pass:
    """Nodes of scans that become one scan; inward is None as long as none of them passes anything on."""

    members: list[int] = field(default_factory=list)
    inward: bool | None = None
    parents: tuple[int, ...] = ()


def joined_scans(traced: Traced) -> Traced:
    """The same function with scans joined where they can be."""
    nodes, parts = traced.graph.nodes, traced.graph.parts
    live = live_nodes(traced.graph, traced.flat_outputs)
    scans: dict[int, Scan] = {k: parts[nodes[k][1]] for k in live if nodes[k][0] == "scan"}
    if len(scans) < 2:
        return traced
    levels, passes = _passes(nodes, live, scans)
    if len(passes) == len(scans):
        return traced
    return _rebuilt(traced, scans, levels, passes)


def _passes(nodes: list[tuple], live: list[int], scans: dict[int, Scan]) -> tuple[dict[int, int], list[Pass]]:
    """The passes in the order in which they run, and for every node how many of them must have run before it."""
    levels: dict[int, int] = {}
    passes: list[Pass] = []
    for k in live:
        if k in scans:
            levels[k] = _join(passes, k, scans[k], _earliest(nodes, k, scans, levels))
        elif nodes[k][0] == "result" and nodes[k][1] in scans:
            levels[k] = 1 + levels[nodes[k][1]]
        else:
            levels[k] = max((levels[x] for x in operands(nodes[k])), default=0)
    return levels, passes


def _earliest(nodes: list[tuple], index: int, scans: dict[int, Scan], levels: dict[int, int]) -> int:
    """The first pass that has what a scan needs: values of its items may come from the very same pass."""
    scan = scans[index]
    found = max((levels[k] for k in nodes[index][2 : 2 + scan.carry]), default=0)
    for item, own in enumerate(_variables(scan, nodes[index])):
        for k in own:
            found = max(found, levels[k] - (_item(nodes[k], scans) == item))
    return found


def _variables(scan: Scan, node: tuple) -> Iterator[tuple[int, ...]]:
    """The variables of every item."""
    for first, kind in zip(scan.variables, scan.kinds, strict=True):
        yield node[2 + first : 2 + first + scan.steps[kind].input_shapes[2][0]]


def _item(node: tuple, scans: dict[int, Scan]) -> int | None:
    """The item that a node is a value of, None if it is none."""
    if node[0] != "result" or node[1] not in scans:
        return None
    scan = scans[node[1]]
    if scan.inward and node[2] >= scan.size - scan.carry:
        return None
    return bisect_right(scan.offsets, node[2]) - 1 if scan.size else None


def _join(passes: list[Pass], index: int, scan: Scan, earliest: int) -> int:
    """The pass that a scan joins, a new one if it must."""
    way = (scan.inward, scan.parents) if scan.carry else (None, ())
    for position in range(earliest, len(passes)):
        there = passes[position]
        if len(there.parents) != len(scan.parents) or (
            None not in (way[0], there.inward) and way != (there.inward, there.parents)
        ):
            continue
        if way[0] is not None:
            there.inward, there.parents = way
        there.members.append(index)
        return position
    passes.append(Pass([index], way[0], scan.parents))
    return len(passes) - 1


class Place(NamedTuple):
    """A value that a member leaves for an item: whether it is passed on, and its number among those."""

    member: int
    passed: bool
    number: int


def _place(member: int, scan: Scan, item: int, position: int) -> Place:
    local = position - scan.offsets[item]
    if scan.inward:
        return Place(member, False, local)
    return Place(member, True, local) if local < scan.carry else Place(member, False, local - scan.carry)


class _Joined:
    """The scan of a pass."""

    def __init__(self, nodes: list[tuple], scans: dict[int, Scan], one: Pass) -> None:
        self.nodes, self.scans, self.members = nodes, scans, one.members
        self.own = [scans[k] for k in one.members]
        self.inward = bool(one.inward)
        self.carries = list(accumulate((scan.carry for scan in self.own), initial=0))
        self._number = {k: number for number, k in enumerate(one.members)}
        count = len(one.parents)
        self._items = [self._item(item) for item in range(count)]
        keys = [(tuple(scan.kinds[item] for scan in self.own), self._items[item][0]) for item in range(count)]
        self._kinds: dict[Hashable, int] = {}
        self.kinds = tuple(self._kinds.setdefault(key, len(self._kinds)) for key in keys)
        self.offsets: list[int] = []
        size = 0
        for item in range(count):
            self.offsets.append(size)
            size += (0 if self.inward else self.carries[-1]) + self._kept(item)[-1]
        self.size = size + (self.carries[-1] if self.inward else 0)
        self.parents = one.parents

    def _item(self, item: int) -> tuple[tuple[Place | None, ...], list[int]]:
        """Of all variables of an item, from where in the pass they come, and those that come from elsewhere."""
        links: list[Place | None] = []
        others: list[int] = []
        for scan, k in zip(self.own, self.members, strict=True):
            first = 2 + scan.variables[item]
            for x in self.nodes[k][first : first + scan.steps[scan.kinds[item]].input_shapes[2][0]]:
                node = self.nodes[x]
                inside = node[0] == "result" and node[1] in self._number
                links.append(
                    _place(self._number[node[1]], self.scans[node[1]], item, node[2]) if inside else None
                )
                others += [] if inside else [x]
        return tuple(links), others

    def _kept(self, item: int) -> list[int]:
        """Where the kept values of every member begin, among those of an item; at last their number."""
        counts = (len(scan.steps[scan.kinds[item]].outputs[1]) for scan in self.own)
        return list(accumulate(counts, initial=0))

    def operands(self) -> list[int]:
        """Nodes of the carries at the start, then of every item's variables."""
        starts = [
            x
            for scan, k in zip(self.own, self.members, strict=True)
            for x in self.nodes[k][2 : 2 + scan.carry]
        ]
        return starts + [x for _, others in self._items for x in others]

    def position(self, index: int, place: int) -> int:
        """Where a result of a member lies now."""
        member, scan = self._number[index], self.scans[index]
        if scan.inward and place >= scan.size - scan.carry:
            return self.size - self.carries[-1] + self.carries[member] + place - (scan.size - scan.carry)
        item = bisect_right(scan.offsets, place) - 1
        found = _place(member, scan, item, place)
        if found.passed:
            return self.offsets[item] + self.carries[member] + found.number
        passed = 0 if self.inward else self.carries[-1]
        return self.offsets[item] + passed + self._kept(item)[member] + found.number

    def scan(self) -> Scan:
        """The scan itself."""
        count, number = len(self.parents), len(self._kinds)
        items = [[i for i in range(count) if self.kinds[i] == kind] for kind in range(number)]
        rows, variables, first = [0] * count, [], self.carries[-1]
        for own in items:
            for row, item in enumerate(own):
                rows[item] = row
        for _, others in self._items:
            variables.append(first)
            first += len(others)
        tables, columns = zip(*(self._table(own) for own in items), strict=True)
        steps = tuple(self._step(own[0], names) for own, names in zip(items, columns, strict=True))
        return Scan(
            self.inward, self.parents, self.kinds, steps, tables, tuple(rows), self.carries[-1], tuple(variables),
            tuple(self.offsets), self.size,
        )  # fmt: skip

    def _table(self, items: list[int]) -> tuple[np.ndarray, list[int]]:
        """The different columns of all members' tables for these items, and which of them every column is."""
        rows = [
            np.concatenate([scan.tables[scan.kinds[item]][scan.rows[item]] for scan in self.own])
            for item in items
        ]
        columns = np.array(rows).T
        names: dict[bytes, int] = {}
        numbers = [names.setdefault(column.tobytes(), len(names)) for column in columns]
        chosen = [numbers.index(k) for k in range(len(names))]
        return np.ascontiguousarray(columns[chosen].T).reshape(len(items), len(chosen)), numbers

    def _step(self, item: int, names: list[int]) -> Traced:
        """One step after the other, of the kinds of this item's steps; names: the column of each of their inputs."""
        graph, links, columns = Graph(), iter(self._items[item][0]), len(set(names))
        own = [scan.steps[scan.kinds[item]] for scan in self.own]
        carry, column, variable = self.carries[-1], 0, columns + self.carries[-1]
        left: list[tuple[list[int], list[int]]] = []
        for member, step in enumerate(own):
            width, own_carry, count = (shape[0] for shape in step.input_shapes)
            given = [graph.node("input", names[column + k]) for k in range(width)]
            given += [graph.node("input", columns + self.carries[member] + k) for k in range(own_carry)]
            for _ in range(count):
                link = next(links)
                if link is None:
                    given.append(graph.node("input", variable))
                    variable += 1
                else:
                    given.append(left[link.member][0 if link.passed else 1][link.number])
            column += width
            renamed = _copied(graph, step, given)
            left.append(([renamed[k] for k in step.outputs[0]], [renamed[k] for k in step.outputs[1]]))
        message = tuple(k for passed, _ in left for k in passed)
        kept = tuple(k for _, own_kept in left for k in own_kept)
        return replace(
            own[0],
            graph=graph,
            input_shapes=((columns,), (carry,), (variable - columns - carry,)),
            outputs=(message, kept),
            output_shapes=((len(message),), (len(kept),)),
        )


def _copied(graph: Graph, step: Traced, given: list[int]) -> dict[int, int]:
    """The nodes of a step in another graph, with these nodes for its inputs."""
    renamed: dict[int, int] = {}
    positions: dict[int, int] = {}
    for k in live_nodes(step.graph, step.flat_outputs):
        node = step.graph.nodes[k]
        if k in step.graph.values:
            renamed[k] = graph.constant(step.graph.values[k])
        elif node[0] == "input":
            renamed[k] = given[node[1]]
        elif node[0] in LEAVES:
            renamed[k] = graph.node(*node)
        else:
            moved: tuple[Any, ...] = renumbered(node, renamed)
            if node[0] in PARTS:
                if node[1] not in positions:
                    positions[node[1]] = graph.part(step.graph.parts[node[1]])
                moved = (moved[0], positions[node[1]], *moved[2:])
            renamed[k] = graph.node(*moved)
    return renamed


def _rebuilt(traced: Traced, scans: dict[int, Scan], levels: dict[int, int], passes: list[Pass]) -> Traced:
    """The function with its passes; everything comes as soon as the passes that it needs have run."""
    old, new = traced.graph, Graph()
    new.parts = list(old.parts)
    joined = [_Joined(old.nodes, scans, one) for one in passes]
    of = {k: number for number, one in enumerate(passes) for k in one.members}
    waiting: list[list[int]] = [[] for _ in range(len(passes) + 1)]
    for k in live_nodes(old, traced.flat_outputs):
        if k not in scans:
            waiting[levels[k]].append(k)
    renamed: dict[int, int] = {}
    made: list[int] = []
    for number in range(len(passes) + 1):
        for k in waiting[number]:
            node = old.nodes[k]
            if k in old.values:
                renamed[k] = new.constant(old.values[k])
            elif node[0] == "result" and node[1] in scans:
                one = of[node[1]]
                renamed[k] = new.node("result", made[one], joined[one].position(node[1], node[2]))
            else:
                renamed[k] = new.node(*renumbered(node, renamed))
        if number < len(passes):
            given = (renamed[k] for k in joined[number].operands())
            made.append(new.node("scan", new.part(joined[number].scan()), *given))
    outputs = tuple(tuple(renamed[k] for k in output) for output in traced.outputs)
    return replace(traced, graph=new, outputs=outputs)
