"""Loops in kernels: what they compute, and the same bits alone, in a batch, at every width, in C and in CUDA."""

import time

import numpy as np
import pytest
from tests.kernels.programs import PROGRAMS, arguments, traced
from tests.kernels.test_bits import assert_same_bits
from tests.kernels.test_c_export import compiled as compiled_c
from tests.kernels.test_time_loop_cuda import NumpyAsCupy
from tests.support.thinning import one_in, pairs

from unmoored import kernels
from unmoored import trace as T
from unmoored.kernels import cuda
from unmoored.kernels.cuda import cuda_kernel, device
from unmoored.kernels.cut_function import CutFunction
from unmoored.kernels.time_loop import cuda_loop_kernel

#: of the largest entry, where a system is solved or a graph is far from well conditioned
TOLERANCES = {"solutions": 1e-11, "factors": 1e-12, "inverses": 1e-12}
BOTH = pytest.mark.parametrize("dtype", ["float64", "float32"])
EVERY = pytest.mark.parametrize("name", PROGRAMS)


def tupled(result):
    return result if isinstance(result, tuple) else (result,)


@EVERY
def test_the_loop_stays_a_loop_and_computes_what_python_computes(name):
    function, _ = PROGRAMS[name]
    graph = traced(name)
    assert any(node[0] in ("loop", "call", "scan") for node in graph.graph.nodes)
    x = arguments(name, (6,))
    found = tupled(kernels.compile(graph)(*x))
    interpreted, unrolled = (tupled(T.evaluate(g, *x)) for g in (graph, T.inlined(graph)))
    for k in range(6):
        plain = tupled(on_numbers(function, name, [a[k] for a in x]))
        for got, other, flat, expected in zip(found, interpreted, unrolled, plain, strict=True):
            scale = np.abs(expected).max()
            for value in (got, other, flat):
                np.testing.assert_allclose(
                    value[k], expected, rtol=1e-12, atol=TOLERANCES.get(name, 1e-13) * scale
                )


def on_numbers(function, name, arrays):
    """The function in plain Python; scans need symbols, so those are unrolled by the tracer instead."""
    if "scan" in name:
        shapes = PROGRAMS[name][1]
        return T.evaluate(T.inlined(T.trace(function, *shapes)), *arrays)
    return function(*arrays)


@pytest.mark.parametrize(("name", "dtype"), pairs(list(PROGRAMS), ["float64", "float32"]))
def test_same_bits_at_every_width_and_alone(name, dtype):
    graph, x = traced(name), arguments(name, (19,), dtype)
    check_widths(
        graph, x, dtype, (2, 8) if dtype == "float64" else (4, 16)
    )  # tests/long has all four of both


def check_widths(graph, x, dtype, widths):
    found = [tupled(kernels.compile(graph, dtype=dtype, width=width)(*x)) for width in widths]
    for other in found[1:]:
        assert_same_bits(found[0], other)
    kernel = kernels.compile(graph, dtype=dtype)
    for k in (0, 7, 18):
        alone = tupled(kernel(*(np.array(a[k]) for a in x)))
        assert_same_bits(alone, [result[k] for result in found[0]])


@pytest.mark.parametrize(
    ("name", "dtype"),
    one_in(
        2, [*((name, "float64") for name in PROGRAMS), *((name, "float32") for name in list(PROGRAMS)[::2])]
    ),
)
def test_bits_of_the_c_code(tmp_path, name, dtype):
    graph, x = traced(name), arguments(name, (5,), dtype)
    function, kernel = compiled_c(tmp_path, graph, dtype), kernels.compile(graph, dtype=dtype)
    for k in range(5):
        arrays = [np.array(a[k]) for a in x]
        assert_same_bits(function(*arrays), tupled(kernel(*arrays)))


@pytest.fixture
def on_host(monkeypatch, tmp_path):
    module = NumpyAsCupy(tmp_path)
    for place in (device, cuda_kernel, cuda_loop_kernel):
        monkeypatch.setattr(place, "cupy", lambda: module)


@pytest.mark.parametrize("name", one_in(2, PROGRAMS))
def test_bits_of_the_cuda_code(on_host, name):
    graph, x = traced(name), arguments(name, (70,))
    assert_same_bits(tupled(cuda.compile(graph)(*x)), tupled(kernels.compile(graph)(*x)))


@pytest.mark.parametrize(
    "name", one_in(3, [name for name in PROGRAMS if name not in ("factors", "solutions", "inverses")])
)
def test_bits_in_a_time_loop(on_host, name):
    """A state that is overwritten with the program's outputs, by the processor and by the CUDA code."""
    function, shapes = PROGRAMS[name]
    sizes = [int(np.prod(shape)) for shape in shapes]
    n = sum(sizes)

    def step(t, h, y, p, u):
        cut = np.split(y, np.cumsum(sizes)[:-1])
        given = [a.reshape(shape) if shape else a[0] for a, shape in zip(cut, shapes, strict=True)]
        new = np.concatenate([np.ravel(np.asarray(a, dtype=object)) for a in tupled(function(*given))])
        return y + h * np.tanh(np.resize(new, n)), 0.0

    def record(t, y, p, u):
        return y

    y = np.concatenate([a.reshape(11, -1) for a in arguments(name, (11,))], axis=1)
    options = {"state": n, "loops_beyond": 5}
    own = kernels.compile_loop(step, record, **options)
    whole = own(y, h=0.1, steps=4)
    assert_same_bits((own(y[5], h=0.1, steps=4).records,), (whole.records[5],))
    other = kernels.compile_loop(step, record, backend="cuda", **options)
    assert_same_bits((other(y, h=0.1, steps=4).records,), (whole.records,))
    assert not np.array_equal(whole.records[:, 0], whole.records[:, -1])


def test_an_inverse_is_exactly_symmetric():
    graph, x = traced("inverses"), arguments("inverses", (9,))
    for found in (kernels.compile(graph)(*x)[0], kernels.compile(graph)(x[0][0], x[1][0])[0]):
        assert np.array_equal(found, np.swapaxes(found, -1, -2))


def test_code_does_not_grow_with_the_number_of_runs():
    def many(times):
        return T.trace(lambda x: T.repeat(lambda i, y: np.sin(y) * x + i, x, times), (4,))

    short, long = (kernels.source(many(times)) for times in (3, 3000))
    assert len(long) - len(short) < 20
    assert many(3000).operations == 1000 * many(3).operations


def test_repeat_on_numbers_is_a_python_loop():
    seen = []
    assert T.repeat(lambda i, y: (seen.append(i), y + i)[1], 1.0, 4) == 7.0
    assert seen == [0, 1, 2, 3]
    assert T.repeat(lambda i, y: y + 1.0, 2.0, 0) == 2.0
    with pytest.raises(T.TracingError, match=r"whole number, at least 0, got 2\.5"):
        T.repeat(lambda i, y: y, 1.0, 2.5)


def test_entries_of_the_carry_that_stay_equal_or_constant_are_carried_once():
    def function(x):
        def step(i, carry):
            M, zero = carry
            return 0.5 * (M + M.T) + np.outer(x, x), zero

        return T.repeat(step, (np.eye(3) * 0.0, np.zeros(5)), 10)[0]

    graph = T.trace(function, (3,))
    (part,) = graph.graph.parts
    assert part.sizes[0] == 6
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(kernels.compile(graph)(x), 10.0 * np.outer(x, x), rtol=1e-14)


def test_a_step_must_keep_the_form_of_its_carry():
    with pytest.raises(T.TracingError, match="must return a carry of the form"):
        T.trace(lambda x: T.repeat(lambda i, y: y[:2], x, 3), (3,))


def test_a_large_product_compiles_at_once():
    start = time.perf_counter()
    kernel = kernels.compile(T.trace(T.matmul, (40, 40), (40, 40)))
    assert time.perf_counter() - start < 2.0  # written out: a minute
    A, B = np.random.default_rng(0).normal(size=(2, 9, 40, 40))
    np.testing.assert_allclose(kernel(A, B), A @ B, rtol=1e-12, atol=1e-12)


def test_a_matrix_that_is_not_positive_definite_has_no_factor():
    A = -np.eye(9)
    assert np.isnan(kernels.compile(T.cholesky, [(9, 9)])(A)).any()


def test_factors_of_special_matrices():
    """Columns with nothing below the diagonal are not reflected, as in LAPACK; a zero column gives a zero in R."""
    kernel = kernels.compile(T.qr, [(10, 10)])
    upper = np.triu(np.random.default_rng(3).normal(size=(10, 10)))
    for A in (np.eye(10), -np.eye(10), upper):
        for mine, theirs in zip(kernel(A), np.linalg.qr(A), strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-14)
    upper[:, 4] = 0.0
    Q, R = kernel(upper)
    np.testing.assert_allclose(Q @ R, upper, atol=1e-14)
    np.testing.assert_allclose(Q.T @ Q, np.eye(10), atol=1e-14)


def test_stacks_of_matrices_broadcast():
    def function(A, B):
        return T.matmul(A, B), T.solve(T.matmul(A, np.swapaxes(A, -1, -2)) + np.eye(9), B[None])

    A, B = np.random.default_rng(4).normal(size=(2, 9, 9)), np.random.default_rng(5).normal(size=(9, 9))
    found = kernels.compile(function, [A.shape, B.shape])(A, B)
    np.testing.assert_allclose(found[0], A @ B, atol=1e-13)
    np.testing.assert_allclose(
        found[1], np.linalg.solve(A @ np.swapaxes(A, -1, -2) + np.eye(9), B), atol=1e-11
    )


@pytest.mark.parametrize("n", [1, 2, 3])
def test_small_determinants(n):
    A = np.random.default_rng(n).normal(size=(5, n, n))
    np.testing.assert_allclose(kernels.compile(T.determinant, [(n, n)])(A), np.linalg.det(A), rtol=1e-12)


def test_what_does_not_fit_is_refused_with_its_line():
    with pytest.raises(T.TracingError, match=r"shapes \(3, 2\) and \(3,\) do not fit.*test_programs"):
        T.trace(lambda A, b: T.matmul(A, b), (3, 2), (3,))
    with pytest.raises(T.TracingError, match="up to 3×3"):
        T.trace(T.determinant, (4, 4))
    with pytest.raises(T.TracingError, match="m ≥ n"):
        T.trace(T.qr, (2, 3))


def test_python_stands_in_for_a_part_inside_loops_but_not_inside_other_parts():
    law = T.Part(lambda x: np.sin(x), "law")

    def inner(i, y):
        return law(y) + 0.1 * i * y

    def function(x):
        z, y = T.repeat(lambda i, c: (c[0] + T.repeat(inner, c[1], 2), law(c[1]) * x), (x, 2.0 * x), 3)
        return z * y

    graph, x = T.trace(function, (2,)), np.random.default_rng(0).normal(size=(7, 2))
    kernel, calls = kernels.compile(T.Part(lambda x: np.sin(x), "law").traced((2,))), []
    cut = CutFunction(graph, "law")
    np.testing.assert_array_equal(
        cut(lambda y: (calls.append(len(y)), kernel(y))[1], x), kernels.compile(graph)(x)
    )
    assert calls == [7] * 9
    other = T.Part(lambda x: law(x) + 1.0, "other")
    with pytest.raises(ValueError, match="law is called inside of another part"):
        CutFunction(T.trace(lambda x: other(x), (2,)), "law")
    x = np.array([[0.3, 0.4]])
    cut = CutFunction(T.trace(lambda x: law(x) + T.repeat(lambda i, y: y * x, x, 3), (2,)), "law")
    np.testing.assert_allclose(cut(lambda x: np.sin(x), x), np.sin(x) + x**4, rtol=1e-14)
