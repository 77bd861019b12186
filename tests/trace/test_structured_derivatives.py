"""Derivatives through calls and loops: against those of the unrolled graph, and gradients against directions."""

import numpy as np
import pytest
from tests.kernels.programs import PROGRAMS, arguments, traced
from tests.support.thinning import one_in
from tests.trace import high_precision

from unmoored import kernels
from unmoored import trace as T

EVERY = pytest.mark.parametrize("name", PROGRAMS)
HALF = pytest.mark.parametrize("name", one_in(2, PROGRAMS))


def tupled(result):
    return result if isinstance(result, tuple) else (result,)


def operations(graph):
    return {node[0] for node in graph.graph.nodes}


@EVERY
def test_directions_and_gradients_against_the_unrolled_function(name):
    graph = traced(name)
    x, dx = arguments(name, (), seed=1), arguments(name, (), seed=2)
    rng = np.random.default_rng(3)
    weights = [rng.normal(size=shape) for shape in graph.output_shapes]
    along, back = T.jvp(graph), T.vjp(graph)
    assert operations(along) & {"call", "loop", "scan"}
    assert operations(back) & {"call", "loop", "scan"}
    expected = directions(name, graph, x, dx)
    for found in (tupled(T.evaluate(along, *x, *dx)), tupled(kernels.compile(along)(*x, *dx))):
        assert_close(found, expected)
    found = tupled(kernels.compile(back)(*x, *weights))
    forward = sum(np.sum(w * t) for w, t in zip(weights, expected, strict=True))
    backward = sum(np.sum(g * d) for g, d in zip(found, dx, strict=True))
    size = sum(np.sum(np.abs(w * t)) for w, t in zip(weights, expected, strict=True))
    assert abs(forward - backward) < 1e-12 * size
    assert_close(tupled(T.evaluate(back, *x, *weights)), found)
    if name not in COMPLEX:
        assert_close(found, tupled(T.evaluate(T.vjp(T.inlined(graph)), *x, *weights)))


#: programs that NumPy runs on complex numbers: the imaginary part of f(x + i h dx) is h times the derivative, exactly
COMPLEX = ("solutions", "products", "inverses")


def directions(name, graph, x, dx):
    """Derivatives along dx, by a complex step or on the unrolled graph."""
    if name in COMPLEX:
        step = [a + 1e-30j * d for a, d in zip(x, dx, strict=True)]
        return [1e30 * np.imag(value) for value in tupled(PROGRAMS[name][0](*step))]
    return tupled(T.evaluate(T.jvp(T.inlined(graph)), *x, *dx))


def assert_close(found, expected):
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-11 * max(1.0, np.abs(theirs).max()))


SMALL = [name for name, (_, shapes) in PROGRAMS.items() if sum(int(np.prod(s)) for s in shapes) < 30]


@pytest.mark.parametrize("name", SMALL)
def test_jacobians_against_fifty_digits(name):
    graph, x = traced(name), arguments(name, (), seed=4)
    exact = np.array(
        high_precision.jacobian(T.inlined(graph), np.concatenate([np.ravel(a) for a in x]).tolist())
    )
    J = T.jacobian(graph)
    assert operations(J) & {"call", "loop", "scan"}
    for run in (lambda *a: T.evaluate(J, *a), kernels.compile(J)):
        blocks, count = tupled(run(*x)), len(x)
        rows = [
            np.hstack([np.reshape(b, (int(np.prod(shape)), -1)) for b in blocks[k * count : (k + 1) * count]])
            for k, shape in enumerate(graph.output_shapes)
        ]
        np.testing.assert_allclose(np.concatenate(rows), exact, rtol=1e-9, atol=1e-10 * np.abs(exact).max())


@HALF
def test_second_derivatives(name):
    """The direction of a gradient, through loops of loops, against differences of order 6."""
    function, shapes = PROGRAMS[name]

    def cost(*arrays):
        return sum(np.sum(a * a) for a in tupled(function(*arrays)))

    graph = T.trace(cost, *shapes, loops_beyond=5)
    x, dx = arguments(name, (), seed=5), arguments(name, (), seed=6)
    gradient = T.gradient(graph)
    along, h = T.jvp(gradient), 2e-3
    # long to compile, and as kernels with first derivatives above
    run = (lambda *a: T.evaluate(along, *a)) if name in ("inverses", "factors") else kernels.compile(along)
    found = tupled(run(*x, *dx))
    moves = h * np.array([1.0, 2.0, 3.0, -1.0, -2.0, -3.0])
    around = tupled(
        T.evaluate(gradient, *(a + np.multiply.outer(moves, d) for a, d in zip(x, dx, strict=True)))
    )
    for mine, values in zip(found, around, strict=True):
        pairs = values[:3] - values[3:]
        theirs = (45.0 * pairs[0] - 9.0 * pairs[1] + pairs[2]) / (60.0 * h)
        np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-6 * np.abs(theirs).max())


def test_functions_of_arrays():
    def f(x, y):
        return np.sin(x) * (y @ y), x[0] * y

    x, y, dx = np.array([0.3, -0.7]), np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2])
    a, b = T.jvp(f, wrt=0)(x, y, dx)
    np.testing.assert_allclose(a, np.cos(x) * dx * 14.0)
    np.testing.assert_allclose(b, dx[0] * y)
    g = T.vjp(f, wrt=[1, 0])(x, y, np.ones(2), np.zeros(3))
    np.testing.assert_allclose(g[0], 2.0 * y * np.sin(x).sum())
    np.testing.assert_allclose(g[1], np.cos(x) * 14.0)
    J = T.jacobian(f, wrt=1)(x, y)
    assert [block.shape for block in J] == [(2, 3), (3, 3)]
    np.testing.assert_allclose(J[1], x[0] * np.eye(3))
    cost = T.gradient(lambda x, y: np.sum(x * x) + x[0] * y[1], wrt=0)
    np.testing.assert_allclose(cost(x, y), [2.0 * x[0] + 2.0, 2.0 * x[1]])
    kernel = kernels.compile(T.gradient(cost_of), [(2,), (3,)])
    np.testing.assert_allclose(kernel(x, y)[1], cost_of_gradient(x, y))


def cost_of(x, y):
    return T.repeat(lambda i, s: s * 0.5 + x[0] * (y @ y), 0.0, 3)


def cost_of_gradient(x, y):
    return x[0] * 2.0 * y * 1.75


def test_wrong_numbers_of_arrays_are_refused():
    with pytest.raises(T.TracingError, match="takes arrays of shapes"):
        T.jvp(lambda x: x * x, wrt=0)(np.ones(2), np.ones(3))
    with pytest.raises(T.TracingError, match="how many arrays it takes cannot be seen"):
        T.vjp(lambda *x: x[0])(np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match=r"inputs 0\.\.0"):
        T.jacobian(lambda x: x, wrt=1)(np.ones(2))


def guarded(x):
    """Roots, quotients and logarithms that are infinite where they are not chosen, and in a part that is not."""
    inner = T.outlined(lambda z: (np.sqrt(z) * np.log(z), 1.0 / z))
    root, inverse = inner(x)
    chosen = T.where(T.greater(x, 0.1), root + inverse, x * x)
    nested = T.where(T.greater(x, -0.5), T.where(T.greater(x, 0.0), x / np.sqrt(x), 3.0 * x), x)
    return chosen + nested + T.where(T.less(x, 1e-3), 1.0 - x, np.arcsin(x / (1.0 + x)))


def test_singular_branches_that_are_not_taken_leave_no_trace():
    graph = T.trace(guarded, (5,))
    x = np.array([0.0, -0.7, -0.2, 0.05, 0.8])
    weights, dx = np.random.default_rng(0).normal(size=(2, 5))
    h = 1e-6
    slope = (guarded_numbers(x + h) - guarded_numbers(x - h)) / (2 * h)
    slope[0] = 3.0 - 1.0  # at the border of the inner branch the left one counts
    for run in (lambda f, *a: T.evaluate(f, *a), lambda f, *a: kernels.compile(f)(*a)):
        np.testing.assert_allclose(run(T.vjp(graph), x, weights), weights * slope, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(run(T.jvp(graph), x, dx), dx * slope, rtol=1e-7, atol=1e-8)


def guarded_numbers(x):
    with np.errstate(all="ignore"):
        return guarded(x)


def test_custom_derivatives_replace_those_of_the_graph():
    """Deliberately wrong ones, so that their use is seen: 10 times the true one."""

    def f(x, y):
        return x * y, np.sum(x)

    rules = {
        "jvp": lambda x, y, dx, dy: (10.0 * (x * dy + y * dx), 10.0 * np.sum(dx)),
        "vjp": lambda x, y, w, s: (10.0 * (w * y + s), 10.0 * w * x),
        "jacobian": lambda x, y: (
            10.0 * np.diag(y), 10.0 * np.diag(x), 10.0 * np.ones(2), np.zeros(2),
        ),
    }  # fmt: skip
    x, y, dx, dy = np.random.default_rng(0).normal(size=(4, 2))
    w, s = np.array([0.3, 0.7]), 0.2

    def around(own):
        return lambda x, y: own(np.sin(x), y)

    for names in (["jvp", "vjp"], ["jacobian"], ["jvp", "vjp", "jacobian"]):
        own = T.custom_derivative(f, **{name: rules[name] for name in names})
        np.testing.assert_array_equal(own(x, y)[0], x * y)
        for derive, more in ((T.jvp, (dx, dy)), (T.vjp, (w, s))):
            plain = tupled(derive(around(f))(x, y, *more))
            ten = tupled(derive(around(own))(x, y, *more))
            for a, b in zip(plain, ten, strict=True):
                np.testing.assert_allclose(10.0 * a, b, atol=1e-14)
    blocks = zip(T.jacobian(around(f))(x, y), T.jacobian(around(own))(x, y), strict=True)
    for a, b in blocks:
        np.testing.assert_allclose(10.0 * a, b, atol=1e-14)
    bad = T.custom_derivative(f, vjp=lambda x, y, w, s: w)
    with pytest.raises(T.TracingError, match="the vjp of f must return arrays of shapes"):
        T.vjp(around(bad))(x, y, w, s)


def test_code_of_a_gradient_does_not_grow_with_the_number_of_runs():
    def back(times):
        return T.vjp(T.trace(lambda x: T.repeat(lambda i, y: np.sin(y) * x + i, x, times), (4,)))

    short, long = (back(times) for times in (3, 300))
    assert len(T.trace(lambda x: x, (1,)).graph.nodes) < len(short.graph.nodes)
    texts = [kernels.source(graph) for graph in (short, long)]
    assert texts[1].count("define") == texts[0].count("define")
