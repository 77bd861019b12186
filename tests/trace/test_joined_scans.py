"""Scans over the same items in one pass: the same values, fewer passes, and none where one must wait for another."""

import numpy as np
import pytest
from tests.trace.tree_recursion import random_tree, recursion

from unmoored import trace as T
from unmoored.kernels.memory_plan import Sums
from unmoored.trace import live_nodes
from unmoored.trace.join_scans import joined_scans
from unmoored.trace.scan import Scan


def passes(traced):
    """The scans of a function, as they run."""
    nodes = traced.graph.nodes
    live = live_nodes(traced.graph, traced.flat_outputs)
    return [traced.graph.parts[nodes[k][1]] for k in live if nodes[k][0] == "scan"]


def joined(function, count):
    """The function before and after, both on numbers."""
    before = T.trace(function, (count,), (count,), loops_beyond=2)
    after = joined_scans(before)
    for seed in range(3):
        arrays = np.random.default_rng(seed).normal(size=(2, 4, count))
        for one, other in zip(T.evaluate(before, *arrays), T.evaluate(after, *arrays), strict=True):
            np.testing.assert_array_equal(one, other)
    return passes(before), passes(after)


@pytest.mark.parametrize(("count", "seed"), [(4, 0), (9, 1), (17, 2)])
def test_a_recursion_of_three_scans_becomes_two_passes(count, seed):
    before, after = joined(recursion(*random_tree(count, seed)), count)
    assert [scan.inward for scan in before] == [False, False, True]
    assert [scan.inward for scan in after] == [False, True]
    outward, carry = after[0], before[1].carry
    assert outward.carry == carry
    assert outward.parents == before[1].parents


def there_and_back(parents, kinds, offsets, masses):
    """Outward, inward, each, outward: the last needs what arrives at the root, and values of other items."""
    count = len(parents)

    def function(q, u):
        given = [q[i] for i in range(count)], [u[i] for i in range(count)]
        out = T.scan_outward(lambda i, c, x, p: c * x + p[0], parents, kinds, np.ones(1), given[0], offsets)
        sums, root = T.scan_inward(
            lambda i, c, x, y, m: ((c[0] + m * x * y,), c[0] - x),
            parents,
            kinds,
            (np.zeros(1),),
            out,
            given[1],
            masses,
        )
        mixed = T.scan_each(lambda i, a, b: (a * b, a - b), kinds, sums, out)
        shifted = [mixed[i - 1][0] for i in range(count)]  # of another item
        last = T.scan_outward(
            lambda i, c, x, y: c + x * y * root[0], parents, kinds, np.zeros(1), shifted, sums
        )
        late = T.scan_each(lambda i, a, b: a * b[1], kinds, last, mixed)
        return np.stack(last), np.stack(late), root[0]

    return function


def test_what_must_wait_waits():
    before, after = joined(there_and_back(*random_tree(11, 3)), 11)
    assert [scan.inward for scan in before] == [False, True, False, False, False]
    assert [scan.inward for scan in after] == [False, True, False]
    assert [scan.carry for scan in after] == [1, 1, 1]


def test_kinds_are_told_apart_by_what_their_items_take_from_the_pass():
    kinds = ["a"] * 6

    def function(q, u):
        pairs = T.scan_each(lambda i, x, y: (x + y, x * y), kinds, list(q), list(u))
        chosen = [pair[i % 2] for i, pair in enumerate(pairs)]
        return (np.stack(T.scan_each(lambda i, x: x * x, kinds, chosen)),)

    before, after = joined(function, 6)
    assert len(before) == 2
    assert len(after) == 1
    assert len(set(after[0].kinds)) == 2


def test_scans_over_other_numbers_of_items_stay_apart():
    def function(q, u):
        one = T.scan_each(lambda i, x: x * x, ["a"] * 6, list(q))
        other = T.scan_each(lambda i, x: x + x, ["a"] * 5, list(u[:5]))
        return np.stack(one), np.stack(other)

    before, after = joined(function, 6)
    assert len(before) == len(after) == 2


@pytest.mark.parametrize("seed", range(4))
def test_sums_of_messages_share_memory_and_never_meet(seed):
    parents = tuple(random_tree(40, seed)[0])
    sums = Sums(parents)
    held: dict[
        int | None, list[int]
    ] = {}  # what lies in every slot: an item, and the messages that arrived there
    root: list[int] = []
    for item in reversed(range(len(parents))):
        own = sums.slots[item]
        children = [k for k in range(len(parents)) if parents[k] == item]
        assert (own is None) == (not children)
        if own is not None:
            assert held[own] == [item, *reversed(children)]
        slot = sums.slots[parents[item]] if parents[item] >= 0 else None
        if parents[item] < 0:
            assert (item in sums.first) == (not root)
            root.append(item)
        elif item in sums.first:
            assert slot != own
            held[slot] = [parents[item], item]
        else:
            held[slot].append(item)
        if own is not None:
            held.pop(own)
    assert sums.count < 12
    assert Sums(tuple(range(-1, 30))).count == 2


def test_results_of_items_lie_where_the_scan_says():
    scan = passes(joined_scans(T.trace(recursion(*random_tree(9, 1)), (9,), (9,), loops_beyond=2)))[0]
    assert isinstance(scan, Scan)
    sizes = [scan.carry + len(scan.steps[kind].outputs[1]) for kind in scan.kinds]
    assert list(scan.offsets) == [sum(sizes[:k]) for k in range(9)]
    assert scan.size == sum(sizes)
