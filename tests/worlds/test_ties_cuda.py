"""Closures, contacts and lines on the GPU: the bits of the processor; by a stand-in where there is none."""

import numpy as np
import pytest
from tests.support.cuda_on_host import CupyOnHost, DeviceArray
from tests.worlds.closed_systems import closed_four_bar, four_bar, four_bar_angles

import unmoored as um
from unmoored import kernels, trace
from unmoored.kernels import cuda
from unmoored.kernels.cuda import cuda_kernel, device

LINE = um.Line("world", "end", stiffness=300.0, rest_length=0.5, damping=0.1, name="line")
FLOOR = um.HalfSpace(at=um.Pose(xyz=(0, -0.5, 0), rpy=(-np.pi / 2, 0, 0)))
CONTACT = um.Contact(
    "world", "tip", FLOOR, um.Sphere(0.4), stiffness=1e3, damping=0.2, friction=0.3, name="floor"
)
PIN = um.Closure("tip", "end", joint=um.Revolute((0, 0, 1)), name="pin")
PLANT = um.Plant(four_bar(), um.Earth(), closures=[PIN], elements=[LINE, CONTACT])


@pytest.fixture
def on_host(monkeypatch, tmp_path):
    cupy = CupyOnHost(tmp_path)
    monkeypatch.setattr(device, "cupy", lambda: cupy)
    monkeypatch.setattr(cuda_kernel, "cupy", lambda: cupy)


def states(count: int) -> tuple[np.ndarray, np.ndarray]:
    plant = closed_four_bar()
    found = [plant.assemble([θ, *four_bar_angles(θ)], [2.0, 0, 0]) for θ in np.linspace(0.3, 2.0, count)]
    q, v = (np.stack(parts) for parts in zip(*found, strict=True))
    return q, v


def test_dynamics_have_the_same_bits(on_host):
    q, v = states(20)
    traced = trace.trace(lambda q, v: PLANT.forward_dynamics(0.0, q, v), q[0].shape, v[0].shape)
    mine = cuda.compile(traced)(*(DeviceArray(x) for x in (q, v)))
    assert np.array_equal(mine.host, kernels.compile(traced)(q, v))


def test_a_run_with_a_switch_on_a_gpu_has_the_same_bits():
    try:
        cuda.device_array(np.zeros(1))
    except (ImportError, RuntimeError):
        pytest.skip("no GPU")
    q, v = states(64)
    event = um.Event(lambda t, q, v: q[0] - 1.2, "open", "rising", then=[um.Open("line")])
    runs = [
        um.simulate(PLANT, q, v, duration=0.1, step=1e-3, record_every=10, events=[event], backend=backend)
        for backend in ("cpu", "cuda")
    ]
    assert np.array_equal(runs[0].q, runs[1].q)
    assert runs[0].events == runs[1].events


def test_derivatives_on_a_gpu_are_those_of_the_processor():
    try:
        cuda.device_array(np.zeros(1))
    except (ImportError, RuntimeError):
        pytest.skip("no GPU")
    plant, (q, v) = closed_four_bar(), states(64)
    for call in (plant.closure_projection, plant.linear_system, plant.forward_dynamics_jacobian):
        mine, theirs = (call(0.0, q, v, backend=backend) for backend in ("cuda", "cpu"))
        assert np.array_equal(mine.get(), theirs), call
    u = np.zeros(3)
    mine, theirs = (plant.step_jacobian(0.0, q, v, u, 0.01, backend=backend) for backend in ("cuda", "cpu"))
    assert np.array_equal(mine.get(), theirs)
