"""Results of large batches, which are streamed: the same bits at every place in memory, with every stride."""

import numpy as np
import pytest

from unmoored import kernels, trace
from unmoored.kernels.llvm_source import streamed_rows


def outputs(x):
    """A matrix of 77 numbers and a row of 5, of which the last need the first."""
    a = np.sin(x)
    matrix = np.array([[a[i % 3] * (j + 1.0) + x[j % 3] for j in range(11)] for i in range(7)])
    return matrix, matrix[-1][:5] * a[0] + matrix[0][1:6]


def filled(kernel, x, offset, stride, dtype):
    """The outputs, `offset` bytes after the border of a page; samples `stride` numbers apart, or side by side."""
    found = []
    for shape in kernel.facts.output_shapes:
        size = int(np.prod(shape))
        step = max(stride, size) if stride else size
        memory = np.full(len(x) * step * 8 + 8192, 0xAB, dtype=np.uint8)
        start = -memory.ctypes.data % 4096 + offset
        flat = memory[start : start + len(x) * step * np.dtype(dtype).itemsize].view(dtype)
        found.append((memory, start, flat, flat.reshape(len(x), step)[:, :size].reshape(len(x), *shape)))
    rows = [
        np.lib.stride_tricks.as_strided(
            flat, view.shape, (step_of(flat, x) * flat.itemsize, *strides(view.shape[1:], flat.itemsize))
        )
        for _, _, flat, view in found
    ]
    kernel(x, out=tuple(rows))
    for memory, start, flat, _ in found:
        assert (memory[:start] == 0xAB).all()
        assert (memory[start + flat.nbytes :] == 0xAB).all()
    return rows


def step_of(flat, x):
    return len(flat) // len(x)


def strides(shape, itemsize):
    return tuple(int(np.prod(shape[k + 1 :])) * itemsize for k in range(len(shape)))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize(("width", "samples"), [(2, 40), (8, 64), (8, 67), (8, 3), (16, 33)])
def test_streamed_results_have_the_bits_of_direct_ones(monkeypatch, dtype, watched, width, samples):
    x = np.random.default_rng(0).normal(size=(samples, 3)).astype(dtype)
    x[samples // 2, 1] = np.nan
    direct = kernels.compile(outputs, [(3,)], dtype=dtype, width=width, watched=watched, name="direct")(x)
    monkeypatch.setattr(streamed_rows, "_LEAST", 1)
    monkeypatch.setattr("unmoored.kernels.llvm_source.module.LARGE", 1)
    streamed = kernels.compile(outputs, [(3,)], dtype=dtype, width=width, watched=watched, name="streamed")
    for offset in (0, 8, 16, 56):
        for stride in (0, 80, 83):
            got = filled(streamed, x, offset, stride, dtype)
            for a, b in zip(got, direct, strict=True):
                np.testing.assert_array_equal(a, b)
    if watched:
        assert np.isnan(direct[0][samples // 2]).all()
        assert not np.isnan(direct[0][0]).any()


def test_the_text_streams_large_batches_only():
    big, small = [trace.trace(lambda x, n=n: np.array([x[0] + k for k in range(n)]), (1,)) for n in (64, 63)]
    assert "!nontemporal" in kernels.source(big)
    assert "!nontemporal" not in kernels.source(small)
