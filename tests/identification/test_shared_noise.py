"""What is left of a fit and goes on from row to row is told: rows are not independent, and stated errors too small."""

import warnings

import numpy as np
import pytest

import unmoored as um
from unmoored.identification import identify
from unmoored.identification.identified import Residuals
from unmoored.identification.shared_noise import neighbours, warn_of_shared_noise

from .test_identify import arm, motions

#: which errors of the test's size do not mind
LONG_STEPS = pytest.mark.filterwarnings("ignore:identify. steps of")


def going_on(ρ, rows, columns, seed):
    """Numbers (rows, columns) of unit variance with the correlation ρ between neighbours."""
    fresh = np.random.default_rng(seed).normal(size=(rows, columns))
    x = [fresh[0]]
    for one in fresh[1:]:
        x.append(ρ * x[-1] + np.sqrt(1 - ρ**2) * one)
    return np.array(x)


def left(values, name="a recording"):
    names = tuple(f"y{k}" for k in range(values.shape[1]))
    return Residuals(name, np.arange(float(len(values))), values, names, np.ones(values.shape[1]))


def fitted(ρ, noise=0.03):
    """The errors of a mass and a damping over six recordings with such noise, in stated deviations."""
    errors = []
    for seed in range(6):
        m = motions()[0]
        q = m.q + noise * going_on(ρ, len(m.t), 2, seed)
        seen = um.Recording(m.t, q, m.v, u=m.u, between="held")
        found = identify(arm(upper=1.9), seen, free=["upper.mass", "upper.damping"], step=0.0125)
        errors.append((found.values - (2.0, 0.4)) / np.sqrt(np.diag(found.covariance)))
    return np.array(errors)


@pytest.mark.parametrize("ρ", [0.0, 0.5, 0.9])
def test_the_correlation_of_neighbours_is_found_over_all_recordings(ρ):
    x = going_on(ρ, 4000, 2, 1) * (1.0, 100.0)
    found, size = neighbours([left(x[:2500]), left(x[2500:], "another")])
    np.testing.assert_allclose(found, ρ, atol=0.05)
    np.testing.assert_allclose(size, (1.0, 100.0), rtol=0.15)


@LONG_STEPS
def test_what_is_left_of_independent_rows_is_not_told_of():
    errors = fitted(0.0)
    assert 0.6 < np.sqrt((errors**2).mean()) < 1.4


@LONG_STEPS
def test_errors_are_larger_by_about_what_is_told_at_most():
    with pytest.warns(um.ModelWarning, match=r"d upper.*goes on from row to row.*telling the noise") as told:
        errors = fitted(0.9)
    texts = [str(w.message) for w in told if "goes on" in str(w.message)]
    times = [float(text.split("up to about ")[1].split(" times")[0]) for text in texts]
    assert 3.0 < np.mean(times) < 5.5
    assert 0.4 < np.sqrt((errors**2).mean()) / np.mean(times) < 1.1


def test_noise_that_is_told_few_rows_and_rounding_are_not_told_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        smooth = going_on(0.9, 400, 1, 3)
        warn_of_shared_noise([left(smooth)], np.array([True]))
        warn_of_shared_noise([left(1e-7 * smooth)], np.array([False]))
        warn_of_shared_noise([left(going_on(0.6, 12, 1, 3))], np.array([False]))
    with pytest.warns(um.ModelWarning, match=r"left of y0 goes on"):
        warn_of_shared_noise([left(smooth)], np.array([False]))
