"""Which entries of a scan's carry stay the same constant, or stay equal to each other, from item to item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .graph import Graph
from .symbol import Symbol


@dataclass(frozen=True, eq=False)
class Classes:
    """Every entry's class, and for every class a constant or None."""

    of: tuple[int, ...]
    constants: tuple[float | None, ...]
    initial: tuple[int, ...]

    @cached_property
    def slot(self) -> dict[int, int]:
        """Number of every varying class among the varying ones."""
        varying = [c for c, constant in enumerate(self.constants) if constant is None]
        return {c: k for k, c in enumerate(varying)}

    @property
    def count(self) -> int:
        """Number of distinct varying entries."""
        return len(self.slot)

    @property
    def representatives(self) -> list[int]:
        """For every distinct varying entry, the first entry of its class."""
        return [self.of.index(c) for c in self.slot]

    def expanded(self, varying: Callable[[int], Any]) -> list[Any]:
        """All entries, from the distinct varying ones."""
        made = {c: varying(k) for c, k in self.slot.items()}
        return [made.get(c, self.constants[c]) for c in self.of]

    def entries(self, graph: Graph, first: int) -> list[Any]:
        """All entries as numbers and flat inputs of a step."""
        return self.expanded(lambda k: Symbol(graph, graph.node("input", first + k)))

    def start(self, graph: Graph) -> list[int]:
        """Nodes of the distinct varying entries where the scan begins."""
        return [self.initial[k] for k in self.representatives]


def refined(
    graph: Graph, initial: list[int], run: Callable[[Classes], list[Any]], inward: bool
) -> tuple[Classes, list[Any]]:
    """The coarsest classes that every step preserves, and the steps traced with them.

    It begins with the entries that are equal at the start, and splits a class whenever a step, given equal
    entries, returns different ones. Sums of messages keep only the constant zero.
    """
    keys: list[Any] = list(initial)
    constants = {
        k: value for k in set(initial)
        if (value := graph.values.get(k)) is not None and (not inward or value == 0.0)
    }  # fmt: skip
    while True:
        order = {key: c for c, key in enumerate(dict.fromkeys(keys))}
        classes = Classes(
            tuple(order[key] for key in keys), tuple(constants.get(key) for key in order), tuple(initial)
        )
        steps = run(classes)
        new_keys = [(key, *(step.message[k] for step in steps)) for k, key in enumerate(keys)]
        new_constants = {}
        for k, key in enumerate(new_keys):
            value = constants.get(keys[k])
            if value is not None and all(step.graph.values.get(step.message[k]) == value for step in steps):
                new_constants[key] = value
        if len(set(new_keys)) == len(order) and len(new_constants) == len(
            [c for c in classes.constants if c is not None]
        ):
            return classes, steps
        keys, constants = new_keys, new_constants
