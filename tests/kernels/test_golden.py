"""The generated code of a few small functions, kept as files. UPDATE_GOLDEN=1 writes them anew."""

import os
from pathlib import Path

import numpy as np
import pytest
from tests.kernels.functions import polynomial
from tests.trace.tree_recursion import random_tree, recursion

from unmoored import kernels, trace

FOLDER = Path(__file__).parent / "golden"


def planar_rotation(q, x):
    c, s = np.cos(q), np.sin(q)
    return np.array([[c, -s], [s, c]]) @ x


CASES = {
    "polynomial": (lambda: trace.trace(polynomial, (3,)), "float64", 4),
    "planar_rotation": (lambda: trace.trace(planar_rotation, (), (2,)), "float32", 8),
    "tree": (lambda: trace.trace(recursion(*random_tree(4)), (4,), (4,), loops_beyond=2), "float64", 2),
}


@pytest.mark.parametrize("name", CASES)
def test_generated_code(name):
    traced, dtype, width = CASES[name]
    source = kernels.source(traced(), dtype, width, architecture="x86_64")
    path = FOLDER / f"{name}.ll"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        FOLDER.mkdir(exist_ok=True)
        path.write_text(source)
    assert source == path.read_text(), (
        f"the code of {name} changed: look at it, then run with UPDATE_GOLDEN=1"
    )


def test_code_does_not_depend_on_the_run():
    traced, dtype, width = CASES["tree"]
    assert kernels.source(traced(), dtype, width) == kernels.source(traced(), dtype, width)
