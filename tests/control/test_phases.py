"""Laws of which one acts: whose inputs count, whose memory goes on, what of the laws inside is handed on."""

import numpy as np
import pytest

import unmoored as um
from unmoored.worlds import Seen


class Counting(um.Law):
    """Gives its own number and counts how often it acted, and what it saw."""

    number: float
    memory = {"count": 0.0, "sums": (2, 2)}

    def __call__(self, seen, memory):
        new = {"count": memory["count"] + 1.0, "sums": memory["sums"] + seen.v.reshape(2, 2)}
        return self.number * seen.v, new


class Pushing(um.Law):
    """In the short form."""

    number: float

    def __call__(self, t, q, v):
        return self.number + t + q


LAWS = um.Phases([Counting(2.0), Pushing(5.0), Counting(3.0)], name="job")
Q, V = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, -1.0, 2.0, 0.5])


@pytest.mark.whole
@pytest.mark.parametrize("mode", [None, 0, 1, 2, 3])
def test_the_law_of_the_mode_acts_and_the_memory_of_the_others_stays(mode):
    memory = {"0.count": 10.0, "0.sums": np.eye(2), "2.count": 20.0, "2.sums": 2.0 * np.eye(2)}
    assert list(LAWS.memory) == list(memory)
    modes = {"job": 9.0} if mode is None else {"job": float(mode), "other": 1.0}
    modes = {"other": 1.0} if mode is None else modes
    u, kept = LAWS(Seen(0.5, Q, V, modes=modes), dict(memory))
    acting = mode or 0
    wanted = {0: 2.0 * V, 1: 5.5 + Q, 2: 3.0 * V}.get(acting, np.full(4, np.nan))
    np.testing.assert_array_equal(u, wanted)
    for i in (0, 2):
        on = float(i == acting)
        assert kept[f"{i}.count"] == memory[f"{i}.count"] + on
        np.testing.assert_array_equal(kept[f"{i}.sums"], memory[f"{i}.sums"] + on * V.reshape(2, 2))


def test_what_the_laws_inside_want_and_tell_is_handed_on():
    builder = um.SystemBuilder("box")
    builder.vehicle("box", um.Free(), inertia=um.Inertia.box(2.0, (1, 2, 3)))
    plant = um.Plant(builder.build())
    task = um.TaskPriority(plant, [[um.PoseTask("box", um.Pose())]])
    held = um.StationKeeping(plant, "box", um.Pose(), 1.0, 1.0)
    load = um.IntegralTracking(plant, {"box": um.Pose()}, 1.0, 1.0)
    both = um.Phases([task, held], name="job")
    assert both._when_held().memory.keys() == {"0.loss", "0.unsolved"}
    assert both._when_held().name == "job"
    assert not both.wants_delivered
    assert um.Phases([held, load]).wants_delivered
    assert [goal.modes for goal in both.goals()] == [(("job", 0),), (("job", 1),)]
