"""The tracking law with the smooth potential settles from 10,000 random attitudes and rates."""

import numpy as np
from tests.control.test_tracking import settled


def test_ten_thousand_attitudes_and_rates_settle():
    off = settled(10_000, seed=1)
    assert np.all(off < 1e-6)
