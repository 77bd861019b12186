"""Large results lie in memory of earlier ones that nobody holds any longer, and never in that of one that is held."""

import gc
import threading

import numpy as np
import pytest

from unmoored import kernels
from unmoored.kernels import result_memory

F64 = np.dtype(np.float64)


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch):
    result_memory._free.clear()
    yield
    result_memory._free.clear()


def kept() -> int:
    return sum(size * len(blocks) for size, blocks in result_memory._free.items())


def test_memory_is_taken_over_only_when_nobody_holds_it():
    first = result_memory.empty((1000, 200), F64)
    place = first.ctypes.data
    assert place % 64 == 0
    part = first[10:12]
    del first
    assert result_memory.empty((1000, 200), F64).ctypes.data != place  # a part of it is still held
    part[:] = 1.0
    del part
    again = [result_memory.empty((1000, 201), F64) for _ in range(3)]  # a little larger: the same block
    assert len({x.ctypes.data for x in again}) == 3
    assert place in {x.ctypes.data for x in again}
    assert again[0].shape == (1000, 201)
    assert again[0].flags.c_contiguous
    assert again[0].flags.writeable


def test_small_and_huge_results_are_numpys_own(monkeypatch):
    assert result_memory.empty((10, 10), F64).flags.owndata
    monkeypatch.setattr(result_memory, "_MOST", 1 << 21)
    assert result_memory.empty((1 << 19,), F64).flags.owndata


def test_no_more_than_a_fixed_amount_is_kept(monkeypatch):
    monkeypatch.setattr(result_memory, "_MOST", 10 << 20)
    for size in (300_000, 400_000, 500_000, 600_000):
        held = [result_memory.empty((size,), F64) for _ in range(3)]
        del held
        assert 0 < kept() <= 10 << 20
    assert list(result_memory._free)[-1] >= 600_000 * 8


def test_results_of_kernels_stay_as_they_are_while_others_are_computed():
    def rows(x):
        return np.array([x[0] + k for k in range(70)]), x[1] * x[0]

    kernel = kernels.compile(rows, [(2,)], name="rows")
    rng = np.random.default_rng(0)
    held = []
    for _ in range(6):
        x = rng.normal(size=(5000, 2))
        matrix, product = kernel(x)
        held = [*held[-2:], (x, matrix, product)]
        for x, matrix, product in held:
            np.testing.assert_array_equal(matrix, x[:, :1] + np.arange(70.0))
            np.testing.assert_array_equal(product, x[:, 0] * x[:, 1])
    places = set()
    for _ in range(10):
        places.add(kernel(x)[0].ctypes.data)
    assert len(places) == 1


def test_threads_may_end_arrays_at_any_time():
    wrong = []

    def work(number):
        for k in range(300):
            array = result_memory.empty((131072 + 4096 * (k % 7),), F64)
            array[::512] = number
            if not (array[::512] == number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert not wrong
    assert kept() <= result_memory._MOST
