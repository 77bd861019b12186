"""Scans traced as loops give what the unrolled recursion gives, in graphs that do not grow with the items."""

import numpy as np
import pytest
from tests.trace.tree_recursion import random_tree, recursion

from unmoored import trace as T


def traced_recursion(count, loops_beyond):
    return T.trace(recursion(*random_tree(count)), (count,), (count,), loops_beyond=loops_beyond)


@pytest.mark.parametrize("count", [1, 2, 5, 30])
def test_loops_give_what_the_recursion_gives(count):
    function = recursion(*random_tree(count))
    q, u = np.random.default_rng(count).normal(size=(2, count))
    looped = T.evaluate(traced_recursion(count, 0), q, u)
    for got, expected in zip(looped, function(q, u), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-13)


def test_derivatives_go_through_loops():
    q, u = np.random.default_rng(5).normal(size=(2, 9))
    looped, plain = (T.evaluate(T.jacobian(traced_recursion(9, n)), q, u) for n in (0, None))
    for got, expected in zip(looped, plain, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


def test_steps_do_not_grow_with_the_items():
    def sizes(count):
        parts = traced_recursion(count, 3).graph.parts
        return [step.operations for scan in parts for step in scan.steps]

    assert sizes(20) == sizes(200)


def test_what_stays_constant_or_equal_is_not_carried():
    each, outward, inward = traced_recursion(30, 3).graph.parts
    assert each.carry == 0
    # a planar rotation (cos, -sin, sin, cos, the last equal to the first one) and three coordinates
    assert outward.carry == 6 + 1
    # three forces, and the six distinct entries of a symmetric matrix
    assert inward.carry == 3 + 6


def test_numbers_that_differ_become_columns_of_a_table():
    each, _, _ = traced_recursion(30, 3).graph.parts
    assert sorted(table.shape for table in each.tables) == [(10, 3), (20, 3)]


def test_small_scans_stay_unrolled():
    assert traced_recursion(10, 10).graph.parts == []
    assert len(traced_recursion(11, 10).graph.parts) == 3


def test_a_step_must_return_the_form_of_the_carry():
    def function(x):
        return T.scan_outward(lambda i, c, y: (c, y), [-1, 0], "aa", np.zeros(3), [x, x])[0][0]

    with pytest.raises(T.TracingError, match="carry of the form"):
        T.trace(function, ())


def test_steps_may_use_values_around_them():
    def function(x, y):
        def step(i, c, z):
            return y - z * np.sin(c) + T.where(T.less(y, c), y * y, -x[0])

        return T.scan_outward(step, [-1, 0, 1, 1], "abab", 0.0, [x[0], x[1], x[2], 2.0])[3]

    def plain(x, y):
        def step(c, z):
            return y - z * np.sin(c) + (y * y if y < c else -x[0])

        return step(step(step(0.0, x[0]), x[1]), 2.0)

    x = np.array([0.3, -0.8, 0.5])
    for y in (0.7, -2.0):
        assert T.evaluate(T.trace(function, (3,), ()), x, y) == pytest.approx(plain(x, y), rel=1e-14)


def test_arrays_of_other_shapes_stay_with_their_item():
    def function(x):
        def step(i, carry, z):
            total, _ = carry
            return total + z @ z, z * total

        xs = [x[:1], x[1:3], x[3:4]]
        results = T.scan_outward(step, [-1, 0, 1], "aba", (x[0], np.zeros(0)), xs)
        return results[-1][0], np.concatenate([own for _, own in results])

    x = np.array([1.0, 2.0, 3.0, 4.0])
    total, own = T.evaluate(T.trace(function, (4,)), x)
    assert total == 1.0 + 1.0 + 13.0 + 16.0
    np.testing.assert_array_equal(own, [1.0, 4.0, 6.0, 60.0])


def test_batches_are_carried():
    def function(x):
        rows = [x[None, k] * np.array([[1.0, 2.0], [3.0, 4.0]]) for k in range(3)]
        carries = T.scan_outward(lambda i, c, z: c + z, [-1, 0, 0], "aaa", np.zeros(2), rows)
        kept, total = T.scan_inward(
            lambda i, c, z: ((c[0] + z,), c[0]), [-1, 0, 0], "aaa", (np.zeros(2),), rows
        )
        return carries[2], kept[0], total[0]

    rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    carried, kept, total = T.evaluate(T.trace(function, (3,)), np.array([1.0, 10.0, 100.0]))
    np.testing.assert_array_equal(carried, 101.0 * rows)
    np.testing.assert_array_equal(kept, 110.0 * rows)
    np.testing.assert_array_equal(total, 111.0 * rows)


def test_messages_of_other_shapes_are_refused():
    def function(x):
        return T.scan_inward(lambda i, c, z: ((z,), c), [-1, 0], "aa", (np.zeros(3),), [x, x])[0][0]

    with pytest.raises(T.TracingError, match=r"shape \(3,\), not \(2,\)"):
        T.trace(function, (2,))


def test_symbols_of_an_unrelated_trace_are_refused():
    kept = []
    T.trace(lambda x: kept.append(x) or x, ())
    with pytest.raises(T.TracingError, match="another trace"):
        T.trace(lambda x: T.scan_each(lambda i, y: y + kept[0], "aa", [x, 2.0 * x])[1], ())


def test_other_values_are_refused():
    with pytest.raises(T.TracingError, match="not dict"):
        T.trace(lambda x: T.scan_each(lambda i, y, z: y, "a", [{"x": x}], [x]), ())


def test_numbers_alone_are_refused():
    with pytest.raises(T.TracingError, match="loop in Python"):
        T.scan_each(lambda i, y: y, "a", [1.0])


def test_pruning_drops_what_is_not_used_and_nothing_else():
    count = 12
    function = recursion(*random_tree(count))
    whole = T.trace(function, (count,), (count,), loops_beyond=3)
    poses_only = T.trace(lambda q, u: function(q, u)[4], (count,), (count,), loops_beyond=3)
    q, u = np.random.default_rng(6).normal(size=(2, count))
    for traced in (whole, poses_only):
        for got, expected in zip(T.evaluate(T.pruned(traced), q, u), T.evaluate(traced, q, u), strict=True):
            np.testing.assert_array_equal(got, expected)
    assert len(poses_only.graph.parts) == 3
    assert len(T.pruned(poses_only).graph.parts) == 2
    before, after = whole.graph.parts[2], T.pruned(whole).graph.parts[2]
    assert all(a.shape[1] <= b.shape[1] for a, b in zip(after.tables, before.tables, strict=True))


def test_pruning_removes_unused_columns_and_kept_values():
    def function(x):
        def step(i, z, p):
            return z * p[0], np.sin(z) * p[1], p

        return sum(
            first for first, _, _ in T.scan_each(step, "aaa", [x[0], x[1], x[2]], list(np.eye(3) + 0.5))
        )

    (scan,) = T.pruned(T.trace(function, (3,))).graph.parts
    assert scan.tables[0].shape == (3, 1)
    assert scan.size == 3
