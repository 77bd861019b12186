"""Parts of runs that are seldom asked for alone: leftovers of files, parameters as rows, windows of one row."""

import hashlib
import os
import socket
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states

import unmoored as um
from unmoored.dynamics.kinematics import pose
from unmoored.simulation import arguments, channel, event_actions, status
from unmoored.simulation.conserved_momentum import Conserved, conserved
from unmoored.simulation.disk import place_file, place_folder, placing, recover
from unmoored.simulation.scenario import channel_values

SYSTEM = small_arm()
Q, V = states(SYSTEM, 3, seed=4)


def test_what_processes_that_are_no_more_left_is_swept_away(tmp_path):
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    host = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:6]  # as every version has called them
    other = "0" * len(host)
    here = os.getpid()
    left = {
        f".a[1].{host}.{done.pid}.0a1b.new": False,
        f".a[1].{host}.{done.pid}.0a1c.old": False,
        f".a[1].{host}.{here}.0a1b.new": True,
        f".a[1].{host}.x{done.pid}.0a1b.new": True,
        f".a[1].{other}.{done.pid}.0a1b.new": True,
        f".a[1].{host}.{done.pid}.0a1b.txt": True,
        f".a1.{host}.{done.pid}.0a1b.new": True,
    }
    for k, name in enumerate(left):
        (tmp_path / name).mkdir() if k % 2 else (tmp_path / name).write_text("x")
    place_file(tmp_path / "a[1]", b"content")
    assert (tmp_path / "a[1]").read_bytes() == b"content"
    assert {name: (tmp_path / name).exists() for name in left} == left
    assert len(list(tmp_path.iterdir())) == 1 + sum(left.values())


def test_what_goes_wrong_while_a_file_is_placed_is_told_and_leaves_nothing(tmp_path, monkeypatch):
    """Before there is a new file, and after."""

    def failing(path, content):
        if content:
            path.write_bytes(content)
        raise RuntimeError("full")

    monkeypatch.setattr(placing, "_write", failing)
    for content in (b"", b"new"):
        with pytest.raises(RuntimeError, match="full"):
            place_file(tmp_path / "a", content)
        with pytest.raises(RuntimeError, match="full"):
            place_folder(tmp_path / "b", {"c/d": content})
        assert list(tmp_path.iterdir()) == []


def test_a_journal_that_was_cut_while_it_was_written_is_none(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / ".run.journal").write_bytes(b'{"new": "a", "ol')
    recover(tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_parameters_are_names_or_rows_of_all_of_them():
    plant = um.Plant(SYSTEM, um.Earth(), free=["arm1.mass", "gravity"])
    rows = np.array([[2.0, 0.0, 0.0, -3.0], [4.0, 0.0, 0.1, -1.0], [1.0, 0.0, 0.0, 0.0]])
    given = {"arm1.mass": rows[:, 0], "gravity": rows[:, 1:]}
    np.testing.assert_array_equal(arguments.parameter_vector(plant, rows), rows)
    np.testing.assert_array_equal(arguments.parameter_vector(plant, given), rows)
    run = um.simulate(plant, Q, V, duration=0.02, step=0.01, parameters=rows)
    np.testing.assert_array_equal(
        channel_values(run, ["arm1", "bus.x"])["bus.x"], run.q[..., 9]
    )  # by each sample's own tree
    with pytest.raises(
        um.ModelError, match=r"^simulate: parameters: expected shape \(4,\) or \(samples, 4\)"
    ):
        um.simulate(plant, Q, V, duration=0.02, step=0.01, parameters=rows[:, :3])


def test_peak_periods_that_are_given_are_asked_of_the_ships_response(monkeypatch):
    """The shortest and the longest one of all samples, those that the sea was built with left out."""
    asked = []
    plant = um.Plant(SYSTEM, um.Sea(peak_period=8.0, count=3), free=["sea.peak_period"])
    monkeypatch.setattr(um.Sea, "warn_of_waves_beyond", lambda self, period: asked.append(period))
    for periods, expected in (([9.0, 6.0, 7.0], {6.0, 9.0}), ([8.0, 10.0], {10.0}), (8.0, set())):
        asked.clear()
        arguments.parameter_vector(plant, {"sea.peak_period": periods})
        assert set(asked) == expected
        assert len(asked) == len(expected)


def test_actuators_say_which_steps_do_not_suit_them():
    jet = SimpleNamespace(
        label="jet", unsuited_steps=lambda step, t0: f"{step} from {t0}" if step > 0.1 else None
    )
    plant = SimpleNamespace(actuators=[jet])
    with pytest.warns(um.ModelWarning, match=r"^jet: 0\.2 from 3\.0$"):
        arguments.warn_of_unsuited_steps(plant, 0.2, 3.0)
    arguments.warn_of_unsuited_steps(plant, 0.1, 3.0)
    arguments.warn_of_unsuited_steps(SimpleNamespace(actuators=None), 0.2, 3.0)


def test_poses_of_one_configuration_share_those_of_the_bodies(monkeypatch):
    asked, real = [], channel.body_poses
    monkeypatch.setattr(channel, "body_poses", lambda *given: asked.append(1) or real(*given))
    pose_of = channel.shared_poses(SYSTEM.tree)
    for name in SYSTEM.names:
        np.testing.assert_allclose(pose_of(Q[0], name), pose(SYSTEM.tree, Q[0], name), atol=1e-14)
    assert asked == [1]


def test_a_run_without_rows_or_plant_says_what_it_can():
    run = um.simulate(SYSTEM, Q[0], V[0], duration=0.02, step=0.01)
    empty = replace(run, t=run.t[:0], q=run.q[:0], v=run.v[:0], lengths=np.array([0]))
    assert conserved(empty) == Conserved((), None)
    bare = replace(run, plant=None)
    np.testing.assert_allclose(bare.energy().kinetic, SYSTEM.energy(run.q, run.v).kinetic, rtol=1e-14)
    assert set(bare.invariants()) == {"on_group_error"}


def test_what_several_laws_keep_under_a_name_is_added_up():
    run = um.simulate(SYSTEM, Q[0], V[0], duration=0.02, step=0.01)
    memory = {
        "0.unsolved": np.array([0.0, 1.0, 1.0]),
        "1.unsolved": np.array([2.0, 2.0, 3.0]),
        "solved": run.t,
    }
    assert replace(run, memory=memory).unsolved.tolist() == [2.0, 3.0, 4.0]
    with pytest.raises(
        um.ModelError, match=r"^Run: unsolved: expected a run with TaskPriority or Allocated and a"
    ):
        _ = run.unsolved


def test_inputs_over_a_window_of_one_row_or_none():
    """What is held over no time has its own mean, and no integral; a sample that ended before has no numbers."""
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(2.0, 0.1))
    plant = um.Plant(b.build(), actuators=[um.JointMotor("cart", name="push", limits=(-2.0, 4.0))])
    stop = um.Event(lambda t, q, v: q[0] - 5.0, "far")
    given = {"duration": 0.5, "step": 0.1, "control_step": 0.1, "events": [stop]}
    run = um.simulate(
        plant, [[0.0], [4.75]], [[0.0], [1.0]], controller=um.Inputs(plant, {"push": 3.0}), **given
    )
    own = run.metrics(["cart"], start=0.5, end=0.5)["push"]
    np.testing.assert_allclose([x[0] for x in own], [0.75, 0.0, 3.0, 3.0, 0.0])
    assert np.isnan([x[1] for x in own]).all()


def test_gains_of_different_numbers_of_samples_are_told():
    law = um.JointPD(um.Plant(SYSTEM), {"arm1": 0.0}, np.ones((2, 1)), np.ones((3, 1)))
    with pytest.raises(um.ModelError, match="expected the same number of samples in all, given 2 and 3"):
        um.simulate(SYSTEM, Q, V, duration=0.02, step=0.01, controller=law)


def test_an_event_that_only_the_kernel_saw_happens_at_the_steps_end(monkeypatch):
    """By rounding none of the signs changes where the step is tried again; the state tells which event it was."""
    values = np.array([[1.0, -1.0, 2.0]])
    layout = SimpleNamespace(split=lambda state: SimpleNamespace(g=values))
    events = [um.Event(lambda t, q, v: 1.0, f"event {k}") for k in range(3)]
    kernels = SimpleNamespace(time_step=SimpleNamespace(events=events, layout=layout))
    monkeypatch.setattr(event_actions, "tried_steps", lambda *given: (None, values))
    state = np.array([[9.0, 8.0, 7.0, status.FIRST_EVENT + 2.0, 5.0]])
    assert event_actions._first(kernels, 1.0, 0.25, state, np.zeros(0), np.zeros(0)) == (2, 0.25)
