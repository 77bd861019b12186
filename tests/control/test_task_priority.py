"""Levels of tasks: what is below never changes what is above, limits hold, and what is lost is told."""

import numpy as np
import pytest
from scipy.optimize import nnls
from tests.support.thinning import one_in

import unmoored as um
from unmoored import kernels
from unmoored.control.priority.successive_projection import projected
from unmoored.control.tasks import Wanted

SYSTEM = um.load("bluerov2_bravo7")
PLANT = um.Plant(SYSTEM, world=um.Ocean())
ARM = [name for name in SYSTEM.names if name not in ("rov", "arm_base", "jaws")]
TARGET = um.Pose(xyz=(0.8, 0.1, -0.5), rpy=(0.3, -0.2, 0.4))
POSE = um.PoseTask("tool", TARGET)
LEVEL = um.DirectionTask("rov", axis=(0, 0, 1), direction=(0, 0, 1))
PLACE = um.PositionTask("rov", (0.1, 0.2, 0.3))
POSTURE = um.PostureTask(dict.fromkeys(ARM, 0.3))
KERNELS = {}


def states(count, seed=0):
    rng = np.random.default_rng(seed)
    q = np.stack([SYSTEM.retract(SYSTEM.neutral(), 0.6 * rng.normal(size=SYSTEM.nv)) for _ in range(count)])
    return q, 0.2 * rng.normal(size=(count, SYSTEM.nv))


def compiled(levels, plant=PLANT, **options):
    """(q, v) ↦ what the law wants, for batches."""
    law = um.TaskPriority(plant, levels, **options)
    shapes = [(plant.nq,), (plant.nv,)]
    return kernels.compile(lambda q, v: tuple(law.wanted(0.0, q, v)), shapes, exact_zeros=False)


def rows_of(task):
    """q ↦ (J, rate · error) for batches."""
    if id(task) not in KERNELS:
        KERNELS[id(task)] = _rows_of(task.on(PLANT)), task
    return KERNELS[id(task)][0]


def _rows_of(task):

    def rows(q):
        found = task.rows(PLANT, 0.0, q, np.zeros(SYSTEM.nv))
        return found.J + 0.0 * q[0], task.rate * found.error

    return kernels.compile(rows, [(SYSTEM.nq,)], exact_zeros=False)


def rates(task, q, x):
    """J x of a task for states (S, nq) and speeds (S, nv)."""
    return np.einsum("sij,sj->si", rows_of(task)(q)[0], x)


def wants(task, q):
    return rows_of(task)(q)[1]


@pytest.fixture(scope="module")
def three():
    return compiled([[POSE], [LEVEL], [POSTURE]])


def test_lower_levels_do_not_change_higher_ones(three):
    q, v = states(200)
    x, loss, unsolved = three(q, v)
    assert np.abs(rates(POSE, q, x) - wants(POSE, q)).max() < 1e-10
    assert np.abs(rates(LEVEL, q, x) - wants(LEVEL, q)).max() < 1e-10
    assert loss[:, :2].max() < 1e-10
    assert loss[:, 2].min() > 1e-3  # four DoFs are left for six joints
    assert unsolved.max() == 0.0
    # the last level is the least squares of what is left
    J3, N = np.eye(SYSTEM.nv)[6:], []
    for k in range(50):
        J = np.concatenate([rows_of(task)(q[k])[0] for task in (POSE, LEVEL)])
        b = np.concatenate([wants(POSE, q[k]), wants(LEVEL, q[k])])
        Z = np.linalg.svd(J)[2][8:].T
        first = np.linalg.pinv(J) @ b
        best = (
            first + Z @ np.linalg.lstsq(J3 @ Z, wants(POSTURE, q[k : k + 1])[0] - J3 @ first, rcond=1e-9)[0]
        )
        N.append(np.abs(best - x[k]).max())
    assert max(N) < 1e-9


def test_the_order_of_levels_is_their_priority():
    q, v = states(20)
    still = um.PostureTask({"rov": um.Pose()})
    first, second = compiled([[still], [PLACE]])(q, v), compiled([[PLACE], [still]])(q, v)
    assert np.abs(rates(PLACE, q, second[0]) - wants(PLACE, q)).max() < 1e-10
    assert np.abs(rates(still, q, first[0]) - wants(still, q)).max() < 1e-10
    assert np.abs(rates(PLACE, q, first[0]) - wants(PLACE, q)).max() > 1e-2
    assert np.allclose(first[1][:, 1], np.linalg.norm(rates(PLACE, q, first[0]) - wants(PLACE, q), axis=1))


def test_python_and_kernel_agree_and_weights_shift_the_work(three):
    q, v = states(5)
    law = um.TaskPriority(PLANT, [[POSE], [LEVEL], [POSTURE]])
    for k in range(5):
        assert np.abs(law.wanted(0.0, q[k], v[k]).motion - three(q[k], v[k])[0]).max() < 1e-9
    heavy = np.r_[np.ones(6), np.full(6, 0.01)]
    q, v = states(50)
    plain, lazy = (
        compiled([[PLACE, um.PositionTask("tool", (1, 0, 0))]], weights=w)(q, v)[0] for w in (1.0, heavy)
    )
    for x in (plain, lazy):
        assert np.abs(rates(PLACE, q, x) - wants(PLACE, q)).max() < 1e-9
    assert np.linalg.norm(lazy[:, 3:6]) < 0.7 * np.linalg.norm(plain[:, 3:6])


def arm(n=2):
    """A planar arm of rods on the ground."""
    b = um.SystemBuilder("arm")
    last = b.vehicle("base", um.Fixed(), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)))
    for k in range(n):
        at = um.Pose(xyz=(1.0 if k else 0.0, 0, 0))
        rod = um.Inertia(mass=1.0, com=(0.5, 0, 0), tensor=np.diag([0.01, 0.1, 0.1]))
        last = b.link(f"rod{k}", parent=last, joint=um.Revolute(axis=(0, 0, 1)), at=at, inertia=rod)
    b.frame("tip", parent=last, at=um.Pose(xyz=(1.0, 0, 0)))
    return b.build()


def test_near_singular_postures_speeds_stay_bounded_smooth_and_the_loss_is_told():
    plant = um.Plant(arm())
    law = compiled([[um.PositionTask("tip", (3.0, 0.0, 0.0))]], plant, singular_below=0.1)
    angles = np.linspace(-0.6, 0.6, 4001)
    q = np.column_stack([np.full(len(angles), 0.1), angles])
    x, loss, _ = law(q, np.zeros(2))
    loss = loss[:, 0]
    assert np.abs(x).max() < 20.0
    sigma = np.linalg.svd(plant.system.mixed_jacobian(q, "tip")[:, :2])[1][:, -1]
    assert loss[sigma > 0.1].max() < 1e-10
    assert loss[sigma < 0.05].min() > 1e-2
    h = angles[1] - angles[0]
    slope = np.diff(x, axis=0) / h
    assert np.abs(np.diff(slope, axis=0)).max() < 0.02 * np.abs(slope).max()  # the derivative does not jump
    undamped = np.linalg.inv(plant.system.mixed_jacobian(np.array([0.1, 1e-4]), "tip")[:2]) @ np.array(
        [1.0, 0.0]
    )
    assert np.abs(undamped).max() > 1e3


def least(J, b, E, low, high, tiny=1e-7):
    """The least |J x − b|² + tiny² |x|² within limits, exactly: non-negative least squares of least distances."""
    n = J.shape[1]
    A = np.vstack([J, tiny * np.eye(n)])
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    f = U.T @ np.r_[b, np.zeros(n)]
    G = np.vstack([E, -E])
    h = np.r_[low, -high]
    back = Vt.T / s
    GG, hh = G @ back, h - G @ back @ f
    norm = np.linalg.norm(GG, axis=1)
    there = norm > 1e-12
    GG, hh = GG[there] / norm[there, None], hh[there] / norm[there]
    if np.all(hh <= 0):
        return back @ f
    u, _ = nnls(np.vstack([GG.T, hh]), np.r_[np.zeros(n), 1.0], maxiter=10000)
    r = np.r_[GG.T @ u, hh @ u - 1.0]
    return back @ (-r[:-1] / r[-1] + f)


def _null(J):
    return np.linalg.svd(J)[2][len(J) :].T


SPEEDS = um.SpeedLimitTask(["rov", *ARM], highest=np.r_[0.6, 0.6, 0.6, 0.4, 0.4, 0.4, np.full(6, 0.4)])


@pytest.fixture(scope="module")
def limited():
    return compiled([[SPEEDS], [PLACE], [POSE], [POSTURE]])


def test_limits_hold_and_saturation_does_not_break_priority(limited):
    q, v = states(200, seed=1)
    x, loss, unsolved = limited(q, v)
    highest = SPEEDS.on(PLANT).highest
    assert np.all(np.abs(x) <= highest * (1 + 1e-9))
    assert unsolved.max() == 0.0
    alone = compiled([[SPEEDS], [PLACE]])(q, v)[0]
    assert np.abs(rates(PLACE, q, x) - rates(PLACE, q, alone)).max() < 1e-10
    two = compiled([[SPEEDS], [PLACE], [POSE]])(q, v)[0]
    left = np.einsum("sij,sjk->sik", rows_of(POSE)(q)[0], np.stack([_null(J) for J in rows_of(PLACE)(q)[0]]))
    regular = np.linalg.svd(left)[1][:, -1] > 0.02
    assert regular.mean() > 0.5
    assert np.abs(rates(POSE, q, x) - rates(POSE, q, two))[regular].max() < 1e-10
    lost = loss[:, 1] > 1e-6
    assert 0.1 < lost.mean() < 0.99  # in some of them even the first level cannot have all
    # against exact optima, level by level; the levels stay 1e-5 of the range off the limits
    E = np.eye(SYSTEM.nv)
    for k in range(40):
        (J1, b1), (J2, b2) = (rows_of(task)(q[k]) for task in (PLACE, POSE))
        y = least(J1, b1, E, -highest, highest)
        assert abs(np.linalg.norm(J1 @ y - b1) - loss[k, 1]) < 2e-5
        Z = np.linalg.svd(J1)[2][3:].T
        z = least(J2 @ Z, b2 - J2 @ x[k], Z, -highest - x[k], highest - x[k])
        assert np.linalg.norm(J2 @ x[k] - b2) < np.linalg.norm(J2 @ (x[k] + Z @ z) - b2) + 2e-5


def test_levels_that_are_squeezed_by_many_limits_are_solved():
    """A moment of a run in which the tool is to go faster than all DoFs together may: slow for an interior point."""
    q = [-0.0832, 0.097, -0.0145, 0.012, 0.0398, 0.0829, -0.0056, 0.6614, 0.8067, 0.0731, 0.5616, -0.0905]
    v = [-0.088, 0.0954, -0.0354, 0.009, 0.0695, 0.091, -0.0014, 0.0843, 0.0125, 0.0768, 0.0778, -0.1038]
    bent = {"shoulder_pitch": 0.6, "elbow_pitch": 0.8, "wrist_pitch": 0.5}
    g = SYSTEM.pose(SYSTEM.pack(bent), "tool")
    on = [
        um.Pose(xyz=(0.3, 0.2, -0.1), rpy=(0.2, -0.3, 0.4)),
        um.Pose(xyz=(0.1, 0.5, 0.2), rpy=(-0.2, 0.2, 0.6)),
    ]
    path = um.PoseSpline([0, 4, 8], [g, *(g @ pose.matrix for pose in on)])
    levels = [
        [um.SpeedLimitTask(["rov", *ARM], highest=0.12)],
        [um.PoseTask("tool", path, rate=3.0)],
        [um.DirectionTask("rov", axis=(0, 0, 1), direction=(0, 0, 1), rate=2.0)],
        [um.PostureTask(dict.fromkeys(ARM, 0.0) | bent)],
    ]
    law = um.TaskPriority(PLANT, levels, order="acceleration")
    found = law.wanted(1.92, SYSTEM.retract(SYSTEM.neutral(), np.array(q)), np.array(v))
    assert found.unsolved == 0.0
    assert found.loss[1] > 0.1
    a = found.motion
    assert np.all(a <= 0.12 - np.array(v) + 1e-9)
    assert np.all(a >= -0.12 - np.array(v) - 1e-9)


@pytest.mark.long
def test_without_saturation_limits_change_nothing(limited, three):
    q, v = states(50, seed=2)
    wide = um.SpeedLimitTask(["rov", *ARM], highest=50.0)
    assert np.abs(compiled([[wide], [POSE], [LEVEL], [POSTURE]])(q, v)[0] - three(q, v)[0]).max() < 1e-10


def test_bounds_further_down_give_way_to_levels_above():
    q, v = states(60, seed=3)
    keep = um.DistanceTask("tool", other="rov", least=0.9)
    above = compiled([[POSE], [keep], [POSTURE]])
    x, loss, unsolved = above(q, v)
    assert np.abs(rates(POSE, q, x) - wants(POSE, q)).max() < 1e-10
    assert unsolved.max() == 0.0
    rows = [keep.on(PLANT).rows(PLANT, 0.0, a, b) for a, b in zip(q, v, strict=True)]
    rate = np.array([r.J @ y for r, y in zip(rows, x, strict=True)])[:, 0]
    least_rate = np.array([(r.low - r.value)[0] for r in rows])
    assert np.all(rate >= least_rate - 1e-6)  # POSE leaves six DoFs: the arm can always give way
    assert np.mean(rate < least_rate + 1e-6) > 0.1
    # where the level above takes everything that matters, the bound is passed over, and no more than it must be
    hold = um.PostureTask(dict.fromkeys(ARM, 1.0))
    x, loss, _ = compiled([[hold], [keep], [PLACE]])(q, v)
    assert np.abs(rates(hold, q, x) - wants(hold, q)).max() < 1e-10
    rate = np.array([r.J @ y for r, y in zip(rows, x, strict=True)])[:, 0]
    assert np.abs(loss[:, 1] - np.maximum(least_rate - rate, 0.0)).max() < 1e-9
    assert (loss[:, 1] > 1e-3).any()
    assert np.abs(rates(PLACE, q, x) - wants(PLACE, q)).max() < 1e-7


def test_contradictory_limits_are_counted():
    plant = um.Plant(arm())
    far = um.JointLimitTask(["rod0"], lower=1.0, upper=2.0, rate=5.0)
    slow = um.SpeedLimitTask(["rod0"], highest=0.5)
    law = um.TaskPriority(plant, [[far, slow], [um.PostureTask({"rod1": 0.5})]])
    options = {"duration": 0.3, "step": 0.01, "control_step": 0.1, "controller": law}
    run = um.simulate(plant, np.array([[0.0, 0.0], [1.5, 0.0]]), **options)
    assert run.unsolved[:, -1].tolist() == [3.0, 0.0]
    assert run.memory["loss"].shape == (2, 31, 2)
    with pytest.raises(um.ModelError, match="TaskPriority"):
        _ = um.simulate(plant, np.zeros(2), duration=0.1, step=0.01).unsolved


@pytest.mark.parametrize("passive", [pytest.param((), marks=pytest.mark.long), ("rov",)])
def test_accelerations_and_computed_torque_make_errors_linear(passive):
    task = um.PositionTask("tool", (0.7, 0.2, -0.5), rate=2.0)
    law = um.TaskPriority(PLANT, [[task], [POSTURE]], order="acceleration", passive=passive)
    q0, v0 = SYSTEM.retract(SYSTEM.neutral(), np.r_[np.zeros(6), np.full(6, 0.5)]), 0.05 * np.ones(SYSTEM.nv)
    run = um.simulate(PLANT, q0, v0, duration=0.4, step=2e-3, controller=law)
    e = np.array([0.7, 0.2, -0.5]) - np.array([SYSTEM.pose(q, "tool")[:3, 3] for q in run.q])
    start = -(task.rows(PLANT, 0.0, q0, v0).J @ v0)
    t = run.t[:, None]
    assert np.abs(e - (e[0] + (start + 2.0 * e[0]) * t) * np.exp(-2.0 * t)).max() < 1e-8
    if passive:
        assert np.abs(run.u[:, :6]).max() == 0.0


@pytest.mark.parametrize("order", one_in(2, ["velocity", "acceleration"], first=1))
def test_the_tool_stays_on_a_base_that_is_moved(order):
    b = um.SystemBuilder("deck")
    last = b.vehicle("deck", um.Free(), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)))
    rod = um.Inertia(mass=1.0, com=(0.5, 0, 0), tensor=np.diag([0.01, 0.1, 0.1]))
    for k, axis in enumerate([(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0)]):
        at = um.Pose(xyz=(1.0 if k > 1 else 0.0, 0, 0))
        last = b.link(f"rod{k}", parent=last, joint=um.Revolute(axis=axis), at=at, inertia=rod)
    b.frame("tip", parent=last, at=um.Pose(xyz=(1.0, 0, 0)))
    deck = um.Sine([0.1, 0.05, 0.2, 0.05, 0.08, 0.02], [5.0, 6.0, 7.0, 6.0, 5.0, 8.0])
    plant = um.Plant(b.build(), world=um.Earth(), prescribed={"deck": deck})
    q0 = plant.system.pack({"rod0": 0.3, "rod1": -0.6, "rod2": 0.9, "rod3": 0.2})
    place = plant.system.pose(q0, "tip")[:3, 3]
    law = um.TaskPriority(plant, [[um.PositionTask("tip", place, rate=3.0)]], order=order, bandwidth=60.0)
    run = um.simulate(plant, q0, duration=1.5, step=0.01, controller=law)
    found = plant.system.pose(run.q, "tip")[:, :3, 3]
    carried = plant.system.pose(np.column_stack([run.q[:, :12], np.tile(q0[12:], (len(run.t), 1))]), "tip")[
        :, :3, 3
    ]
    assert np.abs(carried - place).max() > 0.09
    if order == "velocity":
        assert np.abs(found - place).max() < 1e-2
    else:  # the tool has the speed of the deck at the start, and loses it as the equation of its error says
        start = plant.system.mixed_jacobian(run.q[0], "tip")[:3] @ run.v[0]
        t = run.t[:, None]
        assert np.abs(found - place - start * t * np.exp(-3.0 * t)).max() < 1e-7
    assert np.abs(run.u[:, :6]).max() == 0.0


def test_speeds_of_a_floating_base_count_what_the_arm_does_to_it():
    plant = um.Plant(SYSTEM)
    task = um.PositionTask("tool", (0.7, 0.2, -0.5))
    law = um.TaskPriority(plant, [[task]], passive=["rov"])
    q, v = (x[0] for x in states(1))
    x = law.wanted(0.0, q, v).motion
    assert np.abs(task.rows(plant, 0.0, q, v).J @ x - wants(task, q)).max() < 1e-10
    before, after = (plant.system.momentum(q, y) for y in (v, x))
    assert np.abs(before - after).max() < 1e-10


def test_efforts_stay_within_limits_and_cost_the_lowest_level_first():
    plant = um.Plant(arm(4), world=um.Earth(gravity=(0, -1.0, 0)))
    tip, posture = (
        um.PositionTask("tip", (2.5, 0.5, 0.0)),
        um.PostureTask({f"rod{k}": 0.2 for k in range(4)}, rate=30.0),
    )
    q, v = np.array([0.3, 0.4, -0.5, 0.3]), np.array([0.1, -0.2, 0.1, 0.3])
    for order, options in (("acceleration", {}), ("velocity", {"bandwidth": 20.0})):
        effort = um.EffortLimitTask(["rod0", "rod1", "rod2", "rod3"], highest=[16.0, 10.0, 25.0, 7.0])
        free = um.TaskPriority(plant, [[tip], [posture]], order=order, **options)
        held = um.TaskPriority(plant, [[effort], [tip], [posture]], order=order, **options)
        alone = um.TaskPriority(plant, [[effort], [tip]], order=order, **options)
        assert np.any(np.abs(free(0.0, q, v)) > [16.0, 10.0, 25.0, 7.0])
        assert np.all(np.abs(held(0.0, q, v)) <= np.array([16.0, 10.0, 25.0, 7.0]) + 1e-6)
        J = tip.rows(plant, 0.0, q, v).J
        motions = [law.wanted(0.0, q, v).motion for law in (alone, held)]
        assert np.abs(J @ (motions[0] - motions[1])).max() < 1e-10
        assert held.wanted(0.0, q, v).loss[1] < 1e-9  # the lowest level pays
        assert held.wanted(0.0, q, v).loss[2] > free.wanted(0.0, q, v).loss[1] + 1e-3


@pytest.mark.whole
@pytest.mark.parametrize("order", ["velocity", "acceleration"])
@pytest.mark.parametrize("floats", [True, False])
def test_efforts_are_kept_on_bases_that_give_way_and_that_are_moved(order, floats):
    """The forces of the law are what is bounded: they reach the limit, and do not pass it."""
    b = um.SystemBuilder("base")
    last = b.vehicle("base", um.Free(), inertia=um.Inertia.box(mass=8.0, size=(1, 0.6, 0.8)))
    rod = um.Inertia(mass=1.0, com=(0.5, 0, 0), tensor=np.diag([0.01, 0.1, 0.1]))
    for k, axis in enumerate([(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0)]):
        at = um.Pose(xyz=(1.0 if k > 1 else 0.0, 0, 0))
        last = b.link(f"rod{k}", parent=last, joint=um.Revolute(axis=axis), at=at, inertia=rod)
    b.frame("tip", parent=last, at=um.Pose(xyz=(1.0, 0.2, 0)))
    system, names = b.build(), [f"rod{k}" for k in range(4)]
    deck = um.Sine([0.4, 0.3, 0.5, 0.2, 0.3, 0.2], [2.0, 1.6, 1.7, 1.6, 1.5, 1.8])
    plant = um.Plant(system) if floats else um.Plant(system, um.Earth(), prescribed={"base": deck})
    rng = np.random.default_rng(3)
    q, v = system.retract(system.neutral(), 0.5 * rng.normal(size=10)), 0.5 * rng.normal(size=10)
    if not floats:
        q, v = plant.configuration(0.7, q), plant.full_velocity(0.7, q, v[6:])
    tasks = [um.PositionTask("tip", (1.5, 1.0, 0.8))], [um.PostureTask(dict.fromkeys(names, 0.2))]
    options = {"order": order, "bandwidth": 8.0, "passive": ["base"] if floats else []}
    free = np.abs(um.TaskPriority(plant, tasks, **options)(0.7, q, v))[6:]
    most = np.where(np.arange(4) == free.argmax(), 0.7 * free, 3.0 * free + 1.0)
    law = um.TaskPriority(plant, [[um.EffortLimitTask(names, highest=most)], *tasks], **options)
    assert law.wanted(0.7, q, v).unsolved == 0.0
    share = np.abs(law(0.7, q, v)[6:]) / most
    assert 0.99 < share.max() <= 1.0 + 1e-9


@pytest.mark.parametrize("order", ["velocity", "acceleration"])
def test_joints_slow_down_before_their_limits(order):
    plant = um.Plant(arm())
    limit = um.JointLimitTask(["rod0"], lower=-0.5, upper=0.4, rate=4.0)
    speed = um.SpeedLimitTask(["rod1"], highest=0.2, rate=10.0)
    far = um.PostureTask({"rod0": 1.0, "rod1": -2.0}, rate=3.0)
    law = um.TaskPriority(plant, [[limit, speed], [far]], order=order, bandwidth=40.0)
    run = um.simulate(
        plant, np.array([-0.2, 0.3]), np.array([0.5, 0.0]), duration=2.5, step=5e-3, controller=law
    )
    assert run.q[:, 0].max() < 0.4 + 1e-6
    assert run.q[-1, 0] > 0.399
    assert np.abs(run.v[:, 1]).max() < 0.2 + 1e-6
    assert run.v[:, 1].min() < -0.199


@pytest.mark.parametrize("order", one_in(2, ["velocity", "acceleration"]))
def test_shapes_are_kept_apart_on_the_way(order):
    plant = um.Plant(arm(3))
    ball = um.Sphere(0.3, at=um.Pose(xyz=(2.0, 0.5, 0.0)))
    keep = um.ClearanceTask(
        "tip", "world", um.Points([[0, 0, 0], [0.05, 0, 0]], radius=0.05), ball, least=0.1, rate=4.0
    )
    goal = um.PositionTask("tip", (1.8, 1.2, 0.0))
    law = um.TaskPriority(plant, [[keep], [goal]], order=order, bandwidth=40.0)
    bare = um.TaskPriority(plant, [[goal]], order=order, bandwidth=40.0)
    q0 = np.array([-0.6, 0.9, -0.8])
    least = []
    for chosen in (law, bare):
        run = um.simulate(plant, q0, duration=2.5, step=0.01, control_step=0.01, controller=chosen)
        least.append(min(float(keep.distance(plant, q)) for q in run.q))
    assert least[0] > 0.1 - 5e-3
    assert least[0] < 0.12  # it came near
    assert least[1] < 0.05


def test_levels_come_and_go_without_a_jump():
    plant = um.Plant(arm(4))
    q, v = np.array([0.3, 0.4, -0.5, 0.3]), np.zeros(4)
    posture = um.PostureTask({f"rod{k}": 0.2 for k in range(4)})

    def law(**times):
        return um.TaskPriority(plant, [[um.PositionTask("tip", (2.5, 0.5, 0), **times)], [posture]])

    smooth = law(start=1.0, stop=3.0, ramp=0.5)
    of_time = kernels.compile(lambda t: smooth.wanted(t, q, v).motion, [()], exact_zeros=False)
    t = np.linspace(0.5, 4.0, 701)
    x = of_time(t)
    without = um.TaskPriority(plant, [[posture]]).wanted(0.0, q, v).motion
    assert np.allclose(x[0], without, atol=1e-12)
    assert np.allclose(x[-1], without, atol=1e-12)
    assert np.allclose(x[300], law().wanted(0.0, q, v).motion, atol=1e-12)
    h = t[1] - t[0]
    acceleration = np.diff(x, axis=0) / h
    assert np.abs(acceleration).max() < 3.0 * np.abs(x[300] - x[0]).max() / 0.5
    jump = np.abs(np.diff(acceleration, axis=0)).max()
    finer = of_time(np.arange(0.9, 4.0, h / 4))
    jump_finer = np.abs(np.diff(np.diff(finer, axis=0) / (h / 4), axis=0)).max()
    assert jump_finer < 0.3 * jump  # it shrinks with the step: nothing jumps


def test_gains_are_run_time_data_and_differ_by_sample():
    plant = um.Plant(arm())
    options = {"duration": 0.2, "step": 0.01, "control_step": 0.02}

    def law(position, rate):
        return um.TaskPriority(
            plant, [[um.PositionTask("tip", position, rate=rate)], [um.PostureTask({"rod0": 0.1})]]
        )

    places, both = np.array([[1.5, 0.5, 0.0], [1.2, -0.4, 0.0]]), np.array([[1.0] * 3, [3.0] * 3])
    q0 = np.array([0.2, 0.7])
    runs = um.simulate(plant, np.stack([q0, q0]), controller=law(places, both), **options)
    for k in range(2):
        alone = um.simulate(plant, q0, controller=law(places[k], both[k]), **options)
        assert np.array_equal(alone.q, runs.q[k])
    assert not np.allclose(runs.q[0], runs.q[1])


SCENARIO = """
unmoored_scenario: 1
name: priority
system: bluerov2_bravo7
world: {type: Ocean}
duration: 0.2
integrator: {method: rkmk4, step: 0.01, control_step: 0.05}
controllers:
  - type: TaskPriority
    order: acceleration
    levels:
      - [{type: SpeedLimitTask, joints: [rov], highest: 0.5}]
      - [{type: PoseTask, frame: tool, pose: {xyz: [0.8, 0.1, -0.5]}, rate: 1.5}]
      - [{type: DirectionTask, frame: rov, axis: [0, 0, 1], direction: [0, 0, 1]}]
      - [{type: PostureTask, targets: {base_yaw: 0.3, wrist_roll: {type: Sine, amplitude: 0.1, period: 3.0}}}]
"""


@pytest.mark.long
def test_from_a_scenario_file(tmp_path):
    path = tmp_path / "priority.yaml"
    path.write_text(SCENARIO, encoding="utf-8")
    run = um.load_scenario(path).run()
    levels = [
        [um.SpeedLimitTask(["rov"], highest=0.5)],
        [um.PoseTask("tool", um.Pose(xyz=(0.8, 0.1, -0.5)), rate=1.5)],
        [LEVEL],
        [um.PostureTask({"base_yaw": 0.3, "wrist_roll": um.Sine(0.1, 3.0)})],
    ]
    law = um.TaskPriority(PLANT, levels, order="acceleration")
    same = um.simulate(PLANT, SYSTEM.neutral(), duration=0.2, step=0.01, control_step=0.05, controller=law)
    assert np.array_equal(run.q, same.q)
    assert run.unsolved.max() == 0.0
    path.write_text(SCENARIO.replace("type: PoseTask", "type: PosTask"), encoding="utf-8")
    with pytest.raises(um.ModelError, match="PositionTask"):
        um.load_scenario(path)
    path.write_text(SCENARIO.replace("frame: tool", "frame: tol"), encoding="utf-8")
    with pytest.raises(um.ModelError, match="tool"):
        um.load_scenario(path)


def test_tasks_of_a_level_come_and_go_together():
    """By times, and by posture: manipulability comes and goes on its own, so it has a level of its own."""
    low, place = um.ManipulabilityTask("tool", ARM, goal=0.1), um.PositionTask("rov", (0, 0, 0), start=1.0)
    um.TaskPriority(PLANT, [[PLACE], [low], [place]])
    um.TaskPriority(PLANT, [[POSE], [place, um.AttitudeTask("rov", np.eye(4), start=1.0)]])
    for wrong in ([PLACE, low], [place, PLACE], [place, um.AttitudeTask("rov", np.eye(4), start=2.0)]):
        with pytest.raises(um.ModelError, match=r"levels\[1\]: expected tasks that come and go together"):
            um.TaskPriority(PLANT, [[POSE], wrong])


class Weighed(um.Task):
    """Speeds of the first joint, weighed by sample."""

    weight: np.ndarray
    shapes = {"weight": ()}

    def rows(self, plant, t, q, v):
        J = np.asarray(self.weight)[..., None, None] * np.eye(plant.nv)[:1]
        return Wanted(J, np.ones(1), np.zeros(1))


def test_what_levels_leave_to_those_below_is_counted_where_it_is_known():
    plant, posture = um.Plant(arm(4)), um.PostureTask({f"rod{k}": 0.2 for k in range(4)})
    tip, first = um.PositionTask("tip", (2.0, 0.5, 0.0)), um.PostureTask({"rod0": 0.1})

    def freedom(*levels, **options):
        return um.TaskPriority(plant, [[task] for task in levels], **options).freedom

    assert freedom(first, tip, posture, first) == (4, 3, 1, 0)
    assert freedom(Weighed(weight=np.array([1.0, 2.0])), posture) == (4, 3)
    assert freedom(um.SpeedLimitTask(["rod1"], highest=1.0), tip, posture) == (4, 4, 2)
    # what comes and goes may leave all, and so may what passive joints do to it
    assert freedom(um.PostureTask({"rod0": 0.1}, start=1.0), tip, posture) == (4, 4, 2)
    assert freedom(first, tip, passive=["rod3"]) == (3, 3)


def test_projections_of_a_batch_are_those_of_its_samples():
    """z = A⁺ r, what it takes and what is left, with and without a projector before."""
    rng = np.random.default_rng(3)
    J, r, N = rng.normal(size=(4, 2, 5)), rng.normal(size=(4, 2)), rng.normal(size=(4, 5, 5))
    for before in (None, N):
        together = projected(J, r, before, 1e-3)
        for k in range(4):
            alone = projected(J[k], r[k], None if before is None else before[k], 1e-3)
            for x, y in zip(together, alone, strict=True):
                np.testing.assert_allclose(x[k], y, atol=1e-12)
            np.testing.assert_allclose(alone.z, np.linalg.pinv(alone.A) @ r[k], atol=1e-9)
            np.testing.assert_allclose(alone.taken, np.linalg.pinv(alone.A) @ alone.A, atol=1e-9)
