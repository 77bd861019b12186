"""Summaries of shards, merged, against the same from all numbers at once."""

import numpy as np
import pytest

from unmoored.campaigns.quantile_sketch import Sketch
from unmoored.campaigns.summaries import Summary, with_extremes


def numbers(S=5000, R=3, C=2, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(S, R, C)) + 1e3 + rng.normal(size=(S, 1, 1))
    x[:, :, 1] = np.exp(rng.normal(size=(S, R)))
    ended = rng.random(S) < 0.3
    x[ended, 1:] = np.nan
    return x


def merged(x, size):
    cuts = [np.arange(k, min(k + size, len(x))) for k in range(0, len(x), size)]
    found = Summary.of(x[cuts[0]], cuts[0])
    for samples in cuts[1:]:
        found = found.merged(Summary.of(x[samples], samples))
    return found


@pytest.mark.parametrize("size", [64, 1000, 5000])
def test_merged_summaries_are_those_of_all(size):
    x = numbers()
    found = merged(x, size)
    np.testing.assert_array_equal(found.count, (~np.isnan(x[:, :, 0])).sum(axis=0))
    np.testing.assert_allclose(found.mean, np.nanmean(x, axis=0), rtol=1e-13)
    for r in range(3):
        own = x[~np.isnan(x[:, r, 0]), r]
        np.testing.assert_allclose(found.scatter[r] / (len(own) - 1), np.cov(own.T), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(found.lowest, np.nanmin(x, axis=0))
    np.testing.assert_array_equal(found.highest, np.nanmax(x, axis=0))
    np.testing.assert_array_equal(found.lowest_sample, np.nanargmin(x, axis=0))
    np.testing.assert_array_equal(found.highest_sample, np.nanargmax(x, axis=0))


@pytest.mark.parametrize("size", [32, 512, 5000])
def test_ranks_of_quantiles_are_right_to_what_is_said(size):
    x = numbers()
    found = merged(x, size)
    levels = np.array([0.0, 0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999, 1.0])
    q = found.sketch.quantiles(levels[:, None], found.lowest.ravel(), found.highest.ravel()).reshape(-1, 3, 2)
    for r in range(3):
        for c in range(2):
            own = np.sort(x[~np.isnan(x[:, r, 0]), r, c])
            ranks = np.searchsorted(own, q[:, r, c]) / len(own)
            allowed = 2 / len(own) + 1.5 * np.pi * np.sqrt(levels * (1 - levels)) / 128
            assert np.all(np.abs(ranks - levels) <= allowed), (ranks - levels) / allowed
    np.testing.assert_array_equal(q[0], found.lowest)
    np.testing.assert_array_equal(q[-1], found.highest)


def test_few_numbers_are_kept_as_they_are():
    x = np.random.default_rng(4).normal(size=(20, 1))
    sketch = Sketch.of(x, clusters=128)
    assert sketch.weights.sum() == 20
    assert np.array_equal(np.sort(x[:, 0]), sketch.means[sketch.weights[:, 0] == 1, 0])


def test_a_row_in_which_nobody_is_left_is_no_number():
    x = numbers(S=10)
    x[:, 2] = np.nan
    both = Summary.of(x[:5], np.arange(5)).merged(Summary.of(x[5:], np.arange(5, 10)))
    assert both.count[2] == 0
    assert np.isnan(both.mean[2]).all()
    assert np.isnan(both.highest[2]).all()
    assert (both.highest_sample[2] == -1).all()
    assert np.isfinite(both.mean[0]).all()
    late = Summary.of(x[:5] * np.nan, np.arange(5)).merged(Summary.of(x[5:], np.arange(5, 10)))
    np.testing.assert_array_equal(late.mean[0], Summary.of(x[5:], np.arange(5, 10)).mean[0])


def test_summaries_come_back_from_their_arrays():
    found = merged(numbers(), 700)
    again = Summary.from_arrays(found.arrays)
    for name, a in found.arrays.items():
        np.testing.assert_array_equal(a, again.arrays[name])


def test_the_last_value_counts_among_the_extremes():
    x = np.array([[[1.0], [2.0], [np.nan]], [[5.0], [4.0], [6.0]]])
    rows = with_extremes(x, np.array([[9.0], [6.0]]))
    assert rows[:, 3:, 0].tolist() == [[1.0, 9.0, 9.0], [4.0, 6.0, 6.0]]
