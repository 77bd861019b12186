"""The expression graph: hash-consed nodes, constants keyed by their bits.

A node is a tuple `(operation, *operands)`; its index in `Graph.nodes` is its identity, and operands have
smaller indices than their users. Equal nodes exist once, so common subexpressions are shared by construction.
"""

from __future__ import annotations

import struct
from typing import Any

COMPARISONS = ("lt", "le", "eq", "ne")
LOGIC = ("and", "or", "not")
#: whether bit 0 or bit 1 of a number's bits is set
BIT_TESTS = ("bit0", "bit1")
CONDITIONS = frozenset(COMPARISONS + LOGIC + BIT_TESTS + ("true", "false"))
COMMUTATIVE = frozenset(("add", "mul", "min", "max", "eq", "ne", "and", "or"))
#: nodes whose operands after the first are not node indices
LEAVES = frozenset(("const", "input", "true", "false", "captured"))


#: nodes whose first operand is the position of a part: a sub-function, a scan, a program with loops
PARTS = frozenset(("call", "scan", "loop"))


def bits_of(value: float) -> int:
    """The 64 bits of a double, so that -0.0 and NaN payloads are constants of their own."""
    return struct.unpack("<q", struct.pack("<d", value))[0]


def float_of(bits: int) -> float:
    """The double with the given 64 bits."""
    return struct.unpack("<d", struct.pack("<q", bits))[0]


class Graph:
    """Append-only, hash-consed expression graph."""

    __slots__ = (
        "_constants",
        "_index",
        "depth",
        "exact_zeros",
        "loops_beyond",
        "nodes",
        "outer",
        "parts",
        "values",
    )

    def __init__(self, outer: Graph | None = None) -> None:
        #: the graph around the one of a scan's step, whose values the step may use as they are
        self.outer: Graph | None = outer
        self.depth: int = 0 if outer is None else outer.depth + 1
        #: whether 0 x, x - x and 0 / x are computed, and not taken for 0: x may be infinite, or NaN
        self.exact_zeros: bool = outer is not None and outer.exact_zeros
        self.nodes: list[tuple[Any, ...]] = []
        #: value of every constant node, by index
        self.values: dict[int, float] = {}
        #: sub-functions, scans and programs that `call`, `scan` and `loop` nodes name by their position here
        self.parts: list[Any] = []
        #: scans over more items than this become loops; None for never
        self.loops_beyond: int | None = None
        self._index: dict[tuple[Any, ...], int] = {}
        self._constants: dict[float | str, int] = {}

    def node(self, *key: Any) -> int:
        """Index of the node `key`, added if it is new."""
        index = self._index.get(key)
        if index is None:
            index = len(self.nodes)
            self.nodes.append(key)
            self._index[key] = index
        return index

    def constant(self, value: float) -> int:
        """Index of the constant `value`, told apart by its bits."""
        value = float(value)
        name = value or repr(value)  # 0.0 and -0.0 are equal, but not the same
        index = self._constants.get(name)
        if index is None:
            index = self.node("const", bits_of(value))
            self.values[index], self._constants[name] = value, index
        return index

    def part(self, thing: Any) -> int:
        """Register a sub-function or scan and return its position."""
        self.parts.append(thing)
        return len(self.parts) - 1


def operands(node: tuple[Any, ...]) -> tuple[int, ...]:
    """The node indices that `node` depends on."""
    operation = node[0]
    if operation in LEAVES:
        return ()
    if operation == "result":
        return node[1:2]
    if operation in PARTS:
        return node[2:]
    return node[1:]
