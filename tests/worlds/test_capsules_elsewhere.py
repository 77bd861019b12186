"""Capsules against boxes and cylinders, whose nearest place is searched in a loop: the same bits in C and in CUDA."""

import ctypes
from functools import cache

import numpy as np
import pytest
from tests.kernels.test_c_export import called
from tests.support.compilers import found, run_compiler
from tests.support.cuda_on_host import CupyOnHost, DeviceArray

import unmoored as um
from unmoored import kernels, trace
from unmoored.kernels import cuda
from unmoored.kernels.cuda import cuda_kernel, device

SHAPES = pytest.mark.parametrize(
    "shape", [um.Box((0.3, 0.4, 0.5)), um.Cylinder(0.2, 0.5)], ids=["box", "cylinder"]
)


@cache
def plant(shape: um.Box | um.Cylinder) -> um.Plant:
    b = um.SystemBuilder("two")
    b.vehicle("block", um.Free(), inertia=um.Inertia.box(3.0, (0.3, 0.4, 0.5)))
    b.vehicle("rod", um.Free(), inertia=um.Inertia.box(1.0, (0.1, 0.2, 0.5)))
    touch = um.Contact(
        "block", "rod", shape, um.Capsule(0.1, 0.5), stiffness=1e4, damping=0.1, friction=0.3, name="touch"
    )
    return um.Plant(b.build(), um.Earth(), elements=[touch])


def states(system: um.System) -> tuple[np.ndarray, np.ndarray]:
    """Most of them touch."""
    rng = np.random.default_rng(3)
    off = np.concatenate(
        [np.zeros((20, 6)), 0.25 * rng.normal(size=(20, 3)), rng.normal(size=(20, 3))], axis=1
    )
    return system.retract(np.tile(system.neutral(), (20, 1)), off), 0.2 * rng.normal(size=(20, 12))


@SHAPES
def test_cuda_has_the_bits_of_the_processor(shape, monkeypatch, tmp_path):
    cupy = CupyOnHost(tmp_path)
    monkeypatch.setattr(device, "cupy", lambda: cupy)
    monkeypatch.setattr(cuda_kernel, "cupy", lambda: cupy)
    own = plant(shape)
    q, v = states(own.system)
    traced = trace.trace(lambda q, v: own.forward_dynamics(0.0, q, v), q[0].shape, v[0].shape)
    expected = kernels.compile(traced)(q, v)
    plain = own.forward_dynamics(0.0, q, v, backend="numpy")
    assert np.abs(expected - plain).max() < 1e-9 * np.abs(plain).max()
    assert 5 < (np.abs(expected[:, 6:9]).max(axis=1) > 20.0).sum() < 20
    assert np.array_equal(cuda.compile(traced)(*(DeviceArray(x) for x in (q, v))).host, expected)


@SHAPES
def test_c_has_the_bits_of_the_method(shape, tmp_path):
    own = plant(shape)
    q, v = states(own.system)
    um.export_c(own, ["forward_dynamics"], tmp_path / "two.c")
    library = tmp_path / "two.so"
    run_compiler(
        found("gcc", "cc"),
        "-O1",
        "-ffp-contract=off",
        "-shared",
        "-fPIC",
        "-o",
        library,
        tmp_path / "two.c",
        "-lm",
    )
    for at, moving in zip(q, v, strict=True):
        u = np.zeros(own.nu)
        (mine,) = called(
            ctypes.CDLL(str(library)), "two_forward_dynamics", [np.array(0.0), at, moving, u], [(12,)]
        )
        assert np.array_equal(mine, own.forward_dynamics(0.0, at, moving, u))
