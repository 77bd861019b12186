"""A loop over the items of a tree, as a part of a graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .traced import Traced


@dataclass(frozen=True, eq=False)
class Scan:
    """A loop over items. A `scan` node's operands are the carry at the start, then every item's variables.

    Flat inputs of a step: its table's columns, the carry, the item's variables. Outputs: the carry that goes
    on (outward: to the children; inward: added to the parent's), then what is kept. Results in memory: for
    every item from `offsets[item]` on, outward its carry and then what it keeps; inward what it keeps, and
    after all items the carry that arrived at the root.
    """

    inward: bool
    parents: tuple[int, ...]
    kinds: tuple[int, ...]
    steps: tuple[Traced, ...]
    #: for every kind, one row of numbers per item of that kind
    tables: tuple[np.ndarray, ...]
    #: for every item, its row in the table of its kind
    rows: tuple[int, ...]
    carry: int
    #: for every item, the position of its first variable among the operands, and of its first result
    variables: tuple[int, ...]
    offsets: tuple[int, ...]
    size: int

    @property
    def operations(self) -> int:
        """Number of operations over all items."""
        counts = [step.operations for step in self.steps]
        return sum(counts[kind] for kind in self.kinds)


def run_items(
    scan: Scan,
    start: list[Any],
    run: Callable[[int, list[Any]], tuple[list[Any], list[Any]]],
    add: Callable[[Any, Any], Any],
) -> list[Any]:
    """Results as they lie in memory; `run(item, carry)` gives the carry to pass on and what is kept."""
    count = len(scan.parents)
    results: list[Any] = [None] * scan.size
    arriving = [start] * (count + 1)  # the last one belongs to the root
    for item in reversed(range(count)) if scan.inward else range(count):
        parent, first = scan.parents[item], scan.offsets[item]
        if not scan.inward and parent >= 0:
            arriving[item] = results[scan.offsets[parent] : scan.offsets[parent] + scan.carry]
        message, kept = run(item, arriving[item])
        if scan.inward:
            arriving[parent] = [add(a, b) for a, b in zip(arriving[parent], message, strict=True)]
            results[first : first + len(kept)] = kept
        else:
            results[first : first + len(message) + len(kept)] = message + kept
    if scan.inward:
        results[scan.size - scan.carry :] = arriving[-1]
    return results
