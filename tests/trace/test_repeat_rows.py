"""Loops over rows: the numbers of the Python loop, up and down, in loops, and their derivatives."""

import numpy as np
import pytest

from unmoored import kernels, trace

ROWS = np.random.default_rng(0).normal(size=(7, 3))


def summed(rows, factor, down):
    def step(i, carry, row):
        total, last = carry
        new = total * factor + row @ row + 0.1 * i
        return (new, row[0] + 0.0 * last), np.array([new, row[1] * factor])

    return trace.repeat_rows(step, (0.5, 0.0), rows, down=down)


@pytest.mark.parametrize("down", [False, True])
def test_kernels_have_the_numbers_of_the_python_loop(down):
    def flat(rows, factor):
        (total, last), kept = summed(rows, factor, down)
        return np.array([total, last]), kept

    (total, last), kept = summed(ROWS, 0.7, down)
    found, found_kept = kernels.compile(flat, [(7, 3), ()])(ROWS, 0.7)
    assert np.allclose(found, [total, last], rtol=1e-15)
    assert np.allclose(found_kept, kept, rtol=1e-15)
    assert kept.shape == (7, 2)


def test_gradients_go_through():
    def cost(rows, factor):
        (total, _), kept = summed(rows, factor, True)
        return total * total + (kept**2).sum()

    g = kernels.compile(trace.gradient(cost, wrt=1), [(7, 3), ()])(ROWS, 0.7)
    ε = 1e-6
    assert np.isclose(g, (cost(ROWS, 0.7 + ε) - cost(ROWS, 0.7 - ε)) / (2 * ε), rtol=1e-7)


def test_loops_in_loops():
    def nested(rows, factor):
        return trace.repeat(lambda i, f: 0.1 * summed(rows, f, False)[0][0], factor, 3)

    assert np.isclose(kernels.compile(nested, [(7, 3), ()])(ROWS, 0.7), nested(ROWS, 0.7), rtol=1e-14)
