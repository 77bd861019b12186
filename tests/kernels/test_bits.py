"""A sample has the same bits at every vector width, batch size and position, alone, and by threads."""

import numpy as np
import pytest
from tests.kernels.functions import everything
from tests.trace.tree_recursion import random_tree, recursion

from unmoored import kernels, trace

STRAIGHT = trace.trace(everything, (5,), (3,))
LOOPED = trace.trace(recursion(*random_tree(20)), (20,), (20,), loops_beyond=5)


def inputs(traced, batch, dtype, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(batch, *shape)).astype(dtype) for shape in traced.input_shapes]


def assert_same_bits(a, b):
    for one, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(np.signbit(one), np.signbit(other))


@pytest.mark.parametrize("traced", [STRAIGHT, LOOPED], ids=["straight", "looped"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_vector_width_does_not_matter(traced, dtype):
    arrays = inputs(traced, 37, dtype)
    results = [kernels.compile(traced, dtype=dtype, width=width)(*arrays) for width in (2, 4, 8, 16)]
    for result in results[1:]:
        assert_same_bits(results[0], result)


@pytest.mark.parametrize("traced", [STRAIGHT, LOOPED], ids=["straight", "looped"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_batch_size_and_position_do_not_matter(traced, dtype):
    kernel = kernels.compile(traced, dtype=dtype)
    arrays = inputs(traced, 40, dtype)
    whole = kernel(*arrays)
    for size in (1, 2, 3, 7, 8, 9, 15, 17, 31):
        for start in (0, 1, 5):
            part = kernel(*(array[start : start + size] for array in arrays))
            assert_same_bits(part, [result[start : start + size] for result in whole])


@pytest.mark.parametrize("traced", [STRAIGHT, LOOPED], ids=["straight", "looped"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_single_calls_give_the_bits_of_the_batch(traced, dtype):
    kernel = kernels.compile(traced, dtype=dtype)
    arrays = inputs(traced, 25, dtype)
    whole = kernel(*arrays)
    for k in range(25):
        sample = [np.ascontiguousarray(array[k]) for array in arrays]
        assert_same_bits(kernel.direct(*sample), [result[k] for result in whole])
        assert_same_bits(kernel.ufunc(*sample), [result[k] for result in whole])


def test_strided_and_broadcast_arrays_give_the_same_bits():
    kernel = kernels.compile(STRAIGHT)
    x, y = inputs(STRAIGHT, 30, "float64")
    whole = kernel(x, y)
    columns = np.asfortranarray(x)
    spaced = np.zeros((30, 10))
    spaced[:, ::2] = x
    for other in (columns, spaced[:, ::2], x[::-1][::-1]):
        assert_same_bits(kernel(other, y), whole)
    assert_same_bits(kernel(x[3], y), kernel(np.broadcast_to(x[3], x.shape).copy(), y))
    assert_same_bits(kernel(x[:, None], y[None]), _outer(kernel, x, y))


def _outer(kernel, x, y):
    rows = [kernel(np.broadcast_to(sample, (30, 5)).copy(), y) for sample in x]
    return [np.stack([row[k] for row in rows]) for k in range(4)]


def test_strided_outputs():
    kernel = kernels.compile(STRAIGHT)
    x, y = inputs(STRAIGHT, 12, "float64")
    whole = kernel(x, y)
    out = (np.zeros((3, 12)).T, np.zeros((12, 5, 5)).swapaxes(1, 2), np.zeros(12), np.zeros((12, 6))[:, ::2])
    returned = kernel(x, y, out=out)
    assert all(a is b for a, b in zip(returned, out, strict=True))
    assert_same_bits(out, whole)


def test_threads_give_the_same_bits(monkeypatch):
    kernel = kernels.compile(STRAIGHT)
    batch = 2 * kernels.WORTH_SHARING // kernel.operations
    arrays = inputs(STRAIGHT, batch, "float64")
    results = []
    for count in ("1", "2", "3"):
        monkeypatch.setenv("UNMOORED_THREADS", count)
        results.append(kernel(*arrays))
    assert_same_bits(results[0], results[1])
    assert_same_bits(results[0], results[2])
    out = tuple(np.empty_like(result) for result in results[0])
    kernel(*arrays, out=out)
    assert_same_bits(results[0], out)


def test_threads_with_broadcast_inputs(monkeypatch):
    kernel = kernels.compile(lambda x, y: np.sin(x) * y, [(3,), (3,)], name="product")
    x = np.random.default_rng(0).normal(size=(4, 60000, 3))
    y = np.array([1.0, 2.0, 3.0])
    monkeypatch.setenv("UNMOORED_THREADS", "2")
    two = kernel(x, y)
    monkeypatch.setenv("UNMOORED_THREADS", "1")
    np.testing.assert_array_equal(two, kernel(x, y))


@pytest.mark.parametrize("traced", [STRAIGHT, LOOPED], ids=["straight", "looped"])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 1e-4)])
def test_kernels_agree_with_the_interpreter(traced, dtype, tolerance):
    arrays = inputs(traced, 50, dtype, seed=3)
    expected = trace.evaluate(traced, *arrays)
    for got, true in zip(kernels.compile(traced, dtype=dtype)(*arrays), expected, strict=True):
        assert got.dtype == dtype
        scale = np.abs(true).max()
        np.testing.assert_allclose(got, true, rtol=tolerance, atol=tolerance * scale)
