"""Every elementary function against 160-bit arithmetic, in units in the last place, and at special values."""

import mpmath as mp
import numpy as np
import pytest

from unmoored import kernels, trace

# largest error in units in the last place of the exact value
BOUNDS = {
    "sin": 1.5, "cos": 1.5, "tan": 3.0, "exp": 1.0, "log": 1.0, "tanh": 2.5, "arctan": 2.0, "arcsin": 1.5,
    "arccos": 1.0, "sqrt": 0.5,
}  # fmt: skip
EXACT = {"arctan": mp.atan, "arcsin": mp.asin, "arccos": mp.acos}


def arguments(name, dtype, rng):
    """Arguments over the whole range, dense where functions are delicate."""
    double = dtype == "float64"
    tiny, count = (1e-300, 400) if double else (1e-37, 400)

    def spread(low, high):
        return np.exp(rng.uniform(np.log(low), np.log(high), count)) * rng.choice([-1.0, 1.0], count)

    if name in ("sin", "cos", "tan"):
        limit = 1e8 if double else 1e6
        quarters = rng.integers(1, int(limit / 1.6), count) * (np.pi / 2.0)
        wide = [rng.uniform(-limit, limit, count), rng.uniform(-100.0, 100.0, count)]
        return np.concatenate([rng.uniform(-4.0, 4.0, count), *wide, quarters, spread(tiny, 1.0)])
    if name == "exp":
        edge = (-700.0, 709.0) if double else (-80.0, 88.0)
        return np.concatenate([rng.uniform(-1.0, 1.0, count), rng.uniform(*edge, count), spread(1e-20, 1.0)])
    if name in ("log", "sqrt"):
        near_one = 1.0 + spread(1e-12 if double else 1e-6, 0.1)
        return np.concatenate([np.abs(spread(tiny, 1.0 / tiny)), near_one, rng.uniform(0.5, 2.0, count)])
    if name in ("arcsin", "arccos"):
        near = 1.0 - np.abs(spread(1e-15, 0.1))
        return np.concatenate([rng.uniform(-1.0, 1.0, count), rng.uniform(0.4, 0.6, count), near, -near])
    return np.concatenate(
        [rng.uniform(-1.0, 1.0, count), rng.uniform(-12.0, 12.0, count), spread(1e-20, 1e20)]
    )


def largest_error(got, exact, dtype):
    """In units in the last place of the format at the exact value."""
    worst = mp.mpf(0)
    for value, true in zip(got, exact, strict=True):
        unit = mp.mpf(float(np.spacing(np.abs(np.array(float(true), dtype)))))
        worst = max(worst, abs(mp.mpf(float(value)) - true) / unit)
    return float(worst)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", BOUNDS)
def test_error_in_last_places(name, dtype):
    x = arguments(name, dtype, np.random.default_rng(11)).astype(dtype)
    kernel = kernels.compile(getattr(np, name), [()], name=name, dtype=dtype)
    with mp.workprec(160):
        exact = [EXACT.get(name, getattr(mp, name, None))(mp.mpf(float(value))) for value in x]
        assert largest_error(kernel(x), exact, dtype) <= BOUNDS[name]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_angle_of_a_point(dtype):
    rng = np.random.default_rng(12)
    scale = 10.0 ** rng.uniform(-30.0, 30.0, (2, 400))
    y, x = np.concatenate([rng.normal(size=(2, 400)), rng.normal(size=(2, 400)) * scale], axis=1).astype(
        dtype
    )
    kernel = kernels.compile(trace.arctan2, [(), ()], name="arctan2", dtype=dtype)
    with mp.workprec(160):
        exact = [mp.atan2(mp.mpf(float(a)), mp.mpf(float(b))) for a, b in zip(y, x, strict=True)]
        assert largest_error(kernel(y, x), exact, dtype) <= 2.0


SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 1e-310, 1e30, -1e30])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", BOUNDS)
def test_special_values(name, dtype):
    x = SPECIAL.astype(dtype)
    if name in ("sin", "cos", "tan"):
        x = x[:-2]  # beyond the range that is reduced: see below
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x)
    got = kernels.compile(getattr(np, name), [()], name=name, dtype=dtype)(x)
    np.testing.assert_allclose(got, expected, rtol=4.0 * np.finfo(dtype).eps, atol=0.0)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_special_points(dtype):
    values = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 3e38, 1e-40], dtype)
    y, x = np.meshgrid(values, values)
    got = kernels.compile(trace.arctan2, [(), ()], name="arctan2", dtype=dtype)(y, x)
    np.testing.assert_allclose(got, np.arctan2(y, x), rtol=4.0 * np.finfo(dtype).eps, atol=0.0)
    numbers = ~np.isnan(got)
    np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(np.arctan2(y, x))[numbers])


@pytest.mark.parametrize(("dtype", "limit"), [("float64", 2.0**50), ("float32", 2.0**20)])
def test_angles_too_large_to_reduce_are_nan(dtype, limit):
    kernel = kernels.compile(lambda x: (np.sin(x), np.cos(x), np.tan(x)), [()], name="angles", dtype=dtype)
    assert all(np.isnan(value) for value in kernel(np.array(2.0 * limit, dtype)))
    assert not any(np.isnan(value) for value in kernel(np.array(limit, dtype)))


def test_exp_reaches_both_ends_of_the_range():
    kernel = kernels.compile(np.exp, [()], name="exp")
    x = np.array([709.782712893384, 709.782712893385, -745.133219101941, -745.2, -708.5])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(kernel(x), np.exp(x), rtol=1e-15)


def test_no_mathematics_library_is_called():
    from tests.kernels.functions import everything

    source = kernels.source(trace.trace(everything, (5,), (3,)))
    declared = {
        line.split("@")[1].split("(")[0] for line in source.splitlines() if line.startswith("declare")
    }
    assert all(name.startswith("llvm.") for name in declared)
    allowed = (
        "fma",
        "sqrt",
        "fabs",
        "minimum",
        "maximum",
        "floor",
        "rint",
        "copysign",
        "umin",
        "x86",
        "aarch64",
        "prefetch",
        "ptrmask",
    )
    assert {name.split(".")[1] for name in declared} <= set(allowed)
    assert "fast" not in source
    assert "contract" not in source
