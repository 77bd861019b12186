"""Inputs that move between rows: with the right rule a fit has no bias; closed forms of a damped cart."""

import warnings
from functools import cache

import numpy as np
import pytest

import unmoored as um
from unmoored import identification
from unmoored.identification import identify

MASS, DAMPING, FORCE, RATE = 3.0, 0.9, 4.0, 2.5
FREE = ["cart.damping", "cart.mass"]
pytestmark = pytest.mark.filterwarnings("ignore:identify. what is left is")  # by the wrong rule


@cache
def cart(mass=MASS, damping=DAMPING):
    b = um.SystemBuilder("cart")
    joint = um.Prismatic((1, 0, 0), damping=damping)
    b.vehicle("cart", joint, inertia=um.Inertia(mass, (0, 0, 0), (0.1, 0.1, 0.1)))
    return um.Plant(b.build())


def sine(period, between, duration=6.0):
    """m v' + c v = F sin ωt from rest: v = F (c sin ωt − m ω cos ωt + m ω e^{−ct/m}) / (c² + m² ω²)."""
    t = np.arange(round(duration / period) + 1) * period
    c, mω, size = DAMPING, MASS * RATE, FORCE / (DAMPING**2 + (MASS * RATE) ** 2)
    v = size * (c * np.sin(RATE * t) - mω * np.cos(RATE * t) + mω * np.exp(-c * t / MASS))
    way = (
        c * (1 - np.cos(RATE * t)) / RATE
        - MASS * np.sin(RATE * t)
        + mω * MASS / c * (1 - np.exp(-c * t / MASS))
    )
    u = FORCE * np.sin(RATE * t)
    return um.Recording(t, size * way[:, None], v[:, None], u=u[:, None], q_noise=1e-3, between=between)


def zigzag(period, rows=120):
    """Forces that go straight from row to row, at random: m v' + c v = a + b s has v = α + β s + γ e^{−cs/m} there."""
    rng = np.random.default_rng(4)
    u, λ = rng.normal(size=rows + 1) * FORCE, DAMPING / MASS
    q, v = np.zeros(rows + 1), np.zeros(rows + 1)
    for k in range(rows):
        β = (u[k + 1] - u[k]) / period / DAMPING
        α = u[k] / DAMPING - β / λ
        γ, h = v[k] - α, period
        v[k + 1] = α + β * h + γ * np.exp(-λ * h)
        q[k + 1] = q[k] + α * h + 0.5 * β * h * h + γ * (1 - np.exp(-λ * h)) / λ
    t = period * np.arange(rows + 1)
    return um.Recording(t, q[:, None], v[:, None], u=u[:, None], q_noise=1e-4, between="linear")


def off(recording, **options):
    found = identify(cart(2.0, 0.5), recording, free=FREE, **options)
    return np.abs(found.values / (DAMPING, MASS) - 1.0), found


def test_readings_that_move_are_unbiased_by_the_linear_rule():
    """By the other rule they are late by half a row, which is damping that is not there: several regions off."""
    late, held = off(sine(0.02, "held"))
    right, linear = off(sine(0.02, "linear"))
    assert late[0] > 0.015
    assert not held.region_holds((DAMPING, MASS), 0.999)
    assert right.max() < 4e-4
    assert linear.region_holds((DAMPING, MASS), 0.95)
    coarse, _ = off(sine(0.04, "linear"))  # a line between samples of a sine is off by its curvature
    assert np.all(np.abs(np.log2(coarse / right) - 2.0) < 0.4)


def test_what_is_linear_is_right_to_fourth_order():
    """The rule of whole steps by means would be of order two."""
    assert off(zigzag(0.2))[0].max() < 1e-7
    errors = [off(zigzag(1.6, 40), step=1.6 / parts, tolerance=1e-12)[0].max() for parts in (2, 4, 8)]
    assert np.all(np.abs(np.log2(np.divide(errors[:-1], errors[1:])) - 4.0) < 0.4)


def test_held_commands_stay_exact_beside_linear_readings():
    """Recordings of both kinds in one fit: a computer's steps by the exact answer to them, and the zigzag."""
    h, λ, rng = 0.1, DAMPING / MASS, np.random.default_rng(7)
    u, q, v = rng.normal(size=101) * FORCE, np.zeros(101), np.zeros(101)
    for k in range(100):
        end, fades = u[k] / DAMPING, np.exp(-λ * h)
        v[k + 1] = end + (v[k] - end) * fades
        q[k + 1] = q[k] + end * h + (v[k] - end) * (1 - fades) / λ
    t = h * np.arange(101)
    steps = um.Recording(t, q[:, None], v[:, None], u=u[:, None], q_noise=1e-4, between="held")
    assert off([steps, zigzag(0.1)])[0].max() < 1e-6
    assert off([steps, zigzag(0.1)], window=1.0)[0].max() < 1e-6
    wrong = um.Recording(t, q[:, None], v[:, None], u=u[:, None], q_noise=1e-4, between="linear")
    assert off([wrong, zigzag(0.1)])[0].max() > 0.01


def test_energy_takes_the_rule_too():
    recording = sine(0.05, "linear")
    small = um.Recording(recording.t, recording.q, recording.v, u=recording.u, v_noise=1e-3, between="linear")
    held = um.Recording(recording.t, recording.q, recording.v, u=recording.u, v_noise=1e-3, between="held")
    errors = [
        abs(identify(cart(2.0), r, free=["cart.mass"], by="energy").values[0] / MASS - 1)
        for r in (small, held)
    ]
    assert errors[0] < 1.1 * (RATE * 0.05) ** 2 / 12  # what a line takes from a sine
    assert errors[1] > 4 * errors[0]


def test_what_is_not_said_is_warned_of():
    silent = sine(0.05, None, 1.0)
    with pytest.warns(um.ModelWarning, match='between="linear"'):
        by_default = identify(cart(2.0, 0.5), silent, free=FREE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "identify: what is left is")
        np.testing.assert_array_equal(by_default.values, off(sine(0.05, "held", 1.0))[1].values)
        still = um.Recording(silent.t, silent.q, silent.v, u=np.ones_like(silent.u), q_noise=1e-4)
        identify(cart(2.0, 0.5), still, free=FREE)
    with pytest.warns(um.ModelWarning, match="times the noise that was told"):
        off(sine(0.02, "held"))
    with pytest.raises(um.ModelError, match="'held', 'linear' or None"):
        um.Recording(silent.t, silent.q, silent.v, u=silent.u, between="cubic")


def test_runs_know_what_their_inputs_did():
    law = um.JointPD(cart(), {"cart": 1.0}, stiffness=2.0, damping=0.1)
    given = {"duration": 1.0, "step": 0.01, "controller": law}
    own = [
        um.simulate(cart(), [0.0], control_step=0.02, **given),
        um.simulate(cart(), [0.0], control_step=0.02, record_every=2, **given),
        um.simulate(cart(), [0.0], control_step=0.02, record_every=4, **given),
        um.simulate(cart(), [0.0], **given),
        um.simulate(cart(), [1.0], duration=0.1, step=0.01),
    ]
    assert [um.Recording.of_run(run)[0].between for run in own] == ["held", "held", "linear", "linear", None]
    assert um.Recording.of_run(own[0])[0].every(2).between == "held"
    assert off(own[3])[0].max() < 1e-4
    assert off(own[0])[0].max() < 1e-9


def test_tracks_take_inputs_at_rows_by_the_rule():
    t = np.linspace(0.0, 1.0, 101)
    track = {"cart": identification.joint_track(t, t)}
    inputs = (np.array([0.0, 1.0]), np.array([[0.0], [2.0]]))
    options = {"period": 0.1, "filter": um.LocalPolynomial(window=0.2, order=2), "inputs": inputs}
    held = identification.record(cart().system, track, **options, between="held")
    line = identification.record(cart().system, track, **options, between="linear")
    np.testing.assert_array_equal(held.u[:-1], 0.0)
    np.testing.assert_allclose(line.u[:, 0], 2.0 * line.t, atol=1e-12)
    assert (held.between, line.between) == ("held", "linear")


def test_inputs_quicker_than_rows_keep_their_impulse():
    """Commands of 500 Hz in rows of 50 Hz: rows have means about them, and go straight; noise averages out."""
    t, rng = np.linspace(0.0, 1.0, 501), np.random.default_rng(0)
    track, level = {"cart": identification.joint_track(t, t)}, np.sin(3.0 * t) + 0.5
    options = {"period": 0.02, "filter": um.LocalPolynomial(window=0.2, order=2), "between": "held"}
    noisy = level + 0.1 * rng.normal(size=501)
    found = identification.record(
        cart().system, track, **options, inputs=(t, noisy[:, None]), input_noise=0.1
    )
    assert found.between == "linear"
    assert found.u_noise == pytest.approx(0.1 / np.sqrt(10))
    inner = slice(1, -1)
    expected = np.sin(3.0 * (found.t - 0.001)) + 0.5  # held, they come late by half their own period
    off = found.u[inner, 0] - expected[inner]
    assert 0.6 < off.std() / (0.1 / np.sqrt(10)) < 1.4
    exact = identification.record(cart().system, track, **options, inputs=(t, level[:, None]))
    total = 0.002 * level[5:495].sum()  # from half a row after the first to half a row before the last
    assert exact.u[inner, 0].sum() * 0.02 == pytest.approx(total, rel=1e-9)
    slow = np.repeat(level[::10], 10)[:501]  # logged at 500 Hz, but changed at rows only
    kept = identification.record(cart().system, track, **options, inputs=(t, slow[:, None]))
    assert kept.between == "held"
    np.testing.assert_array_equal(kept.u[:, 0], slow[::10])


def test_stamps_in_nanoseconds_are_times_of_rows():
    """Counted from 1970 they have digits for 0.2 µs, by which rows were before their own commands: half of these came
    a row late, and all became means."""
    nanoseconds = 333333333 + 10_000_000 * np.arange(301)
    t = np.array([1_700_000_000 + n // 10**9 + 1e-9 * (n % 10**9) for n in nanoseconds.tolist()])
    u = np.random.default_rng(2).normal(size=(301, 1))
    track = {"cart": identification.joint_track(t, np.sin(t - t[0]))}
    options = {"filter": um.LocalPolynomial(window=0.1, order=3), "inputs": (t, u), "between": "held"}
    for rows in (1, 2):
        found = identification.record(cart().system, track, period=0.01 * rows, **options)
        same = found.between == "held" and np.array_equal(found.u, u[::rows][: len(found.t)])
        assert same == (rows == 1)
