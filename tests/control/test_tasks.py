"""Rows of tasks against differences along the motion: what they want comes, what they bound changes as they say."""

import copy
from dataclasses import replace

import numpy as np
import pytest

import unmoored as um
from unmoored.control.tasks import TASKS, Task
from unmoored.model.value import replace_arrays

SYSTEM = um.load("bluerov2_bravo7")
PLANT = um.Plant(SYSTEM, world=um.Ocean())
JOINTS = SYSTEM.names[1:]
ARM = [name for name in SYSTEM.names if name not in ("rov", "arm_base", "jaws")]
TARGET = um.Pose(xyz=(0.7, 0.3, -0.4), rpy=(0.5, -0.3, 0.8))
PATH = um.Quintic([0.0, 4.0], [[0, 0, 0, 0, 0, 0], [1.0, -0.5, 0.3, 0.6, 0.4, -0.7]])


def state(seed):
    rng = np.random.default_rng(seed)
    q = SYSTEM.retract(SYSTEM.neutral(), 0.5 * rng.normal(size=SYSTEM.nv))
    return q, 0.3 * rng.normal(size=SYSTEM.nv)


def difference(function, h=1e-5):
    """Derivative at 0, of fourth order."""
    values = {k: np.asarray(function(k * h)) for k in (-2, -1, 1, 2)}
    return (8 * (values[1] - values[-1]) - (values[2] - values[-2])) / (12 * h)


WANTED = {
    "pose": um.PoseTask("tool", TARGET, rate=1.3),
    "moving pose": um.PoseTask("tool", PATH, rate=1.3),
    "position": um.PositionTask("tool", (0.7, 0.3, -0.4), rate=0.7),
    "moving position": um.PositionTask("tool", um.Sine([0.3, 0.2, 0.1], 5.0)),
    "direction": um.DirectionTask("tool", axis=(1, 2, -1), direction=(0.2, 0.5, 1.0), rate=0.9),
    "attitude": um.AttitudeTask("rov", TARGET, rate=1.1),
    "posture": um.PostureTask(dict.fromkeys(ARM, 0.4) | {"rov": TARGET}, rate=0.6),
    "moving posture": um.PostureTask({ARM[0]: um.Sine(0.3, 5.0), ARM[2]: 0.2, "rov": PATH}),
}


@pytest.mark.parametrize("name", list(WANTED))
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.whole
def test_errors_shrink_at_their_rate(name, seed):
    task, q, t = WANTED[name].on(PLANT), state(seed)[0], 1.7
    rows = task.rows(PLANT, t, q, np.zeros(SYSTEM.nv))
    wanted = rows.rate + task.rate * rows.error
    v = np.linalg.pinv(rows.J) @ wanted
    assert np.allclose(rows.J @ v, wanted, atol=1e-9)

    def error(s):
        return task.rows(PLANT, t + s, SYSTEM.retract(q, s * v), v).error

    if name == "direction":  # its rows turn with the frame: the angle is what shrinks
        angle = np.linalg.norm(rows.error)
        assert abs(difference(lambda s: np.linalg.norm(error(s))) + task.rate[0] * angle) < 1e-8
    else:
        assert np.abs(difference(error) + task.rate * rows.error).max() < 1e-8


@pytest.mark.parametrize("name", list(WANTED))
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.whole
def test_biases_and_accelerations_of_targets(name, seed):
    task, (q, v) = WANTED[name].on(PLANT), state(seed)

    def rows(s):
        return task.rows(PLANT, 1.7 + s, SYSTEM.retract(q, s * v), v)

    assert np.abs(difference(lambda s: rows(s).J @ v) - rows(0).bias).max() < 1e-8
    rate = difference(lambda s: rows(s).rate + 0.0 * rows(0).error)
    assert np.abs(rate - rows(0).acceleration).max() < 1e-7


BOUNDED = {
    "distance of frames": um.DistanceTask("tool", other="rov", least=0.3),
    "distance of a point": um.DistanceTask("elbow_pitch", point=(1.0, 0.2, 0.3), least=0.2, most=3.0),
    "view of a point": um.FieldOfViewTask("tool", axis=(1, 0.5, 0), half_angle=0.6, point=(2.0, 0.3, -1.0)),
    "view of a frame": um.FieldOfViewTask("rov", axis=(1, 0, 0), half_angle=0.6, other="tool"),
    "clearance of a capsule": um.ClearanceTask(
        "elbow_pitch",
        "world",
        um.Capsule(0.05, 0.2),
        um.Sphere(0.3, at=um.Pose(xyz=(1.5, 0.3, 0.2))),
        least=0.1,
    ),
    "clearance of a capsule from a box": um.ClearanceTask(
        "elbow_pitch",
        "world",
        um.Capsule(0.05, 0.2),
        um.Box((0.4, 0.3, 0.5), at=um.Pose(xyz=(1.5, 0.3, 0.2), rpy=(0.2, 0.5, 0.3))),
        least=0.1,
    ),
    "clearance of points": um.ClearanceTask(
        "tool", "rov", um.Points([[0, 0, 0], [0.1, 0.02, 0]], radius=0.02), um.Box((0.4, 0.3, 0.2)), least=0.1
    ),
    "joint limits": um.JointLimitTask(ARM, lower=-1.0, upper=1.5),
}
OTHERS = {
    "manipulability": um.ManipulabilityTask("tool", ARM, goal=0.1, zone=0.05),
    "speeds": um.SpeedLimitTask(ARM, highest=1.0),
    "efforts": um.EffortLimitTask(ARM, highest=1.0),
}


@pytest.mark.parametrize("name", list(BOUNDED))
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.whole
def test_values_change_as_the_rows_say(name, seed):
    task, (q, v) = BOUNDED[name].on(PLANT), state(seed)

    def rows(s):
        return task.rows(PLANT, 0.0, SYSTEM.retract(q, s * v), v)

    assert np.abs(difference(lambda s: rows(s).value) - rows(0).J @ v).max() < 1e-9
    assert np.abs(difference(lambda s: rows(s).J @ v) - rows(0).bias).max() < 1e-8


@pytest.mark.parametrize("name", [*WANTED, *BOUNDED, *OTHERS])
@pytest.mark.whole
def test_rows_of_a_batch_are_those_of_its_states(name):
    task = (WANTED | BOUNDED | OTHERS)[name].on(PLANT)
    q, v = (np.stack(part) for part in zip(*map(state, range(2)), strict=True))
    together = task.rows(PLANT, 1.7, q, v)
    for k in range(2):
        for field, alone in zip(together._fields, task.rows(PLANT, 1.7, q[k], v[k]), strict=True):
            if alone is not None:
                own = np.broadcast_to(getattr(together, field), (2, *np.shape(alone)))[k]
                np.testing.assert_allclose(own, alone, rtol=0, atol=1e-12, err_msg=field)


BENT = um.lie.se3.exp(np.array([0.1, -0.2, 0.1, 0.2, 0.1, -0.3]))


def tuned(task, gain, value):
    """The task as it is made ready, with another gain."""
    other = copy.copy(task)
    replace_arrays(other, **{gain: value})
    return other


@pytest.mark.parametrize("name", [*WANTED, *BOUNDED, *OTHERS])
@pytest.mark.whole
def test_gains_of_every_sample_count_for_its_state(name):
    """Of each gain two values for two states: rows and what is in force are those with each of them."""
    task = (WANTED | BOUNDED | OTHERS)[name].on(PLANT)
    q, v = (np.stack(part) for part in zip(*map(state, range(2)), strict=True))
    for gain, shape in task.shapes.items():
        if gain == "places":  # numbers and poses in one vector
            continue
        value = getattr(task, gain)
        pair = np.stack([value, value @ BENT if shape == (4, 4) else 1.1 * value])
        both, each = tuned(task, gain, pair), [tuned(task, gain, part) for part in pair]
        together, alone = (
            both.rows(PLANT, 1.7, q, v),
            [x.rows(PLANT, 1.7, q[k], v[k]) for k, x in enumerate(each)],
        )
        for k in range(2):
            for field, part in zip(together._fields, alone[k], strict=True):
                own = np.broadcast_to(getattr(together, field), (2, *np.shape(part)))[k]
                np.testing.assert_allclose(own, part, rtol=0, atol=1e-12, err_msg=f"{gain}: {field}")
            share = np.broadcast_to(both.activity(PLANT, 1.7, q), 2)[k]
            assert share == pytest.approx(each[k].activity(PLANT, 1.7, q[k]), abs=1e-12)


@pytest.mark.parametrize("name", [*WANTED, *BOUNDED, *OTHERS])
@pytest.mark.whole
def test_a_gain_that_is_no_number_is_named(name):
    task = (WANTED | BOUNDED | OTHERS)[name]
    for gain in task.shapes:
        with pytest.raises(um.ModelError, match=rf"^{type(task).__name__}: {gain}"):
            replace(task, **{gain: np.nan}).on(PLANT)


@pytest.mark.parametrize("name", [*WANTED, *BOUNDED, *OTHERS])
@pytest.mark.whole
def test_gains_are_arrays_of_their_shapes_however_they_are_given(name):
    task = (WANTED | BOUNDED | OTHERS)[name]
    for gain, shape in task.shapes.items():
        value = getattr(task, gain)
        assert isinstance(value, np.ndarray if shape else float), gain
        assert (np.shape(value), np.asarray(value).dtype) == (shape, float), gain


def test_limits_that_are_not_told_are_the_joints_own():
    builder = um.SystemBuilder("arm")
    parent, limits = (
        builder.vehicle("base", um.Fixed(), inertia=um.Inertia.point(1.0)),
        ((-1.0, 2.0), (-0.5, 0.25)),
    )
    for k, pair in enumerate(limits):
        joint = um.Revolute((0, 1, 0), limits=pair, velocity=1.0 + k, effort=5.0 + k)
        parent = builder.link(f"rod{k}", parent=parent, joint=joint, inertia=um.Inertia.rod(1.0, 0.5))
    builder.link("loose", parent=parent, joint=um.Revolute((0, 1, 0)), inertia=um.Inertia.rod(1.0, 0.5))
    plant = um.Plant(builder.build())
    own = um.JointLimitTask(margin=0.1).on(plant)
    assert (own.lower.tolist(), own.upper.tolist(), own.dofs) == ([-1.0, -0.5], [2.0, 0.25], (0, 1))
    rows = own.rows(plant, 0.0, np.array([0.1, 0.2, 0.3]), np.zeros(3))
    assert (rows.low.tolist(), rows.high.tolist(), rows.value.tolist()) == (
        [-0.9, -0.4],
        [1.9, 0.15],
        [0.1, 0.2],
    )
    half = um.JointLimitTask(["rod1", "rod0"], upper=0.2).on(plant)
    assert (half.lower.tolist(), half.upper.tolist()) == ([-1.0, -0.5], [0.2, 0.2])
    half = um.JointLimitTask(["rod0"], lower=-0.3).on(plant)
    assert (half.lower.tolist(), half.upper.tolist()) == ([-0.3], [2.0])
    assert um.SpeedLimitTask().on(plant).highest.tolist() == [1.0, 2.0]
    assert um.EffortLimitTask(["rod1"]).on(plant).highest.tolist() == [6.0]
    for task, option in (
        (um.JointLimitTask(["loose"], upper=1.0), "limits"),
        (um.SpeedLimitTask(["loose"]), "velocity"),
        (um.EffortLimitTask(["loose"]), "effort"),
    ):
        told = f"{type(task).__name__}: joints: expected a joint with `{option}`, .* given loose"
        with pytest.raises(um.ModelError, match=told):
            task.on(plant)
    with pytest.raises(um.ModelError, match="lower, upper: expected lower"):
        um.JointLimitTask(["rod1"], margin=0.376).on(plant)
    um.JointLimitTask(["rod1"], margin=0.375).on(plant)


def test_goals_of_tasks_are_of_their_level_and_named_by_it():
    levels = [[task] for task in (WANTED | BOUNDED).values()]
    for goal in um.TaskPriority(PLANT, levels).goals():
        k = int(goal.name.split()[0]) - 1
        assert goal.level == k
        assert goal.name.split()[1] == type(levels[k][0]).__name__


def test_a_task_that_is_not_in_force_has_no_error_and_no_target():
    task = um.PoseTask("tool", TARGET, start=1.0, ramp=0.5, stop=3.0)
    ((goal,), q) = um.TaskPriority(PLANT, [[task]]).goals(), state(0)[0]
    for t, there in ((0.5, False), (1.0, False), (1.1, True), (3.4, True), (3.5, False)):
        for told in (goal.error, goal.target):
            found = told(np.array([t]), q[None], 0.0 * SYSTEM.neutral()[None, : SYSTEM.nv])
            assert np.isfinite(found).all() if there else np.isnan(found).all()


def test_tasks_come_and_go_as_a_smooth_step():
    """10x³ − 15x⁴ + 6x⁵ of the part of the ramp that is over; between 0 and 1 for good."""
    task = um.PoseTask("tool", TARGET, start=1.0, ramp=0.5, stop=3.0)
    step = {-0.1: 0.0, 0.0: 0.0, 0.25: 0.103515625, 0.5: 0.5, 0.75: 0.896484375, 1.0: 1.0, 1.7: 1.0}
    for x, share in step.items():
        assert task.activity(PLANT, 1.0 + 0.5 * x, None) == pytest.approx(share, abs=1e-14)
        assert task.activity(PLANT, 3.0 + 0.5 * x, None) == pytest.approx(1.0 - share, abs=1e-14)
        late = um.PoseTask("tool", TARGET, stop=2.0)  # a second, where nothing else is said
        assert late.activity(PLANT, 2.0 + x, None) == pytest.approx(1.0 - share, abs=1e-14)
    assert um.PoseTask("tool", TARGET).activity(PLANT, 0.0, None) == 1.0
    times = np.array([0.9, 1.25, 2.0])
    np.testing.assert_allclose(task.activity(PLANT, times, None), [0.0, 0.5, 1.0], atol=1e-14)


def test_where_a_direction_is_lost_rows_are_finite():
    """Points that coincide, axes that are aligned or opposed, an arm that cannot leave its plane."""
    q, v = SYSTEM.neutral(), np.zeros(SYSTEM.nv)
    here = SYSTEM.pose(q, "tool")[:3, 3]
    distance = um.DistanceTask("tool", point=here, least=0.1).rows(PLANT, 0.0, q, v)
    view = um.FieldOfViewTask("tool", (1, 0, 0), 0.5, point=here).rows(PLANT, 0.0, q, v)
    for rows in (distance, view):
        assert all(np.isfinite(part).all() for part in (rows.J, rows.value, rows.bias))
    assert distance.value[0] == pytest.approx(1e-15, rel=1e-9)
    for sign in (1.0, -1.0):
        axis = sign * SYSTEM.pose(q, "tool")[:3, 1]
        rows = um.DirectionTask("tool", (0, 1, 0), axis).rows(PLANT, 0.0, q, v)
        np.testing.assert_array_equal(rows.error, [0.0, 0.0])
    plant, flat = flat_arm(), ["rod0", "rod1", "rod2"]
    task, q = um.ManipulabilityTask("tip", flat, goal=1.0), np.array([0.3, 0.7, -0.4])
    J = plant.system.mixed_jacobian(q, "tip")[:2]
    in_plane = np.sqrt(np.linalg.det(J @ J.T))
    assert task.value(plant, q) == pytest.approx(1e-6 * in_plane, rel=1e-9)


def flat_arm():
    """Three rods whose hinges are parallel."""
    b = um.SystemBuilder("flat")
    last = b.vehicle("base", um.Fixed(), inertia=um.Inertia.point(1.0))
    for k in range(3):
        at = um.Pose(xyz=(1.0 if k else 0.0, 0, 0))
        last = b.link(
            f"rod{k}",
            parent=last,
            joint=um.Revolute((0, 0, 1)),
            at=at,
            inertia=um.Inertia.box(1.0, (1.0, 0.1, 0.1)),
        )
    b.frame("tip", parent=last, at=um.Pose(xyz=(0.8, 0, 0)))
    return um.Plant(b.build())


def test_speeds_and_efforts_are_those_of_the_plant():
    q, v = state(0)
    a = np.linspace(-1, 1, SYSTEM.nv)
    effort = um.EffortLimitTask(ARM[:3], highest=5.0).on(PLANT).rows(PLANT, 0.0, q, v)
    forces = PLANT.inverse_dynamics(0.0, q, v, a)
    assert np.allclose(effort.J @ a + effort.bias, forces[list(range(6, 9))], atol=1e-10)
    speed = um.SpeedLimitTask(["rov"], highest=[1, 1, 1, 2, 2, 2]).on(PLANT).rows(PLANT, 0.0, q, v)
    assert np.array_equal(speed.J @ v, v[:6])
    assert speed.high.tolist() == [1, 1, 1, 2, 2, 2]


def test_bounds_of_accelerations_tell_no_error():
    task, (q, v) = OTHERS["efforts"].on(PLANT), state(0)
    (goal,) = Task.goals(task, PLANT, 0)
    found = goal.error(0.0, np.stack([q, q]), np.stack([v, v]))
    assert found.shape == (2, len(ARM))
    assert np.isnan(found).all()


def test_manipulability_is_raised_where_it_is_low():
    task, (q, v) = um.ManipulabilityTask("tool", ARM, goal=5.0, of="position").on(PLANT), state(1)
    J = SYSTEM.jacobian(q, "tool")[:3, 6:]
    value = float(task.value(PLANT, q))
    assert np.isclose(value, np.sqrt(np.linalg.det(J @ J.T)), rtol=1e-9)

    def rows(s):
        return task.rows(PLANT, 0.0, SYSTEM.retract(q, s * v), v)

    assert np.abs(difference(lambda s: -rows(s).error) - rows(0).J @ v).max() < 1e-9
    assert np.abs(difference(lambda s: rows(s).J @ v) - rows(0).bias).max() < 1e-8
    tasks = [um.ManipulabilityTask("tool", ARM, goal=value + more, zone=0.1) for more in (0.0, 0.2)]
    assert [task.activity(PLANT, 0.0, q) for task in tasks] == [0.0, 1.0]


def test_manipulability_comes_over_half_of_its_goal_where_nothing_else_is_said():
    q, _ = state(1)
    value = float(um.ManipulabilityTask("tool", ARM, goal=1.0).value(PLANT, q))
    for below, share in ((0.0, 0.0), (0.25, 0.5), (0.5, 1.0)):  # of the goal
        task = um.ManipulabilityTask("tool", ARM, goal=value / (1.0 - below))
        assert task.activity(PLANT, 0.0, q) == pytest.approx(share, abs=1e-9)
    assert um.ManipulabilityTask("tool", ARM, goal=0.4).zone == 0.2
    J = SYSTEM.jacobian(q, "tool")[:, 6:]
    for of, rows in (("attitude", slice(3, 6)), ("pose", slice(0, 6))):
        found = um.ManipulabilityTask("tool", ARM, goal=1.0, of=of).on(PLANT).value(PLANT, q)
        assert np.isclose(found, np.sqrt(np.linalg.det(J[rows] @ J[rows].T)), rtol=1e-9)


def test_tasks_say_what_is_wrong():
    for make, words in (
        (lambda: um.TaskPriority(PLANT, [[um.PoseTask("tol", TARGET)]]), "tool"),
        (lambda: um.TaskPriority(PLANT, [["PoseTask"]]), "EffortLimitTask"),
        (lambda: um.TaskPriority(PLANT, []), "levels"),
        (lambda: um.PositionTask("tool", um.Sine(1.0, 1.0)), "size 3"),
        (lambda: um.DistanceTask("tool", least=0.1), "one of them"),
        (lambda: um.DistanceTask("tool", other="rov"), "at least one"),
        (lambda: um.FieldOfViewTask("tool", (1, 0, 0), 4.0, other="rov"), "half_angle"),
        (lambda: um.PoseTask("tool", TARGET, rate=-1.0), "rate"),
        (lambda: um.TaskPriority(PLANT, [[um.JointLimitTask()]]), "limits"),
        (lambda: um.ManipulabilityTask("tool", ARM[:2], goal=0.1).on(PLANT), "at least 3"),
        (lambda: um.ManipulabilityTask("tool", ARM, goal=0.0), "goal, zone: expected > 0"),
        (lambda: um.ManipulabilityTask("tool", ARM, goal=0.1, zone=0.0), "goal, zone: expected > 0"),
        (lambda: um.ManipulabilityTask("tool", ARM, goal=0.1, of="place"), "one of pose, position, attitude"),
        (lambda: um.TaskPriority(PLANT, [[um.SpeedLimitTask(ARM, highest=1.0, start=1.0)]]), "come and go"),
    ):
        with pytest.raises(um.ModelError, match=words):
            make()
    assert len({cls.__name__ for cls in TASKS}) == len(TASKS)
