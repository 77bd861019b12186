"""The generated CUDA source: compiled by nvcc where it is installed, else by the host's compiler; golden files."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.kernels.functions import everything, polynomial
from tests.support.compilers import found, run_compiler
from tests.support.cuda_on_host import OPTIONS, SHIM
from tests.support.thinning import pairs
from tests.trace.tree_recursion import random_tree, recursion

import unmoored as um
from unmoored import trace
from unmoored.dynamics import recursive
from unmoored.kernels import cuda
from unmoored.kernels.c_source import CEntry, c_file
from unmoored.kernels.cuda import cuda_source
from unmoored.kernels.cuda.cuda_kernel import OPTIONS as CUDA_OPTIONS
from unmoored.trace.span_table import SpanTable

FOLDER = Path(__file__).parent / "golden"


def rotated(q, x):
    c, s = np.cos(q), np.sin(q)
    return np.array([[c, -s], [s, c]]) @ x


def forward_dynamics():
    system = um.load("free_flyer_arm7")
    return trace.trace(
        lambda q, v, tau: recursive.forward_dynamics(system.tree, q, v, tau, np.zeros(3)),
        (system.nq,), (system.nv,), (system.nv,),
    )  # fmt: skip


CASES = {
    "forward_dynamics": forward_dynamics,
    "everything": lambda: trace.trace(everything, (5,), (3,)),
    "loops": lambda: trace.trace(recursion(*random_tree(20)), (20,), (20,), loops_beyond=5),
}


@pytest.mark.parametrize(("name", "dtype"), pairs(list(CASES), ["float64", "float32"]))
def test_source_compiles_without_warnings(tmp_path, name, dtype):
    source = cuda.source(CASES[name](), dtype)
    if shutil.which("nvcc"):
        path = tmp_path / "kernel.cu"
        path.write_text(source)
        options = (*CUDA_OPTIONS, "-Werror", "all-warnings", "-arch=sm_90", "-cubin")
        run_compiler("nvcc", *options, "-o", tmp_path / "kernel.cubin", path)
    else:
        path = tmp_path / "kernel.cpp"
        path.write_text(SHIM + source)
        run_compiler(found("g++", "c++"), *OPTIONS, "-c", "-o", tmp_path / "kernel.o", path)


def test_too_many_bodies_for_a_thread(monkeypatch):
    monkeypatch.setattr(cuda_source, "THREAD_MEMORY", 2000)
    with pytest.raises(ValueError, match="numbers for one sample, more than the 2000 bytes"):
        cuda.source(CASES["loops"]())


def generated(name):
    if name == "polynomial.c":
        entry = CEntry(trace.trace(polynomial, (3,)), "polynomial", ("x",), ("p", "r"), "Two values of x[3].")
        return c_file("polynomial", [entry], comment="A small file.", macros={"POLYNOMIAL_N": 3}).source
    if name == "rotated.cu":
        return cuda.source(trace.trace(rotated, (), (2,)), "float32")
    return cuda.source(trace.trace(recursion(*random_tree(4)), (4,), (4,), loops_beyond=2))


@pytest.mark.parametrize("name", ["polynomial.c", "rotated.cu", "tree.cu"])
def test_generated_code(name):
    """UPDATE_GOLDEN=1 writes the files anew."""
    source, path = generated(name), FOLDER / name
    if os.environ.get("UPDATE_GOLDEN") == "1":
        FOLDER.mkdir(exist_ok=True)
        path.write_text(source)
    assert source == path.read_text(), (
        f"the code of {name} changed: look at it, then run with UPDATE_GOLDEN=1"
    )


def test_tables_of_infinities_and_nan_are_constants():
    """A GPU's compiler takes no function in the numbers of a table: they are written by their bits."""
    table = SpanTable(np.array([0.0, 1.0]), np.array([[1.0], [np.inf], [np.nan]]))
    for dtype, bits in (("float64", "0x7ff0000000000000u"), ("float32", "0x7f800000u")):
        source = cuda.source(trace.trace(lambda t: table.row(t[0]), (1,)), dtype)
        listed = source.split("_known0[")[1].split("};")[0]
        assert bits in listed
        assert "_as_" not in listed
