"""NaN and infinity reach every output that depends on them, no other output, and no other sample."""

import numpy as np
import pytest
from tests.trace.tree_recursion import random_tree, recursion

from unmoored import kernels, trace


def layers(x):
    """Output k depends on the inputs up to k; a structural zero removes the last one from the last output."""
    products = [x[0]]
    for k in range(1, 6):
        products.append(products[-1] * np.cos(x[k]) + T_of(x[k]))
    return np.stack(products[:5]), products[4] + 0.0 * x[5]


def T_of(x):
    return trace.where(trace.less(x, 0.0), np.sqrt(x * x), trace.maximum(x, 0.5 * x))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_dependent_outputs_and_no_other_sample(value):
    kernel = kernels.compile(layers, [(6,)], name="layers", exact_zeros=False)
    x = np.random.default_rng(0).normal(size=(21, 6))
    clean = kernel(x)
    for sample in (0, 7, 8, 15, 20):
        for entry in range(6):
            spoiled = x.copy()
            spoiled[sample, entry] = value
            outputs, last = kernel(spoiled)
            others = np.arange(21) != sample
            np.testing.assert_array_equal(outputs[others], clean[0][others])
            np.testing.assert_array_equal(last[others], clean[1][others])
            assert np.isfinite(outputs[sample, :entry]).all()
            assert not np.isfinite(outputs[sample, entry:]).any()
            assert np.isfinite(last[sample]) == (entry == 5)


def test_nan_goes_through_loops_and_stays_in_its_sample():
    kernel = kernels.compile(recursion(*random_tree(20)), [(20,), (20,)], name="tree", loops_beyond=5)
    q, u = np.random.default_rng(1).normal(size=(2, 11, 20))
    clean = kernel(q, u)
    q[4, 0] = np.nan
    for spoiled, before in zip(kernel(q, u), clean, strict=True):
        others = np.arange(11) != 4
        np.testing.assert_array_equal(spoiled[others], before[others])
    assert np.isnan(kernel(q, u)[0][4, :, 3]).all()


@pytest.mark.parametrize("name", ["minimum", "maximum"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_nan_propagates_through_minimum_and_maximum(name, dtype):
    kernel = kernels.compile(getattr(trace, name), [(), ()], name=name, dtype=dtype)
    a, b = np.meshgrid(*[np.array([np.nan, -1.0, 0.0, 2.0, np.inf, -np.inf], dtype)] * 2)
    np.testing.assert_array_equal(kernel(a, b), getattr(np, name)(a, b))
    for x, y in zip(a.ravel(), b.ravel(), strict=True):
        np.testing.assert_array_equal(kernel(np.array(x), np.array(y)), getattr(np, name)(x, y))
