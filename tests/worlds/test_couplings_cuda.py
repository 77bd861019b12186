"""Coupled joints and bounded allocation on the GPU: the bits of the processor; by a stand-in where there is none."""

import numpy as np
import pytest
from tests.support.cuda_on_host import CupyOnHost, DeviceArray
from tests.support.random_wrenches import EPSILON, THRUST_MAP, demands
from tests.worlds.test_couplings_steps import PLANT, start

import unmoored as um
from unmoored import kernels, trace
from unmoored.kernels import cuda
from unmoored.kernels.cuda import cuda_kernel, device
from unmoored.worlds.bounded_allocation import bounded_allocation


@pytest.fixture
def on_host(monkeypatch, tmp_path):
    cupy = CupyOnHost(tmp_path)
    monkeypatch.setattr(device, "cupy", lambda: cupy)
    monkeypatch.setattr(cuda_kernel, "cupy", lambda: cupy)


def allocated(wrench, low, high):
    return bounded_allocation(THRUST_MAP, wrench, low, high, EPSILON).thrusts


def test_bounded_allocation_has_the_same_bits(on_host):
    traced = trace.trace(allocated, (6,), (8,), (8,))
    arrays = demands(200, 3)
    mine = cuda.compile(traced)(*(DeviceArray(x) for x in arrays))
    assert np.array_equal(mine.host, kernels.compile(traced)(*arrays))


def test_coupled_dynamics_have_the_same_bits(on_host):
    states = [start(seed) for seed in range(40)]
    q, v, u = (np.stack(parts) for parts in zip(*states, strict=True))
    traced = trace.trace(
        lambda q, v, u: PLANT.forward_dynamics(0.0, q, v, u), q[0].shape, v[0].shape, u[0].shape
    )
    mine = cuda.compile(traced)(*(DeviceArray(x) for x in (q, v, u)))
    assert np.array_equal(mine.host, kernels.compile(traced)(q, v, u))


def test_a_run_on_a_gpu_has_the_same_bits():
    try:
        cuda.device_array(np.zeros(1))
    except (ImportError, RuntimeError):
        pytest.skip("no GPU")
    q, v, u = start(2)
    q, v = np.stack([q] * 64), np.stack([v] * 64)
    law = um.Inputs(PLANT, u * np.linspace(0, 1, 64)[:, None])
    runs = [
        um.simulate(PLANT, q, v, duration=0.1, step=1e-3, controller=law, record_every=10, backend=backend)
        for backend in ("cpu", "cuda")
    ]
    assert np.array_equal(runs[0].q, runs[1].q)
