"""Time loops for the GPU, run on the host by a stand-in for CuPy, against those of the processor: the same bits."""

import re
import shutil

import numpy as np
import pytest
from tests.kernels.loop_functions import INPUTS, PARAMETERS, STATE, compiled, record, samples, step, update
from tests.kernels.test_time_loop import assert_same
from tests.support.compilers import run_compiler, shared_library
from tests.support.cuda_on_host import OPTIONS, SHIM
from tests.support.gpu_or_host import NumpyAsCupy
from tests.trace.tree_recursion import random_tree, recursion

from unmoored import kernels
from unmoored import trace as T
from unmoored.kernels.cuda import device
from unmoored.kernels.cuda.cuda_kernel import OPTIONS as CUDA_OPTIONS
from unmoored.kernels.time_loop import cuda_loop_kernel
from unmoored.kernels.time_loop.cuda_loop_source import loop_source
from unmoored.kernels.time_loop.loop_functions import traced_functions

H, STEPS = 0.02, 60


@pytest.fixture(autouse=True)
def on_host(monkeypatch, tmp_path):
    module = NumpyAsCupy(tmp_path)
    monkeypatch.setattr(device, "cupy", lambda: module)
    monkeypatch.setattr(cuda_loop_kernel, "cupy", lambda: module)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("with_update", [True, False])
def test_bits_of_the_processor(dtype, with_update):
    mine, own = compiled(dtype, with_update, backend="cuda"), compiled(dtype, with_update)
    y, p, u = samples(70, STEPS // 3, dtype)
    options = {"t0": 0.7, "h": H, "steps": STEPS, "record_every": 4, "update_every": 5, "hold": 3}
    assert_same(mine(y, p, inputs=u, **options), own(y, p, inputs=u, **options))
    assert_same(mine(y[3], p[3], inputs=u[3], **options), own(y[3], p[3], inputs=u[3], **options))
    assert_same(mine(y, p[0], inputs=u[0], **options), own(y, p[0], inputs=u[0], **options))
    options |= {"steps": 31, "hold": 4, "first_index": 18, "end": False}
    status, index = np.arange(70) % 7 // 6, np.full(70, 18)
    for rows in (u[:, :9], u[0, :9]):
        results = [loop(y, p, inputs=rows, status=status, index=index, **options) for loop in (mine, own)]
        assert_same(*results)


@pytest.mark.parametrize("down", [False, True])
def test_inputs_in_several_arrays_backwards_and_what_is_done_after_steps(down):
    """Against a loop in Python; `after` sees the inputs of its own step, and swaps entries of the state."""

    def move(t, h, y, p, u):
        return np.stack([y[0] + h * u[0] + u[2], y[1] * u[1] + p[0] * t, y[2] + u[3]]), 0.0

    def after(t, y, p, u):
        return np.stack([y[1] + u[0], y[0], y[2] * 0.5])

    rng = np.random.default_rng(0)
    y, p = rng.normal(size=(9, 3)), rng.normal(size=(9, 1))
    inputs = rng.normal(size=(9, 12, 1)), rng.normal(size=(12, 2)), rng.normal(size=(9, 13, 1))
    given = inputs if down else (*inputs[:2], inputs[2][:, :12])
    options = {"state": 3, "parameters": 1, "inputs": (1, 2, 1), "after": after}
    mine, own = (
        kernels.compile_loop(move, lambda t, y, p, u: y, backend=backend, **options)
        for backend in ("cuda", "cpu")
    )
    call = {"t0": 0.3, "h": H, "steps": 12, "update_every": 3, "inputs": given, "down": down}
    assert_same(mine(y, p, **call), own(y, p, **call))
    state = y.T
    for k in range(12):
        row = 11 - k if down else k
        u = np.stack([inputs[0][:, row, 0], *(np.full(9, x) for x in inputs[1][row]), inputs[2][:, row, 0]])
        state, _ = move(0.3 + k * H, H, state, p.T, u)
        state = after(0.0, state, p.T, u) if (k + 1) % 3 == 0 else state
    assert np.abs(own(y, p, **call).state - state.T).max() < 1e-13


def test_loops_over_tables_inside_sub_functions():
    tree = T.trace(recursion(*random_tree(20)), (20,), (20,), loops_beyond=5, name="tree")

    def drift(t, h, y, p, u):
        rates = T.call_traced(tree, y[:20], y[20:])
        return np.concatenate(
            [y[:20] + h * y[20:], y[20:] + h * np.tanh(np.ravel(rates[0])[:1]) * y[:20]]
        ), 0.0

    mine, own = (
        kernels.compile_loop(drift, lambda t, y, p, u: y, state=40, backend=backend)
        for backend in ("cuda", "cpu")
    )
    y = 0.3 * np.random.default_rng(0).normal(size=(5, 40))
    assert_same(mine(y, h=H, steps=6), own(y, h=H, steps=6))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_source_compiles_without_warnings(tmp_path, dtype):
    form = kernels.format_of(dtype)
    functions = traced_functions(step, record, update, (STATE, PARAMETERS, INPUTS), form, 15)
    source = loop_source(functions, form)
    if shutil.which("nvcc"):
        path = tmp_path / "kernel.cu"
        path.write_text(source)
        options = (*CUDA_OPTIONS, "-Werror", "all-warnings", "-arch=sm_90", "-cubin")
        run_compiler("nvcc", *options, "-o", tmp_path / "kernel.cubin", path)
    else:
        shared_library(SHIM + source, ".cpp", tmp_path, *OPTIONS)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sub_functions_take_and_return_numbers_in_registers(monkeypatch, dtype):
    """One copy of each, called by value; by arrays where there are too many numbers."""
    form = kernels.format_of(dtype)

    def made():
        return loop_source(traced_functions(step, record, None, (STATE, PARAMETERS, INPUTS), form, 15), form)

    functions = re.findall(r"__device__ __noinline__ um_part\d+_results um_part\d+_of\(", made())
    assert len(functions) == len(set(functions)) > 0
    monkeypatch.setattr("unmoored.kernels.cuda.cuda_source.IN_REGISTERS", 8)
    assert "_results" not in made()
    assert "__device__ __noinline__ void um_part0(const" in made()
