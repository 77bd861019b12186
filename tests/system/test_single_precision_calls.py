"""Calls with float32 arrays go straight to their kernel, as those with float64 do, and give what checked calls give."""

import numpy as np
import pytest

import unmoored as um
from unmoored.system.argument_kinds import checked_array

SYSTEM = um.load("free_flyer_arm7")


def arrays(batch, dtype):
    rng = np.random.default_rng(0)
    q = np.broadcast_to(SYSTEM.random_configuration(0), (*batch, SYSTEM.nq))
    return [np.ascontiguousarray(x, dtype=dtype) for x in (q, *rng.normal(size=(2, *batch, SYSTEM.nv)))]


@pytest.mark.parametrize("batch", [(), (5,)])
def test_every_call_gives_the_same_in_single_precision(batch):
    q, v, tau = arrays(batch, np.float32)
    first = SYSTEM.forward_dynamics(q, v, tau)
    assert first.dtype == np.float32
    for _ in range(2):
        again = SYSTEM.forward_dynamics(q, v, tau)
        assert again.dtype == np.float32
        np.testing.assert_array_equal(again, first)
    out = np.empty_like(first)
    for _ in range(3):
        out[...] = 0.0
        assert SYSTEM.forward_dynamics(q, v, tau, out=out) is out
        np.testing.assert_array_equal(out, first)
    exact = SYSTEM.forward_dynamics(*(x.astype(float) for x in (q, v, tau)))
    assert exact.dtype == np.float64
    np.testing.assert_allclose(first, exact, rtol=1e-3, atol=1e-3)


def test_a_short_way_is_kept_and_taken(monkeypatch):
    q, v, tau = arrays((4,), np.float32)
    expected = SYSTEM.forward_dynamics(q, v, tau)
    monkeypatch.setitem(SYSTEM.forward_dynamics.__func__.__globals__, "checked_call", None)
    np.testing.assert_array_equal(SYSTEM.forward_dynamics(q, v, tau), expected)


def test_arrays_of_other_kinds_are_not_taken_for_singles():
    q, v, tau = arrays((4,), np.float32)
    SYSTEM.forward_dynamics(q, v, tau)
    for other in (np.float64, np.float16, np.int32):
        mixed = SYSTEM.forward_dynamics(q, v, tau.astype(other))
        assert mixed.dtype == np.float64
    turned = SYSTEM.forward_dynamics(q, v, tau, gravity=(0.0, 0.0, -9.81))
    assert turned.dtype == np.float32
    assert not np.array_equal(turned, SYSTEM.forward_dynamics(q, v, tau))
    with pytest.raises(um.ModelError, match="shape"):
        SYSTEM.forward_dynamics(q, v[:, :3], tau)
    v[2, 1] = np.nan
    assert np.isnan(SYSTEM.forward_dynamics(q, v, tau)[2]).all()
    with pytest.raises(um.ModelError, match="number"):
        SYSTEM.forward_dynamics(q[2], v[2], tau[2])


@pytest.mark.parametrize(
    ("given", "kept"),
    [(np.float32, np.float32), (np.float64, np.float64), (np.int32, np.float64), (np.float16, np.float64)],
)
def test_arrays_are_read_in_single_precision_only_if_they_have_it(given, kept):
    read = checked_array("here", "v", np.arange(6, dtype=given), (6,))
    assert read.dtype == kept
    assert np.array_equal(read, np.arange(6))


def test_operations_are_those_of_the_method_that_is_asked_for():
    q, v, tau = arrays((), np.float64)
    system = um.load("free_flyer_arm7")
    system.forward_dynamics(q, v, tau)
    forward = system._kernels.operations("forward_dynamics")
    system.centre_of_mass(q)
    assert system._kernels.operations("forward_dynamics") == forward
    assert 0 < system._kernels.operations("centre_of_mass") < forward / 2
