"""What is said about numbers that went wrong: the quantity, the joint that drove them, and a step that helps."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states

import unmoored as um
from unmoored.simulation import blow_up
from unmoored.simulation.blow_up import FastestMode, _first_wrong, divided, explained

#: which is told of before the run, too (test_stiff_steps.py)
pytestmark = pytest.mark.filterwarnings("ignore:.*too fast for steps of:unmoored.ModelWarning")

SYSTEM = small_arm()
Q, V = states(SYSTEM, 3, seed=1)
SLOW = 0.02


def stiff(joint, stiffness, damping):
    """A spring and a damper on one joint."""

    def law(t, q, v):
        force = -stiffness * q[12 + joint] - damping * v[6 + joint]
        return np.stack([0.0 * force] * (6 + joint) + [force] + [0.0 * force] * (1 - joint))

    return law


def suggested(status):
    return float(status.hint.rsplit(" of ", 1)[1].removesuffix(" s"))


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("joint", [0, 1])
def test_the_stiff_joint_is_named_and_the_suggested_step_helps(joint, hold):
    """Both joints move, and the vehicle with them; the gain of one of them is too high for the step."""
    go = {"controller": stiff(joint, 20000.0, 600.0), "duration": 1.0}
    run = um.simulate(SYSTEM, Q, V, step=SLOW, control_step=SLOW if hold else None, **go)
    for i, status in enumerate(run.status):
        assert status.kind == "blew_up"
        assert status.where == f"joint arm{joint + 1}"
        assert ("control period" if hold else "step") in status.hint
        h = suggested(status)
        assert h < SLOW
        better = um.simulate(SYSTEM, Q[i], V[i], step=h, control_step=h if hold else None, **go)
        assert better.completed
        assert np.abs(better.v[-1]).max() < 1e3


def test_the_rate_is_the_fastest_of_the_linearised_plant():
    """A cart on a spring: poles s² + (d/m) s + k/m."""
    builder = um.SystemBuilder("cart")
    builder.vehicle("cart", um.Prismatic(axis=(1, 0, 0)), inertia=um.Inertia.box(mass=2.0, size=(1, 1, 1)))
    run = um.simulate(
        builder.build(),
        [0.1],
        [0.0],
        controller=lambda t, q, v: -300.0 * q - 400.0 * v,
        duration=40.0,
        step=0.1,
    )
    fastest = max(abs(np.roots([1.0, 200.0, 150.0])))
    assert f"{fastest:.3g}/s" in run.status[0].hint
    assert f"is {0.1 * fastest:.2g};" in run.status[0].hint
    assert suggested(run.status[0]) <= 0.5 / fastest


def test_a_motion_that_really_grows_is_not_blamed_on_the_step():
    def law(t, q, v):  # feeds energy into the second joint
        return np.concatenate([np.zeros(7), np.stack([40.0 * v[7] ** 3 + 5.0 * v[7]])])

    run = um.simulate(SYSTEM, Q, V, controller=law, duration=4.0, step=1e-3)
    gone = [status for status in run.status if status.kind == "blew_up"]
    assert gone
    assert all(status.hint == "" and status.where == "joint arm2" for status in gone)


@pytest.mark.parametrize("hold", [False, True])
def test_one_sample_with_nan_is_named_and_the_others_go_on(hold):
    """Which sample, when, and which quantity first."""

    class Root(um.Law):
        limit: float

        def __call__(self, t, q, v):
            return np.concatenate([np.zeros(3), np.stack([np.sqrt(self.limit - t)]), np.zeros(4)])

    law = Root(np.array([10.0, 0.1, 10.0]))
    go = {"duration": 0.3, "step": 0.01, "control_step": 0.01 if hold else None}
    run = um.simulate(SYSTEM, Q, V, controller=law, **go)
    bad = run.status[1]
    assert [status.kind for status in run.status] == ["completed", "blew_up", "completed"]
    assert bad.where == "input bus.wx" if hold else bad.where.startswith(("input bus.wx", "joint"))
    assert bad.time == pytest.approx(0.1, abs=0.011)
    if hold:
        assert "nan" in bad.hint
    for i in (0, 2):  # and they can be made again, each alone
        alone = um.simulate(SYSTEM, Q[i], V[i], controller=Root(10.0), samples=[i], **go)
        assert np.array_equal(alone.q, run.q[i])
    assert np.all(np.isfinite(run.end["q"]))
    again = um.simulate(
        SYSTEM, run.end["q"][1], run.end["v"][1], t0=float(run.end["t"][1]), controller=Root(10.0), **go
    )
    assert again.completed  # it goes on from its last good state


@pytest.mark.parametrize("hold", [False, True])
def test_a_python_law_is_not_called_for_a_sample_that_blew_up(hold):
    """Methods refuse a NaN in a single call: the other samples of the run would be lost by it."""
    seen = []

    def law(t, q, v):
        return 1e6 * (v @ v) * v * SYSTEM.mass_matrix(q)[0, 0]

    def watched(t, q, v):
        seen.append(np.isfinite(q).all() and np.isfinite(v).all())
        return law(t, q, v)

    go = {"duration": 0.2, "step": 0.01, "control_step": 0.02 if hold else None}
    speeds = np.stack([0.0 * V[0], V[1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the step is far too long, and NumPy overflows
        runs = [
            um.simulate(SYSTEM, Q[:2], speeds, controller=watched, controller_in="python", **go),
            um.simulate(SYSTEM, Q[:2], speeds, controller=law, controller_in="kernel", **go),
        ]
        event = um.Event(lambda t, q, v: SYSTEM.pose(q, SYSTEM.names[-1])[0, 3] - 100.0, name="far")
        go |= {"controller": law, "controller_in": "python", "events": [event]}
        runs.append(um.simulate(SYSTEM, Q[:2], speeds, backend="numpy", **go))
    assert all(seen)
    assert [[status.kind for status in run.status] for run in runs] == [["completed", "blew_up"]] * 3
    assert runs[0].status[1].where == runs[1].status[1].where
    np.testing.assert_array_equal(runs[0].q[0], runs[1].q[0])


def test_memory_and_actuators_are_named_too():
    class Counter(um.Law):
        memory = {"heat": 1}

        def __call__(self, seen, memory):
            return 0.0 * seen.v, {"heat": np.log(memory["heat"] - 0.5) + 0.0 * seen.v[:1]}

    run = um.simulate(SYSTEM, Q[0], V[0], controller=Counter(), duration=0.1, step=0.01, control_step=0.01)
    assert run.status[0].where == "memory heat"


@pytest.mark.parametrize("bad", [0, 1, 2])
def test_the_joint_whose_velocity_alone_is_gone_after_a_step_is_named(bad):
    """Carts on rails of their own, of which one is pushed with no number in the middle of a step."""
    b = um.SystemBuilder("rails")
    for name, mass in (("light", 1.0), ("heavy", 9.0), ("last", 2.0)):
        b.vehicle(name, um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(mass, 0.1))
    system = b.build()

    def law(t, q, v):
        push = np.sqrt(um.trace.maximum(0.105 - t, -1.0))
        return np.stack([push if k == bad else 0.0 * t for k in range(3)])

    speeds = [0.1, 0.5, 0.2]  # most of the kinetic energy is the second one's
    run = um.simulate(system, np.zeros(3), speeds, duration=0.3, step=0.01, controller=law)
    (status,) = run.status
    assert (status.kind, status.where, status.hint) == ("blew_up", f"joint {system.names[bad]}", "")
    assert status.time == pytest.approx(0.1)


@pytest.mark.parametrize("bad", [0, 1])
def test_of_a_step_that_spoils_states_of_actuators_the_first_of_them_is_named(bad):
    """Two numbers of q, one of w, two of x; the velocity is fine."""
    after = np.array([[0.1, 0.2, 3.0, 4.0, 5.0]])
    after[0, 3 + bad :] = np.nan
    plant = SimpleNamespace(state_names=("pump.flow", "motor.current"))
    step = SimpleNamespace(layout=SimpleNamespace(nq=2, nw=1), plant=plant, dtype=np.dtype(float))
    task = SimpleNamespace(
        time_step=step,
        schedule=SimpleNamespace(span=(0.0, 0.1)),
        params=np.zeros((1, 1)),
        kernels=SimpleNamespace(moved=lambda *given: after),
    )
    found = _first_wrong(task, 0.0, np.zeros(5), np.zeros(1), np.zeros(0), 0)
    assert found == f"state {plant.state_names[bad]}"


def test_steps_are_divided_into_round_parts():
    for step, largest in ((0.02, 0.0038), (0.01, 0.009), (1e-3, 1e-9), (0.3, 0.3)):
        found = divided(step, largest)
        assert found <= largest
        assert found > 0.4 * largest or found == step
        assert step / found == pytest.approx(round(step / found), rel=1e-12)


def told(monkeypatch, rate, *, held=False, adaptive=False, law=True, participation=None, **end):
    """(where, hint) of a sample whose plant has this fastest mode; steps of 0.125 s, control periods of four."""
    monkeypatch.setattr(blow_up, "_first_wrong", lambda *given: "joint first")
    plant = SimpleNamespace(tree=SYSTEM.tree, input_names=("port", "bow"))
    step = SimpleNamespace(plant=plant, hold=held, controller=object() if law else None)
    schedule = SimpleNamespace(span=(0.0, 0.125), update_every=4 if held else 1)
    task = SimpleNamespace(time_step=step, schedule=schedule, adaptive=adaptive)
    part = np.eye(8)[7] if participation is None else participation
    mode = None if rate is None else FastestMode(rate, part)
    end = {"u": None, "v": np.zeros(8), "memory": {}} | end
    return explained(task, 0.0, np.zeros(1), end, np.zeros(0), 0, mode)


def test_a_step_is_to_blame_where_it_is_longer_than_the_time_of_the_fastest_mode(monkeypatch):
    """Or the control period, whose inputs are held, even if the method chooses its own steps."""
    first = "joint first", ""
    assert told(monkeypatch, None) == first
    assert told(monkeypatch, 8.0) == told(monkeypatch, 2.0, held=True) == first
    assert told(monkeypatch, 80.0, adaptive=True) == first
    assert told(monkeypatch, 8.0, held=True, law=False) == first  # sensors alone have periods too
    for rate, given, what, step in (
        (8.5, {}, "step", 0.125),
        (3.0, {"held": True}, "control period", 0.5),
        (3.0, {"held": True, "adaptive": True}, "control period", 0.5),
        (8.5, {"held": True, "law": False}, "step", 0.125),
    ):
        where, hint = told(monkeypatch, rate, **given)
        assert where == "joint arm2"
        assert hint.startswith(
            f"the fastest closed-loop rate, {rate:.3g}/s, times the {what} of {step:g} s is {rate * step:.2g}; "
            f"try a {what} of "
        )
        assert 0.25 / rate < suggested(SimpleNamespace(hint=hint)) <= 0.5 / rate
    where, hint = told(monkeypatch, 8.5, participation=np.zeros(8))  # of states of actuators alone
    assert where == "joint first"
    assert "try a step of" in hint


def test_inputs_and_memory_that_are_no_numbers_come_before_modes(monkeypatch):
    gone = {"u": np.array([1.0, -np.inf])}
    assert told(monkeypatch, 80.0, **gone) == ("input bow", "the law gave -inf")
    assert told(monkeypatch, 80.0, u=np.array([np.nan, np.inf])) == ("input port", "the law gave nan")
    memory = {"cold": np.zeros(2), "heat": np.array([0.0, np.nan]), "rest": np.array([np.nan])}
    assert told(monkeypatch, 80.0, u=np.zeros(2), memory=memory) == ("memory heat", "the law made it so")


def test_every_sample_of_a_batch_is_told_the_same():
    q, v = np.repeat(Q[:1], 400, axis=0), np.repeat(V[:1], 400, axis=0)
    go = {"controller": stiff(1, 4000.0, 60.0), "step": SLOW, "duration": 1.0}
    run = um.simulate(SYSTEM, q, v, **go)
    assert set(map(str, run.status)) == {str(um.simulate(SYSTEM, Q[0], V[0], **go).status[0])}
    short = um.simulate(SYSTEM, Q[0], V[0], dtype="float32", **go)
    assert short.status[0].hint == run.status[0].hint


@pytest.mark.parametrize(("backend", "dtype", "most"), [("cpu", "float64", 4), ("cpu", "float32", 3)])
def test_of_so_many_samples_the_first_are_looked_at_and_all_are_told_where(monkeypatch, backend, dtype, most):
    """By the kernels of the run some at a time, by NumPy fewer."""
    looked, real = [], blow_up._linearised

    def seen(task, samples):
        looked.append(samples.tolist())
        return real(task, samples)

    monkeypatch.setattr(blow_up, "_linearised", seen)
    for name, count in (("_MOST", 4), ("_MOST_BY_NUMPY", 3), ("_TOGETHER", 2)):
        monkeypatch.setattr(blow_up, name, count)
    q, v = np.repeat(Q[:1], 7, axis=0), np.repeat(V[:1], 7, axis=0)
    q[0, 12:], v[0] = 0.0, 0.0  # is at rest, where the springs are relaxed
    run = um.simulate(
        SYSTEM, q, v, controller=stiff(1, 4000.0, 60.0), step=SLOW, duration=1.0, backend=backend, dtype=dtype
    )
    assert looked == ([[1, 2], [3, 4]] if most == 4 else [[1, 2], [3]])
    assert [bool(status.hint) for status in run.status] == [1 <= i <= most for i in range(7)]
    assert {status.where for status in run.status[1 : most + 1]} == {"joint arm2"}
    assert all(status.where.startswith("joint arm") for status in run.status[most + 1 :])


def test_the_command_line_and_the_report_name_samples():
    from unmoored.cli.run_command import _blown_up_lines
    from unmoored.views.report.tables import summary

    run = um.simulate(SYSTEM, Q, V, controller=stiff(1, 4000.0, 60.0), step=SLOW, duration=1.0)
    lines = _blown_up_lines({str(i): str(status) for i, status in enumerate(run.status * 3)})
    assert "sample 0" in lines[0]
    assert "joint arm2" in lines[0]
    assert "try a step" in lines[0]
    assert lines[-1] == "  and 4 more (run.status)"
    page = summary(run.sample(1), run, 1)
    assert "3 of 3 samples; the first, sample 0, blew up" in page
