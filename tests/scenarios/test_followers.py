"""Joints that follow others, at the start of a scenario: where their leaders put them, in every sample."""

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation.scenario.followers import with_followers

LEADS, SPEED = np.array([0.2, 0.5, -0.4]), np.array([1.0, -3.0, 2.0])


def pair():
    b = um.SystemBuilder("pair")
    b.vehicle("base", um.Fixed(), inertia=um.Inertia.point(1.0))
    b.link("one", parent="base", joint=um.Revolute((0, 1, 0)), inertia=um.Inertia.rod(1.0, 0.5))
    b.link("two", parent="one", joint=um.Revolute((0, 1, 0)), inertia=um.Inertia.rod(1.0, 0.5))
    b.mimic("two", "one", multiplier=-2.0, offset=0.3)
    return um.Plant(b.build(), free=["one.mass"])


@pytest.mark.parametrize("several", ["places", "speeds", "parameters", "nothing"])
def test_whatever_has_samples_followers_have_them_too(several):
    lead = LEADS if several == "places" else LEADS[0]
    fast = SPEED if several == "speeds" else SPEED[0]
    mass = {"one.mass": np.array([1.0, 2.0, 3.0])} if several == "parameters" else {}
    q0, v0 = (np.stack([x, 0.0 * x], axis=-1) for x in (lead, fast))
    q, v = with_followers(pair(), mass, q0, v0, ["one"], ["one"])
    assert q.shape == v.shape == ((2,) if several == "nothing" else (3, 2))
    np.testing.assert_allclose(
        q, np.broadcast_to(np.stack([lead, 0.3 - 2 * lead], axis=-1), q.shape), atol=1e-14
    )
    np.testing.assert_allclose(v, np.broadcast_to(np.stack([fast, -2 * fast], axis=-1), v.shape), atol=1e-14)


def test_what_is_given_stays():
    q, v = with_followers(pair(), {}, np.array([0.2, 9.0]), np.array([1.0, 7.0]), ["two"], [])
    assert q[1] == 9.0
    assert v[1] == pytest.approx(-2.0)
