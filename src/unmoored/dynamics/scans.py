"""The two recursions over a tree that every O(N) algorithm is made of: outward from the world, inward from the tips.

A step is a pure function of one link's constants, what arrives from its neighbour, and the link's own quantities; it
returns arrays whose shapes depend on the joint's kind only. So a scan can run as a Python loop here, be unrolled with
all constants folded, or become a loop over tables of constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from ..model import Tree


def outward(tree: Tree, step: Callable[..., Any], start: Any, *per_body: Sequence[Any]) -> list[Any]:
    """carry_i = step(link_i, carry_parent(i), *(x[i] for x in per_body)) for every body, parents first.

    `start` is the carry of the world. Returns the carries, one per body.
    """
    carries: list[Any] = []
    for link in tree.links:
        arriving = start if link.parent < 0 else carries[link.parent]
        carries.append(step(link, arriving, *(x[link.index] for x in per_body)))
    return carries


def inward(
    tree: Tree, step: Callable[..., tuple[tuple, Any]], zero: tuple, *per_body: Sequence[Any]
) -> tuple[list[Any], tuple]:
    """message_i, kept_i = step(link_i, Σ messages of the children of i, *(x[i] for x in per_body)), children first.

    A message is a tuple of arrays; `zero` is the message of no children. Returns what each body kept, and the sum of
    the messages that reached the world.
    """
    arriving: list[tuple] = [zero] * (len(tree.links) + 1)  # the last entry is the world's
    kept: list[Any] = [None] * len(tree.links)
    for link in reversed(tree.links):
        message, kept[link.index] = step(link, arriving[link.index], *(x[link.index] for x in per_body))
        arriving[link.parent] = tuple(a + b for a, b in zip(arriving[link.parent], message, strict=True))
    return kept, arriving[-1]


def total(terms: Iterable[np.ndarray]) -> np.ndarray:
    """Sum over bodies (...) of arrays (...), with no zero to start from."""
    return reduce(add, terms)


def split_configuration(tree: Tree, q: np.ndarray) -> list[np.ndarray]:
    """The configuration (..., nq) joint by joint: (..., nq_i) each."""
    return [q[..., link.q] for link in tree.links]


def split_velocity(tree: Tree, v: np.ndarray) -> list[np.ndarray]:
    """A velocity-like vector (..., nv) joint by joint: (..., nv_i) each."""
    return [v[..., link.v] for link in tree.links]


def join(parts: Iterable[np.ndarray]) -> np.ndarray:
    """The vector (..., n) whose joint-by-joint parts are given, batches broadcast."""
    parts = list(parts)
    batch = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(part, (*batch, part.shape[-1])) for part in parts], axis=-1)
