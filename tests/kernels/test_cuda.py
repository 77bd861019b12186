"""CUDA kernels, run on the host by a stand-in for CuPy, against the kernels of the processor: the same bits."""

import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from tests.kernels.functions import everything
from tests.support.cuda_on_host import CupyOnHost, DeviceArray
from tests.support.random_trees import random_tree as random_system_tree
from tests.support.thinning import pairs
from tests.trace.tree_recursion import random_tree, recursion

import unmoored as um
from unmoored import kernels, trace
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.kernels import cuda
from unmoored.kernels.cuda import cuda_kernel, cuda_source, device
from unmoored.system import method_calls

STRAIGHT = trace.trace(everything, (5,), (3,))
LOOPED = trace.trace(recursion(*random_tree(20)), (20,), (20,), loops_beyond=5)
NARROW = trace.trace(lambda x, y: (np.sin(x) * y, x[0]), (4,), ())


@pytest.fixture(scope="module")
def cupy(tmp_path_factory):
    return CupyOnHost(tmp_path_factory.mktemp("cuda"))


@pytest.fixture(autouse=True)
def on_host(monkeypatch, cupy):
    monkeypatch.setattr(device, "cupy", lambda: cupy)
    monkeypatch.setattr(cuda_kernel, "cupy", lambda: cupy)
    monkeypatch.setattr(device, "array_type", DeviceArray)


@pytest.fixture(scope="module")
def narrow(cupy):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda_kernel, "cupy", lambda: cupy)
        return cuda.compile(NARROW)


def on_device(*arrays):
    return [DeviceArray(np.asarray(array)) for array in arrays]


def assert_same_bits(mine, theirs):
    assert isinstance(mine, DeviceArray)
    np.testing.assert_array_equal(mine.host, theirs)
    np.testing.assert_array_equal(np.signbit(mine.host), np.signbit(theirs))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("traced", [STRAIGHT, LOOPED], ids=["straight", "looped"])
def test_kernels_have_the_bits_of_the_processor(traced, dtype):
    compiled, own = cuda.compile(traced, dtype=dtype), kernels.compile(traced, dtype=dtype)
    rng = np.random.default_rng(0)
    for samples in (1, 31, 32, 33, 100):
        arrays = [rng.normal(size=(samples, *shape)).astype(dtype) for shape in traced.input_shapes]
        for mine, theirs in zip(compiled(*on_device(*arrays)), own(*arrays), strict=True):
            assert_same_bits(mine, theirs)
    assert compiled.operations == own.operations


WIDE = {
    "odd": lambda x, y: (np.outer(np.sin(x), np.sin(x)).ravel()[:21], y * x[0]),
    "even": lambda x, y: np.outer(x, np.concatenate([x, y, x])) * y[0],
    "groups": lambda x, y: np.array([[(x[k % 5] + k) * y[i % 3] for k in range(19)] for i in range(23)]),
}


@pytest.mark.parametrize(("name", "dtype"), pairs(list(WIDE), ["float64", "float32"]))
def test_wide_results_go_through_shared_memory(monkeypatch, name, dtype):
    """Whole rows, or groups of columns where they do not fit; a NaN among the inputs of a sample is in all results."""
    if name == "groups":
        monkeypatch.setattr(cuda_source, "TILE", 4096)
    traced = trace.trace(WIDE[name], (5,), (3,), name=name)
    compiled = cuda.compile(traced, dtype=dtype, watched=True)
    own = kernels.compile(traced, dtype=dtype, watched=True)
    assert "um_rows_out<" in compiled.source
    assert (compiled.source.count("um_rows_out<") > 3) == (name == "groups")
    rng = np.random.default_rng(0)
    for samples in (1, 31, 32, 33, 70):
        x, y = rng.normal(size=(samples, 5)).astype(dtype), rng.normal(size=(samples, 3)).astype(dtype)
        x[samples // 2, 3] = np.nan if samples > 1 else 0.0
        mine, theirs = compiled(*on_device(x, y)), own(x, y)
        for one, other in zip(mine, theirs, strict=True) if isinstance(mine, tuple) else [(mine, theirs)]:
            assert_same_bits(one, other)


def test_matrices_of_a_recursion_towards_the_root_are_filled_from_their_end():
    """As few values as possible wait at a time; that the order is another changes no bit."""
    system = um.load("free_flyer_arm7")
    traced = trace.trace(lambda q: mass_matrix(system.tree, q), (system.nq,), name="mass_matrix")
    compiled = cuda.compile(traced)
    places = [int(k) for k in re.findall(r"tile\[lane \* 169 \+ (\d+)\] =", compiled.source)]
    assert places == list(range(168, -1, -1))
    rng = np.random.default_rng(0)
    q = np.stack([system.random_configuration(rng) for _ in range(40)])
    assert_same_bits(compiled(*on_device(q)), kernels.compile(traced)(q))


def test_sub_functions():
    inner = trace.outlined(lambda x: np.sin(x) * x[::-1])
    traced = trace.trace(lambda x, y: inner(inner(x)) - inner(y), (4,), (4,))
    x, y = np.random.default_rng(1).normal(size=(2, 40, 4))
    assert_same_bits(cuda.compile(traced)(*on_device(x, y)), kernels.compile(traced)(x, y))


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (np.s_[:30], np.s_[:30]),
        (np.s_[0], np.s_[0]),
        (np.s_[0], np.s_[:30]),
        (np.s_[:1], np.s_[:30]),
        (np.s_[:30], np.s_[5]),
        (np.s_[:60:2], np.s_[:30]),
        (np.s_[::-1], np.s_[::-1]),
        (np.s_[:6, None], np.s_[:5]),
        (np.s_[:0], np.s_[:0]),
    ],
    ids=str,
)
def test_batches_broadcast_and_may_be_views(narrow, x, y):
    rng = np.random.default_rng(2)
    xs, ys = rng.normal(size=(60, 9))[:, 2:6][x], rng.normal(size=60)[y]
    for mine, theirs in zip(narrow(*on_device(xs, ys)), kernels.compile(NARROW)(xs, ys), strict=True):
        assert_same_bits(mine, theirs)


def test_columns_that_are_not_side_by_side(narrow):
    rng = np.random.default_rng(3)
    xs, ys = np.asfortranarray(rng.normal(size=(40, 4))), rng.normal(size=(40, 3))[:, 1]
    assert_same_bits(narrow(*on_device(xs, ys))[0], kernels.compile(NARROW)(xs, ys)[0])


def test_given_outputs(narrow):
    rng = np.random.default_rng(4)
    xs, ys = rng.normal(size=(40, 4)), rng.normal(size=40)
    expected = kernels.compile(NARROW)(xs, ys)
    scattered, alone = DeviceArray(np.zeros((40, 8))[:, ::2]), DeviceArray(np.zeros(40))
    results = narrow(*on_device(xs, ys), out=(scattered, alone))
    assert results[0] is scattered
    assert results[1] is alone
    assert_same_bits(scattered, expected[0])
    assert_same_bits(alone, expected[1])
    rows = np.concatenate([xs, np.zeros((1, 4))])
    shifted = DeviceArray(rows[1:])
    narrow(DeviceArray(rows[:-1]), DeviceArray(ys), out=(shifted, alone))
    assert_same_bits(shifted, expected[0])


def test_arrays_of_other_libraries_and_types(narrow, cupy):
    xs, ys = np.random.default_rng(5).normal(size=(2, 20, 4))
    expected = kernels.compile(NARROW)(xs, ys[:, 0])[0]
    foreign = SimpleNamespace(host=xs, __dlpack_device__=lambda: (2, 0))
    before = cupy.uploads
    assert_same_bits(narrow(foreign, DeviceArray(ys[:, 0]))[0], expected)
    assert cupy.uploads == before
    assert_same_bits(narrow(xs, ys[:, 0].tolist())[0], expected)
    assert cupy.uploads == before + 2
    short = DeviceArray(xs.astype("float32"))
    assert_same_bits(narrow(short, DeviceArray(ys[:, 0]))[1], xs.astype("float32")[:, 0].astype(float))


def test_wrong_arguments(narrow):
    x, y = on_device(np.zeros((5, 4)), np.zeros(5))
    with pytest.raises(TypeError, match="takes 2 arrays, got 1"):
        narrow(x)
    with pytest.raises(ValueError, match=r"argument 0 must have shape \(\.\.\., \(4,\)\), got \(5, 3\)"):
        narrow(DeviceArray(np.zeros((5, 3))), y)
    with pytest.raises(ValueError, match="do not broadcast"):
        narrow(x, DeviceArray(np.zeros(6)))
    with pytest.raises(TypeError, match="must be float64, not complex128"):
        narrow(DeviceArray(np.zeros((5, 4), complex)), y)
    with pytest.raises(ValueError, match="out must have shapes"):
        narrow(x, y, out=x)


@pytest.mark.long
def test_methods_of_a_system_stay_on_the_gpu(cupy):
    system = um.System(random_system_tree(6, ("Free", "Revolute", "Prismatic"), branching=False))
    rng = np.random.default_rng(6)
    q = np.stack([system.random_configuration(rng) for _ in range(40)])
    v, tau = rng.normal(size=(2, 40, system.nv))
    F, mask, g = rng.normal(size=6), (rng.random((40, system.nv)) < 0.5).astype(float), (0.0, 0.0, -9.81)
    dq, dv, dtau, dF, dmask = on_device(q, v, tau, F, mask)
    before = cupy.uploads
    assert_same_bits(system.forward_dynamics(dq, dv, dtau), system.forward_dynamics(q, v, tau))
    assert_same_bits(system.mass_matrix(dq), system.mass_matrix(q))
    mine = system.hybrid_dynamics(dq, dv, tau=dtau, acceleration=dtau, passive=dmask)
    theirs = system.hybrid_dynamics(q, v, tau=tau, acceleration=tau, passive=mask)
    for one, other in zip(mine, theirs, strict=True):
        assert_same_bits(one, other)
    assert cupy.uploads == before
    with_all = system.inverse_dynamics(dq, dv, dtau, gravity=g, wrenches={"tool": dF})
    assert cupy.uploads == before + 2  # gravity, for this call and for those to come
    for _ in range(2):
        assert_same_bits(with_all, system.inverse_dynamics(q, v, tau, gravity=g, wrenches={"tool": F}))
        with_all = system.inverse_dynamics(dq, dv, dtau, gravity=g, wrenches={"tool": dF})
    assert cupy.uploads == before + 2
    mine, theirs = system.energy(dq, dv), system.energy(q, v)
    assert type(mine) is type(theirs)
    assert_same_bits(mine.kinetic, theirs.kinetic)
    assert_same_bits(system.mass_matrix(q, backend="cuda"), system.mass_matrix(q))
    short = [x.astype("float32") for x in (q, v, tau)]
    assert_same_bits(system.forward_dynamics(*on_device(*short)), system.forward_dynamics(*short))


def test_the_second_call_goes_straight_to_the_kernel(monkeypatch):
    """It has the same bits, in new arrays or in those given; what does not fit is refused as in the first one."""
    system = um.load("free_flyer_arm7")
    rng = np.random.default_rng(3)
    q = np.stack([system.random_configuration(rng) for _ in range(33)])
    v, tau = rng.normal(size=(2, 33, system.nv))
    given, expected = on_device(q, v, tau), system.forward_dynamics(q, v, tau)
    out = DeviceArray(np.zeros_like(expected))
    for _ in range(2):
        assert_same_bits(system.forward_dynamics(*given), expected)
        assert system.forward_dynamics(*given, out=out) is out
        assert_same_bits(out, expected)
    with monkeypatch.context() as patch:
        patch.setattr(method_calls, "_read", lambda *_: pytest.fail("the checked way"))
        assert_same_bits(system.forward_dynamics(*given), expected)
        assert_same_bits(system.forward_dynamics(*given, out=out), expected)
        assert_same_bits(system.forward_dynamics(*given, backend="cuda"), expected)
        few = on_device(q[:, None], v, tau)  # batches that broadcast
        assert_same_bits(system.forward_dynamics(*few)[:, 0], system.forward_dynamics(q, v[0], tau[0]))
    for bad in (on_device(q, v[:, :5], tau), on_device(q, v[:7], tau)):
        with pytest.raises(um.ModelError, match=r"shape|batch"):
            system.forward_dynamics(*bad)
    with pytest.raises(um.ModelError, match="out"):
        system.forward_dynamics(*given, out=DeviceArray(np.zeros((33, 5))))
    forces = given[2]
    assert_same_bits(system.forward_dynamics(*given[:2], forces, out=forces), expected)


@pytest.mark.long
def test_numbers_on_the_gpu_that_may_change_are_read_in_every_call():
    system = um.load("free_flyer_arm7")
    rng = np.random.default_rng(4)
    q = np.stack([system.random_configuration(rng) for _ in range(33)])
    v, tau = rng.normal(size=(2, 33, system.nv))
    gravity = np.array([0.0, 0.0, -9.81])
    given, on_gpu = on_device(q, v, tau), DeviceArray(gravity)
    for pull in (-9.81, -1.62):
        gravity[2] = pull
        expected = system.forward_dynamics(q, v, tau, gravity=gravity)
        assert_same_bits(system.forward_dynamics(*given, gravity=on_gpu), expected)


def test_arrays_on_the_gpu_need_its_backend():
    system = um.load("free_flyer_arm7")
    q = DeviceArray(system.neutral())
    for backend in ("cpu", "numpy"):
        with pytest.raises(um.ModelError, match='"cuda" for arrays on the GPU'):
            system.mass_matrix(q, backend=backend)
    with pytest.raises(um.ModelError, match=r"shape \(\.\.\., 19\)"):
        system.mass_matrix(DeviceArray(np.zeros(5)))


@pytest.fixture
def real_cupy(monkeypatch, on_host):
    """The function that looks for CuPy, as it is."""
    monkeypatch.undo()
    device.cupy.cache_clear()
    yield device.cupy
    device.cupy.cache_clear()


def test_without_cupy(monkeypatch, real_cupy):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ImportError, match=r"pip install 'unmoored\[cuda\]'"):
        um.load("free_flyer_arm7").mass_matrix(np.zeros(19), backend="cuda")


def test_without_a_gpu(monkeypatch, real_cupy):
    def no_driver():
        raise OSError("no CUDA-capable device is detected")

    for count, message in ((no_driver, "no CUDA-capable device"), (lambda: 0, "finds none")):
        runtime = SimpleNamespace(getDeviceCount=count, CUDARuntimeError=OSError)
        monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))
        with pytest.raises(cuda.CudaError, match=message):
            cuda.compile(NARROW)


@pytest.mark.parametrize(
    "traced", [NARROW, LOOPED, trace.trace(lambda x: np.outer(x, x), (6,))], ids=["narrow", "loops", "wide"]
)
def test_a_nan_spoils_all_of_its_sample_and_no_other(traced):
    rng = np.random.default_rng(9)
    arrays = [rng.normal(size=(5, *shape)) for shape in traced.input_shapes]
    kernel, plain = cuda.compile(traced, watched=True), kernels.compile(traced, watched=True)
    right = kernel(*on_device(*arrays))
    arrays[-1][(3, *(0 for _ in arrays[-1].shape[1:]))] = np.nan
    got, cpu, others = kernel(*on_device(*arrays)), plain(*arrays), np.arange(5) != 3
    for a, b, c in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, right, cpu)), strict=True):
        assert np.isnan(a.host[3]).all()
        assert np.array_equal(a.host[others], b.host[others])
        assert np.array_equal(a.host, c, equal_nan=True)
