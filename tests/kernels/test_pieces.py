"""Long functions are cut into pieces: the same bits, and a time to compile that grows with their length only."""

import time

import numpy as np
import pytest
from tests.kernels.functions import everything
from tests.kernels.loop_functions import INPUTS, PARAMETERS, STATE, record, step
from tests.kernels.loop_functions import samples as loop_samples
from tests.kernels.programs import PROGRAMS, traced
from tests.kernels.test_bits import assert_same_bits, inputs
from tests.support.thinning import one_in

from unmoored import kernels, trace
from unmoored.kernels import kernel
from unmoored.kernels.llvm_source import pieces, samples
from unmoored.kernels.time_loop import loop_compiling

FUNCTIONS = {
    "everything": lambda: trace.trace(everything, (5,), (3,)),
    **{name: lambda name=name: traced(name) for name in PROGRAMS},
}


@pytest.fixture(autouse=True)
def without_cache(monkeypatch):
    """The code of a graph is the same for the cache, in pieces or not."""
    monkeypatch.setattr(kernel, "place_of", lambda *key: None)
    monkeypatch.setattr(loop_compiling, "place_of", lambda *key: None)


def tupled(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("name", one_in(2, ["everything", "look_ups", "nested", "called", "around_a_scan"]))
def test_same_bits_in_pieces(monkeypatch, name):
    graph = FUNCTIONS[name]()
    arrays = inputs(graph, 11, "float64")
    whole = tupled(kernels.compile(graph)(*arrays))
    monkeypatch.setattr(pieces, "LONG", 2)
    monkeypatch.setattr(pieces, "PIECE", 12)
    monkeypatch.setattr(samples, "STRAIGHT", 7)
    monkeypatch.setattr(samples, "RECURSION", 7)
    source = kernels.source(graph)
    assert source.count("_piece0(") >= 2  # defined and called
    assert_same_bits(tupled(kernels.compile(graph)(*arrays)), whole)
    alone = tupled(kernels.compile(graph)(*(np.array(a[4]) for a in arrays)))
    assert_same_bits(alone, [result[4] for result in whole])


@pytest.mark.parametrize("name", ["everything", "called", "in_a_scan"])
def test_same_bits_in_short_basic_blocks(monkeypatch, name):
    graph = FUNCTIONS[name]()
    arrays = inputs(graph, 11, "float64")
    whole = tupled(kernels.compile(graph)(*arrays))
    monkeypatch.setattr(samples, "STRAIGHT", 5)
    monkeypatch.setattr(samples, "RECURSION", 5)
    assert kernels.source(graph).count("label %cut") >= 2
    assert_same_bits(tupled(kernels.compile(graph)(*arrays)), whole)


def test_same_bits_in_a_time_loop(monkeypatch):
    y, p, u = loop_samples(13, 20, "float64")
    sizes = {"state": STATE, "parameters": PARAMETERS, "inputs": INPUTS}
    whole = kernels.compile_loop(step, record, **sizes)(y, p, inputs=u, h=0.02, steps=20)
    monkeypatch.setattr(pieces, "LONG", 2)
    monkeypatch.setattr(pieces, "PIECE", 7)
    cut = kernels.compile_loop(step, record, **sizes)(y, p, inputs=u, h=0.02, steps=20)
    assert_same_bits((cut.records, cut.state), (whole.records, whole.state))


@pytest.mark.long
def test_many_outputs_compile_at_once():
    """Bringing thousands of numbers from lanes to their arrays in one piece took half a minute."""
    graph = trace.trace(lambda x: np.outer(np.outer(x, x), x), (14,))
    start = time.process_time()
    compiled = kernels.compile(graph)
    assert time.process_time() - start < 5.0
    x = np.random.default_rng(0).normal(size=(9, 14))
    exact = np.einsum("si,sj,sk->sijk", x, x, x).reshape(9, 196, 14)
    np.testing.assert_allclose(compiled(x), exact, rtol=1e-15)
