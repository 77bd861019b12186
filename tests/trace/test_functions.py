"""The array functions give the same on numbers and, traced, on symbols."""

import numpy as np
import pytest

from unmoored import trace as T

X = np.array([[-1.5, 0.0, 2.0], [np.nan, 0.25, -0.0]])
Y = np.array([0.5, 0.0, -3.0])

PAIRS = {
    "less": T.less, "less_equal": T.less_equal, "greater": T.greater, "greater_equal": T.greater_equal,
    "equal": T.equal,
}  # fmt: skip
NUMPY = {"minimum": np.minimum, "maximum": np.maximum, "arctan2": np.arctan2, "copysign": np.copysign}


@pytest.mark.parametrize("name", PAIRS)
def test_comparisons(name):
    def function(x, y):
        return T.where(PAIRS[name](x, y), 1.0, 2.0)

    expected = np.where(getattr(np, name)(X, Y), 1.0, 2.0)
    np.testing.assert_array_equal(function(X, Y), expected)
    np.testing.assert_array_equal(T.evaluate(T.trace(function, (2, 3), (3,)), X, Y), expected)


@pytest.mark.parametrize("name", NUMPY)
def test_pairs(name):
    ours, expected = getattr(T, name), NUMPY[name](X, Y)
    np.testing.assert_array_equal(ours(X, Y), expected)
    np.testing.assert_array_equal(T.evaluate(T.trace(ours, (2, 3), (3,)), X, Y), expected)


def test_clip_sign_and_nan():
    for ours, expected in (
        (lambda x: T.clip(x, -1.0, 1.0), np.clip(X, -1.0, 1.0)),
        (T.sign, np.sign(X)),
    ):
        np.testing.assert_array_equal(ours(X), expected)
        np.testing.assert_array_equal(T.evaluate(T.trace(ours, (2, 3)), X), expected)


def test_conditions_join():
    def function(x):
        inside = T.less(-1.0, x) & T.less(x, 1.0)
        return T.where(inside | T.equal(x, 2.0), x, T.where(~inside, -x, 0.0))

    expected = np.where(((X > -1) & (X < 1)) | (X == 2), X, -X)
    np.testing.assert_array_equal(T.evaluate(T.trace(function, (2, 3)), X), expected)
    np.testing.assert_array_equal(function(X), expected)


def test_arrays_that_mix_numbers_and_symbols():
    def function(x):
        mixed = np.array([x, 3.0, -2.0])
        return T.minimum(mixed, 1.0), T.where(T.less(mixed, 0.0), mixed, 0.0), T.fma(mixed, 2.0, 1.0)

    for got, expected in zip(T.evaluate(T.trace(function, ()), 0.5), function(0.5), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_numpy_functions_reach_the_graph():
    def function(x, y):
        a = np.sin(x) + np.cos(y) * np.tan(x) - np.arctan(y) / np.exp(x) + np.sqrt(y * y) + np.tanh(x)
        b = np.log(np.abs(y)) + np.arcsin(0.3 * x) + np.arccos(0.2 * y) + np.floor(x) + np.rint(y) + x**2
        return np.cross(a, b), np.einsum("i,j->ij", a, b), np.concatenate([a, b]).sum(), (a @ b) * np.eye(3)

    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 3))
    for got, expected in zip(T.evaluate(T.trace(function, (3,), (3,)), x, y), function(x, y), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-14)


def test_solve_on_numbers_and_symbols():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(7, 5, 5))
    A = A @ np.swapaxes(A, -1, -2) + 2.0 * np.eye(5)
    b, B = rng.normal(size=(7, 5)), rng.normal(size=(7, 5, 2))
    for right in (b, B):
        traced = T.trace(T.solve_spd, (5, 5), right.shape[1:])
        for x in (T.solve_spd(A, right), T.evaluate(traced, A, right)):
            product = (A @ x[..., None])[..., 0] if right.ndim == 2 else A @ x
            np.testing.assert_allclose(product, right, rtol=0, atol=1e-12)


def test_solve_with_a_known_matrix_needs_no_divisions():
    A = np.array([[4.0, 1.0], [1.0, 3.0]])
    traced = T.trace(lambda b: T.solve_spd(A, b), (2,))
    assert all(traced.graph.nodes[k][0] != "div" for k in T.live_nodes(traced.graph, traced.flat_outputs))
    np.testing.assert_allclose(
        T.evaluate(traced, np.array([1.0, 2.0])), np.linalg.solve(A, [1.0, 2.0]), rtol=1e-15
    )


def test_inverse_is_symmetric_and_inverts():
    rng = np.random.default_rng(4)
    A = rng.normal(size=(6, 6))
    A = A @ A.T + np.eye(6)
    traced = T.trace(T.inverse_spd, (6, 6))
    for X in (T.inverse_spd(A), T.evaluate(traced, A)):
        np.testing.assert_array_equal(X, X.T)
        np.testing.assert_allclose(A @ X, np.eye(6), atol=1e-12)


@pytest.mark.parametrize("shape", [(4,), (5, 4, 2), (2, 5, 5, 1)])
def test_solve_refuses_other_shapes(shape):
    with pytest.raises(ValueError, match=r"b must be \(\.\.\., 5\) or \(\.\.\., 5, k\)"):
        T.solve_spd(np.eye(5), np.zeros(shape))


def test_solve_refuses_matrices_that_are_not_square():
    with pytest.raises(ValueError, match="square"):
        T.solve_spd(np.zeros((3, 2)), np.zeros(3))
