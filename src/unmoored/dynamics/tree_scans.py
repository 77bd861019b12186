"""The recursions over a tree that every O(N) algorithm is made of: outward from the world, inward from the tips.

A step is a pure function of one link's constants, what arrives from its neighbour, and the link's own quantities; it
returns arrays whose shapes depend on the joint's kind only. So a scan can run as a Python loop here, be unrolled with
all constants folded, or, in the kernel of a large tree, become a loop over tables of constants. There a step stands
for many links: it may ask for the form of a link (its joint, whether it hangs on the world), and its constants may be
symbols; its name, index and slices are not told.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from ..model import Link, Tree
from ..trace import is_zero, loops, scan_each, scan_inward, scan_outward

_NOT_TOLD: Any = object()


def each(tree: Tree, step: Callable[..., Any], *per_body: Sequence[Any]) -> list[Any]:
    """[step(link_i, *(x[i] for x in per_body)) for every body]."""
    if loops(len(tree.links), *per_body):
        return scan_each(_bound(tree, step), _kinds(tree), _constants(tree), *per_body)
    return [step(link, *(x[link.index] for x in per_body)) for link in tree.links]


def outward(
    tree: Tree, step: Callable[..., Any], start: Any, *per_body: Sequence[Any], unrolled: bool = False
) -> list[Any]:
    """carry_i = step(link_i, carry_parent(i), *(x[i] for x in per_body)) for every body, parents first.

    `start` is the carry of the world. Returns the carries, one per body. unrolled: never as a loop, for carries that
    grow with the tree.
    """
    if not unrolled and loops(len(tree.links), start, *per_body):
        parents = [link.parent for link in tree.links]
        taken = _carry_first(_bound(tree, step))
        return scan_outward(taken, parents, _kinds(tree), start, _constants(tree), *per_body)
    carries: list[Any] = []
    for link in tree.links:
        arriving = start if link.parent < 0 else carries[link.parent]
        carries.append(step(link, arriving, *(x[link.index] for x in per_body)))
    return carries


def inward(
    tree: Tree,
    step: Callable[..., tuple[tuple, Any]],
    zero: tuple,
    *per_body: Sequence[Any],
    unrolled: bool = False,
) -> tuple[list[Any], tuple]:
    """message_i, kept_i = step(link_i, Σ messages of the children of i, *(x[i] for x in per_body)), children first.

    A message is a tuple of arrays; `zero` is the message of no children. Returns what each body kept, and the sum of
    the messages that reached the world. unrolled: never as a loop, for messages that grow with the tree.
    """
    if not unrolled and loops(len(tree.links), zero, *per_body):
        parents = [link.parent for link in tree.links]
        taken = _carry_first(_bound(tree, step))
        return scan_inward(taken, parents, _kinds(tree), zero, _constants(tree), *per_body)
    arriving: list[tuple] = [zero] * (len(tree.links) + 1)  # the last entry is the world's
    kept: list[Any] = [None] * len(tree.links)
    for link in reversed(tree.links):
        message, kept[link.index] = step(link, arriving[link.index], *(x[link.index] for x in per_body))
        arriving[link.parent] = tuple(a + b for a, b in zip(arriving[link.parent], message, strict=True))
    return kept, arriving[-1]


def _constants(tree: Tree) -> list[tuple]:
    """The numbers of every link, or the symbols in their place."""
    return [(link.placement, link.inertia, link.mass, link.com, link.armature) for link in tree.links]


def _kinds(tree: Tree) -> list[Hashable]:
    """Links of one kind differ in their numbers only, and are the same piece of code."""
    return [(link.joint.form, link.parent < 0, tuple(without_armature(link).tolist())) for link in tree.links]


def without_armature(link: Link) -> np.ndarray:
    """Which DoFs (nv_i,) are known to have no armature."""
    return np.array([is_zero(link.armature[..., k]) for k in range(link.joint.nv)], dtype=bool)


def _bound(tree: Tree, step: Callable[..., Any]) -> Callable[..., Any]:
    """The step as a function of (index of a link of this kind, its numbers, *rest)."""
    untold = dict.fromkeys(("index", "name", "q", "v"), _NOT_TOLD)

    def taken(i: int, constants: tuple, *rest: Any) -> Any:
        placement, inertia, mass, com, armature = constants
        numbers = {"placement": placement, "inertia": inertia, "mass": mass, "com": com, "armature": armature}
        return step(replace(tree.links[i], **numbers, **untold), *rest)

    return taken


def _carry_first(taken: Callable[..., Any]) -> Callable[..., Any]:
    return lambda i, carry, constants, *own: taken(i, constants, carry, *own)


def with_inner_axis(tree: Tree) -> Tree:
    """The tree for arrays with one more dimension: numbers of its links that have a batch (...) have (..., 1)."""
    return tree.with_links([_with_inner_axis(link) for link in tree.links]) if _batched(tree) else tree


def _batched(tree: Tree) -> bool:
    own = (2, 2, 0, 1, 1)  # dimensions of the numbers of one link, in the order of _constants
    return any(np.ndim(x) > n for numbers in _constants(tree) for x, n in zip(numbers, own, strict=True))


def _with_inner_axis(link: Link) -> Link:
    return replace(
        link,
        placement=link.placement[..., None, :, :],
        inertia=link.inertia[..., None, :, :],
        mass=np.asarray(link.mass)[..., None],
        com=link.com[..., None, :],
        armature=link.armature[..., None, :],
    )


def total(terms: Iterable[np.ndarray]) -> np.ndarray:
    """Sum over bodies (...) of arrays (...), with no zero to start from."""
    return reduce(add, terms)


def split_configuration(tree: Tree, q: np.ndarray) -> list[np.ndarray]:
    """The configuration (..., nq) joint by joint: (..., nq_i) each."""
    return [q[..., link.q] for link in tree.links]


def split_velocity(tree: Tree, v: np.ndarray) -> list[np.ndarray]:
    """A velocity-like vector (..., nv) joint by joint: (..., nv_i) each."""
    return [v[..., link.v] for link in tree.links]
