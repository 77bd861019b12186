"""Steps that motion capture makes when it changes its markers come out of a record; motions stay in it."""

import numpy as np
import pytest

from unmoored.identification import without_jumps

SIZES = {"jump": 0.01, "noise": 1e-3, "offset": 0.02, "same": 1e-3, "acceleration": 0.03}


def swinging(rng, noise=1e-3):
    """A vehicle that an arm turns by 0.15 rad and that swings with 2.8 s: times of 12 to 14 ms, roll and pitch."""
    t = np.cumsum(rng.uniform(0.012, 0.014, 1500))
    turn = 0.15 / (1 + np.exp(-(t - 8.0)))
    true = np.stack([turn + 0.01 * np.sin(2 * np.pi * t / 2.8), -0.6 * turn + 0.02 * np.cos(0.9 * t)], axis=1)
    return t, true, true + noise * rng.normal(size=true.shape)


def stepped(t):
    """Offsets: a marker is lost for two seconds, later for a quarter of a second, and another for the last three."""
    one, other = np.array((0.03, -0.015)), np.array((-0.02, 0.01))
    lost = ((t > 4.0) & (t < 6.0)) | ((t > 9.0) & (t < 9.25))
    return lost[:, None] * one + (t > 16.5)[:, None] * other


@pytest.mark.parametrize("seed", range(3))
def test_steps_come_out_at_their_times(seed):
    t, true, seen = swinging(np.random.default_rng(seed))
    found = without_jumps(t, seen + stepped(t), **SIZES)
    assert np.allclose(found.t, (4.0, 6.0, 9.0, 9.25, 16.5), atol=0.03)
    assert np.array_equal(found.states, (0, 2, 0, 2, 0, 1))
    assert np.allclose(found.offsets[[1, 3]], (0.03, -0.015), atol=1e-3)
    assert np.allclose(found.offsets[5], (-0.02, 0.01), atol=2e-3)
    left = np.sqrt(np.mean((found.values - true) ** 2, axis=0))
    assert np.all(left < 1.2e-3)


@pytest.mark.parametrize("seed", range(3))
def test_states_that_come_back_do_not_wander(seed):
    """A marker that comes and goes eighty times: the sum of so many steps is off by ten times the noise of one."""
    rng = np.random.default_rng(seed)
    t, _, seen = swinging(rng)
    at = np.sort(rng.choice(np.arange(200, 1300, 4), 80, replace=False))
    lost = np.searchsorted(at, np.arange(len(t)), side="right") % 2
    found = without_jumps(t, seen + lost[:, None] * (0.03, 0.02), **SIZES)
    assert np.array_equal(found.t, t[at])
    assert np.array_equal(found.states, np.arange(81) % 2)
    assert np.abs(found.offsets[1::2] - found.offsets[0] - (0.03, 0.02)).max() < 1e-3
    added = np.diff(seen + lost[:, None] * (0.03, 0.02), axis=0)[at - 1].sum(axis=0)
    assert np.abs(added).max() > 3 * np.abs(found.offsets[-1] - found.offsets[0]).max()


def test_a_motion_without_steps_stays_as_it_was_read():
    t, _, seen = swinging(np.random.default_rng(5))
    found = without_jumps(t, seen, **SIZES)
    assert len(found.t) == 0
    assert np.allclose(found.values, seen, atol=1e-5)


def test_outliers_come_out_and_a_step_in_one_reading_alone():
    """Frames that are off by much are states of their own."""
    t, true, seen = swinging(np.random.default_rng(6))
    seen[200] += 0.5
    seen[900:902] -= 0.2
    seen[700:, 1] += 0.03
    found = without_jumps(t, seen, **SIZES)
    assert np.array_equal(found.t, t[[200, 201, 700, 900, 902]])
    assert found.states[0] == found.states[2] != found.states[3] == found.states[5]
    assert np.allclose(found.offsets[3] - found.offsets[2], (0.0, 0.03), atol=2e-3)
    off = found.values - true
    assert np.abs(off - np.median(off, axis=0)).max() < 5e-3


def test_a_push_is_a_motion():
    """Pushed by two jumps from frame to frame, with a bump of one and a half, and stopped: nothing of it comes out."""
    t, _, seen = swinging(np.random.default_rng(8))
    frames = np.arange(len(t)) - 800.0
    pushed = (0.02 * np.clip(frames, 0.0, 20.0) + 0.015 * (frames > 10.0))[:, None] * (0.8, -0.6)
    assert len(without_jumps(t, seen + pushed, **SIZES).t) == 0
    lost = (t > 4.0) & (t < 6.0)
    found = without_jumps(t, seen + pushed + lost[:, None] * 0.03, **SIZES)
    assert np.array_equal(found.t, t[np.flatnonzero(np.diff(lost)) + 1])
    assert np.allclose(found.offsets, [(0.0, 0.0), (0.03, 0.03), (0.0, 0.0)], atol=1e-3)


def test_frames_that_are_stamped_late_or_lost_are_no_jumps():
    """Frames every 10 ms of something that moves by half a jump between two."""
    rng = np.random.default_rng(9)
    due = 0.01 * np.arange(1500)
    moving = 0.5 * np.stack([np.sin(due), np.cos(due)], axis=1)
    late = due + rng.uniform(0.0, 9e-3, 1500)
    late[[600, 601, 602]] = late[603] - (4.5e-4, 3e-4, 1.5e-4)
    sizes = {**SIZES, "acceleration": 0.5}
    assert len(without_jumps(late, moving, **sizes).t) == 0
    kept = np.delete(np.arange(1500), slice(700, 706))
    assert len(without_jumps(due[kept], moving[kept], **sizes).t) == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"jump": 0.0}, "jump"),
        ({"noise": (1e-3, 1e-3, 1e-3)}, "noise"),
        ({"offset": np.nan}, "offset"),
        ({"same": -1.0}, "same"),
        ({"acceleration": 0.0}, "acceleration"),
        ({"knots": -1.0}, "knots"),
        ({"values": np.zeros(1500)}, "values"),
        ({"t": np.arange(20.0), "values": np.zeros((20, 2))}, "30 or more"),
    ],
)
def test_what_it_cannot_use_is_refused(change, message):
    t, _, seen = swinging(np.random.default_rng(7))
    given = {"t": t, "values": seen, **SIZES, **change}
    with pytest.raises(ValueError, match=message):
        without_jumps(given.pop("t"), given.pop("values"), **given)
