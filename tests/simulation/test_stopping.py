"""Events, blow-up, Ctrl-C: what was computed is kept, and the reason is told."""

import os
import signal
import threading

import numpy as np
import pytest
from tests.simulation.arms import damper, first_link_up, small_arm, states

import unmoored as um
from unmoored.simulation import progress, task
from unmoored.simulation.checkpoint import Checkpoint

SYSTEM = small_arm()
Q, V = states(SYSTEM, 3, seed=2)
Q[:, 12] = 0.0
V[:, 6] = (1.0, -1.0, 2.0)


@pytest.mark.parametrize("method", ["rkmk4", "dopri5"])
def test_an_event_stops_a_sample_at_its_zero_and_leaves_the_others(method):
    fine = {"tolerance": 1e-12} if method == "dopri5" else {}
    run = um.simulate(
        SYSTEM,
        Q,
        V,
        duration=1.0,
        step=0.01,
        method=method,
        events=first_link_up,
        record_every=4,
        **fine,
    )
    assert str(run.status[0]).startswith("stopped: event first_link_up at t=")
    assert run.status[1].kind == "completed"
    for i in (0, 2):
        alone = run.sample(i)
        assert abs(alone.q[-1, 12] - 0.5) < 1e-12
        assert alone.t[-1] == run.end["t"][i]
        assert np.all(np.diff(alone.t) > 0)
        assert np.all(np.isnan(run.q[i, run.lengths[i] :]))
        assert np.all(alone.q[:-1, 12] < 0.5)
    free = um.simulate(SYSTEM, Q, V, duration=1.0, step=0.01, method=method, record_every=4, **fine)
    assert np.array_equal(run.q[1], free.q[1])


def test_an_event_has_the_same_bits_in_a_batch_as_alone():
    v = np.repeat(V[:1], 8, axis=0)
    v[:, 6] = np.linspace(0.7, 3.0, 8)
    options = {"duration": 1.0, "step": 0.01, "events": first_link_up, "record_every": 10}
    batch = um.simulate(SYSTEM, np.repeat(Q[:1], 8, axis=0), v, **options)
    for i in range(8):
        alone = um.simulate(SYSTEM, Q[0], v[i], **options)
        assert alone.status[0].time == batch.status[i].time
        np.testing.assert_array_equal(alone.end["q"][0], batch.end["q"][i])


def test_the_direction_of_events():
    for direction, stops in (("rising", (True, False)), ("falling", (False, True)), ("both", (True, True))):
        event = um.Event(lambda t, q, v: q[12] - 0.2, "turned", direction)
        run = um.simulate(SYSTEM, Q[:2], V[:2], duration=0.5, step=0.01, events=[event])
        down = um.Event(lambda t, q, v: q[12] + 0.2, "turned", direction)
        other = um.simulate(SYSTEM, Q[:2], V[:2], duration=0.5, step=0.01, events=[down])
        assert (run.status[0].kind != "completed") == stops[0]
        assert (other.status[1].kind != "completed") == stops[1]
    with pytest.raises(um.ModelError, match="unknown direction"):
        um.Event(first_link_up, direction="up")


def test_the_first_of_two_events_in_a_step_counts_with_adaptive_steps():
    late, early = (
        um.Event(lambda t, q, v, at=at: t - at, name) for at, name in ((0.52, "late"), (0.51, "early"))
    )
    run = um.simulate(
        SYSTEM, Q[0], V[0], duration=1.0, step=0.25, method="dopri5", events=[late, early], tolerance=1e-3
    )
    assert str(run.status[0]).startswith("stopped: event early")
    assert abs(run.t[-1] - 0.51) < 1e-12


def explosive(t, q, v):
    """Pushes the last joint the harder the faster it is."""
    return np.concatenate([0.0 * v[:-1], 40.0 * v[-1:] ** 3])


@pytest.mark.parametrize("method", ["rkmk4", "dopri5"])
def test_a_sample_that_blows_up_keeps_its_good_states_and_names_joint_and_time(method):
    v = V.copy()
    v[1] = 0.0
    run = um.simulate(SYSTEM, Q, v, duration=3.0, step=0.01, method=method, controller=explosive)
    assert run.status[1].kind == "completed"
    for i in (0, 2):
        assert str(run.status[i]).startswith(f"blew up at t={run.end['t'][i]:.9g} s in joint arm2: ")
        alone = run.sample(i)
        assert 0 < alone.t[-1] < 3.0
        assert np.all(np.isfinite(alone.q))
        assert np.all(np.isfinite(alone.v))
    assert not run.completed


def test_a_controller_that_gives_no_number_is_named():
    def law(t, q, v):
        return np.concatenate([0.0 * v[:-1], np.sqrt(0.055 - np.atleast_1d(t))])

    run = um.simulate(SYSTEM, Q[0], V[0], duration=1.0, step=0.01, controller=law, control_step=0.01)
    assert "in input arm2" in str(run.status[0])
    assert run.t[-1] == pytest.approx(0.06)


def test_ctrl_c_keeps_what_was_computed():
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    run = um.simulate(SYSTEM, Q[0], V[0], duration=1e5, step=1e-3, record_every=1000)
    timer.join()
    assert str(run.status[0]).startswith("interrupted at t=")
    assert 0 < run.t[-1] < 1e5
    again = um.simulate(SYSTEM, Q[0], V[0], duration=1.0, step=1e-3, record_every=1000)
    assert np.array_equal(run.q[:2], again.q)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("method", ["rkmk4", "dopri5"])
def test_ctrl_c_ends_at_once_what_has_nothing_yet_and_never_what_has(monkeypatch, method):
    """While the kernels are made there is nothing to keep; while results are put together they are."""

    def interrupted(function):
        def first(*given, **options):
            os.kill(os.getpid(), signal.SIGINT)
            return function(*given, **options)

        return first

    def simulated():
        return um.simulate(SYSTEM, Q[0], V[0], duration=0.1, step=0.01, method=method)

    whole = simulated()
    owner = task if method == "rkmk4" else task.AdaptiveDrive
    with monkeypatch.context() as patch:
        patch.setattr(owner, "drive", interrupted(owner.drive))
        with pytest.raises(KeyboardInterrupt):
            simulated()
    with monkeypatch.context() as patch:
        patch.setattr(task, "run_of", interrupted(task.run_of))
        assert np.array_equal(simulated().q, whole.q)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_bar_is_shown_when_asked(capfd, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    um.simulate(
        SYSTEM, Q[0], V[0], duration=20.0, step=1e-3, record_every=1000, controller=damper, progress=True
    )
    assert "small" in capfd.readouterr().err


@pytest.mark.parametrize("control_step", [None, 0.04])
@pytest.mark.parametrize("method", ["rkmk4", "dopri5"])
def test_the_bar_is_told_how_far_a_run_is_and_a_run_that_is_interrupted_has_the_rows_so_far(
    monkeypatch, method, control_step
):
    """Steps of all steps, or the time of the slowest sample since the start of that of the run."""
    bars = []

    class Bar:
        def __init__(self, *given):
            self.given, self.told, self.closed = given, [], 0
            bars.append(self)

        def __call__(self, done):
            self.told.append(done)
            if self.given[0] is True and done >= (0.06 if method == "dopri5" else 3) and len(self.told) > 2:
                os.kill(os.getpid(), signal.SIGINT)

        def close(self):
            self.closed += 1

    for module in ("fixed_steps", "adaptive"):
        monkeypatch.setattr(f"unmoored.simulation.{module}.ProgressBar", Bar)
    monkeypatch.setattr("unmoored.simulation.fixed_steps._CHUNK_SECONDS", 0.0)
    go = {"duration": 0.16, "step": 0.02, "method": method, "t0": 3.0, "control_step": control_step}
    go["controller"] = damper
    whole, part = (um.simulate(SYSTEM, Q, V, progress=show, **go) for show in (False, True))
    for bar, show in zip(bars, (False, True), strict=True):
        total = pytest.approx(0.16) if method == "dopri5" else 8
        assert bar.given == (show, total, "small")
        assert bar.closed == 1
        assert bar.told == sorted(bar.told)
        assert bar.told[0] >= 0.0
    if method == "rkmk4":
        assert bars[0].told == list(range(1, 9))
        assert part.lengths.tolist() == [3, 3, 3]
        assert [status.time for status in part.status] == pytest.approx([3.06] * 3)
    else:
        assert bars[0].told[-1] == pytest.approx(0.16)
        assert len(set(bars[0].told)) > 2
    assert {status.kind for status in part.status} == {"interrupted"}
    assert 0 < len(part.t) < len(whole.t)
    for name in ("t", "q", "v", "u"):
        a, b = getattr(part, name), getattr(whole, name)
        for i, count in enumerate(part.lengths):
            rows = slice(0, count) if name == "t" else (i, slice(0, count))
            assert np.array_equal(a[rows], b[rows]), name


def test_ctrl_c_in_the_last_steps_interrupts_nothing(monkeypatch, tmp_path):
    kept = []
    monkeypatch.setattr(
        progress.ProgressBar, "__call__", lambda self, done: os.kill(os.getpid(), signal.SIGINT)
    )
    monkeypatch.setattr(Checkpoint, "keep", lambda self, course: kept.append(course))
    run = um.simulate(SYSTEM, Q, V, duration=0.1, step=0.01, checkpoint=tmp_path / "kept")
    assert run.completed
    assert not kept


def test_a_sample_that_fails_at_once_has_its_first_row_with_adaptive_steps():
    def law(t, q, v):
        return np.concatenate([0.0 * v[:-1], np.sqrt(v[-1:])])

    v = np.abs(V[:2])
    v[1, -1] = -1.0
    run = um.simulate(SYSTEM, Q[:2], v, duration=0.1, step=0.01, method="dopri5", controller=law)
    assert run.lengths.tolist() == [11, 1]
    assert np.array_equal(run.q[:, 0], Q[:2])
    assert run.sample(1).t.tolist() == [0.0]
