"""Every law is written for states with leading dimensions: of several at once it gives what it gives of each alone."""

from functools import partial

import numpy as np
import pytest
from tests.control.test_free_floating import GOAL
from tests.control.test_free_floating import PLANT as FLYER
from tests.control.test_gain_names import FOLLOW, HOLD, LAWS, WHEELED
from tests.control.test_thrust_vectoring import flown
from tests.control.test_tool_laws import PLANT as ARM

import unmoored as um
from unmoored.control.tasks import Task
from unmoored.model.joints import numbers_from_pose
from unmoored.sensing import Signal
from unmoored.worlds import Seen

PATH = um.ScrewPath([0.0, 2.0], [np.eye(4), um.Pose(xyz=(0.4, 0.3, 1.0), rpy=(0.2, 0.4, 0.1)).matrix])
TIMES = np.array([0.3, 0.7, 1.6])


def states(plant, seed=3):
    """Three times, configurations and velocities near rest."""
    system, rng = plant.system, np.random.default_rng(seed)
    q = system.retract(np.tile(system.neutral(), (3, 1)), 0.3 * rng.normal(size=(3, system.nv)))
    return TIMES, q, 0.2 * rng.normal(size=(3, system.nv))


def levels(**options):
    """Bounds that hold always, wants that come and go, bounds further down, and what is left."""
    tasks = [
        [um.SpeedLimitTask(["fore"], highest=0.3)],
        [um.PositionTask("tip", um.Sine([0.3, 0.2, 0.9], 5.0), start=0.5, ramp=0.4)],
        [
            um.DistanceTask("hand", other="bus", least=1.5),
            um.DirectionTask("fore", (0, 0, 1), (0.2, 0.5, 1.0)),
        ],
        [um.PostureTask({"fore": 0.3, "hand": np.eye(4)}), um.AttitudeTask("upper", np.eye(4))],
    ]
    return um.TaskPriority(ARM, tasks, **options)


MADE = [make() for make in LAWS]
SHORT = [law for law in MADE if not law.has_memory]
SHORT += [
    flown(SHORT[-1].plant, held="centre_of_mass"),
    flown(SHORT[-1].plant, feed_forward=False),
    levels(passive=["bus"]),
    levels(order="acceleration", weights=np.arange(1.0, 14.0)),
    um.TaskPriority(
        ARM, [[um.FieldOfViewTask("bus", (1, 0, 0), 0.4, other="tip")], [um.PoseTask("tip", PATH)]]
    ),
    um.Allocated(WHEELED, HOLD, keep_direction=True, priority=[["bus.wx"]]),
    um.Allocated(WHEELED, HOLD, limits=None, weights=np.arange(1.0, 1.0 + WHEELED.nv)),
    um.FloatingTool(FLYER, "tool", np.eye(4), "bus", first="tool"),
]


@pytest.mark.whole
@pytest.mark.parametrize("law", SHORT, ids=lambda law: type(law).__name__)
def test_a_law_gives_in_a_batch_what_it_gives_alone(law):
    t, q, v = states(law.plant)
    together = law(t, q, v)
    alone = np.stack([law(*one) for one in zip(t, q, v, strict=True)])
    assert together.shape == alone.shape
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-9 * np.abs(alone).max())


BENT = um.lie.se3.exp(np.array([0.1, -0.2, 0.1, 0.2, 0.1, -0.3]))


FREE = [make for make in LAWS if not make().has_memory]
FREE += [
    partial(um.FloatingTool, FLYER, "tool", pose=GOAL, vehicle="bus", first="tool"),
    partial(FREE[-1], held="centre_of_mass"),
    partial(um.Allocated, WHEELED, HOLD, keep_direction=True),
    partial(um.ComputedTorque, **FOLLOW, stiffness=5.0, linear=False),
    partial(um.Tracking, **FOLLOW, stiffness=5.0, potential="log"),
    partial(um.ResolvedMotion, ARM, "tip", pose=PATH, passive=["bus"]),
]


@pytest.mark.whole
@pytest.mark.parametrize("make", FREE, ids=lambda make: make.func.__name__)
def test_gains_of_every_sample_count_for_its_state(make):
    """Of each gain two values for two states: as the law with each of them."""
    one = make()
    t, q, v = (x[:2] for x in states(one.plant))
    for name, shape in one.shapes.items():
        value = getattr(one, name)
        if not isinstance(value, np.ndarray) or name == "target":
            continue
        pair = np.stack([value, value @ BENT if shape == (4, 4) else 1.1 * value])
        if name in ("limits", "resting"):
            continue
        together = make(**{name: pair})(t, q, v)
        alone = np.stack([make(**{name: pair[k]})(t[k], q[k], v[k]) for k in range(2)])
        np.testing.assert_allclose(together, alone, rtol=1e-8, atol=1e-8 * np.abs(alone).max(), err_msg=name)


@pytest.mark.whole
@pytest.mark.parametrize("options", [{"passive": ["bus"]}, {"order": "acceleration"}], ids=str)
def test_what_levels_lose_in_a_batch_is_what_each_state_loses(options):
    (t, q, v), law = states(ARM), levels(**options)
    together = law.wanted(t, q, v)
    assert np.shape(together.loss) == (3, 4)
    for k in range(3):
        for part, alone in zip(together, law.wanted(t[k], q[k], v[k]), strict=True):
            np.testing.assert_allclose(part[k], alone, rtol=1e-8, atol=1e-9)
    assert np.asarray(together.loss).max() > 1e-3


@pytest.mark.parametrize("kind", [um.IntegralTracking, um.AdaptiveTracking, um.Allocated])
def test_so_does_a_law_with_memory(kind):
    (law,) = (law for law in MADE if type(law) is kind)
    t, q, v = states(law.plant)
    ((name, start),) = [(name, start) for name, start in law.memory.items() if name != "asked"]
    first = np.zeros(start) if isinstance(start, int) else np.asarray(start)
    memory = {name: first + 0.01 * np.arange(3.0)[:, None]}
    memory |= {"asked": np.zeros((3, law.plant.nv))} if "asked" in law.memory else {}
    x = np.full((3, law.plant.nx), 0.1)
    delivered = 0.1 * np.random.default_rng(1).normal(size=v.shape)
    u, kept = law(Seen(t, q, v, x=x, period=0.1, delivered=delivered), memory)
    for k in range(3):
        seen = Seen(t[k], q[k], v[k], x=x[k], period=0.1, delivered=delivered[k])
        alone, own = law(seen, {name: part[k] for name, part in memory.items()})
        np.testing.assert_allclose(u[k], alone, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(kept[name][k], own[name], rtol=1e-9, atol=1e-9)


@pytest.mark.whole
@pytest.mark.parametrize("law", SHORT, ids=lambda law: type(law).__name__)
def test_goals_are_where_their_errors_lead(law):
    t, q, v = states(law.plant)
    system = law.plant.system
    for goal in law.goals():
        e, target = goal.error(t, q, v), goal.target and goal.target(t, q, v)
        assert e.shape == (3, len(goal.rows))
        if goal.kind == "pose" and len(goal.rows) == 6:
            np.testing.assert_allclose(system.pose(q, goal.of) @ um.lie.se3.exp(e), target, atol=1e-9)
        if goal.kind == "position":
            np.testing.assert_allclose(system.pose(q, goal.of)[:, :3, 3] + e, target, atol=1e-12)
        if goal.kind == "coordinate":
            np.testing.assert_allclose(q[:, law.plant.tree.link(goal.of).q] + e, target, atol=1e-12)


TASKS = [
    um.DirectionTask("fore", (0, 0, 1), (0.2, 0.5, 1.0)),
    um.AttitudeTask("upper", np.eye(4)),
    um.EffortLimitTask(["fore"], highest=1.0),
    um.SpeedLimitTask(["fore", "hand"], highest=0.1),
    um.JointLimitTask(["fore"], lower=0.1, upper=0.2),
    um.FieldOfViewTask("bus", (1, 0, 0), 0.4, other="tip"),
]
TOLD = [goal for law in SHORT for goal in law.goals() if law.plant is ARM]
TOLD += [goal for task in TASKS for goal in Task.goals(task.on(ARM), ARM, 0)]


@pytest.mark.whole
@pytest.mark.parametrize("goal", TOLD, ids=lambda goal: goal.name)
def test_goals_of_one_state_and_of_a_table_of_states_are_those_of_each(goal):
    t, q, v = states(ARM)
    in_table = [np.stack([x, x[::-1]]) for x in (t, q, v)]
    for told in filter(None, (goal.error, goal.target)):
        rows = told(t, q, v)
        assert np.shape(told(t[0], q[0], v[0])) == rows.shape[1:]
        np.testing.assert_allclose(told(t[1], q[1], v[1]), rows[1], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(told(*in_table), np.stack([rows, rows[::-1]]), rtol=1e-12, atol=1e-12)


@pytest.mark.whole
@pytest.mark.parametrize("kind", [um.ToolImpedance, um.ToolAdmittance])
def test_so_do_tools_that_feel_what_acts_on_them(kind):
    """On a bus that floats, with a wrench at the tool and a compliant motion of each sample's own."""
    law = kind(
        ARM, "tip", np.eye(4), 20.0, 5.0, inertia_wanted=np.arange(1.0, 7.0), sensor="wrist", passive=["bus"]
    )
    t, q, v = states(ARM)
    rng = np.random.default_rng(2)
    wrench = rng.normal(size=(3, 6))
    memory = {}
    if kind is um.ToolAdmittance:
        poses = um.lie.se3.exp(0.2 * rng.normal(size=(3, 6)))
        memory = {"compliant_pose": numbers_from_pose(poses), "compliant_twist": rng.normal(size=(3, 6))}
    assert law.memory.keys() == memory.keys()
    u, kept = law(Seen(t, q, v, y={"wrist": Signal(wrench, 1.0, t)}, period=0.1), memory)
    for k in range(3):
        own = {name: part[k] for name, part in memory.items()}
        seen = Seen(t[k], q[k], v[k], y={"wrist": Signal(wrench[k], 1.0, t[k])}, period=0.1)
        alone, after = law(seen, own)
        np.testing.assert_allclose(u[k], alone, rtol=1e-9, atol=1e-8)
        for name in memory:
            np.testing.assert_allclose(kept[name][k], after[name], rtol=1e-9, atol=1e-11)
