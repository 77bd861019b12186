"""Derivatives on the graph against differences with 50 digits, and forward against reverse mode."""

import numpy as np
import pytest
from tests.trace import high_precision

from unmoored import trace as T

RNG = np.random.default_rng(7)


def arithmetic(x, y):
    return x[0] * y[1] - x[1] / (2.0 + y[0] * y[0]) + (x[2] - y[2]) ** 3 - y[1] ** -2, x @ y


def elementary(x, y):
    a = np.sin(x) * np.cos(y) + np.tan(0.3 * x) + np.exp(-y) + np.tanh(x * y) + np.sqrt(1.0 + x * x)
    b = (
        np.log(2.0 + y * y)
        + np.arcsin(0.2 * x)
        - np.arccos(0.2 * y)
        + np.arctan(x)
        + T.arctan2(x, y)
        + abs(y)
    )
    return a * b


def choices(x, y):
    picked = T.where(T.less(x, y), x * x * y, np.sin(y))
    return (
        picked
        + T.maximum(x, 0.3 * y) * T.minimum(y, 0.1)
        + T.copysign(x, y)
        + T.clip(x, -0.5, 0.5)
        + np.floor(x)
    )


def solved(x, y):
    A = np.outer(x, x) + np.eye(3)
    return T.solve_spd(A, y), T.inverse_spd(A)


def out_of_line(x, y):
    inner = T.outlined(lambda a: (np.sin(a) * a[0], a @ a))
    s, n = inner(x * y)
    t, m = inner(x + y)
    return s * m + t * n


FUNCTIONS = (arithmetic, elementary, choices, solved, out_of_line)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_forward_mode_against_high_precision(function):
    traced = T.trace(function, (3,), (3,))
    plain = T.inlined(traced)
    J = T.jacobian(traced)
    for _ in range(5):
        x, y = RNG.normal(size=(2, 3))
        exact = np.array(high_precision.jacobian(plain, [*x, *y]))
        parts = T.evaluate(J, x, y)
        pairs = zip(parts[::2], parts[1::2], strict=True)
        got = np.concatenate([np.hstack([a.reshape(-1, 3), b.reshape(-1, 3)]) for a, b in pairs])
        np.testing.assert_allclose(got, exact, rtol=1e-12, atol=1e-12 * np.abs(exact).max())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_forward_and_reverse_mode_agree(function):
    traced = T.trace(function, (3,), (3,))
    x, y, dx, dy = RNG.normal(size=(4, 3))
    tangents = T.evaluate(T.jvp(traced), x, y, dx, dy)
    tangents = tangents if isinstance(tangents, tuple) else (tangents,)
    weights = [RNG.normal(size=shape) for shape in traced.output_shapes]
    gx, gy = T.evaluate(T.vjp(traced), x, y, *weights)
    forward = sum(np.sum(w * t) for w, t in zip(weights, tangents, strict=True))
    assert forward == pytest.approx(gx @ dx + gy @ dy, rel=1e-13)


def test_gradient_of_a_scalar():
    traced = T.trace(lambda x: x @ x + np.sin(x[0]), (4,))
    x = RNG.normal(size=4)
    expected = 2.0 * x + np.array([np.cos(x[0]), 0.0, 0.0, 0.0])
    np.testing.assert_allclose(T.evaluate(T.gradient(traced), x), expected, rtol=1e-15)


def test_gradient_needs_a_scalar():
    with pytest.raises(ValueError, match="one scalar output"):
        T.gradient(T.trace(lambda x: x, (2,)))


def test_jacobian_by_chosen_inputs():
    traced = T.trace(lambda x, y: x * y, (2,), (2,))
    np.testing.assert_array_equal(
        T.evaluate(T.jacobian(traced, 1), [2.0, 3.0], [5.0, 7.0]), np.diag([2.0, 3.0])
    )
    with pytest.raises(ValueError, match=r"inputs 0\.\.1"):
        T.jacobian(traced, 2)


def test_a_branch_that_is_not_taken_gives_no_nan_in_forward_mode():
    traced = T.trace(lambda x: T.where(x > 0.0, np.sqrt(x), 0.0), ())
    assert T.evaluate(T.jacobian(traced), -1.0) == 0.0


def test_second_derivatives():
    traced = T.trace(lambda x: np.exp(x[0] * x[1]), (2,))
    x = np.array([0.3, -0.7])
    e, p = np.exp(x[0] * x[1]), x[0] * x[1]
    expected = e * np.array([[x[1] ** 2, 1.0 + p], [1.0 + p, x[0] ** 2]])
    np.testing.assert_allclose(T.evaluate(T.jacobian(T.gradient(traced)), x), expected, rtol=1e-14)
