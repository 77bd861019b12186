"""Results of large batches, which are streamed: the same bits at every place in memory, with every stride."""

from dataclasses import replace

import numpy as np
import pytest

from unmoored import kernels, trace
from unmoored.kernels import machine_code
from unmoored.kernels.llvm_source import streamed_columns, streamed_rows


def outputs(x):
    """A matrix of 77 numbers and a row of 5, of which the last need the first."""
    a = np.sin(x)
    matrix = np.array([[a[i % 3] * (j + 1.0) + x[j % 3] for j in range(11)] for i in range(7)])
    return matrix, matrix[-1][:5] * a[0] + matrix[0][1:6]


def whole_lines(x):
    """Rows that are whole cache lines: the last entries are computed first."""
    entries = [np.sin(x[0]) + x[1]]
    for k in range(63):
        entries.append(entries[-1] * x[k % 3] + x[(k + 1) % 3])
    return np.array(entries[::-1]).reshape(8, 8), np.array(entries[:16])


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


@pytest.fixture(params=[0, 1 << 20], ids=["while_computed", "gathered"])
def gathered(request, monkeypatch):
    """Both ways past the caches, whichever this processor takes."""
    processor = replace(machine_code.host(), gathered=request.param)
    monkeypatch.setattr(machine_code, "host", lambda: processor)
    return request.param


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize(("width", "samples"), [(2, 40), (8, 64), (8, 67), (8, 3), (16, 33)])
def test_streamed_results_have_the_bits_of_direct_ones(monkeypatch, gathered, dtype, watched, width, samples):
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


@pytest.mark.parametrize(("dtype", "width"), [("float64", 8), ("float32", 16), ("float64", 4)])
def test_rows_of_whole_lines_and_columns_from_the_last_on(monkeypatch, gathered, dtype, width):
    x = np.random.default_rng(0).uniform(-1, 1, size=(37, 3)).astype(dtype)
    direct = kernels.compile(whole_lines, [(3,)], dtype=dtype, width=width, name="direct")(x)
    monkeypatch.setattr(streamed_rows, "_LEAST", 1)
    monkeypatch.setattr("unmoored.kernels.llvm_source.module.LARGE", 1)
    streamed = kernels.compile(whole_lines, [(3,)], dtype=dtype, width=width, name="streamed")
    for offset in (0, 4, 8, 16, 56, 64):
        if offset % np.dtype(dtype).itemsize == 0:
            for stride in (0, 80, 83):
                for a, b in zip(filled(streamed, x, offset, stride, dtype), direct, strict=True):
                    np.testing.assert_array_equal(a, b)


def test_a_line_is_the_end_of_one_chunk_and_the_beginning_of_the_next():
    lower, upper = np.arange(8), np.arange(8, 16)
    for upwards in (True, False):
        at_hand, before = (upper, lower) if upwards else (lower, upper)
        for shift, order in enumerate(np.reshape(streamed_columns.orders(8, upwards), (8, 8))):
            np.testing.assert_array_equal(np.concatenate([at_hand, before])[order], np.arange(8) + 8 - shift)


def test_the_text_streams_large_batches_only(gathered):
    big, small = [trace.trace(lambda x, n=n: np.array([x[0] + k for k in range(n)]), (1,)) for n in (64, 63)]
    assert ("@stream_rows" in kernels.source(big)) == (gathered > 0)
    assert "!nontemporal" in kernels.source(big)
    assert "!nontemporal" not in kernels.source(small)
