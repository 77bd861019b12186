"""Events as they are made: when they count as passed, how they are called, and what is refused."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states
from tests.simulation.test_switching_events import carts

import unmoored as um
from unmoored.simulation import event_actions, status
from unmoored.simulation.events import as_events

SYSTEM = small_arm()


def low(t, q, v):
    return q[12] - 0.5


def shifted(by, t, q, v):
    return q[12] - by


def test_an_event_is_passed_from_one_side_of_zero_onto_it_or_beyond():
    """What begins at zero has passed it already."""
    before = np.array([-1.0, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 1.0, -0.5, 0.5])
    after = np.array([-0.5, 0.0, 1.0, 1.0, -1.0, 0.5, 0.0, -1.0, 0.5, -0.5])
    rises = np.array([0, 1, 1, 0, 0, 0, 0, 0, 1, 0], bool)
    falls = np.array([0, 0, 0, 0, 0, 0, 1, 1, 0, 1], bool)
    for direction, expected in (("rising", rises), ("falling", falls), ("both", rises | falls)):
        found = um.Event(low, direction=direction).crossed(before, after)
        assert np.asarray(found).tolist() == expected.tolist(), direction


def test_an_event_is_called_as_told_or_as_its_function():
    assert um.Event(low).name == "low"
    assert um.Event(low, "turned").name == "turned"
    assert um.Event(partial(shifted, 0.5)).name == "event"
    for name in ("rises_above", "falls_below", "crosses"):
        event = um.ChannelEvent("arm1.rate", **{name: 2})
        assert event.name == f"arm1.rate {name.replace('_', ' ')} 2"
        assert type(getattr(event, name)) is float
        assert um.ChannelEvent("arm1.rate", **{name: 0.25}, name="own").name == "own"
    for wrong in (lambda: um.Event(low, "a\nb"), lambda: um.ChannelEvent("x", crosses=1.0, name="a\nb")):
        with pytest.raises(um.ModelError, match=r"^(Channel)?Event: name: "):
            wrong()


def test_channels_pass_their_values_in_their_directions():
    q, v = states(SYSTEM, 2, seed=7)
    for name, direction in (("rises_above", "rising"), ("falls_below", "falling"), ("crosses", "both")):
        (event,) = as_events(um.ChannelEvent("arm2.rate", **{name: 0.3}), SYSTEM.tree)
        assert event.direction == direction
        assert event.name == f"arm2.rate {name.replace('_', ' ')} 0.3"
        assert [float(event.function(0.0, *row)) for row in zip(q, v, strict=True)] == (
            v[:, 7] - 0.3
        ).tolist()
        assert float(event.of_tree(SYSTEM.tree)(0.0, q[0], v[0])) == v[0, 7] - 0.3
    alone = um.Event(low)
    assert as_events([low, alone], SYSTEM.tree) == (um.Event(low), alone)
    assert as_events((), SYSTEM.tree) == ()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: um.Event(1.0), r"Event: function: expected g\(t, q, v\) → number, given 1\.0"),
        (lambda: um.Event(low, direction="up"), "Event: unknown direction"),
        (lambda: um.Event(low, then=[1]), "Event: then: "),
        (lambda: um.ChannelEvent("x", crosses=1.0, then=[1]), "ChannelEvent: then: "),
        (
            lambda: um.ChannelEvent("x"),
            "ChannelEvent: event: expected one of rises_above, falls_below, crosses, given none",
        ),
        (
            lambda: um.ChannelEvent("x", rises_above=1.0, crosses=2.0),
            "expected one of rises_above, falls_below, crosses, given rises_above, crosses",
        ),
        (lambda: um.ChannelEvent("x", falls_below="low"), "ChannelEvent: falls_below: expected"),
        (lambda: um.ChannelEvent("x", crosses=[1.0, 2.0]), "ChannelEvent: crosses: expected"),
    ],
)
@pytest.mark.whole
def test_what_is_refused(make, words):
    with pytest.raises(um.ModelError, match=words):
        make()


def test_fifty_events_of_one_sample_in_one_step_are_the_most(monkeypatch):
    """Of a switch whose event happens again and again, a thousandth of the step later."""
    monkeypatch.setattr(event_actions, "_first", lambda *given: (0, 1e-4))
    monkeypatch.setattr(
        event_actions, "tried_steps", lambda kernels, t, h, state, *rest: (state[:, :2], None)
    )

    def again(clock, state, params, noise):
        after = state.copy()
        after[:, -2] = status.FIRST_EVENT
        return after

    step = SimpleNamespace(
        dtype=float, layout=SimpleNamespace(switches=1), events=[SimpleNamespace(then=(1,))]
    )
    kernels = SimpleNamespace(
        time_step=step, step=again, switched=lambda i: lambda clock, state, *rest: state
    )
    state, happened = np.array([[0.5, 0.25, 7.0, 20.0]]), event_actions.Happenings()
    given = kernels, np.array([2.0, 0.1]), 20, state, np.zeros((1, 0)), np.zeros((1, 0)), 0, happened
    event_actions._through(*given)
    assert len(happened.events) == 50
    assert [event[1] for event in happened.events] == pytest.approx(4.0 + 1e-4 * np.arange(1, 51))
    assert state[0, -2] == status.NO_END
    assert happened.stopped == {0: pytest.approx(4.005)}


def test_steps_may_be_as_short_as_picoseconds():
    """What is left of a step behind an event is nothing beside the step, not beside a second."""
    plant = um.Plant(
        carts(),
        elements=[um.SpringDamper("one", "two", stiffness=50.0, rest_length=0.5, name="spring", active=0.0)],
    )
    event = um.Event(lambda t, q, v: t - 1.5e-12, "half way", "rising", then=[um.Close("spring")])
    run = um.simulate(plant, [0.0, 1.0], [1.0, 0.0], duration=4e-12, step=1e-12, events=[event])
    np.testing.assert_allclose(run.q[:, 0], run.t, rtol=1e-9)
    assert run.events[0].time == pytest.approx(1.5e-12)


@pytest.mark.parametrize(
    ("last", "expected"), [(23, [([0, 2], 21), ([1], 22)]), (22, [([0, 2], 21)]), (21, [])]
)
def test_samples_that_were_switched_before_the_same_step_go_on_together(monkeypatch, last, expected):
    """Those that run, behind their own steps, and none behind the end of the chunk; the others are left alone."""
    asked = []

    def through(kernels, span, k, state, params, noise, i, happened):
        assert noise == (i, k)
        state[i, -2], state[i, -1] = status.RUNNING if i < 3 else status.NO_END, state[i, -1] + 1.0

    monkeypatch.setattr(event_actions, "_through", through)
    events = [SimpleNamespace(then=()), SimpleNamespace(then=(1,))]
    kernels = SimpleNamespace(time_step=SimpleNamespace(events=events))
    acts, stops = status.FIRST_EVENT + 1, status.FIRST_EVENT
    codes = [acts, acts, acts, acts, stops, status.RUNNING]
    state = np.stack([np.zeros(6), codes, [20.0, 21.0, 20.0, 20.0, 20.0, 23.0]], axis=1)
    assert event_actions.switching(kernels, state).tolist() == [0, 1, 2, 3]
    event_actions.go_on(
        kernels, np.array([0.0, 0.1]), state, np.zeros((6, 0)), lambda which, k: (*which.tolist(), k),
        lambda which, k: asked.append((which.tolist(), k)), event_actions.Happenings(), last,
    )  # fmt: skip
    assert asked == expected
    assert not event_actions.switching(kernels, state).size
