"""Loops that end where all samples have arrived: the bits of all runs, fewer of them."""

import numpy as np

from unmoored import kernels, trace


def root(a, runs=60):
    """(√a by halving of an interval (kept once it is exact to 1e-6), halvings) of a number."""

    def step(i, carry):
        low, high, count, arrived = carry
        middle = 0.5 * (low + high)
        moves = trace.less(arrived, 0.5)
        below = trace.less(middle * middle, a)
        low = trace.where(moves, trace.where(below, middle, low), low)
        high = trace.where(moves, trace.where(below, high, middle), high)
        count = trace.where(moves, count + 1.0, count)
        return low, high, count, trace.where(trace.less(high - low, 1e-6), 1.0, 0.0)

    low, high, count, _ = trace.repeat_until(step, (0.0, 1.0 + a, 0.0, 0.0), runs)
    return np.array([0.5 * (low + high), count])


def every_run(a):
    """The same with `repeat`."""
    kept, trace.repeat_until = trace.repeat_until, trace.repeat
    try:
        return root(a)
    finally:
        trace.repeat_until = kept


NUMBERS = np.geomspace(1e-3, 1e6, 37)


def test_the_bits_are_those_of_all_runs_alone_and_in_batches():
    kernel, whole = kernels.compile(root, [()]), kernels.compile(every_run, [()])
    found = kernel(NUMBERS)
    assert np.array_equal(found, whole(NUMBERS))
    assert np.array_equal(found, np.stack([kernel(a) for a in NUMBERS]))
    assert np.array_equal(found, np.stack([root(a) for a in NUMBERS]))
    assert np.abs(found[:, 0] - np.sqrt(NUMBERS)).max() < 1e-6
    assert found[:, 1].min() < 22
    assert found[:, 1].max() > 38


def test_runs_that_change_nothing_are_left_out():
    def counted(limit):  # a step that does not keep what has arrived tells how many runs were made
        def step(i, carry):
            count, _ = carry
            return count + 1.0, trace.where(trace.less(count + 1.0, limit), 0.0, 1.0)

        return trace.repeat_until(step, (0.0, 0.0), 1000)[0]

    kernel = kernels.compile(counted, [()])
    assert kernel(7.0) == 7.0
    assert kernel(5000.0) == 1000.0
    batch = kernel(np.arange(1.0, 65.0))  # as many as the last of those side by side needs
    assert np.all(batch >= np.arange(1.0, 65.0))
    assert batch.max() == 64.0
    assert batch[0] < 20.0
    assert counted(7.0) == 7.0


def test_derivatives_both_ways():
    def newton(a):
        def step(i, carry):
            x, arrived = carry
            new = trace.where(trace.less(arrived, 0.5), 0.5 * (x + a / x), x)
            return new, trace.where(trace.less(np.abs(new * new - a), 1e-12 * a), 1.0, 0.0)

        return trace.repeat_until(step, (1.0 + 0.0 * a, 0.0), 30)[0]

    a = np.array([0.3, 2.0, 9.0])
    reverse = kernels.compile(trace.gradient(newton, wrt=0), [()])(a)
    forward = kernels.compile(trace.jacobian(newton, wrt=0), [()])(a)
    assert np.abs(reverse - 0.5 / np.sqrt(a)).max() < 1e-7
    assert np.abs(np.ravel(forward) - 0.5 / np.sqrt(a)).max() < 1e-7
