"""Quantiles of regions against SciPy's, and against a linear fit whose noise is estimated."""

import numpy as np
import pytest
from scipy import stats

from unmoored.identification.confidence import beta_ratio, squared_radius


@pytest.mark.parametrize("n", [1, 2, 10, 37])
@pytest.mark.parametrize("freedom", [1, 4.5, 44, 1190, 2e5])
def test_regions_of_estimated_noise_are_fishers(n, freedom):
    for probability in (0.05, 0.5, 0.95, 0.999):
        expected = n * stats.f.ppf(probability, n, freedom)
        assert squared_radius(n, freedom, probability) == pytest.approx(expected, rel=1e-8)


def test_one_number_is_students_and_many_rows_are_as_good_as_told():
    assert np.sqrt(squared_radius(1, 7, 0.95)) == pytest.approx(stats.t.ppf(0.975, 7), rel=1e-9)
    assert squared_radius(10, None, 0.95) == pytest.approx(stats.chi2.ppf(0.95, 10), rel=1e-9)
    assert squared_radius(10, 1e8, 0.95) == squared_radius(10, None, 0.95)


def test_incomplete_beta():
    for a, b, x in (
        (0.5, 0.5, 0.3),
        (5.0, 595.0, 0.01),
        (600.0, 5.0, 0.99),
        (2.0, 3.0, 1.0),
        (2.0, 3.0, 0.0),
    ):
        assert beta_ratio(a, b, x) == pytest.approx(stats.beta.cdf(x, a, b), rel=1e-10, abs=1e-300)
