"""Steps that motion capture makes when it changes its markers come out of a record; motions stay in it."""

import numpy as np
import pytest

from unmoored.identification import without_jumps

SIZES = {"jump": 0.01, "noise": 1e-3, "offset": 2e-3}


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
    assert np.allclose(found.offsets[[0, 2, 4]], 0.0, atol=2e-3)
    assert np.allclose(found.offsets[[1, 3]], (0.03, -0.015), atol=2e-3)
    assert np.allclose(found.offsets[5], (-0.02, 0.01), atol=2e-3)
    left = np.sqrt(np.mean((found.values - true) ** 2, axis=0))
    assert np.all(left < 2.5e-3)
    assert np.all(left < 0.25 * np.sqrt(np.mean((seen + stepped(t) - true) ** 2, axis=0)))


def test_a_motion_without_steps_stays_as_it_was_read():
    t, _, seen = swinging(np.random.default_rng(5))
    found = without_jumps(t, seen, **SIZES)
    assert len(found.t) == 0
    assert np.allclose(found.values, seen, atol=1e-5)


def test_a_step_in_one_reading_alone_counts_and_outliers_do_not():
    """Single frames that are off by much are no steps: the medians are of five."""
    t, _, seen = swinging(np.random.default_rng(6))
    seen[200] += 0.5
    seen[900:902] -= 0.2
    seen[700:, 1] += 0.03
    found = without_jumps(t, seen, **SIZES)
    assert np.array_equal(found.t, t[[700]])
    assert np.allclose(np.diff(found.offsets, axis=0)[0], (0.0, 0.03), atol=2e-3)
    assert np.abs(np.diff(found.values[690:710, 1])).max() < 0.02


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"jump": 0.0}, "jump"),
        ({"noise": (1e-3, 1e-3, 1e-3)}, "noise"),
        ({"offset": np.nan}, "offset"),
        ({"knots": -1.0}, "knots"),
        ({"values": np.zeros(1500)}, "values"),
        ({"t": np.arange(100.0), "values": np.zeros((100, 2))}, "162 or more"),
    ],
)
def test_what_it_cannot_use_is_refused(change, message):
    t, _, seen = swinging(np.random.default_rng(7))
    given = {"t": t, "values": seen, **SIZES, **change}
    with pytest.raises(ValueError, match=message):
        without_jumps(given.pop("t"), given.pop("values"), **given)
