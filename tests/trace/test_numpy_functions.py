"""NumPy's own functions in functions of users': the same as on numbers, or refused with the line and a spelling."""

import math

import numpy as np
import pytest

from unmoored import UnmooredError, kernels
from unmoored import trace as T

TRAPEZOID = getattr(np, "trapezoid", None) or getattr(np, "trapz")  # noqa: B009 (its name in NumPy 1.26)

X = np.array([0.7, -1.3, 0.2])
A = np.array([[2.0, 0.3, -0.5], [0.1, 1.5, 0.4], [-0.2, 0.6, 3.0]])


def preallocated(x, A):
    out = np.zeros_like(x)
    out[0] = x[1] * x[2]
    out[1:] = A[0, 1:]
    return out


MAPPED = {
    "where": lambda x, A: np.where(x > 0.1, x * x, -x),
    "where of one": lambda x, A: np.where(x[0] > 0.1, x[1], A[0]),
    "conditions": lambda x, A: np.where((x > -1.0) & ~(x >= 0.5) | (x == 0.7), x, 0.0),
    "not equal": lambda x, A: np.where(x != 0.7, x, 9.0),
    "maximum": lambda x, A: np.maximum(x, 0.1) + np.minimum(A[0], x),
    "maximum of one": lambda x, A: np.maximum(x[0], 0.0) * np.minimum(x[1], 2.0),
    "clip": lambda x, A: np.clip(x, -0.5, 0.5),
    "clip of one": lambda x, A: np.clip(x[0], None, 0.5),
    "method clip": lambda x, A: x.clip(-0.5, 0.5),
    "sign": lambda x, A: np.sign(x) + np.sign(x[0]),
    "abs": lambda x, A: np.abs(x) + abs(x) + np.fabs(x),
    "interp": lambda x, A: np.interp(x, [-1.0, 0.0, 0.5], [3.0, 1.0, 2.0]),
    "interp of one": lambda x, A: np.interp(x[0], [-1.0, 0.0, 0.5], [3.0, 1.0, 2.0]),
    "solve": lambda x, A: np.linalg.solve(A, x),
    "solve many": lambda x, A: np.linalg.solve(A, A.T),
    "inv": lambda x, A: np.linalg.inv(A),
    "det": lambda x, A: np.linalg.det(A),
    "norm": lambda x, A: np.linalg.norm(x) + np.linalg.norm(A),
    "norm over an axis": lambda x, A: np.linalg.norm(A, axis=1),
    "cholesky": lambda x, A: np.linalg.cholesky(A @ A.T),
    "qr": lambda x, A: np.linalg.qr(A)[1],
    "sinh": lambda x, A: np.sinh(x) + np.cosh(x) + np.tanh(x),
    "sinh of small": lambda x, A: np.sinh(1e-9 * x) * 1e9,
    "log1p": lambda x, A: np.log1p(x * x) + np.log1p(1e-12 * x) * 1e12,
    "expm1": lambda x, A: np.expm1(x) + np.expm1(1e-12 * x) * 1e12 + np.expm1(30.0 * x),
    "logarithms": lambda x, A: np.log10(x * x) + np.log2(x * x) + np.exp2(x),
    "trapezoid": lambda x, A: TRAPEZOID(x) + TRAPEZOID(A, x=[0.0, 1.0, 3.0], axis=1),
    "modulo": lambda x, A: np.mod(x, 0.3) + np.remainder(x[0], 0.3),
    "hypot": lambda x, A: np.hypot(x, 2.0),
    "arctan2": lambda x, A: np.arctan2(x, A[0]) + np.arctan2(x[0], x[1]),
    "angles": lambda x, A: np.deg2rad(x) + np.degrees(x[0]),
    "max": lambda x, A: np.max(A, axis=0) + np.min(x) + x.max() + A.max(axis=1),
    "any": lambda x, A: np.where(np.any(x > 0.5), 1.0, 2.0) + np.where(np.all(A > 0.0), 1.0, 2.0),
    "isnan": lambda x, A: np.where(np.isnan(x), 0.0, x) + np.where(np.isfinite(x), x, 0.0),
    "writing": preallocated,
    "products": lambda x, A: A @ x + np.dot(A, x) + np.matmul(A, x) + np.einsum("ij,j->i", A, x),
    "joined": lambda x, A: np.concatenate([x, A[0], [1.0]])[::-1] + np.append(np.cross(x, A[1]), np.zeros(4)),
    "sums": lambda x, A: x.sum() + np.sum(A, axis=0) + np.cumsum(x) + np.mean(A, axis=1) + np.prod(x),
    "loop": lambda x, A: sum((x[k] * A[k] for k in range(3)), np.zeros(3)),
    "stacked": lambda x, A: np.stack([x, np.roll(x, 1)]) + np.vstack([x, x]) + np.outer(x, x)[:2],
    "inverse hyperbolic": lambda x, A: np.arcsinh(x) + np.arccosh(1.0 + x * x) + np.arctanh(0.3 * x),
    "inverse hyperbolic of small": lambda x, A: 1e9 * (np.arcsinh(1e-9 * x) + np.arctanh(1e-9 * x)),
    "cube root": lambda x, A: np.cbrt(x) + np.cbrt(0.0 * x) + np.cbrt(1e200 * x[0]) * 1e-66,
    "whole numbers": lambda x, A: np.ceil(x) + np.trunc(3.0 * x) + np.trunc(-2.5 * x) + np.fmod(x, 0.3),
    "heaviside": lambda x, A: np.heaviside(x, 0.5) + np.heaviside(x - 0.7, 0.5),
    "logaddexp": lambda x, A: np.logaddexp(x, 1000.0 * x) + np.logaddexp(x[0], x[1]),
    "halves and bases": lambda x, A: (x * x) ** 1.5 + (x * x) ** -0.5 + 2.0**x + np.float_power(x, 2),
    "select": lambda x, A: np.select([x > 0.3, x > 0.0], [x, 2.0 * x], -1.0),
    "close": lambda x, A: np.where(np.isclose(x, 0.7), 1.0, 2.0) + np.where(np.allclose(x, 0.7), 1.0, 2.0),
    "infinite": lambda x, A: np.where(np.isinf(x), 0.0, x) + np.where(np.signbit(x), 1.0, 2.0),
    "linspace": lambda x, A: np.linspace(x[0], x[1], 4)[1:] + np.linspace(0.0, 1.0, 3) * x + np.ptp(x),
    "trace.where": lambda x, A: T.where(x > 0.0, T.maximum(x, 0.5), x),
}  # fmt: skip


@pytest.mark.parametrize("name", MAPPED)
def test_the_same_as_on_numbers(name):
    function = MAPPED[name]
    found = kernels.compile(function, [(3,), (3, 3)])(X, A)
    np.testing.assert_allclose(found, function(X, A), rtol=1e-13, atol=1e-14)


REFUSED = {
    "np.zeros": (lambda x: np.zeros(3).__setitem__(0, x[0]), "np.zeros_like"),
    "if": (lambda x: x if x[0] > 0.0 else -x, "trace.where"),
    "sort": (lambda x: np.sort(x), "order of symbols"),
    "argmax": (lambda x: x[np.argmax(x)], "trace.where"),
    "where without values": (lambda x: np.where(x > 0.0), "trace.where"),
    "eig": (lambda x: np.linalg.eigh(np.outer(x, x)), "trace.matmul, solve"),
    "large det": (lambda x: np.linalg.det(np.outer(np.tile(x, 2), np.tile(x, 2))), "up to 3×3"),
    "interp with left": (lambda x: np.interp(x, [0.0, 1.0], [1.0, 2.0], left=0.0), "trace.interp"),
    "norm 1": (lambda x: np.linalg.norm(x, 1), "Euclidean"),
    "nan_to_num": (lambda x: np.nan_to_num(x), "trace.where"),
    "symbol as an index": (lambda x: x[x[0]], "trace.table"),
    "symbol as an index of numbers": (lambda x: np.ones(3)[x[0]], "trace.table"),
    "condition as an index": (lambda x: x[x > 0.0], "trace.where"),
    "math": (lambda x: math.sin(x[0]), "np.sin"),
    "power": (lambda x: x**1.7, "np.exp(p * np.log(x))"),
    "power of a symbol": (lambda x: x**x, "np.exp"),
    "median": (lambda x: np.median(x), "order of symbols"),
    "fmax": (lambda x: np.fmax(x, 0.0), "np.maximum"),
    "eigenvalues": (lambda x: np.linalg.eigvalsh(np.outer(x, x)), "trace.matmul, solve"),
    "fft": (lambda x: np.fft.fft(x), "docs/programs.md"),
    "cov": (lambda x: np.cov(np.outer(x, x)), "docs/programs.md"),
    "out": (lambda x: np.exp(x, out=np.zeros(3)), "docs/programs.md"),
    "float": (lambda x: np.array(x, dtype=float), "np.stack"),
    "max from a value": (lambda x: x.max(initial=10.0), "initial="),
    "max under a mask": (lambda x: np.maximum.reduce(x, where=[True, False, True], initial=-9.0), "np.where"),
    "max with an option": (lambda x: np.max(x, initial=10.0), "option 'initial'"),
    "clip into a place": (lambda x: x.clip(-0.1, 0.1, out=x), "assign the result"),
    "norm of matrices": (lambda x: np.linalg.norm(np.outer(x, x), 2, axis=(0, 1)), "Euclidean"),
    "floor division": (lambda x: x[0] // 2.0, "np.floor(x / y)"),
    "comparison as a number": (lambda x: (x > 0.0) * x, "np.where(condition, 1.0, 0.0)"),
    "comparison as floats": (lambda x: (x > 0.0).astype(float), "np.where(condition, 1.0, 0.0)"),
    "count": (lambda x: np.sum(x > 0.0), "np.where(condition, 1.0, 0.0)"),
    "attribute of a number": (lambda x: np.zeros(x[0].shape), "np.asarray(x) has .shape"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_line_and_spelling(name):
    function, spelling = REFUSED[name]
    with pytest.raises(T.TracingError) as error:
        kernels.compile(function, [(3,)])
    assert spelling in str(error.value)
    assert "test_numpy_functions.py:" in str(error.value)


def zeros(x, y):
    return (
        0.0 * x,
        x - x,
        0.0 / x,
        np.array([x, y]) @ np.array([0.0, 1.0]),
        T.repeat(lambda i, c: c + 0.0 * x, y, 3),
    )


@pytest.mark.parametrize("x", [np.inf, -np.inf, np.nan, 0.0, 2.0])
def test_zeros_of_users_are_computed(x):
    """0 x is NaN where x is not finite, as in NumPy; the package's own functions take it for a structural zero."""
    with np.errstate(all="ignore"):
        expected = zeros(np.float64(x), np.float64(1.0))
    np.testing.assert_array_equal(kernels.compile(zeros, [(), ()])(x, 1.0), expected)
    own = kernels.compile(zeros, [(), ()], exact_zeros=False)(x, 1.0)
    np.testing.assert_array_equal(own, [0.0, 0.0, 0.0, 1.0, 1.0])


def test_a_function_without_a_result_is_told():
    with pytest.raises(T.TracingError, match="returned None"):
        kernels.compile(lambda x: x.fill(0.0), [(3,)])


CHOSEN = {
    "solve": lambda A: T.solve(A, A[0]),
    "matmul": lambda A: T.matmul(A, A),
    "qr": lambda A: T.qr(A)[1],
    "repeat": lambda A: T.repeat(lambda i, c: np.maximum(np.sin(c), 0.1), A, 3),
    "repeat of two": lambda A: T.repeat(lambda i, c: (np.clip(c[0], -1.0, 1.0), c[1] + 1.0), (A, 0.0), 3)[0],
    "interp": lambda A: T.interp(A, [0.0, 1.0, 2.0], [1.0, 3.0, 2.0]),
    "outlined": T.outlined(lambda A: np.maximum(A, 0.0) * A),
    "jacobian": lambda A: T.jacobian(lambda x: np.maximum(x, 0.0) * x)(A[0]),
    "rule": T.custom_derivative(lambda A: np.abs(A), jvp=lambda A, dA: np.where(A > 0.0, dA, -dA)),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_numpy_chooses_among_the_results_of_traced_functions(name):
    A = np.random.default_rng(7).normal(size=(3, 3)) + 2.0 * np.eye(3)

    def function(A):
        return np.minimum(np.maximum(CHOSEN[name](A), -0.5), 0.5)

    traced = T.trace(function, (3, 3), exact_zeros=True)
    np.testing.assert_allclose(T.evaluate(traced, A), function(A), rtol=1e-13, atol=1e-14)


def test_derivatives_of_python_functions_take_numpy_functions_and_what_they_read():
    gain = {"k": 1.0}

    def cost(x):
        return gain["k"] * np.sum(np.maximum(x, 0.0) ** 2)

    gradient = T.gradient(cost)
    x = np.array([1.0, -2.0, 3.0])
    np.testing.assert_array_equal(gradient(x), [2.0, 0.0, 6.0])
    gain["k"] = 5.0
    np.testing.assert_array_equal(gradient(x), [10.0, 0.0, 30.0])


def test_vjp_of_functions_with_options():
    """How many of the arguments are the function's own is seen from what it needs, and what it returns."""
    found = T.vjp(lambda x, k=2.0, *, on=True: k * x)
    np.testing.assert_array_equal(found(np.ones(2), np.array([3.0, 4.0])), [6.0, 8.0])
    by_x, by_k = found(np.ones(2), 5.0, np.array([3.0, 4.0]))
    np.testing.assert_array_equal(by_x, [15.0, 20.0])
    assert by_k == 7.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: T.jacobian(lambda x: x, "x")(np.ones(2)),
        lambda: T.jacobian(lambda x: x, 3)(np.ones(2)),
        lambda: T.jacobian(lambda x: x)(np.ones(2) * 1j),
        lambda: T.jacobian(lambda x: x)("abc"),
        lambda: T.jacobian(3.0),
        lambda: T.gradient(lambda x: x)(np.ones(2)),
        lambda: T.solve(np.ones((2, 3)), np.ones(2)),
        lambda: T.cholesky(np.ones((2, 3))),
        lambda: kernels.compile(lambda x: x, [(1,)], dtype="int32"),
    ],
)
def test_wrong_arrays_and_options_are_errors_of_the_package(call):
    with pytest.raises(UnmooredError):
        call()
