"""Bounded allocation on 100,000 random demands (`make long`)."""

import numpy as np
from tests.support.random_wrenches import demands, kernel, optimality


def test_hundred_thousand_wrenches_are_allocated_exactly():
    wrenches, low, high = demands(100_000, 0)
    f = kernel()(wrenches, low, high)[:, :8]
    assert np.all((low <= f) & (f <= high))
    assert optimality(wrenches, low, high, f).max() <= 1e-12  # 2e-15 seen
