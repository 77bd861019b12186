"""Kernels behave like NumPy functions: broadcasting, out, types, shapes, errors."""

import numpy as np
import pytest
from tests.kernels.functions import everything, polynomial

from unmoored import kernels, trace

DOUBLE = kernels.compile(lambda A, x: A @ x, [(3, 4), (4,)], name="product")
SINGLE = kernels.compile(lambda A, x: A @ x, [(3, 4), (4,)], name="product", dtype="float32")


def test_broadcasting():
    rng = np.random.default_rng(0)
    A, x = rng.normal(size=(5, 1, 3, 4)), rng.normal(size=(7, 4))
    np.testing.assert_allclose(DOUBLE(A, x), (A @ x[..., None])[..., 0], rtol=1e-14)
    assert DOUBLE(A, x).shape == (5, 7, 3)
    assert DOUBLE(np.zeros((0, 3, 4)), np.zeros(4)).shape == (0, 3)


def test_out_is_filled_and_returned():
    A, x = np.random.default_rng(1).normal(size=(9, 3, 4)), np.ones(4)
    out = np.empty((9, 3))
    assert DOUBLE(A, x, out=out) is out
    np.testing.assert_array_equal(out, DOUBLE(A, x))


def test_out_may_overlap_an_input():
    kernel = kernels.compile(lambda x: x[::-1] * 2.0, [(4,)], name="reversed")
    x = np.random.default_rng(2).normal(size=(50, 4))
    expected = 2.0 * x[:, ::-1]
    np.testing.assert_array_equal(kernel(x, out=x), expected)


def test_several_outputs_are_a_tuple_and_scalars_are_numpy_scalars():
    kernel = kernels.compile(polynomial, [(3,)], name="polynomial")
    first, second = kernel(np.array([1.0, 2.0, 3.0]))
    assert type(first) is np.float64
    assert (first, second) == (10.5, 0.2)
    batch = kernel(np.ones((6, 3)))
    assert isinstance(batch, tuple)
    assert [part.shape for part in batch] == [(6,), (6,)]
    assert [part.shape for part in kernels.compile(everything, [(5,), (3,)])(np.zeros(5), np.ones(3))] == [
        (3,), (5, 5), (), (3,),
    ]  # fmt: skip


def test_the_direct_entry_is_in_use():
    assert type(DOUBLE.direct).__name__ == "builtin_function_or_method"
    assert type(SINGLE.direct).__name__ == "builtin_function_or_method"


@pytest.mark.parametrize(
    "arguments",
    [
        ([[1, 2, 3, 4]] * 3, [1, 0, 0, 0]),
        (np.ones((3, 4), int), np.ones(4, np.float32)),
        (np.ones((4, 3)).T, np.ones(8)[::2]),
        (np.ones((3, 4), ">f8"), np.ones(4)),
        (np.ones((3, 4), order="F"), (1.0, 1.0, 1.0, 1.0)),
        (np.ones((1, 3, 4))[0], np.ones((1, 4))[0]),
    ],
)
def test_single_calls_take_everything_that_numpy_takes(arguments):
    A, x = (np.asarray(a, float) for a in arguments)
    np.testing.assert_array_equal(DOUBLE(*arguments), A @ x)


def test_unaligned_arrays():
    raw = np.zeros(12 * 8 + 1, np.uint8)
    A = raw[1:].view(float).reshape(3, 4)
    A[:] = 1.0
    np.testing.assert_array_equal(DOUBLE(A, np.ones(4)), [4.0, 4.0, 4.0])


@pytest.mark.parametrize("shapes", [((3, 5), (4,)), ((3, 4), (3,)), ((3, 4), (4, 1)), ((4,), (4,))])
def test_wrong_shapes_raise(shapes):
    with pytest.raises(ValueError, match="product"):
        DOUBLE(*(np.zeros(shape) for shape in shapes))


def test_batches_that_do_not_broadcast_raise():
    with pytest.raises(ValueError, match="broadcast"):
        DOUBLE(np.zeros((2, 3, 4)), np.zeros((3, 4)))


def test_wrong_numbers_of_arguments_raise():
    with pytest.raises(TypeError, match="product"):
        DOUBLE(np.zeros((3, 4)))
    with pytest.raises(TypeError):
        DOUBLE()


def test_types_that_lose_digits_raise():
    with pytest.raises(TypeError, match="product"):
        SINGLE(np.zeros((3, 4)), np.zeros(4))
    with pytest.raises(TypeError):
        DOUBLE(np.zeros((3, 4), complex), np.zeros(4))
    with pytest.raises(TypeError):
        DOUBLE(np.zeros((3, 4)), np.zeros(4), out=np.zeros(3, int))
    assert SINGLE(np.ones((3, 4), np.float32), np.ones(4, np.float32)).dtype == np.float32


def test_wrong_out_raises():
    with pytest.raises(ValueError, match="product"):
        DOUBLE(np.zeros((5, 3, 4)), np.zeros(4), out=np.zeros((5, 4)))


def test_bad_requests_raise():
    with pytest.raises(ValueError, match="float64 or float32, not in float16"):
        kernels.compile(polynomial, [(3,)], dtype="float16")
    with pytest.raises(ValueError, match="power of two"):
        kernels.compile(polynomial, [(3,)], width=3)
    with pytest.raises(ValueError, match="at least one input"):
        kernels.compile(lambda: np.zeros(3), [])
    with pytest.raises(
        ValueError, match=r"empty: input 1 of a kernel must have entries, its shape is \(0,\)"
    ):
        kernels.compile(lambda x, y: x, [(3,), (0,)], name="empty")


def test_outputs_that_are_constants_or_inputs():
    kernel = kernels.compile(lambda x: (np.array([1.0, 2.0]), x, x[:1], x[0] * 0.0), [(3,)], name="constants")
    x = np.arange(30.0).reshape(10, 3)
    ones, same, first, zero = kernel(x)
    np.testing.assert_array_equal(ones, np.tile([1.0, 2.0], (10, 1)))
    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(first, x[:, :1])
    np.testing.assert_array_equal(zero, np.zeros(10))


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33])
@pytest.mark.parametrize("width", [2, 4, 8])
def test_every_number_of_columns_finds_its_lane(columns, width):
    kernel = kernels.compile(lambda x: (2.0 * x, x[-1] - x[0]), [(columns,)], width=width)
    x = np.random.default_rng(columns).normal(size=(19, columns))
    doubled, difference = kernel(x)
    np.testing.assert_array_equal(doubled, 2.0 * x)
    np.testing.assert_array_equal(difference, x[:, -1] - x[:, 0])


def test_parameters_are_just_more_inputs():
    kernel = kernels.compile(lambda x, mass: x / mass, [(3,), ()], name="scaled")
    x, masses = np.ones((4, 3)), np.array([1.0, 2.0, 4.0, 8.0])
    np.testing.assert_array_equal(kernel(x, masses), x / masses[:, None])


def test_sub_functions_are_called_out_of_line():
    inner = trace.outlined(lambda a, b: (a * b, a @ b))

    def outer(x, y):
        p, d = inner(x, y)
        q, e = inner(p, np.sin(y))
        return q * d + e

    kernel = kernels.compile(outer, [(3,), (3,)], name="outer")
    assert kernels.source(trace.trace(outer, (3,), (3,)), width=4).count("call void @part0_4") == 2
    x, y = np.random.default_rng(5).normal(size=(2, 13, 3))
    expected = [outer(a, b) for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(kernel(x, y), expected, rtol=1e-13, atol=1e-14)
    np.testing.assert_array_equal(kernel(x[3], y[3]), kernel(x, y)[3])


def test_a_kernel_says_what_it_is():
    assert repr(DOUBLE) == "Kernel(product(3,4),(4)->(3), float64, 12 operations)"
    assert DOUBLE.operations == 12


def test_a_function_outlives_its_kernel():
    import gc

    ufunc = kernels.compile(polynomial, [(3,)], name="short-lived").ufunc
    gc.collect()
    assert ufunc(np.array([1.0, 2.0, 3.0]))[0] == 10.5
