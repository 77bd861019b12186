"""Sums that are taken into chains of fused operations: fewer operations, none of them waited for longer."""

import numpy as np
import pytest

from unmoored import kernels
from unmoored import trace as T
from unmoored.kernels.lower import lowered
from unmoored.kernels.number_formats import format_of
from unmoored.trace.graph import LEAVES, operands
from unmoored.trace.sum_chains import with_sums_taken_in


def operations(function, *shapes):
    return lowered(T.trace(function, *shapes), format_of("float64")).operations


def depth(traced):
    found = {}
    for k in traced.live:
        node = traced.graph.nodes[k]
        found[k] = max((found[j] for j in operands(node)), default=0) + (node[0] not in LEAVES | {"neg"})
    return max(found[k] for k in traced.flat_outputs)


def total(x):
    """x + (a b + c d), both differences of the same kind, and a sum of two products."""
    first = x[1] * x[2] + x[3] * x[4]
    second = x[2] * x[3] - x[5] * x[6]
    third = x[6] * x[7] + x[1] * x[5]
    return np.array([x[0] + first, x[0] - second, third - x[0]])


def test_a_sum_costs_nothing_beside_its_products():
    assert operations(total, (8,)) == 6


def test_values_are_those_of_the_sums():
    x = np.random.default_rng(0).normal(size=(50, 8))
    wanted = np.array([total(row) for row in x])
    size = np.array([total(np.abs(row) * [1, 1, 1, 1, 1, -1, 1, 1]) for row in x])
    got = kernels.compile(total, [(8,)])(x)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=4e-16 * np.abs(size).max())


def test_sums_that_others_need_stay():
    def shared(x):
        first = x[1] * x[2] + x[3] * x[4]
        return np.array([x[0] + first, first])

    assert operations(shared, (5,)) == 3


def test_nothing_is_waited_for_longer():
    def late(x):
        y = x[0]
        for _ in range(6):
            y = np.sqrt(y * y + 1.0)
        return y + (x[1] * x[2] + x[3] * x[4] + x[2] * x[4])

    fused = T.fuse(T.trace(late, (5,)))
    assert depth(with_sums_taken_in(fused)) == depth(fused)
    assert operations(late, (5,)) == 12 + 3 + 1


@pytest.mark.parametrize("seed", range(3))
def test_random_sums_of_products(seed):
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, 6, size=(40, 4))

    def tangle(x):
        values = list(x)
        for k, (a, b, c, d) in enumerate(picks):
            recent = values[-6:]
            new = recent[a] * recent[b] + recent[c] * recent[d]
            values.append(0.3 * (recent[b] + new if k % 2 else recent[b] - new))
        return np.array(values[-8:])

    fused = T.fuse(T.trace(tangle, (6,)))
    fewer = with_sums_taken_in(fused)
    assert fewer.operations < fused.operations
    assert depth(fewer) <= depth(fused)
    x = rng.uniform(-1, 1, size=(20, 6))
    np.testing.assert_allclose(T.evaluate(fewer, x), T.evaluate(fused, x), rtol=0, atol=1e-14)
