"""What becomes of a sample after a step: it goes on with the new numbers, or stays where it was and says why."""

from types import SimpleNamespace

import numpy as np
import pytest

import unmoored as um
from unmoored.integrators import State
from unmoored.simulation import status
from unmoored.simulation.state_vector import Layout, all_within
from unmoored.simulation.step_guard import guarded

OLD, NEW = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([1.5, 2.5, 3.5, 4.5, 5.5])
BEYOND = np.nextafter(1.0, 2.0)
#: what each of three events does
THENS = ((), (um.Open("grasp"),), ())


def after(left=(), rows=(), new=NEW, code=0.0, events=(), before=(), values=(), dtype="float64", asked=None):
    """(q and w and x, values of the events, code, count) after a step of 0.25 s at 2 s that ends at `new`."""
    layout = Layout(2, 2, 1, 0, 0, len(events))

    def event_values(t, q, w, params):
        if asked is not None:
            asked.append((t, q.tolist(), w.tolist(), params.tolist()))
        return np.array(values)

    step = SimpleNamespace(
        plant=SimpleNamespace(closures=[SimpleNamespace(rows=n) for n in rows]),
        dtype=dtype,
        events=tuple(events),
        layout=layout,
        event_values=event_values,
    )
    now = layout.split(np.array([*OLD, *before, code, 7.0]))
    state = State(np.array(new[:2]), np.array(new[2:4]), np.array(new[4:]))
    found = layout.split(guarded(step, 2.0, 0.25, now, state, np.array(left, dtype=float), np.array([6.0])))
    return np.concatenate([found.q, found.w, found.x]), found.g.tolist(), found.code[0], found.count[0]


def test_a_good_step_is_taken_and_counted():
    moved, _, code, count = after()
    assert moved.tolist() == NEW.tolist()
    assert (code, count) == (status.RUNNING, 8.0)


@pytest.mark.whole
@pytest.mark.parametrize("place", range(7))
@pytest.mark.parametrize("much", [BEYOND, -BEYOND, np.nan])
def test_what_a_step_may_leave_is_its_bound(place, much):
    """Of its own equations first, then of two closures with two rows and three."""
    for size in (1.0, -1.0):
        left = np.zeros(7)
        left[place] = size
        assert after(left, rows=(2, 3))[2] == status.RUNNING
    left[place] = much
    moved, _, code, count = after(left, rows=(2, 3))
    assert code == (status.NOT_SOLVED if place < 2 else status.NOT_CLOSED)
    assert moved.tolist() == OLD.tolist()
    assert count == 7.0
    only = np.zeros(5)
    only[place % 5] = much  # of an explicit step: closures alone
    assert after(only, rows=(2, 3))[2] == status.NOT_CLOSED
    assert after(only)[2] == status.NOT_SOLVED


@pytest.mark.whole
@pytest.mark.parametrize(("dtype", "largest"), [("float64", 1e150), ("float32", 1e18)])
def test_numbers_as_large_as_may_be_are_good(dtype, largest):
    for place in range(5):
        new = NEW.copy()
        for size, code in ((largest, status.RUNNING), (-largest, status.RUNNING), (1.01 * largest, 1.0)):
            new[place] = size
            moved, _, found, _ = after(new=new, dtype=dtype)
            assert found == code
            assert moved.tolist() == (new if code == status.RUNNING else OLD).tolist()
    assert after(np.full(3, 2.0), (1,), np.full(5, np.inf))[2] == status.NOT_FINITE  # whatever else is wrong


@pytest.mark.whole
@pytest.mark.parametrize("code", [status.NOT_FINITE, status.FIRST_EVENT + 1.0, status.NO_NUMBER])
def test_a_sample_that_has_stopped_stays_as_it_is(code):
    for left, new in (((), NEW), ((9.0,), NEW), ((), np.full(5, np.nan))):
        moved, _, found, count = after(left, new=new, code=code)
        assert (moved.tolist(), found, count) == (OLD.tolist(), code, 7.0)


def test_events_are_looked_at_where_the_step_ends():
    asked = []
    events = [um.Event(lambda t, q, v: t, f"event {k}") for k in range(2)]
    moved, g, code, count = after(events=events, before=(-1.0, -2.0), values=(-0.5, -3.0), asked=asked)
    assert asked == [(2.25, [1.5, 2.5], [3.5, 4.5], [6.0])]
    assert (moved.tolist(), g, code, count) == (NEW.tolist(), [-0.5, -3.0], status.RUNNING, 8.0)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("values", "code"),
    [
        ((1.0, -1.0, -1.0), status.FIRST_EVENT),
        ((-1.0, 1.0, -1.0), status.FIRST_EVENT + 1),
        ((-1.0, -1.0, 1.0), status.FIRST_EVENT + 2),
        ((1.0, 1.0, -1.0), status.FIRST_EVENT + 1),  # what switches is asked first
        ((1.0, -1.0, 1.0), status.FIRST_EVENT),
        ((np.nan, -1.0, -1.0), status.NO_NUMBER),
        ((-1.0, np.nan, -1.0), status.NO_NUMBER - 1),
        ((-1.0, -1.0, np.nan), status.NO_NUMBER - 2),
        ((np.nan, -1.0, np.nan), status.NO_NUMBER),
        ((np.nan, 1.0, np.nan), status.FIRST_EVENT + 1),
        ((1.0, -1.0, np.nan), status.FIRST_EVENT),
    ],
)
def test_the_first_event_that_is_hit_stops_its_sample(values, code):
    """Of three, the second of which switches something."""
    events = [um.Event(lambda t, q, v: t, f"event {k}", then=then) for k, then in enumerate(THENS)]
    moved, g, found, count = after(events=events, before=(-1.0, -2.0, -3.0), values=values)
    assert found == code
    assert (moved.tolist(), g, count) == (OLD.tolist(), [-1.0, -2.0, -3.0], 7.0)
    assert after((2.0,), events=events, before=(-1.0, -2.0, -3.0), values=values)[2] == status.NOT_SOLVED


def test_every_number_of_a_vector_is_looked_at():
    for n in range(1, 10):
        x = np.tile(np.linspace(-2.0, 2.0, n), (n, 1))
        assert all_within(x, 2.0).all()
        np.fill_diagonal(x, -2.5)
        assert not all_within(x, 2.0).any()
        np.fill_diagonal(x, np.nan)
        assert not all_within(x, 2.0).any()
