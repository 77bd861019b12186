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
