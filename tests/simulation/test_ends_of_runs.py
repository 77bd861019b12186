"""Where samples of a run ended, what became of them, and the noise that was theirs there."""

from types import SimpleNamespace

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation import status, trajectories, unsolved_step
from unmoored.simulation.noise import Draws, standard_normals
from unmoored.simulation.state_vector import Layout

T0, H, EVERY = 0.7, 0.1, 3
#: three channels of `Noise`, two of one sensor, none of another, four of a third
DRAWS = Draws(7, np.array([4, 9]), 3, ((11, 2), (12, 0), (13, 4)))


def task(draws=DRAWS, hold=False, times=()):
    return SimpleNamespace(
        schedule=SimpleNamespace(span=np.array([T0, H]), update_every=EVERY, times=np.array(times)),
        draws=draws,
        time_step=SimpleNamespace(hold=hold, layout=Layout(2, 2, 0, 0, 0, 0)),
    )


def test_control_periods_begin_with_their_first_step():
    steps = np.arange(10)
    assert trajectories._periods(task(), T0 + steps * H).tolist() == (steps // 3).tolist()
    assert trajectories._periods(task(), T0 + (steps + 0.9) * H).tolist() == (steps // 3).tolist()
    late = T0 + (np.array([3, 6, 9]) - 0.5e-6) * H  # rounding
    assert trajectories._periods(task(), late).tolist() == [1, 2, 3]
    assert trajectories._periods(task(), late - 1e-6 * H).tolist() == [0, 1, 2]


def test_every_channel_has_a_stream_of_its_own():
    """Those of `Noise` first, then those of sensors in their order; a sample has what it has alone."""
    assert DRAWS.channels == 9
    found = DRAWS.periods(5, 2)
    assert found.shape == (2, 2, 9)
    for first, stream, count in ((0, 0, 3), (3, 11, 2), (5, 13, 4)):
        own = standard_normals(7, DRAWS.samples, 5, 2, count, stream)
        np.testing.assert_array_equal(found[..., first : first + count], own)
    for i in range(2):
        np.testing.assert_array_equal(DRAWS.of(i).periods(5, 2), found[[i]])
    np.testing.assert_array_equal(DRAWS.periods(np.array([5, 6]), 1)[1, 0], found[1, 1])
    assert Draws(0, np.arange(3), 0).periods(0, 4).shape == (3, 4, 0)
    several = Draws(np.array([7, 8], np.uint64), np.array([4, 4]), 3)
    np.testing.assert_array_equal(several.periods(5, 1)[0, 0], found[0, 0, :3])
    np.testing.assert_array_equal(several.of(1).periods(5, 1)[0], several.periods(5, 1)[1])
    assert not np.array_equal(several.periods(5, 1)[0], several.periods(5, 1)[1])


def test_streams_samples_seeds_and_periods_are_apart():
    """As large as they may be; numbers of one stream are those of longer ones of it."""
    last = 2**64 - 1
    one = standard_normals(last, np.array([3]), 0, 6, 5)
    np.testing.assert_array_equal(standard_normals(last, np.array([3]), 2, 3, 5), one[:, 2:5])
    np.testing.assert_array_equal(standard_normals(last, np.array([0, 3]), 0, 6, 5)[1:], one)
    others = [
        standard_normals(last, np.array([3]), 0, 6, 5, stream=1),
        standard_normals(last - 1, np.array([3]), 0, 6, 5),
        standard_normals(last, np.array([4]), 0, 6, 5),
        standard_normals(last, np.array([3]), 6, 6, 5),
    ]
    for other in others:
        assert not np.any(one == other)
    assert standard_normals(1, np.arange(2), 0, 3, 4).shape == (2, 3, 4)


def test_rows_have_the_noise_of_their_periods_and_ends_that_of_their_own():
    times = T0 + np.array([0, 2, 3, 7]) * H
    found = trajectories._noise_of_rows(task(), times)
    assert found.shape == (2, 4, 9)
    for k, period in enumerate((0, 0, 1, 2)):
        np.testing.assert_array_equal(found[:, k], DRAWS.periods(period, 1)[:, 0])
    assert not trajectories._noise_of_rows(task(hold=True), times).any()
    assert trajectories._noise_of_rows(task(hold=True), times).shape == (2, 4, 9)
    ends = trajectories._noise_at(task(), T0 + np.array([8, 4]) * H)
    np.testing.assert_array_equal(ends[0], DRAWS.periods(2, 1)[0, 0])
    np.testing.assert_array_equal(ends[1], DRAWS.periods(1, 1)[1, 0])
    quiet = task(Draws(7, np.array([4, 9]), 0))
    assert trajectories._noise_of_rows(quiet, times).shape == (2, 1, 0)
    assert trajectories._noise_at(quiet, times[:2]).shape == (2, 0)


@pytest.mark.parametrize("interrupted", [False, True])
def test_only_who_has_not_come_to_the_end_was_interrupted(interrupted):
    last = np.zeros((3, 6))
    found = trajectories._statuses(task(times=[T0, 1.0]), np.array([0.8, 1.0, 0.9]), last, {}, interrupted)
    gone = [um.Status("interrupted", 0.8), um.Status("interrupted", 0.9)]
    done = um.Status("completed")
    assert found == ((gone[0], done, gone[1]) if interrupted else (done, done, done))


def test_who_was_stopped_by_an_event_was_not_interrupted():
    last = np.zeros((3, 6))
    last[:, 4] = [status.FIRST_EVENT + 1, 0.0, status.NO_NUMBER]
    of = task(times=[T0, 1.0])
    of.time_step.events = (SimpleNamespace(name="one"), SimpleNamespace(name="two"))
    found = trajectories._statuses(of, np.array([0.8, 0.9, 0.75]), last, {}, True)
    assert found == (
        um.Status("event", 0.8, "two"),
        um.Status("interrupted", 0.9),
        um.Status("blew_up", 0.75, "event one", "its value is not a number"),
    )


def test_events_come_by_samples_and_then_by_times():
    course = SimpleNamespace(happened=SimpleNamespace(events=[(1, 0.5, 0), (0, 0.9, 1), (1, 0.25, 1)]))
    of = task()
    of.time_step.events = (SimpleNamespace(name="one"), SimpleNamespace(name="two"))
    ends = (um.Status("completed"), um.Status("event", 0.75, "two"), um.Status("event", 0.0, "one"))
    told = [tuple(event) for event in trajectories._events(of, course, ends)]
    assert told == [(0, 0.9, "two"), (1, 0.25, "two"), (1, 0.5, "one"), (1, 0.75, "two"), (2, 0.0, "one")]
    of.time_step.events = ()
    assert trajectories._events(of, course, ends) == ()


def test_an_end_on_a_row_has_the_inputs_of_that_row():
    """Four samples after 0, 2, 3 and 4 steps, with rows after every second step; the last stopped inside a step."""
    state = np.array([[0.0, 9.0, -1.0], [1.0, 9.0, -1.0], [2.0, 9.0, -1.0], [3.0, 9.0, -1.0]])
    rows = np.arange(24.0).reshape(4, 3, 2)
    counts, lengths = np.array([0, 2, 3, 4]), np.array([1, 2, 2, 3])
    found = trajectories._inputs_from_rows(state, rows, lengths, counts, np.array([0, 2, 4]), 2, [3])
    np.testing.assert_array_equal(found[0], [*rows[0, 0], -1.0])
    np.testing.assert_array_equal(found[1], [*rows[1, 1], -1.0])
    np.testing.assert_array_equal(found[2:], state[2:])
    stopped = trajectories._inputs_from_rows(
        state, rows, np.zeros(4, int), np.zeros(4, int), np.array([0, 2, 4]), 2, []
    )
    np.testing.assert_array_equal(stopped, state)


def implicit(left, moved=(0.0, 0.0), dtype="float64", nv=2):
    """A task whose step of size h leaves `left(h)` of its equation, and stays at `moved`; what it was asked."""
    asked = []
    links = tuple(
        SimpleNamespace(name=f"link{k}", v=slice(k, k + 1)) for k in range(nv)
    )  # one DoF each, then two states of an actuator
    tree = SimpleNamespace(links=links, names=tuple(link.name for link in links))

    def function(clock, state, params, noise, what):
        asked.append((clock.tolist(), state.tolist(), params.tolist(), noise.tolist()))
        return np.array([left(clock[0, 1]) if what == "left" else moved])

    of = SimpleNamespace(
        time_step=SimpleNamespace(
            dtype=dtype, method="lie_midpoint", iterations=10,
            plant=SimpleNamespace(nv=nv, tree=tree, state_names=("pump.flow", "pump.heat")),
        ),
        schedule=SimpleNamespace(span=np.array([T0, 0.25])),
        params=np.array([[1.0], [2.0]]),
        kernels=SimpleNamespace(
            left=lambda *given: function(*given, "left"), moved=lambda *given: function(*given, "moved")
        ),
    )  # fmt: skip
    return of, asked


def test_where_a_step_was_not_solved_is_told_with_what_to_do():
    of, asked = implicit(lambda h: np.array([0.5, 1234.5, 3.0, 2.0]))
    found = unsolved_step.unsolved(of, 0.75, np.array([7.0, 8.0]), np.array([9.0]), 1)
    reason = "lie_midpoint with 10 iterations in a step of 0.25 s is off by 1.2e+03 times its bound;"
    reason += " take a smaller step, or iterations=20 if it nearly converges"
    assert found == um.Status("not_converged", 0.75, "joint link1", reason)
    assert asked == [([[0.75, 0.25]], [[7.0, 8.0]], [[2.0]], [[9.0]])]
    for worst, where in enumerate(("joint link0", "joint link1", "state pump.flow", "state pump.heat")):
        of, _ = implicit(lambda h, k=worst: np.eye(4)[k])
        assert unsolved_step.unsolved(of, 0.0, np.zeros(2), np.zeros(1), 0).where == where


def test_where_everything_is_infinite_shorter_steps_tell_where_it_begins():
    """Halved until the numbers are finite, or until there is no step left."""

    def left(h):
        return np.array([1.0, 5.0, 2.0, 3.0]) if h <= 0.0625 else np.full(4, np.inf)

    of, asked = implicit(left)
    found = unsolved_step.unsolved(of, 0.75, np.zeros(2), np.zeros(1), 0)
    assert found.where == "joint link1"
    assert found.reason == "lie_midpoint with 10 iterations in a step of 0.25 s diverges; take a smaller step"
    assert [clock[0][1] for clock, *_ in asked] == [0.25, 0.125, 0.0625]
    never, asked = implicit(lambda h: np.array([1.0, np.nan, 2.0, 3.0]))
    assert unsolved_step.unsolved(never, 0.75, np.zeros(2), np.zeros(1), 0).where == "joint link1"
    assert asked[-1][0][0][1] == 0.0
    assert len(asked) > 1000


def test_whether_the_iteration_failed_or_what_it_iterates():
    """Of no step the state is as it was, if it is a number at all."""
    last, noise = np.zeros(2), np.zeros(1)
    of, asked = implicit(None, moved=(1e150, -1e150))
    assert unsolved_step.not_converged(of, status.NOT_FINITE, 0.75, last, noise, 1)
    assert asked == [([[0.75, 0.0]], [[0.0, 0.0]], [[2.0]], [[0.0]])]
    for moved in ((1.01e150, 0.0), (0.0, np.nan), (-np.inf, 0.0)):
        of, _ = implicit(None, moved=moved)
        assert not unsolved_step.not_converged(of, status.NOT_FINITE, 0.75, last, noise, 0)
    of, _ = implicit(None, moved=(1e18, 0.0), dtype="float32")
    assert unsolved_step.not_converged(of, status.NOT_FINITE, 0.75, last, noise, 0)
    of, asked = implicit(None)
    assert unsolved_step.not_converged(of, status.NOT_SOLVED, 0.75, last, noise, 0)
    for code in (status.NOT_CLOSED, status.NO_END, status.STEP_UNDERFLOW):
        assert not unsolved_step.not_converged(of, code, 0.75, last, noise, 0)
    assert asked == []
