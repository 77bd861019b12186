"""Laws with memory: against their recursion, in the kernel, in Python, in batches, in checkpoints."""

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states

import unmoored as um

SYSTEM = small_arm()
Q, V = states(SYSTEM, 3, seed=4)
GO = {"duration": 0.3, "step": 0.01, "control_step": 0.03}
NV = SYSTEM.nv
calls: list[float] = []


class Integral(um.Law):
    """Damping with integral action; plain sums, so that NumPy and the kernel round alike."""

    gain: float
    memory = {"sum": NV, "count": 0.0, "table": (2, 2), "bias": np.array([1.0, -1.0])}

    def __call__(self, seen, memory):
        new = {
            "sum": memory["sum"] + seen.period * seen.v,
            "count": memory["count"] + 1.0,
            "table": memory["table"] + np.array([[1.0, 2.0], [3.0, 4.0]]),
            "bias": memory["bias"] * 0.5,
        }
        return -0.3 * seen.v - self.gain * memory["sum"] + 0.01 * memory["count"], new


class Slow(Integral):
    """The same, which cannot be traced; it notes when it is called."""

    def __call__(self, seen, memory):
        float(seen.q[0])
        calls.append(float(seen.t))
        return super().__call__(seen, memory)


def recursion(run, gain, period):
    """Inputs (periods, nv) and sums (periods, nv) that the law must have given at the rows of the periods."""
    kept, inputs, sums = np.zeros(NV), [], []
    for k, v in enumerate(run.v[:-1:3]):
        inputs.append(-0.3 * v - gain * kept + 0.01 * k)
        kept = kept + period * v
        sums.append(kept)
    return np.array(inputs), np.array(sums)


@pytest.mark.parametrize("method", ["rkmk4", "dopri5"])
@pytest.mark.parametrize(("kind", "place"), [(Integral, "kernel"), (Slow, "python")])
def test_the_law_is_its_recursion(kind, place, method):
    run = um.simulate(SYSTEM, Q[0], V[0], controller=kind(0.4), controller_in=place, method=method, **GO)
    inputs, sums = recursion(run, 0.4, 0.03)
    assert np.allclose(run.u[:-1:3], inputs, rtol=0, atol=1e-15)
    assert np.allclose(run.memory["sum"][:-1:3], sums, rtol=0, atol=1e-15)
    assert np.array_equal(run.memory["count"], np.append(np.repeat(np.arange(1.0, 11.0), 3), 10.0))
    assert np.array_equal(run.memory["table"][-1], 10 * np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert np.array_equal(run.memory["bias"][0], [0.5, -0.5])


def test_in_kernel_python_and_reference_the_same_bits_and_other_gains():
    runs = [
        um.simulate(SYSTEM, Q, V, controller=law, controller_in=place, **GO)
        for law, place in ((Integral(0.4), "kernel"), (Slow(0.4), "python"), (Integral(0.4), "python"))
    ]
    for other in runs[1:]:
        for name in ("q", "v", "u"):
            assert np.array_equal(getattr(runs[0], name), getattr(other, name))
        for name, kept in runs[0].memory.items():
            assert np.array_equal(kept, other.memory[name])
    reference = um.simulate(SYSTEM, Q[0], V[0], controller=Integral(0.4), backend="numpy", **GO)
    assert np.allclose(reference.u, runs[0].u[0], atol=1e-12)
    assert not np.array_equal(um.simulate(SYSTEM, Q, V, controller=Integral(0.5), **GO).q, runs[0].q)


@pytest.mark.parametrize(("kind", "place"), [(Integral, "kernel"), (Slow, "python")])
def test_samples_have_a_memory_each(kind, place):
    batch = um.simulate(SYSTEM, Q, V, controller=kind([0.1, 0.4, 0.9]), controller_in=place, **GO)
    assert batch.memory["sum"].shape == (3, 31, NV)
    assert batch.memory["count"].shape == (3, 31)
    for i, gain in enumerate((0.1, 0.4, 0.9)):
        alone = um.simulate(SYSTEM, Q[i], V[i], controller=Integral(gain), **GO)
        assert np.array_equal(batch.q[i], alone.q)
        assert np.array_equal(batch.sample(i).memory["sum"], alone.memory["sum"])


@pytest.mark.parametrize("method", ["rkmk4", "dopri5"])
def test_exactly_one_call_per_period_and_sample(method):
    q, v = np.repeat(Q[:1], 8, axis=0), np.repeat(V[:1], 8, axis=0)
    calls.clear()
    options = {
        "duration": 1.0,
        "step": 0.005,
        "control_step": 0.01,
        "controller_in": "python",
        "method": method,
    }
    run = um.simulate(SYSTEM, q, v, controller=Slow(0.4), **options)
    assert len(calls) == 800
    assert sorted(set(calls)) == pytest.approx(0.01 * np.arange(100))
    assert np.all(run.q == run.q[:1])
    assert np.array_equal(run.u[:, -1], run.u[:, -2])


METHODS = [
    ("euler", {}),
    ("heun", {}),
    ("rkmk4", {}),
    ("lie_midpoint", {}),
    ("variational", {}),
    ("dopri5", {"tolerance": None}),
    ("dopri5", {"tolerance": 1e-3}),
    ("dopri5", {"tolerance": 1e-12}),
]


@pytest.mark.filterwarnings("ignore:.*keeps data between calls")
@pytest.mark.parametrize("place", ["memory", "plain"])
@pytest.mark.parametrize(("method", "options"), METHODS)
def test_one_call_per_period_with_every_method_and_event(method, options, place):
    """Three samples, of which the second stops in the fourth period and the third in the first: 10 + 4 + 1 calls.

    Searching for the event and steps that are tried again call no law.
    """
    seen = []

    class Noting(um.Law):
        memory = {"count": 0.0}

        def __call__(self, now, memory):
            seen.append((float(now.t), float(now.q[0])))
            return -0.1 * now.v, {"count": memory["count"] + 1.0}

    def plain(t, q, v):
        seen.append((float(t), float(q[0])))
        return -0.1 * v

    builder = um.SystemBuilder("slider")
    builder.vehicle("slider", um.Prismatic(axis=(1, 0, 0)), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)))
    event = um.Event(lambda t, q, v: q[0] - 1.0, "there")
    run = um.simulate(
        builder.build(),
        np.array([[-1.0], [1.0 - 0.104], [1.0 - 0.014]]),
        np.ones((3, 1)),
        controller=Noting() if place == "memory" else plain,
        controller_in="python",
        method=method,
        events=[event],
        **GO,
        **options,
    )
    assert [status.kind for status in run.status] == ["completed", "event", "event"]
    times = np.array(sorted(t for t, _ in seen))
    periods = 0.03 * np.sort(np.concatenate([np.arange(10), np.arange(4), [0]]))
    assert times == pytest.approx(periods, abs=1e-12)
    assert len(set(seen)) == 15  # no call twice


def test_a_plain_python_law_is_called_once_per_period_too():
    times = []

    def law(t, q, v):
        times.append(t)
        return -0.1 * v

    um.simulate(
        SYSTEM,
        Q[0],
        V[0],
        duration=0.1,
        step=0.005,
        control_step=0.02,
        controller=law,
        controller_in="python",
    )
    assert times == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08])


def test_samples_that_have_stopped_call_no_law():
    calls.clear()
    event = um.Event(lambda t, q, v: t - 0.1 + 0.0 * v[0], "late")
    um.simulate(SYSTEM, Q[0], V[0], controller=Slow(0.1), controller_in="python", events=[event], **GO)
    assert len(calls) == 4  # at 0, 0.03, 0.06, 0.09


class Start(um.Law):
    """Memory that follows from the fields: its size from structure, its initial value from a gain."""

    size: int
    first: float

    @property
    def memory(self):
        return {"x": np.full(self.size, self.first)}

    def __call__(self, seen, memory):
        return 0.0 * seen.v + memory["x"].sum(), {"x": memory["x"] * 0.5}


def test_memory_may_follow_from_the_fields():
    run = um.simulate(SYSTEM, Q[0], V[0], controller=Start(3, 2.0), **GO)
    assert np.array_equal(run.u[::3, 0], np.append(6.0 * 0.5 ** np.arange(10), 6.0 * 0.5**9))
    batch = um.simulate(SYSTEM, Q[0], V[0], controller=Start(2, [1.0, 5.0]), **GO)
    assert np.array_equal(batch.u[:, 0, 0], [2.0, 10.0])
    assert batch.memory["x"].shape == (2, 31, 2)


class Spread(um.Law):
    """Memory that follows from two gains, of which a batch may share one."""

    first: float
    places: object

    @property
    def shapes(self):
        return {"first": (), "places": (2,)}

    @property
    def memory(self):
        return {"x": self.first * np.asarray(self.places)}

    def __call__(self, seen, memory):
        return 0.0 * seen.v + memory["x"].sum(), {"x": memory["x"] * 0.5}


def test_memory_that_follows_from_gains_is_each_samples_own():
    for first, places, sums in (
        ([1.0, 5.0], [2.0, 3.0], [5.0, 25.0]),
        (2.0, [[1.0, 2.0], [3.0, 4.0]], [6.0, 14.0]),
        ([1.0, 5.0], [[1.0, 2.0], [3.0, 4.0]], [3.0, 35.0]),
    ):
        run = um.simulate(SYSTEM, Q[0], V[0], controller=Spread(first, places), **GO)
        assert np.array_equal(run.u[:, 0, 0], sums)


class Led(um.Law):
    """Follows many points, a table of the kernel, and keeps their integral."""

    way: object
    memory = {"sum": 1, "period": 0.0}

    def __call__(self, seen, memory):
        x = self.way.derivatives(seen.t, 0)[0]
        return 0.0 * seen.v + x, {"sum": memory["sum"] + seen.period * x, "period": seen.period}


def test_a_law_with_tables_sees_the_period():
    t = np.linspace(0.0, 1.0, 3000)
    run = um.simulate(SYSTEM, Q[0], V[0], controller=Led(um.Sampled(t, np.sin(3.0 * t)[:, None])), **GO)
    assert run.provenance["controller_in"] == "kernel"
    assert np.array_equal(run.memory["period"], np.full(31, 0.03))
    rows = run.t[:-1:3]
    assert np.abs(run.u[:-1:3, 0] - np.sin(3.0 * rows)).max() < 1e-9
    assert np.abs(run.memory["sum"][:-1:3, 0] - 0.03 * np.cumsum(np.sin(3.0 * rows))).max() < 1e-9


def test_sums_and_wrappers_keep_memories_apart():
    both = Integral(0.4) + Start(2, 1.0) + um.Inputs(um.Plant(SYSTEM), {"arm1": 1.0})
    run = um.simulate(SYSTEM, Q[0], V[0], controller=both, **GO)
    assert set(run.memory) == {"0.sum", "0.count", "0.table", "0.bias", "1.x"}
    assert run.memory["1.x"][0].tolist() == [0.5, 0.5]
    inputs, _ = recursion(run, 0.4, 0.03)
    given = inputs + 2.0 * 0.5 ** np.arange(10)[:, None] + (np.arange(NV) == 6)
    assert np.allclose(run.u[:-1:3], given, rtol=0, atol=1e-14)

    builder = um.SystemBuilder("boat")
    builder.vehicle("boat", um.Planar(), inertia=um.Inertia.box(mass=10.0, size=(2, 1, 0.4)))
    boat = builder.build()
    places = ((1, 0, 0), (-1, 0.4, 0)), ((1, 0, 0), (-1, -0.4, 0)), ((0, 1, 0), (0.9, 0, 0))
    thrusters = [um.Thruster("boat", direction=d, at=r, name=f"t{k}") for k, (d, r) in enumerate(places)]
    plant = um.Plant(boat, actuators=thrusters)

    class Push(um.Law):
        memory = {"n": 1}

        def __call__(self, seen, memory):
            return np.array([1.0, 0.0, 0.0]) + memory["n"], {"n": memory["n"] + 1.0}

    law = um.Allocated(plant, Push(), 1e-6)
    run = um.simulate(plant, boat.neutral(), controller=law, **GO)
    assert run.memory["n"][-1] == 10.0
    forces = (plant.allocation_matrix(run.q) @ run.u[..., None])[..., 0]
    assert np.allclose(forces[::3, 0], 1.0 + np.append(np.arange(10.0), 9.0), atol=1e-9)


def test_what_a_law_sees():
    plant = um.Plant(SYSTEM, world=um.Earth(), free=["gravity"])

    class Looking(um.Law):
        memory = {"t": 1, "p": 3, "period": 0.0, "q": SYSTEM.nq}

        def __call__(self, seen, memory):
            assert not seen.y
            assert np.shape(seen.x) == (0,)
            kept = {
                "t": memory["t"] * 0 + seen.t,
                "p": seen.p + 0.0 * seen.v[:3],
                "period": seen.period,
                "q": seen.q,
            }
            return 0.0 * seen.v, kept

    run = um.simulate(plant, Q[0], V[0], controller=Looking(), parameters={"gravity": [0, 0, -1.62]}, **GO)
    assert run.memory["t"][-1] == pytest.approx(0.27)
    assert np.array_equal(run.memory["p"][-1], [0.0, 0.0, -9.81])  # its model, not the truth
    assert run.memory["period"][5] == 0.03
    assert np.array_equal(run.memory["q"][::3][:-1], run.q[::3][:-1])


def test_states_of_actuators_are_seen():
    builder = um.SystemBuilder("boat")
    builder.vehicle("boat", um.Planar(), inertia=um.Inertia.box(mass=10.0, size=(2, 1, 0.4)))
    boat = builder.build()
    plant = um.Plant(boat, actuators=[um.Thruster("boat", direction=(1, 0, 0), at=(0, 0, 0), lag=0.1)])

    class Watching(um.Law):
        memory = {"x": 1}

        def __call__(self, seen, memory):
            return np.array([1.0]) + 0.0 * seen.x, {"x": seen.x}

    run = um.simulate(plant, boat.neutral(), controller=Watching(), **GO)
    assert run.x[-1, 0] > 0.5
    assert np.array_equal(run.memory["x"][:-1:3], run.x[:-1:3])


def kept_law():
    return Integral(0.4)


@pytest.mark.parametrize("method", ["rkmk4", "dopri5"])
def test_a_checkpoint_goes_on_with_the_memory(tmp_path, method):
    from unmoored.simulation import checkpoint

    whole = um.simulate(SYSTEM, Q, V, controller=Integral(0.4), method=method, **GO)
    first = tmp_path / "kept"

    class Stop(Exception):
        pass

    keep, kept = checkpoint.Checkpoint.keep, []

    def once(self, course):
        keep(self, course)
        kept.append(course)
        if len(kept) == (1 if method == "rkmk4" else 4):
            raise Stop

    checkpoint.Checkpoint.keep = once
    try:
        with pytest.raises(Stop):
            um.simulate(
                SYSTEM,
                Q,
                V,
                controller=Integral(0.4),
                method=method,
                checkpoint=first,
                checkpoint_every=0.0,
                **GO,
            )
    finally:
        checkpoint.Checkpoint.keep = keep
    again = um.resume(first, SYSTEM, controller=Integral(0.4))
    for name in ("q", "v", "u"):
        assert np.array_equal(getattr(whole, name), getattr(again, name))
    for name in whole.memory:
        assert np.array_equal(whole.memory[name], again.memory[name])


def test_a_run_with_memory_is_saved_whole(tmp_path):
    run = um.simulate(SYSTEM, Q, V, controller=Integral(0.4), **GO)
    for name in ("run.zarr", "run.nc"):
        run.save(tmp_path / name)
        again = um.load_run(tmp_path / name)
        assert set(again.memory) == set(run.memory)
        for key, kept in run.memory.items():
            assert np.array_equal(again.memory[key], kept)
        assert np.array_equal(again.sample(1).memory["sum"], run.sample(1).memory["sum"])


def law_with(memory, answer):
    class Faulty(um.Law):
        """Gives something wrong."""

        def __call__(self, seen, given):
            return answer(seen, given)

    Faulty.memory = memory
    return Faulty()


@pytest.mark.parametrize(
    ("memory", "answer", "message"),
    [
        ({"a": 2}, lambda seen, m: 0.0 * seen.v, r"result: expected \(inputs, memory\)"),
        ({"a": 2}, lambda seen, m: (0.0 * seen.v, {}), "memory given back: expected a mapping with a"),
        (
            {"a": 2},
            lambda seen, m: (0.0 * seen.v, {"a": m["a"][:1]}),
            r"expected shape \(2,\), given shape \(1,\)",
        ),
        ({"a": 2}, lambda seen, m: (seen.v[:3], m), r"inputs: expected shape \(8,\)"),
        ({"a": 0}, lambda seen, m: (0.0 * seen.v, m), "sizes ≥ 1"),
        ({"a": "x"}, lambda seen, m: (0.0 * seen.v, m), "a shape"),
        ({"a": np.nan}, lambda seen, m: (0.0 * seen.v, m), "finite initial value"),
        ([2], lambda seen, m: (0.0 * seen.v, m), "memory: expected {name: shape or initial value}"),
    ],
)
@pytest.mark.parametrize("place", [None, "python"])
@pytest.mark.whole
def test_refusals(memory, answer, message, place):
    with pytest.raises(um.ModelError, match=message):
        um.simulate(SYSTEM, Q[0], V[0], controller=law_with(memory, answer), controller_in=place, **GO)


def test_memory_needs_a_period():
    with pytest.raises(um.ModelError, match="control_step: expected one"):
        um.simulate(SYSTEM, Q[0], V[0], duration=0.1, step=0.01, controller=Integral(0.4))


def test_memory_that_blows_up_stops_the_sample():
    law = law_with({"a": 1.0}, lambda seen, m: (0.0 * seen.v, {"a": m["a"] * 1e100}))
    run = um.simulate(SYSTEM, Q[0], V[0], controller=law, **GO)
    assert not run.completed
    assert "blew up" in str(run.status[0])


def test_any_callable_that_declares_memory_is_in_the_full_form():
    class Plain:
        """No um.Law, and no gains."""

        memory = {"n": 0.0}

        def __call__(self, seen, memory):
            return -0.1 * seen.v + memory["n"], {"n": memory["n"] + 1.0}

    runs = [
        um.simulate(SYSTEM, Q, V, controller=Plain(), controller_in=place, **GO)
        for place in ("kernel", "python")
    ]
    assert np.array_equal(runs[0].memory["n"][:, ::3], np.tile(np.append(np.arange(1.0, 11.0), 10.0), (3, 1)))
    assert np.array_equal(runs[0].q, runs[1].q)
