"""Functions of the user's in kernels: never stale, never frozen by accident, and Python comes in aloud."""

import functools
import random
import statistics
import types
import warnings

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states

import unmoored as um
from unmoored.trace import Symbol, TracingError

SYSTEM = small_arm()
Q, V = (x[0] for x in states(SYSTEM, 1, seed=4))
GO = {"duration": 0.05, "step": 0.01}
GAIN = 1.0
TABLE = {"gain": np.array([1.0])}


def go(law, **options):
    return um.simulate(SYSTEM, Q, V, controller=law, **(GO | options))


def global_law(t, q, v):
    return -GAIN * v


def table_law(t, q, v):
    return -TABLE["gain"][0] * v


def inner_gain():
    return GAIN


def nested_law(t, q, v):
    return -inner_gain() * v


class Policy:
    """A callable object with weights."""

    scale = 1.0

    def __init__(self):
        self.W = 0.1 * np.eye(SYSTEM.nv)

    def __call__(self, t, q, v):
        return -self.scale * self.W @ v


def test_changed_globals_give_other_results(monkeypatch):
    for law in (global_law, nested_law, table_law):
        before = go(law)
        assert np.allclose(before.u, -before.v)
        monkeypatch.setitem(globals(), "GAIN", 3.0)
        monkeypatch.setitem(TABLE, "gain", np.array([3.0]))
        after = go(law)
        assert np.allclose(after.u, -3.0 * after.v)
        monkeypatch.undo()
        assert np.array_equal(go(law).q, before.q)


def test_changed_captured_data_give_other_results():
    gain, store = 1.0, [1.0]

    def law(t, q, v):
        return -gain * store[0] * v

    assert np.allclose(go(law).u, -go(law).v)
    gain = 2.0
    assert np.allclose(go(law).u, -2.0 * go(law).v)
    store[0] = 3.0
    assert np.allclose(go(law).u, -6.0 * go(law).v)


def test_changed_attributes_arrays_methods_defaults_and_partials(monkeypatch):
    policy = Policy()
    first = go(policy)
    policy.W = 0.7 * np.eye(SYSTEM.nv)
    assert np.allclose(go(policy).u, -0.7 * go(policy).v, atol=1e-14)
    policy.W[...] = 0.1 * np.eye(SYSTEM.nv)  # in place
    assert np.array_equal(go(policy).q, first.q)
    monkeypatch.setattr(Policy, "scale", 2.0)
    assert np.allclose(go(policy).u, -0.2 * go(policy).v, atol=1e-14)
    assert np.allclose(go(policy.__call__).u, -0.2 * go(policy).v, atol=1e-14)
    for gain in (1.0, 2.0):
        assert np.allclose(go(lambda t, q, v, k=gain: -k * v).u, -gain * go(lambda t, q, v, k=gain: -k * v).v)
        law = functools.partial(lambda k, t, q, v: -k * v, gain)
        assert np.allclose(go(law).u, -gain * go(law).v)


def test_a_module_of_the_users_is_looked_into():
    module = types.ModuleType("gains_of_a_user")
    module.gain = 1.0

    def law(t, q, v):
        return -module.gain * v

    assert np.allclose(go(law).u, -go(law).v)
    module.gain = 4.0
    assert np.allclose(go(law).u, -4.0 * go(law).v)


def test_the_same_law_is_not_traced_again(monkeypatch):
    from unmoored.simulation import law_tracing

    def law(t, q, v):
        return -0.3 * v

    go(law)
    monkeypatch.setattr(law_tracing, "trace_twice", lambda *a, **k: pytest.fail("traced again"))
    go(law)


def test_what_cannot_be_seen_into_is_traced_at_every_call_and_said_once():
    class Hidden:
        """Keeps its number where Python does not look."""

        def __init__(self):
            self.values = iter(())
            self.cell = memoryview(bytearray(np.array([1.0]).tobytes()))

        def __call__(self, t, q, v):
            return -np.frombuffer(self.cell, dtype=float)[0] * v

    law = Hidden()
    with pytest.warns(um.RetraceWarning, match="traced again at every call: it uses builtins.memoryview"):
        first = go(law)
    assert np.allclose(first.u, -first.v)
    law.cell[:] = np.array([2.0]).tobytes()
    second = go(law)  # no second warning
    assert np.allclose(second.u, -2.0 * second.v)


@pytest.mark.parametrize("kind", ["random", "global random", "counter", "memory", "iterator"])
@pytest.mark.whole
def test_randomness_counters_and_hidden_memory_are_refused_by_name(kind):
    rng, values, count = np.random.default_rng(0), iter(np.arange(100.0)), [0]
    state = rng.bit_generator.state

    class Remembering:
        """Adds up what it sees."""

        sum = 0.0

        def __call__(self, t, q, v):
            self.sum = self.sum + v
            return -0.1 * self.sum

    def counting(t, q, v):
        count[0] += 1
        return -0.1 * v * count[0]

    remembering = Remembering()
    laws = {
        "random": lambda t, q, v: rng.normal(size=SYSTEM.nv) + 0.0 * v,
        "global random": lambda t, q, v: np.random.rand() * v,  # noqa: NPY002
        "counter": counting,
        "memory": remembering,
        "iterator": lambda t, q, v: next(values) * v,
    }
    with pytest.raises(um.ModelError, match=r"pure function: expected .*noise=.*memory.*controller_in"):
        go(laws[kind])
    assert count == [0]
    assert "sum" not in vars(remembering)
    assert rng.bit_generator.state == state


def test_random_numbers_are_noticed_where_they_made_no_difference():
    own, rng, before = random.Random(1), np.random.default_rng(1), random.getstate()
    draws = (random.random, own.random, rng.random, lambda: np.random.rand())  # noqa: NPY002
    for draw in draws:
        for _ in range(3):  # of which two calls agree more often than not
            with pytest.raises(um.ModelError, match="pure function"):
                go(lambda t, q, v, draw=draw: -0.1 * v * (draw() < 0.9))
    assert random.getstate() == before


def test_falling_back_to_python_is_said_once_with_line_and_reason():
    def law(t, q, v):
        return -0.1 * v if q[0] > 0 else -0.2 * v

    with pytest.warns(um.FallbackWarning) as caught:
        run = go(law)
    (found,) = caught
    text = str(found.message)
    assert "law is called by Python" in text
    assert "truth value" in text
    assert f"{__file__}:" in text
    assert "if q[0] > 0" in text
    assert found.filename == __file__
    assert issubclass(um.FallbackWarning, um.UnmooredWarning)
    assert run.provenance["controller_in"] == "python"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        go(law)
        go(law, controller_in="python")


def test_a_law_that_fails_in_another_package_is_told_of_by_its_own_line():
    def law(t, q, v):
        return -0.1 * v * statistics.median(q)

    with pytest.warns(um.FallbackWarning) as caught:
        go(law)
    text = str(caught[0].message)
    assert f"At {__file__}:" in text
    assert f"return -0.1 * v * statistics.median(q) (through {statistics.__file__}:" in text
    assert text.count(" At ") == 1


def test_a_law_that_must_be_in_the_kernel_says_what_could_not_be_traced():
    def law(t, q, v):
        return -np.linalg.svd(np.diag(v)).S

    with pytest.raises(
        TracingError, match=rf"law cannot be traced: .*{__file__}:\d+: return -np\.linalg\.svd"
    ):
        go(law, controller_in="kernel")


def test_no_symbols_are_left_behind():
    class Untraceable:
        """Keeps what it sees, then fails on symbols."""

        def __init__(self):
            self.seen, self.log, self.last = {}, [], np.zeros(2)

        def __call__(self, t, q, v):
            self.seen["v"], self.x = v, q
            self.log.append(t)
            self.last[0] += 1.0
            float(q[0])
            return -0.1 * v

    law, rest = Untraceable(), []

    def outer(t, q, v):
        rest.append(v)
        return law(t, q, v)

    with pytest.raises(TracingError):
        go(outer, controller_in="kernel")
    assert not rest
    assert vars(law).keys() == {"seen", "log", "last"}
    assert not law.seen
    assert not law.log
    assert np.array_equal(law.last, [0.0, 0.0])
    with pytest.warns(um.FallbackWarning):
        go(law, control_step=0.01)
    assert len(law.log) == 5
    assert not isinstance(law.seen["v"][0], Symbol)
    assert law.last[0] == 5.0


def test_a_law_that_only_keeps_a_log_is_told_that_the_kernel_does_not_call_it():
    log = []

    def law(t, q, v):
        log.append(t)
        return -0.1 * v

    with pytest.warns(um.RetraceWarning, match="changes its own data"):
        go(law)
    assert not log


def test_data_shared_by_samples_are_noticed():
    class Sharing:
        """Adds up over calls."""

        def __init__(self):
            self.sum = 0.0

        def __call__(self, t, q, v):
            self.sum += float(v[0])
            return -0.1 * v

    q, v = np.stack([Q, Q]), np.stack([V, V])
    with pytest.warns(um.SharedMemoryWarning, match="all samples share"):
        um.simulate(SYSTEM, q, v, controller=Sharing(), controller_in="python", control_step=0.01, **GO)
    um.simulate(SYSTEM, Q, V, controller=Sharing(), controller_in="python", control_step=0.01, **GO)


def test_changed_data_of_events_give_other_results():
    level = [0.02]

    def late(t, q, v):
        return t - level[0] + 0.0 * v[0]

    for moment in (0.02, 0.035, 0.011):
        level[0] = moment
        run = um.simulate(SYSTEM, Q, V, events=[um.Event(late, "late")], **GO)
        assert run.end["t"][0] == pytest.approx(moment, abs=1e-12)


def test_steppers_and_rollouts_refuse_to_go_on_with_changed_data():
    for what in ("law", "world"):
        refuse_to_go_on(what)


def refuse_to_go_on(what):
    factor = [1.0]

    class Wind(um.Space):
        def wrenches(self, scene):
            return {"drag": {0: factor[0] * np.array([1.0, 0, 0, 0, 0, 0])}}

    plant = um.Plant(SYSTEM, world=Wind()) if what == "world" else um.Plant(SYSTEM)
    law = (lambda t, q, v: -factor[0] * v) if what == "law" else None
    made = {"step": 0.01, "control_step": 0.01, "controller": law}
    stepper = um.Stepper(plant, samples=1, q=Q, v=V, **made)
    rollout = um.Rollout(plant, steps=2, **made)
    stepper.step()
    factor[0] = 50.0
    for going_on in (stepper.step, stepper.reset, lambda: rollout(Q, V), lambda: rollout.vjp(Q, V)):
        with pytest.raises(um.ModelError, match="code or data that have changed"):
            going_on()
    factor[0] = 1.0  # and nothing that is wrong was kept for others
    run = um.simulate(plant, Q, V, duration=0.02, step=0.01, control_step=0.01, controller=law)
    assert np.abs(rollout(Q, V)[1] - run.v).max() < 1e-12


def test_a_law_that_reads_a_stepper_reads_it_at_every_run():
    stepper = um.Stepper(SYSTEM, samples=1, step=0.01, q=Q, v=V)

    def law(t, q, v):
        return -stepper.state.v[0, 0] * v

    with pytest.warns(um.RetraceWarning, match="Stepper"):
        go(law)
    stepper.step()
    assert np.allclose(go(law).u, -stepper.state.v[0, 0] * go(law).v)


def test_events_that_are_not_pure_or_give_no_number_are_refused_by_name():
    count = [0.0]

    def counting(t, q, v):
        count[0] += 1.0
        return q[12] - count[0]

    with pytest.raises(um.ModelError, match="event counting: pure function"):
        um.simulate(SYSTEM, Q, V, events=[counting], **GO)
    assert count == [0.0]
    with pytest.raises(um.ModelError, match=r"event two: result: expected shape \(\), given shape \(2,\)"):
        um.simulate(SYSTEM, Q, V, events=[um.Event(lambda t, q, v: q[:2], "two")], **GO)


def test_changed_data_of_prescribed_motions_give_other_results():
    speed = 1.0
    plant = um.Plant(SYSTEM, prescribed={"arm1": lambda t: np.array([speed * t])})
    for given in (1.0, 2.0, 0.5):
        speed = given
        run = um.simulate(plant, Q, V, **GO)
        assert run.q[-1, 12] == pytest.approx(given * 0.05, abs=1e-14)
    rng = np.random.default_rng(0)
    with pytest.raises(um.ModelError, match=r"Motion .*pure function"):
        um.Motion(lambda t: np.array([rng.normal() * t]))


def test_changed_data_of_a_users_world_give_other_results():
    from dataclasses import dataclass

    push = [1.0]

    @dataclass(frozen=True, eq=False, repr=False)
    class Wind(type(um.Space()).__mro__[1]):
        """Pushes the bus along its x axis."""

        def wrenches(self, scene):
            return {"drag": {0: push[0] * np.array([1.0, 0, 0, 0, 0, 0])}}

    plant = um.Plant(SYSTEM, world=Wind())
    ends = []
    for strength in (1.0, 5.0, 1.0):
        push[0] = strength
        ends.append(um.simulate(plant, SYSTEM.neutral(), **GO).v[-1, 0])
    assert ends[0] == ends[2]
    assert ends[1] == pytest.approx(5 * ends[0], rel=1e-3)
    assert ends[0] > 0


def test_kernels_of_users_functions_are_kept_on_disk(tmp_path, monkeypatch):
    import unmoored.kernels.machine_code as machine
    from unmoored.simulation import run_kernels

    monkeypatch.setenv("UNMOORED_CACHE_DIR", str(tmp_path))

    def law(t, q, v):
        return -0.123 * v

    first = go(law, events=[lambda t, q, v: q[12] - 9.0])
    run_kernels._kept.clear()
    monkeypatch.setattr(machine, "assemble", lambda *a: pytest.fail("compiled again"))
    again = go(lambda t, q, v: -0.123 * v, events=[lambda t, q, v: q[12] - 9.0])
    assert np.array_equal(first.q, again.q)


def test_code_of_laws_that_are_gone_is_freed():
    import gc
    import weakref

    from unmoored.simulation import run_kernels

    gone = []
    for k in range(3):
        go(lambda t, q, v, k=k: -0.01 * k * v)
        loops = [made["loop of one"] for made in run_kernels._kept.values() if "loop of one" in made]
        gone.append(weakref.ref(loops[-1]._code))
        del loops
    run_kernels._kept.clear()
    gc.collect()
    assert [ref() for ref in gone] == [None] * 3
