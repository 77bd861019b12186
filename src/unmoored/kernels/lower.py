"""From a traced function to the graph that every backend prints: fused, and without elementary functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..trace import Graph, Scan, Symbol, Traced, fuse, pruned, rewrite
from .elementary import EXPANSIONS
from .formats import Format


def lowered(traced: Traced, form: Format, done: dict[int, Any] | None = None) -> Traced:
    """The same function in arithmetic only, with fused operations chosen, for the given format.

    Products are fused first, so that the expansions keep exactly the operations they are written with.
    Sub-functions are lowered once each; `done` holds them by the identity of the original.
    """
    done = {} if done is None else done

    def rule(new: Graph, _: int, node: tuple) -> int:
        operation, *operands = node
        if operation in EXPANSIONS:
            return EXPANSIONS[operation](form, *(Symbol(new, k) for k in operands)).index
        return new.node(*node)

    plain = rewrite(fuse(pruned(traced)), rule)
    for position, part in enumerate(plain.graph.parts):
        if id(part) not in done:
            if isinstance(part, Scan):
                steps = tuple(lowered(step, form, done) for step in part.steps)
                done[id(part)] = replace(part, steps=steps)
            else:
                done[id(part)] = lowered(part, form, done)
        plain.graph.parts[position] = done[id(part)]
    return plain
