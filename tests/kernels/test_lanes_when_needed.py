"""The code for batches is compiled when the first batch comes, and has the bits of the code for one sample."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.system.test_refused_inputs import CALLS, owner_of, values

import unmoored as um
from unmoored import kernels
from unmoored.error_roots import ArrayError
from unmoored.kernels import kernel as kernel_file
from unmoored.system.argument_kinds import ArrayOf
from unmoored.system.method import methods_of

SAMPLES = 19
#: methods that have a kernel
COMPILED = [(kind, name) for kind, name in CALLS if not methods_of(getattr(um, kind))[name].numpy_only]


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("UNMOORED_CACHE_DIR", str(tmp_path))


@pytest.fixture
def compiled(caplog):
    """Names of what was compiled so far."""
    caplog.set_level(logging.INFO, "unmoored")
    return lambda: [
        record.message.split(":")[0][9:]
        for record in caplog.records
        if record.message.startswith("compiled ")
    ]


def long_function(x):
    """More than a few operations, and not equal in all lanes."""
    y = x
    for k in range(8):
        y = np.sin(y) * x[::-1] + y / (k + 2.0 + x * x)
    return y, y @ x


def test_batches_compile_the_lanes_once(compiled):
    kernel = kernels.compile(long_function, [(3,)], name="f")
    assert kernel.operations > kernel_file._SMALL
    x = np.random.default_rng(1).normal(size=(SAMPLES, 3))
    single = [kernel(row) for row in x]
    assert np.array_equal(kernel(x[0].tolist())[0], single[0][0])  # the slow way
    assert compiled() == ["f"]
    many = kernel(x)
    assert compiled() == ["f", "f for batches"]
    assert np.array_equal(many[0], [a for a, _ in single])
    assert np.array_equal(many[1], [b for _, b in single])
    kernel(x[:2])
    kernel.ufunc(x[0])
    assert len(compiled()) == 2
    again = kernels.compile(long_function, [(3,)], name="f")
    assert np.array_equal(again(x)[0], many[0])
    assert len(compiled()) == 2  # from the disk


def test_threads_that_bring_the_first_batch_together_compile_it_once(compiled):
    kernel = kernels.compile(long_function, [(3,)], name="f")
    x, begin = np.random.default_rng(4).normal(size=(4, SAMPLES, 3)), threading.Barrier(4)

    def called(batch):
        begin.wait()
        return kernel(batch)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(called, x))
    assert compiled() == ["f", "f for batches"]
    for batch, (y, _) in zip(x, found, strict=True):
        assert np.array_equal(y, kernel(batch)[0])


def test_what_does_not_fit_is_refused_before_and_after_the_first_batch():
    kernel = kernels.compile(long_function, [(3,)], name="f")
    for _ in range(2):
        for wrong in (
            (),
            (np.ones(3), np.ones(3)),
            (np.ones(4),),
            (np.ones((2, 4)),),
            (None,),
            ([[1.0], [1.0, 2.0]],),
        ):
            with pytest.raises((TypeError, ValueError)):
                kernel(*wrong)
        assert kernel(np.ones((0, 3)))[0].shape == (0, 3)
        kernel(np.ones((2, 3)))
    held = np.empty((5, 3)), np.empty(5)
    kernel(np.ones(3), out=held)  # one sample into places for five
    assert np.array_equal(held[0], np.tile(kernel(np.ones(3))[0], (5, 1)))


def test_a_small_function_is_compiled_whole(compiled):
    kernel = kernels.compile(lambda x: 2.0 * x, [(3,)], name="small")
    assert kernel(np.ones((4, 3))).sum() == 24.0
    assert compiled() == ["small"]


@pytest.mark.parametrize("watched", [False, True])
def test_either_code_alone_does_everything(watched, monkeypatch):
    """With strides of any kind, with NaNs, in one sample and in more than there are lanes."""
    x = np.random.default_rng(2).normal(size=(3, SAMPLES))
    x[1, 5] = np.nan
    kernel = kernels.compile(long_function, [(3,)], name="apart", watched=watched)
    monkeypatch.setattr(kernel_file, "_SMALL", 10**6)
    together = kernels.compile(long_function, [(3,)], name="together", watched=watched)
    for given in (x.T, np.ascontiguousarray(x.T), x.T[:1], x.T[:2], x.T[5:6], x[:, 0]):
        expected = together.ufunc(given)
        for ufunc in (kernel._few, kernel.ufunc):
            for got, right in zip(ufunc(given), expected, strict=True):
                assert np.array_equal(got, right, equal_nan=True)


def test_a_function_that_has_changed_before_its_first_batch_is_refused():
    """The key was given, the code for one sample came from the disk, and then the factor changed."""
    factor = [1.5]

    def function(x):
        return long_function(x)[0] * factor[0]

    kernels.compile(function, [(3,)], name="f", key="its key")
    kernel = kernels.compile(function, [(3,)], name="f", key="its key")
    factor[0] = 2.5
    with pytest.raises(ArrayError, match="f is not the function any more that it was when it was compiled"):
        kernel(np.ones((2, 3)))


@pytest.mark.parametrize(("kind", "name"), COMPILED)
def test_lanes_of_every_method_have_the_bits_of_single_calls(kind, name):
    method = methods_of(getattr(um, kind))[name]
    owner = owner_of(kind, method)
    given = values(owner, method)
    rng = np.random.default_rng(3)

    def varied(word, x):
        if word.startswith("q"):
            return np.stack(
                [getattr(owner, "system", owner).random_configuration(rng) for _ in range(SAMPLES)]
            )
        return np.asarray(x, dtype=float) * rng.uniform(0.5, 1.5, (SAMPLES,) + (1,) * np.ndim(x))

    loose = {
        word: varied(word, given[word])
        for word, how in method.arrays.items()
        if isinstance(how, ArrayOf) and word != "passive" and np.size(given[word])
    }
    many = getattr(owner, name)(**given | loose)
    for k in range(SAMPLES):
        one = getattr(owner, name)(**given | {word: x[k] for word, x in loose.items()})
        pairs = zip(many, one, strict=True) if isinstance(many, tuple) else [(many, one)]
        assert all(np.array_equal(batch[k], alone) for batch, alone in pairs)
