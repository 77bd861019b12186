"""Machine code goes with the last thing that may call it, and not before."""

import gc

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states

import unmoored as um
from unmoored import kernels
from unmoored.kernels import machine_code
from unmoored.simulation import run_kernels
from unmoored.system import method_calls, method_kernels


def made(i):
    return kernels.compile(lambda x: x * (i + 1.5) + np.sin(x), [(3,)], name=f"f{i}")


def loaded():
    gc.collect()
    return machine_code.loaded()


@pytest.mark.long
def test_code_lives_as_long_as_anything_that_calls_it():
    """The kernel, its ufunc and its direct entry may each be the last one."""
    before, x = loaded(), np.arange(3.0)
    kernel = made(0)
    right = kernel(x)
    ufunc, direct = kernel.ufunc, kernel.direct
    del kernel
    assert loaded() == before + 1
    for call in (ufunc, direct):
        assert np.array_equal(call(x), right)
        assert np.array_equal(call([0.0, 1.0, 2.0]), right)  # by the slow way
        assert np.array_equal(call(np.stack([x, x]))[1], right)
    del ufunc, call
    assert loaded() == before + 1
    assert np.array_equal(direct(x), right)
    del direct
    assert loaded() == before
    ufunc = made(1).ufunc
    assert loaded() == before + 1
    assert np.array_equal(ufunc(x), 2.5 * x + np.sin(x))


def test_many_kernels_leave_nothing():
    before = loaded()
    for i in range(40):
        assert made(i)(np.ones(3)).shape == (3,)
    assert loaded() <= before + 1


@pytest.mark.long
def test_laws_and_systems_that_are_gone_leave_nothing(monkeypatch):
    monkeypatch.setattr(run_kernels._kept, "most", 2)
    system = small_arm()
    q, v = states(system, 1)

    def run(i):
        um.simulate(system, q[0], v[0], controller=lambda t, q, v: -(0.1 + i) * v, duration=0.02, step=0.01)

    run(0)
    run(1)
    before = loaded()
    for i in range(2, 10):  # a run has two or three kernels: what stayed of each would be sixteen and more
        run(i)
    assert loaded() <= before + 4
    before = loaded()
    for _ in range(3):
        small_arm().mass_matrix(q[0])
        um.compile_method(system, "mass_matrix", free=["arm1.mass"])
    assert loaded() <= before + 1


def test_kernels_of_one_system_are_bounded_and_come_back(monkeypatch):
    """The least recently used one goes first; results are the same."""
    monkeypatch.setattr(method_kernels, "_MOST_KERNELS", 3)
    monkeypatch.setattr(method_calls, "_MOST_ENTRIES", 3)
    system = small_arm()
    q = system.random_configuration(1)
    right = {name: system.pose(q, name) for name in system.names}
    right |= {f"J {name}": system.jacobian(q, name) for name in system.names}
    assert len(system._kernels._kernels) == len(system._calls) == 3
    assert [place[:2] for place in system._kernels._kernels] == [("jacobian", name) for name in system.names]
    for name in system.names:
        assert np.array_equal(system.pose(q, name), right[name])
        assert np.array_equal(system.jacobian(q, name), right[f"J {name}"])
