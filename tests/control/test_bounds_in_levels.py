"""Bounds of levels that come and go, and which DoFs a law of levels may leave to themselves."""

import numpy as np
import pytest

import unmoored as um
from unmoored.control.priority.levels import Level, Limits, prioritised


def test_bounds_of_two_levels_hold_below_as_far_as_they_are_in_force():
    """x = 5 in both directions is wanted last; a bound of 1 that is half in force lets 1 more by, a whole one none."""
    E, want = np.eye(2), Level(np.eye(2), np.array([5.0, -5.0]))
    for share, expected in ((1.0, 1.0), (0.5, 2.0), (0.25, 4.0), (0.0, 5.0)):
        levels = [
            Level(None, None, Limits(E[:1], -np.ones(1), np.ones(1)), share),
            Level(None, None, Limits(E[1:], -np.full(1, 3.0), np.ones(1))),
            want,
        ]
        found = prioritised(levels, None, 2, 0.01, [2, 2, 2])
        np.testing.assert_allclose(found.x, [expected, -3.0], atol=1e-3)
        passed = share * max(0.0, expected - 1.0)
        np.testing.assert_allclose(found.loss, [passed, 0.0, np.hypot(5.0 - expected, 2.0)], atol=2e-3)
        assert found.unsolved == 0.0


def within(E, low, high):
    return Limits(*(np.array(x, dtype=float) for x in (E, low, high)))


def test_levels_keep_off_limits_by_a_part_of_their_range_that_is_halved_below():
    """1e-5 of half the range, or of the norm of the row if that is less; half of it one level down."""
    first, both = Level(np.array([[1.0, 0.0]]), np.array([5.0])), Level(np.eye(2), np.array([5.0, -5.0]))
    box = within(np.eye(2), [-1, -3], [1, 9])
    found = prioritised([both], box, 2, 0.01, [2])
    np.testing.assert_allclose(found.x - [1, -3], [-1e-5, 1e-5], atol=1e-8)
    found = prioritised([first, both], box, 2, 0.01, [2, 1])
    np.testing.assert_allclose(found.x - [1, -3], [-1e-5, 0.5e-5], atol=1e-8)
    np.testing.assert_allclose(found.loss, [4.00001, np.hypot(4.00001, 2.000005)], atol=1e-8)
    found = prioritised([both], within(np.diag([2, 1]), [-1, -0.2], [1, 0.2]), 2, 0.01, [2])
    np.testing.assert_allclose(found.x - [0.5, -0.2], [-0.5e-5, 0.2e-5], atol=1e-8)
    assert found.unsolved == 0.0


def test_a_bound_counts_a_thousand_times_what_its_own_level_wants():
    """x = 5 and x ≤ 1 in one level: the least (x − 5)² + 1000 (x − 1)², and as much a millionth from the way."""
    level = Level(np.eye(1), np.array([5.0]), within(np.eye(1), [-9], [1]))
    expected = (5.0 + 1000.0 + 5e-6) / (1001.0 + 1e-6)
    for limits in (None, within(np.eye(1), [-2], [6])):
        found = prioritised([level], limits, 1, 0.01, [1])
        np.testing.assert_allclose(found.x, expected, atol=2e-9)
        np.testing.assert_allclose(found.loss, np.hypot(expected - 5.0, expected - 1.0), atol=2e-9)
    mirrored = Level(np.eye(1), np.array([-5.0]), within(np.eye(1), [-1], [9]))
    np.testing.assert_allclose(prioritised([mirrored], None, 1, 0.01, [1]).x, -expected, atol=2e-9)


def test_a_way_that_is_barred_in_part_is_kept_to_by_a_millionth():
    """x + y = 10 with x ≤ 1: of the way to (5, 5) the least of |x + y − 10|² and a millionth of the square from it."""
    sum_of_both = Level(np.array([[1.0, 1.0]]), np.array([10.0]))
    found = prioritised([sum_of_both], within([[1, 0]], [-9], [1]), 2, 0.01, [2])
    np.testing.assert_allclose(found.x, [1.0, 9.0], atol=3e-5)
    np.testing.assert_allclose(found.loss, 4e-6, rtol=1e-4)


def test_what_is_within_all_bounds_is_what_there_is_without_them():
    """To the last bit, and none is unsolved; below and above, with and without a level before."""
    rng = np.random.default_rng(0)
    J, b = rng.normal(size=(2, 4)), np.array([0.3, -0.4])
    levels = [Level(J, b), Level(np.eye(4), np.ones(4))]
    free = prioritised(levels, None, 4, 0.01, [4, 2])
    gone = np.abs(free.x).max()
    for low, high in ((-50, 2 * gone), (-2 * gone, 50)):
        box = within(np.eye(4), np.full(4, low), np.full(4, high))
        found = prioritised(levels, box, 4, 0.01, [4, 2])
        np.testing.assert_array_equal(found.x, free.x)
        soft = [levels[0]._replace(bounds=box), levels[1]]
        np.testing.assert_array_equal(prioritised(soft, None, 4, 0.01, [4, 2]).x, free.x)
        assert found.unsolved == 0.0


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_bounds_that_are_met_to_a_thousand_millionth_are_met(way):
    """Of the norm of their row: what is wanted is taken as it is; from there on it is drawn back."""
    for over, met in ((0.0, True), (0.7e-9, True), (1.4e-9, False)):
        want = way * (1.0 + over)
        level = Level(np.eye(1), np.array([want]), within([[2.0]], [-2], [2]))
        (found,) = prioritised([level], None, 1, 0.01, [1]).x
        assert found == want if met else abs(found) < 1.0 + 0.5e-9


def test_a_level_for_which_nothing_is_left_is_passed_over():
    both = Level(np.eye(2), np.array([1.0, 2.0]))
    found = prioritised([both, Level(np.eye(2), np.array([5.0, 5.0]))], None, 2, 0.01, [2, 0])
    np.testing.assert_array_equal(found.x, [1.0, 2.0])
    np.testing.assert_allclose(found.loss, [0.0, 5.0])


def test_joints_that_lead_or_follow_are_not_passive():
    builder = um.SystemBuilder("hand")
    base = builder.vehicle("base", um.Free(), inertia=um.Inertia.box(5.0, (1, 1, 1)))
    for name in ("one", "two", "three"):
        builder.link(name, parent=base, joint=um.Revolute((0, 1, 0)), inertia=um.Inertia.rod(1.0, 0.5))
    builder.mimic("two", "one", multiplier=-1.0)
    plant = um.Plant(builder.build())
    task = um.PostureTask({"three": 0.2})
    um.TaskPriority(plant, [[task]], passive=["base"])
    for name in ("one", "two"):
        with pytest.raises(um.ModelError, match=name):
            um.TaskPriority(plant, [[task]], passive=["base", name])
