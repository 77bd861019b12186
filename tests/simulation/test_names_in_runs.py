"""Names and shapes that a saved run could not be read with again are refused before anything is saved."""

from functools import cache

import numpy as np
import pytest

import unmoored as um

#: not printable, blank, endless, no text
UNREADABLE = ("a\nb", "\x1b[2J", "\u202eevil", "\ud800", " ", "x" * 5000, 5)


@cache
def cart():
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia(2.0, (0, 0, 0), np.eye(3)))
    return um.Plant(b.build(), actuators=[um.JointMotor("cart", name="motor")])


def told(name="goal", kind="task", rows=("x",), units=("m",), of="", **options):
    return um.Goal(name, kind, lambda t, q, v: q, rows, units, of, **options)


def test_names_that_could_not_be_read_again_are_refused():
    named = {
        "Event: name": lambda name: um.Event(lambda t, q, v: q[0], name),
        "ChannelEvent: name": lambda name: um.ChannelEvent("cart", crosses=1.0, name=name),
        "Phases: name": lambda name: um.Phases((um.JointPD(cart(), {"cart": 0.0}, 1.0, 1.0),), name),
        "Recording: name": lambda name: um.Recording(
            [0.0, 1.0], np.zeros((2, 1)), np.zeros((2, 1)), name=name
        ),
        "Scenario: name": lambda name: um.Scenario(name, cart(), np.zeros(1), np.zeros(1), 1.0, 0.1),
        "Scenario: description": lambda name: um.Scenario(
            "s", cart(), np.zeros(1), np.zeros(1), 1.0, 0.1, description=f"{name}\x1b"
        ),
        "Goal: name": lambda name: told(name),
        "Goal: rows": lambda name: told(rows=(name,)),
        "Goal: units": lambda name: told(units=(name,)),
        "Goal: of": lambda name: told(of=name),
    }
    for what, made in named.items():
        for name in UNREADABLE:
            with pytest.raises(um.ModelError, match=f"^{what}: expected .*printable"):
                made(name)


def test_scenarios_lead_nowhere_by_their_names():
    for name in ("../escaped", "/somewhere", "..", "a\\b"):
        with pytest.raises(um.ModelError, match="no / or"):
            um.Scenario(name, cart(), np.zeros(1), np.zeros(1), 1.0, 0.1)


def test_events_called_by_a_long_channel_are_read_again(tmp_path):
    b = um.SystemBuilder("cart")
    long = "c" * 200
    b.vehicle(long, um.Prismatic((1, 0, 0)), inertia=um.Inertia(2.0, (0, 0, 0), np.eye(3)))
    event = um.ChannelEvent(f"{long}.rate", falls_below=0.5)
    run = um.simulate(um.Plant(b.build(), um.Earth()), [0.0], [1.0], duration=0.2, step=0.1, events=event)
    run.save(tmp_path / "run.zarr")
    assert um.load_run(tmp_path / "run.zarr").status == run.status


def test_goals_of_no_kind_or_with_units_too_few_are_refused():
    with pytest.raises(um.ModelError, match="kind"):
        told(kind="point")
    with pytest.raises(um.ModelError, match="one for each of 2 rows"):
        told(rows=("x", "y"))


class Telling(um.Law):
    """A law of the user's that tells what it was given."""

    goal: um.Goal

    def goals(self):
        return (self.goal,)

    def __call__(self, t, q, v):
        return 0.0 * v


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (told(rows=("x", "y"), units=("m", "m")), r"error: expected shape \(2, 2\), given shape \(2, 1\)"),
        (told(kind="pose", of="cart"), r"target: expected shape \(2, 4, 4\), given shape None"),
        (told(kind="position", of="cart", target=lambda t, q, v: q), r"expected shape \(2, 3\)"),
        (told(target=lambda t, q, v: q), "target: expected shape None"),
    ],
)
def test_goals_that_do_not_fit_what_they_tell_are_refused(tmp_path, goal, words):
    run = um.simulate(
        cart(), [0.0], [1.0], duration=0.1, step=0.1, control_step=0.1, controller=Telling(goal)
    )
    with pytest.raises(um.ModelError, match=words):
        run.save(tmp_path / "run.zarr")
    assert not (tmp_path / "run.zarr").exists()


def test_what_fits_is_read_again(tmp_path):
    run = um.simulate(
        cart(), [0.0], [1.0], duration=0.1, step=0.1, control_step=0.1, controller=Telling(told())
    )
    run.save(tmp_path / "run.zarr")
    assert np.array_equal(um.load_run(tmp_path / "run.zarr").goals["goal"].error, run.q)
