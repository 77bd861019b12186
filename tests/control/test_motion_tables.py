"""References through many points are tables of the kernel: never part of its code or key, the same bits everywhere."""

import pickle

import numpy as np
import pytest
from tests.kernels.test_c_export import compiled as compiled_c
from tests.kernels.test_time_loop_cuda import NumpyAsCupy
from tests.simulation.arms import small_arm
from tests.support.thinning import one_in

import unmoored as um
from unmoored import kernels, trace
from unmoored.kernels import cuda
from unmoored.kernels.cuda import cuda_kernel, device
from unmoored.simulation import run_kernels
from unmoored.trace.span_table import HANDLE, SpanTable, handle_of, tables_at

SYSTEM = small_arm()
GO = {"duration": 0.2, "step": 0.01}


def times_of(K, seed, kind="random"):
    rng = np.random.default_rng(seed)
    if kind == "even":
        return np.linspace(-0.3, 2.0, K)
    return np.sort(rng.uniform(-0.3, 2.0, K)) if kind == "random" else np.geomspace(1e-9, 2.0, K)


def sampled(K=40, seed=0, n=1):
    values = np.cumsum(np.random.default_rng(seed).normal(size=(K, n)), axis=0) / K
    return um.Sampled(times_of(K, seed), values)


def moved(first, second, **options):
    plant = um.Plant(SYSTEM, prescribed={"arm1": first, "arm2": second})
    q = plant.configuration(0.0, SYSTEM.neutral(), backend="numpy")  # no kernels but those of the run
    v = plant.full_velocity(0.0, q, 0.1 * np.ones(plant.nw), backend="numpy")
    return um.simulate(plant, q, v, **(GO | options))


def tracked(first, second, **options):
    law = um.JointPD(um.Plant(SYSTEM), {"arm1": first, "arm2": second}, stiffness=3.0, damping=1.0)
    return um.simulate(SYSTEM, SYSTEM.neutral(), controller=law, **(GO | options))


WAYS = pytest.mark.parametrize("way", [moved, tracked])


@pytest.mark.parametrize("kind", ["even", "random", "geometric"])
@pytest.mark.parametrize("K", [2, 7, 1000])
def test_a_kernel_finds_the_rows_that_numpy_finds(tmp_path, monkeypatch, K, kind):
    table = SpanTable(times_of(K, 1, kind), np.random.default_rng(2).normal(size=(K + 1, 3)))

    def found(t, address):
        with tables_at([table], address):
            return table.row(t)

    traced = trace.trace(found, (), (HANDLE,))
    t = np.concatenate([np.linspace(-1.0, 3.0, 401), table.times, np.nextafter(table.times, -9.0)])
    memory = table.numbers("float64")
    expected, address = table.row(t), handle_of(memory)
    np.testing.assert_array_equal(kernels.compile(traced)(t, address), expected)
    np.testing.assert_array_equal(kernels.compile(traced)(t[7], address), expected[7])
    np.testing.assert_array_equal(trace.evaluate(traced, t, address), expected)
    np.testing.assert_array_equal(compiled_c(tmp_path, traced)(t[30], address)[0], expected[30])
    single = SpanTable(table.times.astype("float32").astype(float), table.rows)
    short = single.numbers("float32")
    t32 = t.astype("float32")
    np.testing.assert_array_equal(
        kernels.compile(traced, dtype="float32")(t32, handle_of(short).astype("float32")),
        single.row(t32).astype("float32") if table.layout == single.layout else np.nan,
    )
    monkeypatch.setattr(device, "cupy", lambda: NumpyAsCupy(tmp_path))
    monkeypatch.setattr(cuda_kernel, "cupy", lambda: NumpyAsCupy(tmp_path))
    assert "(const double *)" in cuda.source(traced)


@pytest.mark.parametrize("kind", ["even", "random", "geometric"])
@pytest.mark.parametrize("K", [2, 300])
def test_code_that_was_given_no_table_holds_its_numbers(tmp_path, K, kind):
    table = SpanTable(times_of(K, 1, kind), np.random.default_rng(2).normal(size=(K + 1, 3)))
    traced = trace.trace(lambda t: table.row(t) * t, ())
    t = np.concatenate([np.linspace(-1.0, 3.0, 101), table.times, np.nextafter(table.times, -9.0), [np.nan]])
    expected = table.row(t) * t[:, None]
    np.testing.assert_array_equal(kernels.compile(traced)(t), expected)
    np.testing.assert_array_equal(kernels.compile(traced)(t[7]), expected[7])
    np.testing.assert_array_equal(trace.evaluate(traced, t[:-1]), expected[:-1])
    in_c = compiled_c(tmp_path, traced)
    for k in range(0, len(t), 17):
        np.testing.assert_array_equal(in_c(t[k])[0], expected[k])
    assert f"[{len(table.numbers('float64'))}] = {{" in cuda.source(traced)
    slope = kernels.compile(trace.jacobian(traced))(t)
    np.testing.assert_array_equal(slope[:-1], table.row(t[:-1]))
    single = SpanTable(table.times.astype("float32").astype(float), table.rows)
    t32 = t[:-1].astype("float32")
    found = kernels.compile(lambda t: single.row(t), [()], dtype="float32")(t32)
    np.testing.assert_array_equal(found, single.row(t32).astype("float32"))
    other = SpanTable(table.times, 2.0 * table.rows)  # same layout, another content
    assert not np.array_equal(kernels.compile(lambda t: other.row(t) * t, [()])(t[7]), expected[7])


def test_an_address_without_its_mark_is_not_followed():
    table = SpanTable(np.array([0.0, 1.0]), np.ones((3, 2)))

    def found(t, address):
        with tables_at([table], address):
            return table.row(t)

    kernel = kernels.compile(found, [(), (HANDLE,)])
    assert np.all(np.isnan(kernel(np.linspace(0, 1, 9), np.random.default_rng(0).normal(size=HANDLE))))
    assert np.all(np.isnan(kernel(0.5, np.full(HANDLE, np.nan))))


def test_the_motion_is_that_of_the_same_function_without_a_table():
    a, b = sampled(20, 1), sampled(30, 2)
    plain, found = moved(um.Motion(lambda t: a(t)), um.Motion(lambda t: b(t))), moved(a, b)
    assert found.completed
    np.testing.assert_allclose(found.q, plain.q, atol=1e-13)
    np.testing.assert_allclose(found.v, plain.v, atol=1e-13)


@WAYS
def test_another_table_of_the_same_shape_needs_no_new_kernel(monkeypatch, way):
    first = way(sampled(50, 1), sampled(60, 2))
    made = []
    for name in ("compile", "compile_loop"):
        real = getattr(kernels, name)
        monkeypatch.setattr(
            run_kernels.kernels,
            name,
            lambda *a, real=real, **o: (made.append(o.get("name")), real(*a, **o))[1],
        )
    second = way(sampled(50, 3), sampled(60, 4))
    assert not made
    assert np.abs(first.q - second.q).max() > 1e-3
    np.testing.assert_array_equal(way(sampled(50, 1), sampled(60, 2)).q, first.q)
    assert not made
    way(sampled(51, 1), sampled(60, 2))
    assert made


@WAYS
@pytest.mark.parametrize("dtype", one_in(2, ["float64", "float32"]))
def test_alone_in_a_batch_and_in_numpy(way, dtype):
    a, b = sampled(500, 1), sampled(600, 2)
    alone = way(a, b, dtype=dtype)
    reference = way(a, b, backend="numpy")
    assert np.abs(alone.q - reference.q).max() < (1e-12 if dtype == "float64" else 1e-4)
    plant = um.Plant(SYSTEM, prescribed={"arm1": a, "arm2": b}) if way is moved else um.Plant(SYSTEM)
    q, v = SYSTEM.neutral(), np.zeros(8)
    if way is moved:
        q = plant.configuration(0.0, q, backend="numpy")
        v = plant.full_velocity(0.0, q, 0.1 * np.ones(plant.nw), backend="numpy")
    law = None if way is moved else um.JointPD(plant, {"arm1": a, "arm2": b}, stiffness=3.0, damping=1.0)
    many = um.simulate(plant, np.tile(q, (21, 1)), np.tile(v, (21, 1)), controller=law, dtype=dtype, **GO)
    np.testing.assert_array_equal(many.q, np.tile(alone.q, (21, 1, 1)))


def test_a_law_that_python_calls_has_the_bits_of_the_kernel():
    a, b = sampled(500, 1), sampled(600, 2)
    for step in (None, 0.02):
        inside, outside = (tracked(a, b, control_step=step, controller_in=x) for x in ("kernel", "python"))
        assert np.abs(inside.q - outside.q).max() < 1e-14
    assert moved(a, b, method="lie_midpoint").completed
    assert moved(a, b, method="dopri5").completed


def test_poses_pickles_checkpoints_and_many_points(tmp_path):
    builder = um.SystemBuilder("ball")
    vehicle = builder.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=20.0, size=(1.0, 0.8, 0.6)))
    builder.link("wrist", parent=vehicle, joint=um.Spherical(), inertia=um.Inertia.box(2.0, (0.1, 0.2, 0.3)))
    system, path = builder.build(), sampled(2000, 5, n=3)
    plant = um.Plant(system, prescribed={"wrist": path})
    q = plant.configuration(0.1, system.neutral())
    v = plant.full_velocity(0.1, q, np.zeros(6))
    run = um.simulate(plant, q, v, t0=0.1, **GO)
    end = plant.configuration(run.t[-1], run.q[-1])
    np.testing.assert_allclose(run.q[-1], end, atol=1e-12)
    again = pickle.loads(pickle.dumps(plant))
    np.testing.assert_array_equal(um.simulate(again, q, v, t0=0.1, **GO).q, run.q)
    a = plant.forward_dynamics(0.3, q, v, np.zeros(plant.nu))
    h = 1e-5
    ahead, behind = (path.motion(np.asarray(0.3 + s), system.tree.link("wrist").joint) for s in (h, -h))
    np.testing.assert_allclose((ahead[1] - behind[1]) / (2 * h), a[6:], rtol=1e-3, atol=1e-3)
    assert plant.digest != um.Plant(system, prescribed={"wrist": sampled(2000, 6, n=3)}).digest

    law = um.JointPD(um.Plant(SYSTEM), {"arm1": sampled(50, 1)}, stiffness=3.0, damping=1.0)
    other = um.JointPD(um.Plant(SYSTEM), {"arm1": sampled(50, 3)}, stiffness=3.0, damping=1.0)
    um.simulate(SYSTEM, SYSTEM.neutral(), controller=law, checkpoint=tmp_path / "kept", **GO)
    with pytest.raises(um.ModelError, match="the controller that the run was begun with"):
        um.resume(tmp_path / "kept", SYSTEM, controller=other)
    um.resume(tmp_path / "kept", SYSTEM, controller=law)


def test_steppers_and_rollouts_never_take_the_kernel_of_other_points():
    def stepped(seed):
        law = um.JointPD(um.Plant(SYSTEM), {"arm1": sampled(8, seed)}, stiffness=3.0, damping=1.0)
        stepper = um.Stepper(um.Plant(SYSTEM), samples=1, step=0.01, control_step=0.02, controller=law)
        stepper.reset(q=SYSTEM.neutral()[None], v=np.zeros((1, 8)))
        for _ in range(10):
            state = stepper.step(np.zeros((1, 8)))
        run = um.simulate(
            SYSTEM, SYSTEM.neutral(), controller=law, duration=0.2, step=0.01, control_step=0.02
        )
        np.testing.assert_allclose(state.q[0], run.q[-1], atol=1e-13)
        return run.q[-1]

    def moved_so(seed):
        plant = um.Plant(SYSTEM, prescribed={"arm1": sampled(8, seed)})
        q = plant.configuration(0.0, SYSTEM.neutral())
        v = plant.full_velocity(0.0, q, np.zeros(plant.nw))
        stepper = um.Stepper(plant, samples=1, step=0.01, control_step=0.1)
        stepper.reset(q=q[None], v=v[None])
        state = stepper.step(np.zeros((1, plant.nu)))
        run = um.simulate(plant, q, v, duration=0.1, step=0.01)
        np.testing.assert_allclose(state.q[0], run.q[-1], atol=1e-13)
        return run.q[-1]

    for way in (stepped, moved_so):
        assert np.abs(way(1) - way(2)).max() > 1e-3
