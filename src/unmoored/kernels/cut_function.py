"""A traced function cut at the calls of one of its parts, so that Python can stand in for that part.

The function is lowered as a whole first, so that exactly the operations of the one big kernel are left; the pieces
between the calls become kernels of their own, and values go from piece to piece unchanged. A repeated step that calls
the part is cut itself, and repeated by Python. The result is the same, bit for bit, as with the part inside the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..trace import Graph, LoopPart, Scan, Traced, live_nodes
from ..trace.graph import CONDITIONS, LEAVES, operands
from ..trace.repeat import Repeat
from ..trace.rewrite import renumbered
from .kernel import compile
from .llvm_source.module import all_parts
from .lower import lowered
from .number_formats import format_of


@dataclass(frozen=True)
class Piece:
    """A kernel between two calls: it reads the inputs and earlier values, and leaves new values.

    reads, leaves: numbers of the values in the cut function.  kernel: None if it leaves none.
    """

    kernel: Callable[..., np.ndarray] | None
    reads: tuple[int, ...]
    leaves: tuple[int, ...]


class CutFunction:
    """f(*arrays) with calls of the part named `part` made by Python: part(*arguments) → results, all (S, n)."""

    def __init__(self, traced: Traced, part: str, dtype: str = "float64", *, is_lowered: bool = False):
        """is_lowered: whether the function comes out of `lowered` already."""
        self._plain = traced if is_lowered else lowered(traced, format_of(dtype))
        self._dtype = dtype
        graph = self._plain.graph
        positions = {k for k, sub in enumerate(graph.parts) if _is_named(sub, part)}
        #: steps that are repeated by Python, by their positions
        self._repeated = {
            k: CutFunction(sub.body, part, dtype, is_lowered=True)
            for k, sub in enumerate(graph.parts)
            if isinstance(sub, Repeat) and any(_is_named(inner, part) for inner in all_parts(sub.body))
        }
        for k, sub in enumerate(graph.parts):
            inside = (
                sub.functions if isinstance(sub, LoopPart) else sub.steps if isinstance(sub, Scan) else (sub,)
            )
            if k not in self._repeated and any(_is_named(one, part) for one in all_parts(*inside)):
                raise ValueError(
                    f"{traced.name}: {part} is called inside of another part, where Python cannot stand in for it"
                )
        live = live_nodes(graph, self._plain.flat_outputs)
        cuts = {"call": positions, "loop": self._repeated.keys()}
        self._calls = [
            k for k in live if graph.nodes[k][1:] and graph.nodes[k][1] in cuts.get(graph.nodes[k][0], ())
        ]
        self._depth = self._depths(live)
        self._pieces = [self._piece(depth) for depth in range(len(self._calls) + 1)]

    def __call__(self, part: Callable[..., np.ndarray], *arrays: np.ndarray) -> np.ndarray:
        """All outputs, one after the other, as one array (S, n), for arrays (S, n_i)."""
        flat = np.concatenate(arrays, axis=-1)
        values: dict[int, np.ndarray] = {}
        for depth, piece in enumerate(self._pieces):
            if piece.kernel is not None:
                read = [flat, *(values[k][:, None] for k in piece.reads)]
                left = piece.kernel(np.concatenate(read, axis=-1))
                values |= dict(zip(piece.leaves, left.T, strict=True))
            if depth < len(self._calls):
                values |= self._called(part, depth, values, flat)
        return np.stack([self._value(k, values, flat) for k in self._plain.flat_outputs], axis=-1)

    def _called(
        self, part: Callable[..., np.ndarray], depth: int, values: dict[int, np.ndarray], flat: np.ndarray
    ) -> dict[int, np.ndarray]:
        """Values of the results of one call, by node."""
        nodes, call = self._plain.graph.nodes, self._calls[depth]
        given = np.stack([self._value(k, values, flat) for k in nodes[call][2:]], axis=-1)
        position = nodes[call][1]
        called = self._plain.graph.parts[position]
        if nodes[call][0] == "loop":
            results = _repeated(called, self._repeated[position], part, given)
        else:
            cuts = np.split(given, called.input_offsets[1:-1], axis=-1)
            shaped = zip(cuts, called.input_shapes, strict=True)
            results = part(*(x.reshape(len(given), *shape) for x, shape in shaped))
        users = (k for k, node in enumerate(nodes) if node[0] == "result" and node[1] == call)
        return {k: results[:, nodes[k][2]] for k in users}

    def _value(self, index: int, values: dict[int, np.ndarray], flat: np.ndarray) -> np.ndarray:
        graph = self._plain.graph
        node = graph.nodes[index]
        if node[0] == "input":
            return flat[:, node[1]]
        if index in graph.values:
            return np.full(len(flat), graph.values[index], dtype=flat.dtype)
        return values[index]

    def _depths(self, live: list[int]) -> dict[int, int]:
        """For every live node, how many calls of the part lie before it."""
        nodes, depth = self._plain.graph.nodes, {}
        rank = {k: i + 1 for i, k in enumerate(self._calls)}
        for index in live:
            before = max((depth[k] for k in operands(nodes[index])), default=0)
            depth[index] = max(before, rank.get(index, 0))
        return depth

    def _piece(self, depth: int) -> Piece:
        """The kernel of everything that comes after `depth` calls and before the next."""
        nodes = self._plain.graph.nodes
        wanted = self._wanted(depth)
        count = sum(int(np.prod(shape)) for shape in self._plain.input_shapes)
        new, reads, renamed = Graph(), [], {}
        new.parts = list(self._plain.graph.parts)
        for index in self._needed(wanted, depth):
            node = nodes[index]
            if index in self._plain.graph.values:
                renamed[index] = new.constant(self._plain.graph.values[index])
            elif node[0] in LEAVES:
                renamed[index] = new.node(*node)
            elif self._is_read(index, depth):
                renamed[index] = new.node("input", count + len(reads))
                reads.append(index)
            else:
                renamed[index] = new.node(*renumbered(node, renamed))
        outputs = (tuple(renamed[k] for k in wanted),)
        shape = (count + len(reads),)
        traced = replace(
            self._plain, graph=new, input_shapes=(shape,), outputs=outputs, output_shapes=((len(wanted),),),
            single=True, name=f"{self._plain.name}_{depth}",
        )  # fmt: skip
        kernel = compile(traced, dtype=self._dtype) if wanted else None
        return Piece(kernel, tuple(reads), tuple(wanted))

    def _is_read(self, index: int, depth: int) -> bool:
        """Whether a value comes from an earlier piece or from the call: conditions are found again instead."""
        node = self._plain.graph.nodes[index]
        if node[0] in CONDITIONS:
            return False
        of_call = node[0] == "result" and node[1] in self._calls
        return of_call or self._depth[index] < depth

    def _wanted(self, depth: int) -> list[int]:
        """Values of this depth that a later piece, the next call or the caller uses."""
        nodes, found = self._plain.graph.nodes, set()
        used = {k for k in self._plain.flat_outputs if self._depth[k] == depth}
        if depth < len(self._calls):
            used |= set(nodes[self._calls[depth]][2:])
        for later in range(depth + 1, len(self._calls) + 1):
            used |= self._used_by(later)
        for k in used:
            of_call = nodes[k][0] == "result" and nodes[k][1] in self._calls
            if self._depth[k] == depth and nodes[k][0] not in LEAVES and not of_call:
                found.add(k)
        return sorted(found)

    def _used_by(self, depth: int) -> set[int]:
        """Values that the nodes of a depth use, looking through conditions."""
        nodes, used = self._plain.graph.nodes, set()
        pending = [k for k, d in self._depth.items() if d == depth]
        for index in pending:
            for k in () if index in self._calls else operands(nodes[index]):
                if nodes[k][0] in CONDITIONS:
                    pending.append(k)
                else:
                    used.add(k)
        if depth < len(self._calls):
            used |= set(nodes[self._calls[depth]][2:])
        return used

    def _needed(self, wanted: list[int], depth: int) -> list[int]:
        """All nodes of a piece, operands first; those that are read have none."""
        nodes, found, pending = self._plain.graph.nodes, set(), list(wanted)
        while pending:
            index = pending.pop()
            if index in found:
                continue
            found.add(index)
            stops = (
                index in self._plain.graph.values or nodes[index][0] in LEAVES or self._is_read(index, depth)
            )
            pending += () if stops else operands(nodes[index])
        return sorted(found)


def _is_named(part: Any, name: str) -> bool:
    return isinstance(part, Traced) and part.name == name


def _repeated(
    loop: Repeat, body: CutFunction, part: Callable[..., np.ndarray], given: np.ndarray
) -> np.ndarray:
    """Results (S, n) of a loop whose step has to call Python, for its operands (S, m)."""
    sizes = loop.sizes
    carry, fixed, rows = np.split(given, np.cumsum(loop.groups)[:-1], axis=-1)
    kept: dict[int, np.ndarray] = {}
    for i in reversed(range(loop.times)) if loop.down else range(loop.times):
        number = np.full((len(given), 1), i, dtype=given.dtype)
        row = rows[:, i * sizes[2] : (i + 1) * sizes[2]]
        carry, kept[i] = np.split(body(part, number, carry, fixed, row), [sizes[0]], axis=-1)
    return np.concatenate([carry, *(kept[i] for i in range(loop.times))], axis=-1)
