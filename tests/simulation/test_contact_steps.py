"""The warning of steps that are too long for a contact, against Hertz's time of an impact."""

import re
import warnings
from math import gamma

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation.contact_steps import warn_of_long_steps

MASS, STIFFNESS = 2.0, 1e6
#: 2 ∫ dx / √(1 − x^(5/2)) over (0, 1), which is 2/p B(1/p, 1/2) for the power p = 5/2; of a ball without damping
HERTZ = 0.8 * gamma(0.4) * gamma(0.5) / gamma(0.9)


def ball():
    builder = um.SystemBuilder("dropped")
    builder.vehicle("ball", um.Free(), inertia=um.Inertia.sphere(MASS, 0.1))
    floor = um.Contact(
        "world", "ball", um.HalfSpace(), um.Sphere(0.1), stiffness=STIFFNESS, exponent=1.5, name="floor"
    )
    return um.Plant(builder.build(), um.Earth(), elements=[floor])


@pytest.mark.parametrize(("falls", "counted"), [(0.0, 1.0), (0.5, 1.0), (3.0, 3.0)])
def test_an_impact_takes_ten_steps_at_least(falls, counted):
    """At 1 m/s, or as fast as the ball is."""
    plant = ball()
    q = plant.system.pack({"ball": um.Pose(xyz=(0, 0, 0.5)).matrix})
    v = np.array([0, 0, -falls, 0, 0, 0])
    deepest = (5 * MASS * counted**2 / (4 * STIFFNESS)) ** 0.4
    lasts = HERTZ * deepest / counted
    with pytest.warns(um.ModelWarning, match="contact floor") as caught:
        warn_of_long_steps(plant, q, v, 1.01 * lasts / 10)
    kilograms, speed, touch = re.search(
        r": (\S+) kg at (\S+) m/s touch for (\S+) s", str(caught[0].message)
    ).groups()
    assert float(kilograms) == pytest.approx(MASS, rel=5e-3)
    assert float(speed) == counted
    assert float(touch) == pytest.approx(lasts, rel=5e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_long_steps(plant, q, v, 0.99 * lasts / 10)


def test_just_ten_steps_are_enough_and_what_cannot_move_takes_none(monkeypatch):
    monkeypatch.setattr(um.Contact, "duration", lambda self, mass, speed: 0.125)
    plant = ball()
    q, v = plant.system.neutral(), np.zeros(6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_long_steps(plant, q, v, 0.0125)
    with pytest.warns(um.ModelWarning, match=r"take a step of at most 0\.013 s, or less stiffness"):
        warn_of_long_steps(plant, q, v, 0.0126)
    b = um.SystemBuilder("table")
    b.vehicle("table", um.Fixed(), inertia=um.Inertia.point(1.0))
    b.link("arm", parent="table", joint=um.Revolute((0, 0, 1)), inertia=um.Inertia.sphere(1.0, 0.1))
    shapes = {"shape_a": um.HalfSpace(), "shape_b": um.Sphere(0.1), "stiffness": STIFFNESS}
    still = um.Plant(b.build(), elements=[um.Contact("world", "table", **shapes)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_long_steps(still, np.zeros(1), np.zeros(1), 10.0)


def test_the_mass_that_is_felt_is_that_of_both_bodies_at_the_place():
    """Two balls of 2 and 6 kg on rails that meet head on: 1.5 kg, at the speed between them."""
    b = um.SystemBuilder("rails")
    b.vehicle("left", um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(2.0, 0.1))
    b.vehicle("right", um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(6.0, 0.3))
    meeting = um.Contact("left", "right", um.Sphere(0.1), um.Sphere(0.3), stiffness=1e5, name="meeting")
    plant = um.Plant(b.build(), elements=[meeting])
    with pytest.warns(um.ModelWarning, match=r"^contact meeting: 1\.5 kg at 5 m/s touch for ") as caught:
        warn_of_long_steps(plant, np.array([0.0, 0.5]), np.array([3.0, -2.0]), 1.0)
    lasts = meeting.duration(1.5, 5.0)
    assert f"touch for {lasts:.3g} s, less than 10 steps of 1 s; take" in str(caught[0].message)
    assert f"at most {lasts / 10:.2g} s" in str(caught[0].message)
