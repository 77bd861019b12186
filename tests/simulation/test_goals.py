"""What laws tell of themselves in runs: goals and their errors, forces wanted, errors of filters; on disk too."""

import json
import pickle
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import unmoored as um
from unmoored.control.tasks import TASKS
from unmoored.lie import se3
from unmoored.simulation import goal_records
from unmoored.simulation.run_goals import law_of_sample

POSE = um.Pose(xyz=(0.4, -0.2, 0.3), rpy=(0.2, -0.3, 0.5))


def boat(**options):
    """A free hull with an arm of two joints and a tool."""
    b = um.SystemBuilder("boat")
    hull = b.vehicle("hull", um.Free(), inertia=um.Inertia.box(mass=20.0, size=(1, 0.5, 0.3)))
    one = b.link(
        "one",
        parent=hull,
        joint=um.Revolute(axis=(0, 1, 0)),
        at=um.Pose(xyz=(0.5, 0, 0)),
        inertia=um.Inertia.rod(mass=2.0, length=0.6, axis=(1, 0, 0), com=(0.3, 0, 0)),
    )
    two = b.link(
        "two",
        parent=one,
        joint=um.Spherical(),
        at=um.Pose(xyz=(0.6, 0, 0)),
        inertia=um.Inertia.box(mass=1.0, size=(0.4, 0.1, 0.1), com=(0.2, 0, 0)),
    )
    b.frame("tool", parent=two, at=um.Pose(xyz=(0.4, 0, 0)))
    return um.Plant(b.build(), **options)  # fmt: skip


PLANT = boat()
RNG = np.random.default_rng(5)
T = np.linspace(0.0, 2.0, 7)
Q = np.stack([PLANT.system.random_configuration(RNG) for _ in T])
V = RNG.normal(size=(len(T), PLANT.nv))


def recorded(law, **more):
    """A run of random rows, as if the law had driven it."""
    return um.Run(PLANT.system, T, Q, V, lengths=np.array([len(T)]), plant=PLANT, law=law, **more)


def reaches(run, name):
    """Whether going by the error from where the frame is leads to the target, on the group."""
    goal = run.goals[name]
    g = PLANT.system.pose(Q, goal.of)
    np.testing.assert_allclose(g @ se3.exp(goal.error), goal.target, atol=1e-12)


MOVING = um.ScrewPath(times=[0.0, 2.0], poses=[um.Pose(), POSE])
GAINS = {"stiffness": 10.0, "damping": 5.0}


@pytest.mark.parametrize(
    "law",
    [
        um.StationKeeping(PLANT, "hull", MOVING, **GAINS),
        um.LinkKeeping(PLANT, "tool", POSE, **GAINS),
        um.ResolvedMotion(PLANT, "tool", um.Relative(MOVING, POSE), passive=["hull"]),
        um.TaskPriority(PLANT, [[um.PoseTask("tool", MOVING)]]),
    ],
    ids=lambda law: type(law).__name__,
)
def test_poses_and_their_errors(law):
    run = recorded(law)
    (name,) = run.goals
    reaches(run, name)
    assert run.goals[name].units == ("m",) * 3 + ("rad",) * 3


def test_joints_and_vehicles_of_a_law_for_all():
    hold = um.Sine(amplitude=0.5, period=3.0)
    turned = um.Pose(rpy=(0.1, 0.2, 0.3))
    law = um.ComputedTorque(PLANT, {"hull": MOVING, "one": hold, "two": turned}, stiffness=4.0, damping=4.0)
    found = recorded(law).goals
    assert list(found) == ["hull", "one", "two"]
    np.testing.assert_allclose(found["hull"].target, MOVING.at(T).pose, atol=1e-13)
    np.testing.assert_allclose(Q[:, 12:13] + found["one"].error, found["one"].target, atol=1e-13)
    np.testing.assert_allclose(found["one"].target, hold(T), atol=1e-15)
    ball = found["two"]  # its target in the world is carried by the body below
    below = PLANT.system.pose(Q, "one") @ um.Pose(xyz=(0.6, 0, 0)).matrix @ turned.matrix
    np.testing.assert_allclose(ball.target, below, atol=1e-12)
    moved = PLANT.system.retract(Q, np.pad(ball.error, ((0, 0), (7, 0))))
    np.testing.assert_allclose(PLANT.system.pose(moved, "two")[:, :3, :3], below[:, :3, :3], atol=1e-12)


def test_tasks_of_every_kind_tell_errors_while_they_are_in_force():
    levels = [
        [um.SpeedLimitTask(joints=["one"], highest=0.4)],
        [um.PositionTask("tool", (1.0, 0.0, 0.2))],
        [um.DirectionTask("hull", axis=(0, 0, 1), direction=(0, 0, 1), start=1.0, ramp=0.2)],
        [um.DistanceTask("tool", point=(0, 0, 0), least=3.0)],
        [um.PostureTask({"one": 0.3})],
    ]
    run = recorded(um.TaskPriority(PLANT, levels))
    found = run.goals
    assert [goal.level for goal in found.values()] == [0, 1, 2, 3, 4]
    fast, place, level, near, posture = found.values()
    assert [goal.kind for goal in found.values()] == ["task", "position", "task", "task", "coordinate"]
    assert (fast.rows, fast.units) == (("one",), ("rad/s",))
    np.testing.assert_allclose(fast.error[:, 0], np.maximum(np.abs(V[:, 6]) - 0.4, 0.0), atol=1e-15)
    np.testing.assert_allclose(PLANT.system.pose(Q, "tool")[:, :3, 3] + place.error, place.target, atol=1e-12)
    assert np.isnan(level.error[T < 1.0]).all()
    assert np.isfinite(level.error[T > 1.0]).all()
    away = np.linalg.norm(PLANT.system.pose(Q, "tool")[:, :3, 3], axis=-1)
    np.testing.assert_allclose(near.error[:, 0], np.maximum(3.0 - away, 0.0), atol=1e-12)
    np.testing.assert_allclose(posture.error[:, 0], 0.3 - Q[:, 12], atol=1e-15)
    assert all(hasattr(task, "goals") for task in TASKS)


def test_laws_in_phases_have_goals_while_they_act():
    laws = um.Phases(
        (um.StationKeeping(PLANT, "hull", POSE, **GAINS), um.LinkKeeping(PLANT, "tool", POSE, **GAINS))
    )
    mode = np.array([0, 0, 1, 1, 1, 0, 0.0])
    run = recorded(laws, switches={"law": mode})
    first, second = run.goals.values()
    assert list(run.goals) == ["pose of hull (law 0)", "pose of tool (law 1)"]
    assert np.array_equal(np.isfinite(first.error[:, 0]), mode == 0)
    assert np.array_equal(np.isfinite(second.target[:, 0, 0]), mode == 1)


def test_each_sample_has_its_own_gains_and_sums_count():
    poses = np.stack([np.eye(4), POSE.matrix])
    law = um.StationKeeping(PLANT, "hull", poses, **GAINS) + um.StationKeeping(PLANT, "hull", POSE, **GAINS)
    batch = um.Run(
        PLANT.system, T, np.stack([Q, Q]), np.stack([V, V]), lengths=np.array([7, 5]), plant=PLANT, law=law,
        status=(um.Status("completed"),) * 2,
    )  # fmt: skip
    assert np.array_equal(batch.sample(1).goals["pose of hull"].target[0], POSE.matrix)
    assert list(batch.sample(0).goals) == ["pose of hull", "pose of hull #2"]
    with pytest.raises(um.ModelError, match=r"one trajectory: run.sample\(i\).goals"):
        _ = batch.goals
    assert law_of_sample(None, 0) is None
    shared = um.StationKeeping(PLANT, "hull", poses[:1], **(GAINS | {"damping": np.full((1, 6), 0.5)}))
    for i in range(2):  # rows of gains that there is one of are all samples'
        own = law_of_sample(shared, i)
        assert np.array_equal(own.pose, np.eye(4))
        assert np.array_equal(own.damping, shared.damping[0])


def test_goals_on_disk_are_those_of_the_run(tmp_path, monkeypatch):
    law = um.TaskPriority(PLANT, [[um.PoseTask("tool", MOVING)], [um.PostureTask({"one": 0.3})]])
    run = recorded(law)
    run.save(tmp_path / "run.zarr")
    loaded = um.load_run(tmp_path / "run.zarr")
    for name, goal in run.goals.items():
        other = loaded.goals[name]
        assert (other.kind, other.of, other.rows, other.units, other.level) == (
            goal.kind, goal.of, goal.rows, goal.units, goal.level,
        )  # fmt: skip
        assert np.array_equal(other.error, goal.error)
        assert np.array_equal(other.target, goal.target)
    monkeypatch.setattr(goal_records, "MOST_ROWS", 3)
    replace(run).save(tmp_path / "large.zarr")
    assert um.load_run(tmp_path / "large.zarr").goals == {}
    assert list(um.load_run(tmp_path / "large.zarr", law=law).goals) == list(run.goals)


def test_batches_on_disk_keep_the_goals_of_every_sample(tmp_path):
    poses = np.stack([np.eye(4), POSE.matrix])
    law = um.StationKeeping(PLANT, "hull", poses, **GAINS)
    q = np.stack([Q, Q])
    q[1, 5:] = np.nan
    batch = um.Run(
        PLANT.system, T, q, np.stack([V, V]), lengths=np.array([7, 5]), plant=PLANT, law=law,
        status=(um.Status("completed"),) * 2,
    )  # fmt: skip
    batch.save(tmp_path / "run.nc")
    loaded = um.load_run(tmp_path / "run.nc")
    one = um.Run(
        PLANT.system, T, q[:1], V[None], lengths=np.array([7]), plant=PLANT, status=(um.Status("completed"),),
        law=um.StationKeeping(PLANT, "hull", poses[:1], **GAINS),
    )  # fmt: skip
    one.save(tmp_path / "one.nc")
    for run, again in ((batch, loaded), (one, um.load_run(tmp_path / "one.nc"))):
        for i in range(run.samples):
            mine, theirs = (r.sample(i).goals["pose of hull"] for r in (run, again))
            assert np.array_equal(mine.error, theirs.error)
            assert np.array_equal(mine.target, theirs.target)


def test_goals_of_samples_that_all_stop_between_rows_are_as_long_as_the_runs_rows(tmp_path):
    """Each sample by itself has a row more, that of where it stopped: it is in no dataset."""
    plant = um.Plant(um.load("tumbling_brick"))
    law = um.StationKeeping(plant, "brick", POSE, stiffness=0.1, damping=0.1)
    q = np.stack([plant.system.neutral()] * 2)
    v = np.zeros((2, 6))
    v[:, 0] = (1.0, 2.0)
    late = um.Event(lambda t, q, v: q[9] - 0.105, "late")
    run = um.simulate(plant, q, v, duration=1.0, step=0.02, controller=law, events=[late])
    own = [run.sample(i).goals["pose of brick"] for i in range(2)]
    assert [len(x.error) for x in own] == [len(run.t) + 1, run.lengths[1] + 1] == [7, 4]
    run.save(tmp_path / "run.nc")
    back = um.load_run(tmp_path / "run.nc").kept_goals["pose of brick"]
    assert back.error.shape == (2, 6, 6)
    for i, goal in enumerate(own):
        count = int(run.lengths[i])
        np.testing.assert_array_equal(back.error[i, :count], goal.error[:count])
        np.testing.assert_array_equal(back.target[i, :count], goal.target[:count])
    np.testing.assert_array_equal(back.error[1, 3], own[1].error[3])  # the row where it stopped
    assert np.isnan(back.error[1, 4:]).all()


def test_goals_of_a_hundred_thousand_rows_are_kept():
    lead = ("sample", "time")
    for rows, kept in ((50_000, ({}, '{"goals": []}')), (50_001, ({}, ""))):
        run = SimpleNamespace(
            kept_goals={}, kept_estimate_errors=None, law=None, batched=True, samples=2, t=np.zeros(rows)
        )
        assert goal_records.goal_variables(run, lead) == kept


def test_names_and_units_of_kept_goals_are_told_in_the_dataset():
    law = um.TaskPriority(PLANT, [[um.PoseTask("tool", MOVING)], [um.PostureTask({"one": 0.3})]])
    run = recorded(law)
    variables, about = goal_records.goal_variables(run, ("time",))
    dims, values, words = variables["goal_0_target"]
    name = next(iter(run.goals))
    assert dims == ("time", "goal_0_target_0", "goal_0_target_1")
    assert values.shape == (7, 4, 4)
    assert words == {"long_name": f"target: {name}"}
    assert variables["goal_1_error"][0] == ("time", "goal_1_error_0")
    assert variables["goal_1_error"][2]["long_name"].startswith("error: ")
    assert set(variables) == {f"goal_{k}_{part}" for k in (0, 1) for part in ("target", "error")}
    told = json.loads(about)["goals"]
    assert [goal["level"] for goal in told] == [0, 1]
    assert told[0]["rows"] == list(run.goals[name].rows)


SPOILT = {
    "kind": (lambda told: told.update(kind="wish"), "is of no known kind"),
    "a unit less": (lambda told: told["units"].pop(), "is of no known kind"),
    "level": (lambda told: told.update(level=1.5), "is of no known kind"),
    "level that is true": (lambda told: told.update(level=True), "is of no known kind"),
    "another kind": (
        lambda told: told.update(kind="position"),
        r"goal_0_target has shape \(7, 4, 4\), not \(7, 3\)",
    ),
    "rows": (
        lambda told: told.update(rows=told["rows"][:5], units=told["units"][:5]),
        r"goal_0_error has shape \(7, 6\), not \(7, 5\)",
    ),
    "a letter that is none": (lambda told: told.update(of="a\nb"), "names are no printable texts"),
    "one text for all": (lambda told: told.update(units="mmmrrr"), "names are no printable texts"),
    "no name": (lambda told: told.pop("name"), "'name'"),
}


@pytest.mark.parametrize("what", SPOILT)
@pytest.mark.whole
def test_goals_in_a_dataset_that_do_not_fit_are_refused(what):
    run = recorded(um.TaskPriority(PLANT, [[um.PoseTask("tool", MOVING)]]))
    data = run.dataset()
    assert set(goal_records.goals_in(data, "file", (7,))[0]) == set(run.goals)
    spoil, words = SPOILT[what]
    about = json.loads(data.attrs["goals"])
    spoil(about["goals"][0])
    data.attrs["goals"] = json.dumps(about)
    with pytest.raises(
        um.DataError, match=rf"^file: goals: expected goals as they were saved, given .*{words}"
    ):
        goal_records.goals_in(data, "file", (7,))


def test_numbers_of_goals_are_real():
    data = recorded(um.TaskPriority(PLANT, [[um.PoseTask("tool", MOVING)]])).dataset()
    data["goal_0_error"] = data["goal_0_error"].astype(int)
    with pytest.raises(um.DataError, match="goal_0_error has shape"):
        goal_records.goals_in(data, "file", (7,))
    assert goal_records.goals_in(data.assign_attrs(goals=""), "file", (7,)) == (None, None)


def test_a_run_is_pickled_without_a_law_that_cannot_be():
    class Local(um.Law):
        def __call__(self, t, q, v):
            return 0.0 * v

    assert pickle.loads(pickle.dumps(recorded(Local()))).law is None
    law = um.StationKeeping(PLANT, "hull", POSE, **GAINS)
    assert list(pickle.loads(pickle.dumps(recorded(law))).goals) == ["pose of hull"]


def test_wanted_forces_are_what_was_given_and_what_was_not():
    b = um.SystemBuilder("raft")
    raft = b.vehicle("raft", um.Planar(), inertia=um.Inertia.box(mass=10.0, size=(1, 1, 0.2)))
    for name, y, yaw in (("port", 0.4, 0.0), ("starboard", -0.4, 0.0), ("bow", 0.0, np.pi / 2)):
        b.frame(name, parent=raft, at=um.Pose(xyz=(0.3, y, 0), rpy=(0, 0, yaw)))
    plant = um.Plant(
        b.build(), actuators=[um.Thruster(f, limits=(-2.0, 2.0)) for f in ("port", "starboard", "bow")]
    )
    hold = um.StationKeeping(plant, "raft", um.Pose(xyz=(3.0, 1.0, 0)), stiffness=5.0, damping=8.0)
    run = um.simulate(
        plant,
        plant.system.neutral(),
        duration=0.6,
        step=0.05,
        control_step=0.1,
        controller=um.Allocated(plant, hold),
    )
    at = np.arange(0, len(run.t) - 1, 2)  # control periods
    wanted = np.stack([hold(run.t[k], run.q[k], run.v[k]) for k in at])
    np.testing.assert_allclose(run.wanted_forces[at], wanted, atol=1e-9)
    B = plant.allocation_matrix(run.q[at])
    given = (B @ run.u[at, :, None])[..., 0]
    np.testing.assert_allclose(given + run.unallocated[at], wanted, atol=1e-9)
    assert np.array_equal(run.input_limits, [[-2.0, 2.0]] * 3)
    with pytest.raises(um.ModelError, match="Allocated law and a control_step"):
        _ = recorded(hold).wanted_forces


def test_both_bounds_of_a_task_count():
    """A distance that should be at least 0.5 m too much, and at most 0.5 m less than it is."""
    away = np.linalg.norm(PLANT.system.pose(Q, "tool")[:, :3, 3], axis=-1)
    for bounds in ({"least": float(away[0]) + 0.5}, {"most": float(away[0]) - 0.5}):
        task = um.DistanceTask("tool", point=(0, 0, 0), **bounds)
        (goal,) = task.goals(PLANT, 0)
        assert goal.name == "1 DistanceTask tool"  # levels are counted from one, as people do
        assert goal.error(0.0, Q[0], V[0]) == pytest.approx(0.5, abs=1e-12)
