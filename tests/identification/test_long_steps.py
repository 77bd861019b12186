"""Steps that are too long for a fit's motions are told of, with what shorter ones would find."""

import re
import warnings
from functools import cache

import numpy as np
import pytest

import unmoored as um

STIFFNESS, MASS, DAMPING = 4e4, 20.0, 2.0
FREE = ["block.mass", "block.damping"]
RATE, DECAY = np.sqrt(STIFFNESS / MASS - (0.5 * DAMPING / MASS) ** 2), 0.5 * DAMPING / MASS


@cache
def block(mass=18.0, damping=1.0):
    """On a stiff spring: 44.7 rad/s, of which rows of 10 ms see fourteen in a turn."""
    b = um.SystemBuilder("block")
    joint = um.Prismatic((1, 0, 0), stiffness=STIFFNESS, damping=damping)
    b.vehicle("block", joint, inertia=um.Inertia(mass, (0, 0, 0), (1, 1, 1)))
    return um.Plant(b.build())


def ringing(noise, between=None, told=False):
    """The closed form of its motion from 20 mm at rest, in rows of 10 ms."""
    t = 0.01 * np.arange(151)
    q = 0.02 * np.exp(-DECAY * t) * (np.cos(RATE * t) + DECAY / RATE * np.sin(RATE * t))
    v = -0.02 * np.exp(-DECAY * t) * (RATE + DECAY**2 / RATE) * np.sin(RATE * t)
    seen = q + noise * np.random.default_rng(0).normal(size=len(t))
    return um.Recording(
        t,
        seen[:, None],
        v[:, None],
        u=np.zeros((len(t), 1)),
        between=between,
        q_noise=noise if told else None,
    )


def told_by(recording, **options):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = um.identify(block(), recording, free=FREE, **options)
    return found, [one for one in told if "too long" in str(one.message)]


@pytest.mark.parametrize(("between", "noise"), [("held", 1e-4), ("linear", 5e-6)])
def test_it_says_what_shorter_steps_would_find(between, noise):
    recording = ringing(noise, between)
    found, (warning,) = told_by(recording)
    text = str(warning.message)
    assert warning.category is um.ModelWarning
    assert warning.filename == __file__
    step = float(re.search(r"steps of (\S+) s", text)[1])
    assert step == pytest.approx(0.01 if between == "held" else 0.005)
    wanted = re.search(r"block\.damping would be about (\S+), not (\S+) ", text)
    half, none = told_by(recording, step=0.5 * step)
    assert not none
    was, is_now = found.values[1], half.values[1]
    assert float(wanted[2]) == pytest.approx(was, rel=1e-3)
    assert float(wanted[1]) == pytest.approx(is_now, abs=0.1 * abs(is_now - was))
    assert f"step={0.5 * step:.3g}" in text
    assert not found.region_holds((MASS, DAMPING), 0.999)


def test_what_noise_hides_is_not_told_of():
    """The same error of the steps, in readings a hundred times as noisy; and shorter steps, whose error is hidden."""
    assert not told_by(ringing(1e-2, "held", told=True))[1]
    found, none = told_by(ringing(1e-4, "held", told=True), step=0.0025)
    assert not none
    assert found.region_holds((MASS, DAMPING), 0.95)


def test_readings_without_noise_ask_for_what_is_worth_saying_only():
    assert told_by(ringing(0.0, "held"))[1]
    assert not told_by(ringing(0.0, "held"), step=0.002)[1]


def test_windows_and_numbers_at_bounds():
    recording = ringing(1e-5, "held")
    assert told_by(recording, window=0.25)[1]
    found, told = told_by(recording, bounds={"block.mass": (18.5, 19.0)}, window=0.25)
    assert found.at_bound == ("block.mass",)
    assert all("block.mass would" not in str(one.message) for one in told)
