"""Tables and interpolation, on numbers and in kernels, against NumPy and SciPy."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline, interp1d

from unmoored import kernels
from unmoored import trace as T

RNG = np.random.default_rng(5)


def curve(n):
    """Points, values, slopes, and places in and around them, all points among them."""
    points = np.cumsum(RNG.uniform(0.1, 1.0, size=n))
    values, slopes = RNG.normal(size=(2, n, 3))
    x = np.concatenate([RNG.uniform(points[0] - 0.5, points[-1] + 0.5, size=40), points])
    return points, values, slopes, x


def expected(kind, points, values, x):
    inside = np.clip(x, points[0], points[-1])
    if kind == "cubic":
        return CubicHermiteSpline(points, values, np.gradient(values, points, axis=0))(inside)
    return interp1d(points, values, kind, axis=0)(inside)


@pytest.mark.parametrize("kind", ["previous", "nearest", "linear", "cubic"])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 9, 33, 200])
def test_interpolation_against_scipy(n, kind):
    points, values, _, x = curve(n)
    kernel = kernels.compile(lambda x, p, f: T.interp(x, p, f, kind), [(), (n,), (n, 3)])
    exact = expected(kind, points, values, x)
    np.testing.assert_allclose(T.interp(x, points, values, kind), exact, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(kernel(x, points, values), exact, rtol=1e-12, atol=1e-13)


def test_given_slopes():
    points, values, slopes, x = curve(20)
    exact = CubicHermiteSpline(points, values, slopes)(np.clip(x, points[0], points[-1]))
    kernel = kernels.compile(lambda *a: T.interp(*a[:3], "cubic", slopes=a[3]), [(), (20,), (20, 3), (20, 3)])
    np.testing.assert_allclose(T.interp(x, points, values, "cubic", slopes=slopes), exact, atol=1e-12)
    np.testing.assert_allclose(kernel(x, points, values, slopes), exact, atol=1e-12)


def test_one_kernel_serves_all_arrays_also_one_for_each_sample():
    kernel = kernels.compile(lambda x, p, f: T.interp(x, p, f), [(), (6,), (6,)])
    points, values = np.sort(RNG.normal(size=(30, 6)), axis=1), RNG.normal(size=(30, 6))
    x = RNG.normal(size=30)
    exact = [np.interp(*sample) for sample in zip(x, points, values, strict=True)]
    np.testing.assert_allclose(kernel(x, points, values), exact, atol=1e-13)
    np.testing.assert_allclose(
        kernel(x, points[0], values), [np.interp(a, points[0], f) for a, f in zip(x, values, strict=True)]
    )


def test_rows_by_index_are_rounded_down_and_kept_in_range():
    values = RNG.normal(size=(7, 2, 2))
    kernel = kernels.compile(T.table, [(7, 2, 2), ()])
    index = np.array([-3.0, 0.0, 0.99, 3.5, 6.0, 100.0])
    np.testing.assert_array_equal(kernel(values, index), values[[0, 0, 0, 3, 6, 6]])
    np.testing.assert_array_equal(T.table(values, index), values[[0, 0, 0, 3, 6, 6]])


def test_nan_stays_nan():
    points, values, _, _ = curve(5)
    for kind in ("previous", "nearest", "linear", "cubic"):
        kernel = kernels.compile(lambda x, p, f, kind=kind: T.interp(x, p, f, kind), [(), (5,), (5, 3)])
        x = np.array([np.nan, points[2]])
        for found in (T.interp(x, points, values, kind), kernel(x, points, values)):
            assert np.isnan(found[0]).all()
            np.testing.assert_allclose(found[1], values[2], atol=1e-14)
    assert np.isnan(kernels.compile(T.table, [(4,), ()])(np.ones(4), np.nan))
    assert np.isnan(T.table(np.ones(4), np.nan))


def test_what_is_refused():
    with pytest.raises(T.TracingError, match=r"must increase strictly.*test_lookup"):
        T.interp(0.5, [0.0, 1.0, 1.0], [1.0, 2.0, 3.0])
    with pytest.raises(T.TracingError, match="one of previous, nearest, linear, cubic, got 'spline'"):
        T.interp(0.5, [0.0, 1.0], [1.0, 2.0], "spline")
    with pytest.raises(T.TracingError, match=r"got \(2,\) and \(3,\)"):
        T.interp(0.5, [0.0, 1.0], [1.0, 2.0, 3.0])
    with pytest.raises(T.TracingError, match="slopes belong to kind 'cubic'"):
        T.interp(0.5, [0.0, 1.0], [1.0, 2.0], slopes=[0.0, 1.0])
