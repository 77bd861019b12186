"""The fastest speeds along a path by two passes: closed forms of single limits, and linear programs of a few rows."""

import numpy as np
import pytest
from scipy.optimize import linprog

import unmoored as um
from unmoored.control.path_speeds import Limit, _interval, _Rows, fastest_speeds

#: uneven, so that no step stands for another
σ = np.array([0.0, 0.1, 0.25, 0.3, 0.5, 0.6, 0.8, 0.95, 1.1, 1.2])
NONE = np.full(len(σ), np.inf)


def limit(a, b=0.0, c=0.0, most=1.0):
    """|a u + b x + c| ≤ most, everywhere the same."""
    return Limit(*(np.full((len(σ), 1), float(x)) for x in (a, b, c)), np.array([most]))


def test_a_push_and_a_pull_meet_where_both_have_as_much_to_do():
    """2 u + 0.6 within ± 3: u is 1.2 at most and −1.8 at least, x = 2 u σ from both ends, but for the span between."""
    x = fastest_speeds(σ, NONE, [limit(2.0, c=0.6, most=3.0)])
    rising, falling = 2.4 * σ, 3.6 * (1.2 - σ)
    meets = np.flatnonzero(rising < falling)[-1]
    np.testing.assert_allclose(x[: meets + 1], rising[: meets + 1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(x[meets + 1 :], falling[meets + 1 :], rtol=1e-9, atol=1e-9)
    mirrored = fastest_speeds(σ, NONE, [limit(-2.0, c=-0.6, most=3.0)])
    np.testing.assert_allclose(mirrored, x, rtol=1e-12, atol=1e-12)


def test_nothing_is_above_the_top():
    top = np.array([9.0, 0.1, 9.0, 9.0, 0.2, 0.3, 9.0, 9.0, 9.0, 9.0])
    x = fastest_speeds(σ, top, [limit(1.0)])
    assert np.all(x <= top * (1 + 1e-9))
    np.testing.assert_allclose(x[[1, 4, 5]], [0.1, 0.2, 0.3], rtol=1e-9)
    np.testing.assert_allclose(x[[0, -1]], 0.0, atol=1e-12)
    u = np.diff(x) / (2 * np.diff(σ))
    assert np.abs(u).max() == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("b", [1.5, -1.5])
@pytest.mark.whole
def test_limits_that_grow_with_speed_are_kept_at_both_ends_of_a_span(b):
    """u + b x = 1 at that end of the span where it is more, until the brakes, which have |u + b x| = 1 as well."""
    x = fastest_speeds(σ, NONE, [limit(1.0, b)])
    h, u = 2 * np.diff(σ), np.diff(x) / (2 * np.diff(σ))
    used = np.stack([u + b * x[:-1], u + b * x[1:]])
    assert np.abs(used).max() <= 1 + 1e-9
    pushing = 4 if b > 0 else 2
    for k in range(pushing):
        far = (1 - b * x[k]) / (1 + b * h[k]) if b > 0 else 1 - b * x[k]
        assert u[k] == pytest.approx(far, rel=1e-9)
    assert np.sum(np.abs(used).max(axis=0) > 1 - 1e-9) >= len(h) - 1
    assert np.abs(used[:, -1]).max() == pytest.approx(1.0, rel=1e-9)


def test_the_tighter_of_several_limits_counts_and_those_without_end_do_not():
    both = Limit(
        *(np.tile([1.0, 4.0, 1e3], (len(σ), 1)) * x for x in (1, 0, 0)), np.array([1.0, 2.0, np.inf])
    )
    x = fastest_speeds(σ, NONE, [both, limit(1.0, most=0.9)])
    np.testing.assert_allclose(x, fastest_speeds(σ, NONE, [limit(1.0, most=0.5)]), rtol=1e-12)


def test_limits_that_cannot_be_kept_are_refused_with_their_place():
    """Near 0.8 there is a push that nothing holds against."""
    c = np.zeros((len(σ), 1))
    c[6] = 5.0
    a = np.ones((len(σ), 1))
    a[6] = 0.0
    with pytest.raises(um.ModelError, match=r"limits that leave a way to stop, given none near 0\.8"):
        fastest_speeds(σ, NONE, [Limit(a, 0.0 * a, c, np.array([1.0]))])


def rows(*each):
    """u·a + x·b ≤ h of (a, b, h)."""
    return _Rows(*np.array(each, dtype=float).T)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([(1, 1, 2), (-1, 1, 1)], (0.0, 1.5)),
        ([(2, 2, 4), (-3, 3, 3)], (0.0, 1.5)),
        ([(1, -1, -1), (-1, 0, 0)], (1.0, np.inf)),
        ([(0, 1, 0.7), (0, -2, -0.4)], (0.2, 0.7)),
        ([(0, 1, 0.0), (0, -1, 0.0)], (0.0, 0.0)),
        ([(0, 1, 0.7), (0, -1, 5.0)], (0.0, 0.7)),
        ([(0, 1, 1.0), (0, -1, -1.1)], None),
        ([(0, 1, -0.1)], None),
        ([(0, 0, -2e-9)], None),
        ([(0, 0, -0.6e-9), (0, 1, 3)], (0.0, 3.0)),
        ([(0, 1, 1.0), (0, -1, -1.0 - 0.7e-9)], (1.0 + 0.7e-9, 1.0)),
        ([(0, 1, 1.0), (0, -1, -1.0 - 1.5e-9)], None),
        ([(1, 0, 1.0), (-1, 0, -2.0)], None),
        ([(1e9, 1e9, 2e9), (-1, 1, 1)], (0.0, 1.5)),
    ],
)
@pytest.mark.whole
def test_speeds_for_which_some_acceleration_keeps_all_rows(given, expected):
    found = _interval(rows(*given))
    if expected is None:
        assert found is None
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)


def test_the_interval_is_that_of_linear_programs():
    rng = np.random.default_rng(7)
    for _ in range(12):
        given = rng.normal(size=(7, 3)) + np.array([0, 0, 1.0])
        box = [(-50, 50), (0, 30)]
        all_rows = np.vstack([given, [(1, 0, 50), (-1, 0, 50), (0, 1, 30)]])
        found = _interval(_Rows(*all_rows.T))
        ends = [linprog([0, s], A_ub=given[:, :2], b_ub=given[:, 2], bounds=box) for s in (1, -1)]
        assert (found is None) == (ends[0].status == 2)
        if found is not None:
            np.testing.assert_allclose(found, [end.x[1] for end in ends], atol=1e-7)
