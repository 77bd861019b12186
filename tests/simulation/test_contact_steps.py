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
