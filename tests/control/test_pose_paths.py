"""Poses over time: V is the derivative of the pose and V̇ of V, inside of the spans and at their ends."""

import numpy as np
import pytest
from scipy.interpolate import BSpline, make_interp_spline
from tests.simulation.arms import small_arm

import unmoored as um
from unmoored import kernels
from unmoored.control.pose_splines import _cumulative
from unmoored.control.pose_targets import pose_motion
from unmoored.lie import se3, so3
from unmoored.model.joints.subgroup_joint import pose_from_numbers
from unmoored.simulation import run_kernels
from unmoored.trace import evaluate, trace

RNG = np.random.default_rng(3)
TIMES = np.array([0.5, 1.3, 2.0, 3.1])
#: steps of about 1 rad and 1 m
POSES = [np.eye(4)]
for _ in range(3):
    ξ = RNG.normal(size=6)
    POSES.append(POSES[-1] @ se3.exp(ξ / np.linalg.norm(ξ[3:])))
V_GIVEN, A_GIVEN = RNG.normal(size=(2, 4, 6))
PATHS = {
    "ScrewPath": um.ScrewPath(TIMES, POSES),
    "StraightPath": um.StraightPath(TIMES, [um.Pose(xyz=g[:3, 3], rotation=g[:3, :3]) for g in POSES]),
    "PoseSpline": um.PoseSpline(TIMES, POSES),
    "PoseSpline, moving ends": um.PoseSpline(TIMES, POSES, rest=False),
    "PoseSpline, given": um.PoseSpline(TIMES, POSES, V_GIVEN, A_GIVEN),
    "PoseBSpline": um.PoseBSpline((0.5, 3.1), POSES),
    "PoseBSpline 5": um.PoseBSpline((0.5, 3.1), POSES, degree=5),
}
PATHS["Relative"] = um.Relative(PATHS["PoseSpline"], PATHS["PoseBSpline 5"])
PATHS["Retimed"] = um.Retimed(
    PATHS["PoseSpline"], um.Timing([0.5, 1.5, 3.0], [0.5, 1.1, 3.05], [0.0, 1.2, 1.4])
)
EVERY = pytest.mark.parametrize("name", PATHS)
FREE = um.Free()


def motion(path, t):
    return pose_motion(None, path, np.asarray(t))


def differences(path, t, h=1e-4):
    """V and V̇ at t by central differences of order four, inside of [t − 2h, t + 2h]."""
    at = [motion(path, t + k * h) for k in (-2, -1, 1, 2)]
    g = motion(path, t).pose
    steps = np.array([se3.log(se3.inverse(g) @ m.pose) for m in at])
    V, weights = np.array([m.twist for m in at]), np.array([1, -8, 8, -1]) / (12 * h)
    return weights @ steps, weights @ V


@EVERY
@pytest.mark.whole
def test_twists_are_derivatives_in_the_middle_and_at_the_last_knot(name):
    """A span turns by about 1 rad: a dexp left out, or its rate, shows. The last point is just before the end."""
    path = PATHS[name]
    for t in (0.9, 1.72, 2.6, 3.1 - 3e-4 if name != "Retimed" else 2.99):
        m, (V, V_dot) = motion(path, t), differences(path, t)
        assert np.abs(m.twist - V).max() < 2e-10 * (1 + np.abs(V).max())
        assert np.abs(m.twist_rate - V_dot).max() < 1e-8 * (1 + np.abs(V_dot).max())
        assert t > 3.0 or np.abs(V).max() > 0.01


def test_screws_and_straight_lines_have_least_jerk():
    for name in ("ScrewPath", "StraightPath"):
        path = PATHS[name]
        for k, t in enumerate(TIMES):
            g, V, V_dot = path.at(t)
            assert np.abs(g - POSES[k]).max() < 1e-14
            assert max(np.abs(V).max(), np.abs(V_dot).max()) < 1e-12
        middle, T = path.at(1.65), 0.7  # peaks of the law of least jerk
        ξ = se3.log(se3.inverse(POSES[1]) @ POSES[2])
        assert np.abs(middle.twist[3:] - 15 / (8 * T) * ξ[3:]).max() < 1e-12
    screw = PATHS["ScrewPath"].at(1.65)
    assert np.abs(se3.log(se3.inverse(POSES[1]) @ screw.pose) - 0.5 * ξ).max() < 1e-14
    straight = PATHS["StraightPath"].at(np.linspace(1.3, 2.0, 9)).pose[:, :3, 3]
    way = POSES[2][:3, 3] - POSES[1][:3, 3]
    assert np.abs(np.cross(straight - POSES[1][:3, 3], way)).max() < 1e-14
    assert np.abs(np.cross(screw.pose[:3, 3] - POSES[1][:3, 3], way)).max() > 1e-2


@pytest.mark.parametrize("name", ["PoseSpline", "PoseSpline, moving ends", "PoseSpline, given"])
def test_splines_go_through_the_poses_with_continuous_twist_and_rate(name):
    path = PATHS[name]
    for k, t in enumerate(TIMES):
        g, V, V_dot = path.at(t)
        if k < 3:
            assert np.abs(g - POSES[k]).max() < 1e-13
        if k > 0:
            before = path.at(np.nextafter(t, 0))
            assert np.abs(before.pose - POSES[k]).max() < 1e-12
            if k < 3:
                assert np.abs(before.twist - V).max() < 1e-12
                assert np.abs(before.twist_rate - V_dot).max() < 1e-10
            if name.endswith("given"):
                assert np.abs(before.twist - V_GIVEN[k]).max() < 1e-12
                assert np.abs(before.twist_rate - A_GIVEN[k]).max() < 1e-10


def test_splines_of_translations_are_the_splines_of_least_jerk():
    """Quintic splines with continuous third and fourth derivative, at rest or natural at the ends."""
    times = np.cumsum(RNG.uniform(0.3, 1.0, 12))
    p = RNG.normal(size=(12, 3))
    poses = [se3.pose(np.eye(3), x) for x in p]
    t = np.linspace(times[0], times[-1], 200)[:-1]
    for rest in (True, False):
        ends = [(1, np.zeros(3)), (2, np.zeros(3))] if rest else [(3, np.zeros(3)), (4, np.zeros(3))]
        spline = make_interp_spline(times, p, k=5, bc_type=(ends, ends))
        for k, part in enumerate(um.PoseSpline(times, poses, rest=rest).at(t)):
            found = part[:, :3, 3] if k == 0 else part[:, :3]
            assert np.abs(found - spline(t, k)).max() < 1e-9 * (1 + np.abs(spline(t, k)).max())
    two = um.PoseSpline([0.0, 2.0], poses[:2], rest=False)
    assert np.abs(two.at(0.7).twist[:3] - (p[1] - p[0]) / 2).max() < 1e-14


@pytest.mark.parametrize("degree", [3, 5])
def test_b_splines_of_translations_are_b_splines(degree):
    p = RNG.normal(size=(5, 3))
    path = um.PoseBSpline((1.0, 3.0), [se3.pose(np.eye(3), x) for x in p], degree=degree)
    control = np.concatenate([p[:1]] * (degree - 1) + [p] + [p[-1:]] * (degree - 1))
    spans = len(control) - degree
    h = 2.0 / spans
    knots = 1.0 + h * np.arange(-degree, spans + degree + 1)
    spline, t = BSpline(knots, control, degree), np.linspace(1.0, 3.0, 50)[:-1]
    for k, part in enumerate(path.at(t)):
        assert np.abs((part[:, :3, 3] if k == 0 else part[:, :3]) - spline(t, k)).max() < 1e-11
    for t, pose in ((1.0, p[0]), (3.0 - 1e-12, p[-1])):
        g, V, V_dot = path.at(t)
        assert np.abs(g[:3, 3] - pose).max() < 1e-12
        assert max(np.abs(V).max(), np.abs(V_dot).max()) < 1e-9
    assert (
        np.abs(_cumulative(degree)[0] - np.eye(degree + 1)[0]).max() < 1e-14
    )  # all functions together are 1


def test_paths_stay_in_the_groups_of_joints():
    ball, rover = um.Spherical(), um.Planar()
    turns = [se3.exp(np.array([0, 0, 0, *x])) for x in RNG.normal(size=(4, 3))]
    for kind in (um.ScrewPath, um.PoseSpline, um.StraightPath):
        kind(TIMES, turns).check("ball", ball)
    um.PoseBSpline((0, 1), turns).check("ball", ball)
    flat = [se3.exp(np.array([x, y, 0, 0, 0, θ])) for x, y, θ in RNG.normal(size=(4, 3))]
    configuration, u, u_dot = um.PoseSpline(TIMES, flat).motion(np.asarray(1.0), rover)
    assert configuration.shape == (12,)
    assert u.shape == u_dot.shape == (3,)
    off = um.Cylindrical(axis=(0, 0, 1))
    with pytest.raises(um.ModelError, match=r"poses in SO\(3\), all the way"):
        PATHS["ScrewPath"].check("ball", ball)
    away = se3.pose(np.eye(3), np.array([1.0, 0, 0]))
    placed = [away @ g @ se3.inverse(away) for g in (np.eye(4), se3.exp(np.array([0, 0, 0.3, 0, 0, 1.0])))]
    with pytest.raises(um.ModelError, match="all the way"):  # the poses' own axis is elsewhere
        um.ScrewPath([0, 1], placed).check("off", off)


@EVERY
@pytest.mark.whole
def test_paths_are_traced(name):
    path = PATHS[name]
    traced = trace(lambda t: tuple(motion(path, t)), ())
    for t in (0.0, 0.5, 0.71, 1.3, 3.0, 3.1, 4.0):
        for a, b in zip(evaluate(traced, t), motion(path, t), strict=True):
            assert np.abs(a - b).max() < 1e-12


SYSTEM = small_arm()
PLANT = um.Plant(SYSTEM)


def test_laws_take_them_and_other_poses_need_no_new_kernel(monkeypatch):
    def law(scale):
        poses = [se3.exp(scale * se3.log(g)) for g in POSES]
        keep = um.StationKeeping(PLANT, "bus", um.PoseSpline(TIMES, poses), 200.0, 120.0)
        return keep + um.JointPD(PLANT, {"arm1": um.Quintic([0, 1], [0, 1]), "arm2": 0.1}, 20.0, 5.0)

    options = {"duration": 0.3, "step": 0.01, "t0": 0.8}
    first = um.simulate(PLANT, SYSTEM.neutral(), None, controller=law(1.0), **options)
    assert first.provenance["controller_in"] == "kernel"
    made = []
    for name in ("compile", "compile_loop"):
        real = getattr(kernels, name)
        monkeypatch.setattr(
            run_kernels.kernels,
            name,
            lambda *a, real=real, **o: (made.append(o.get("name")), real(*a, **o))[1],
        )
    second = um.simulate(PLANT, SYSTEM.neutral(), None, controller=law(0.5), **options)
    assert not made
    assert np.abs(first.q - second.q).max() > 1e-3
    assert np.abs(second.u[0] - law(0.5)(0.8, second.q[0], second.v[0])).max() < 1e-10  # as NumPy has it


def test_a_tracked_pose_is_reached_and_its_speed_is_damped_toward_not_away():
    """At even speed the law has no lag: with V_r left out of the damping it would trail by D V / K."""
    ξ = np.array([0.3, -0.2, 0.1, 0.2, 0.3, -0.4])
    path = um.PoseSpline([0.0, 30.0], [np.eye(4), se3.exp(30 * 0.05 * ξ)], rest=False)
    law = um.StationKeeping(PLANT, "bus", path, 400.0, 300.0) + um.JointPD(
        PLANT, {"arm1": 0.0, "arm2": 0.0}, 50.0, 20.0
    )
    v = SYSTEM.pack_velocity({"bus": 0.05 * ξ})
    run = um.simulate(PLANT, SYSTEM.neutral(), v, duration=15.0, step=0.01, controller=law, record_every=500)
    off = se3.log(se3.inverse(SYSTEM.pose(run.q[-1], "bus")) @ path.at(15.0).pose)
    assert np.abs(off).max() < 2e-4 < 0.05 * 300 / 400 * 0.1


def test_a_ball_joint_is_tracked_on_its_group():
    """The reference's rate is transported to where the joint is: then K e + D(ν_r − ν) is exact at even speed."""
    builder = um.SystemBuilder("ball")
    builder.vehicle("ball", um.Spherical(), inertia=um.Inertia(1.0, (0, 0, 0), (0.2, 0.2, 0.2)))
    system = builder.build()
    plant, ω = um.Plant(system), np.array([0.4, -0.3, 0.5])
    path = um.PoseSpline([0, 10], [np.eye(4), se3.exp(np.array([0, 0, 0, *(2.5 * ω)]))], rest=False)
    law = um.JointPD(plant, {"ball": path}, 20.0, 4.0)
    start = system.retract(system.neutral(), np.array([0.5, 0.9, -0.6]))
    run = um.simulate(plant, start, None, duration=9.0, step=0.01, controller=law, record_every=300)
    assert np.abs(run.q[-1, :9].reshape(3, 3) - so3.exp(0.25 * 9.0 * ω)).max() < 1e-9
    um.Plant(system, prescribed={"ball": path})  # the same path as a prescribed motion


def two_vehicles():
    builder = um.SystemBuilder("two")
    chaser = builder.vehicle("chaser", um.Free(), inertia=um.Inertia.box(mass=20.0, size=(1.0, 0.8, 0.6)))
    builder.link(
        "arm", parent=chaser, joint=um.Revolute(axis=(0, 0, 1)), inertia=um.Inertia.box(1.0, (0.3, 0.1, 0.1))
    )
    builder.vehicle("target", um.Free(), inertia=um.Inertia.box(mass=5.0, size=(0.2, 0.8, 0.4)))
    builder.frame("handle", parent="target", at=um.Pose(xyz=(0.1, 0.3, 0.0), rpy=(0.3, 0.2, 0.1)))
    builder.frame("tip", parent="arm", at=um.Pose(xyz=(0.3, 0.0, 0.0)))
    return builder.build()


def test_a_followed_frame_has_the_twist_and_rate_that_it_moves_with():
    """A tumbling satellite: V and V̇ of its handle, and of a point that circles there, by differences along a run."""
    system = two_vehicles()
    plant = um.Plant(system)
    circle = um.Motion(
        lambda t: se3.exp(np.array([0.2, 0, 0, 0, 0, 0])) @ se3.exp(np.array([0, 0, 0, 0, 0, 0.7]) * t)
    )
    target = um.Relative(um.FollowedFrame("handle"), circle)
    v = system.pack_velocity({"target": [0.1, -0.2, 0.05, 0.5, 1.5, -0.8], "arm": 0.4})
    h = 1e-3
    run = um.simulate(plant, system.neutral(), v, duration=0.4, step=h)
    at = [
        pose_motion(plant, target, t, q, v)
        for t, q, v in zip(run.t[198:203], run.q[198:203], run.v[198:203], strict=True)
    ]
    weights = np.array([1, -8, 0, 8, -1]) / (12 * h)
    g = se3.inverse(at[2].pose)
    assert np.abs(weights @ [se3.log(g @ m.pose) for m in at] - at[2].twist).max() < 1e-9
    assert np.abs(weights @ [m.twist for m in at] - at[2].twist_rate).max() < 1e-9
    law = um.StationKeeping(plant, "chaser", target, 400.0, 200.0)
    run = um.simulate(plant, system.neutral(), v, duration=0.05, step=0.01, controller=law)
    assert run.provenance["controller_in"] == "kernel"
    assert np.abs(run.u[0] - law(0.0, run.q[0], run.v[0])).max() < 1e-10
    with pytest.raises(um.ModelError, match="a frame of another vehicle"):
        um.StationKeeping(plant, "chaser", um.FollowedFrame("tip"), 1.0, 1.0)
    builder = um.SystemBuilder("dock")
    builder.vehicle("dock", um.Free(), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    builder.link("tug", parent="dock", joint=um.Free(), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    builder.vehicle("drifter", um.Free(), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    targets = {"dock": um.Pose(), "tug": um.FollowedFrame("drifter")}
    with pytest.raises(um.ModelError, match="tug: expected a trajectory: only vehicles with six DoFs"):
        um.Tracking(um.Plant(builder.build()), targets, 1.0, 1.0, passive=["drifter"])
    with pytest.raises(um.ModelError, match="unknown frame to follow"):
        um.StationKeeping(plant, "chaser", um.FollowedFrame("handel"), 1.0, 1.0)
    with pytest.raises(um.ModelError, match="a motion of time alone"):
        um.Plant(system, prescribed={"chaser": target})
    deck = um.Plant(system, prescribed={"chaser": um.ScrewPath([0, 1], [np.eye(4), POSES[1]])})
    um.ResolvedMotion(
        deck, "tip", um.FollowedFrame("chaser"), passive=["target"]
    )  # moved by a prescribed joint alone


def test_a_vehicle_follows_a_frame_of_another_one_as_it_drifts():
    system = two_vehicles()
    plant = um.Plant(system)
    law = um.Tracking(plant, {"chaser": um.FollowedFrame("handle"), "arm": 0.4}, 5.0, 3.0, passive=["target"])
    rng = np.random.default_rng(2)
    q, v = system.retract(system.neutral(), 0.5 * rng.normal(size=13)), rng.normal(size=13)
    g, u, u_dot = law.reference(system.tree.link("chaser"), 0.3, q, v, 0)
    a = plant.forward_dynamics(0.3, q, v, np.zeros(13))
    assert np.abs(pose_from_numbers(g) - system.pose(q, "handle")).max() < 1e-14
    assert np.abs(u - system.velocity(q, v, "handle")).max() < 1e-14
    assert np.abs(u_dot - system.acceleration(q, v, a, "handle")).max() < 1e-12
    goal, _ = law.goals()
    assert np.abs(goal.target(np.zeros(1), q[None], v[None])[0] - system.pose(q, "handle")).max() < 1e-12
    e = goal.error(np.zeros(1), q[None], v[None])[0]
    assert np.abs(system.pose(q, "chaser") @ se3.exp(e) - system.pose(q, "handle")).max() < 1e-12


def test_what_is_made_of_paths_suits_the_joints_that_they_suit():
    """A path on a plane, seen from another one, or at another pace, is for planar joints; one that climbs is not."""
    flat, steep = (
        um.ScrewPath([0, 2], [np.eye(4), um.Pose(xyz=(1, 0, z), rpy=(0, 0, 0.5)).matrix]) for z in (0.0, 0.3)
    )
    timing = um.Timing([0.0, 1.0], [0.0, 2.0], [2.0, 2.0])
    for make in (
        lambda x: um.Relative(flat, x),
        lambda x: um.Relative(x, flat),
        lambda x: um.Retimed(x, timing),
    ):
        make(flat).check("cart", um.Planar())
        with pytest.raises(um.ModelError, match="cart"):
            make(steep).check("cart", um.Planar())
    t = np.array([0.4, 1.1])
    numbers = um.Relative(flat, steep).motion(t, um.Free()).configuration
    assert np.abs(pose_from_numbers(numbers) - flat.at(t).pose @ steep.at(t).pose).max() < 1e-14
    for given, what in (
        ((1.0, timing), "path: expected a trajectory"),
        ((flat, 1.0), "timing: expected a Timing"),
    ):
        with pytest.raises(um.ModelError, match=rf"^Retimed: {what}, given 1\.0"):
            um.Retimed(*given)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: um.ScrewPath([0, 1], [np.eye(4)]), "poses: expected 2, one per time, given 1"),
        (lambda: um.ScrewPath([1, 1], POSES[:2]), "two or more, increasing"),
        (lambda: um.ScrewPath([0, 1], [np.eye(4), 2 * np.eye(4)]), "rigid poses"),
        (
            lambda: um.PoseSpline([0, 1], POSES[:2], accelerations=np.zeros((2, 6))),
            "given with accelerations",
        ),
        (lambda: um.PoseSpline([0, 1], POSES[:2], np.zeros((3, 6))), "velocities"),
        (lambda: um.PoseBSpline((0, 1), POSES, degree=4), "3 or 5"),
        (lambda: um.PoseBSpline((1, 1), POSES), "begin < end"),
        (lambda: um.Relative(np.eye(4), np.eye(4)), "to: expected a trajectory of poses"),
        (lambda: um.Timing([0, 1], [0, 1], [1, 2]), "speeds"),
        (lambda: um.StationKeeping(PLANT, "bus", um.Sine(1.0, 1.0), 1.0, 1.0), "a joint with 1 coordinate"),
    ],
)
@pytest.mark.whole
def test_refusals(make, message):
    with pytest.raises(um.ModelError, match=message):
        make()


def test_poses_are_rigid_to_a_thousand_millionth():
    for off, fits in ((0.9e-9, True), (1.8e-9, False)):
        g = np.eye(4)
        g[:3, :3] *= 1.0 + off
        for make in (
            lambda g=g: um.ScrewPath([0, 1], [np.eye(4), g]),
            lambda g=g: um.Relative(PATHS["ScrewPath"], g),
        ):
            if fits:
                make()
            else:
                with pytest.raises(um.ModelError, match=r"rigid poses|expected a pose"):
                    make()


@pytest.mark.parametrize("kind", [um.ScrewPath, um.StraightPath, um.PoseSpline])
def test_times_in_a_table_are_refused_by_name(kind):
    with pytest.raises(um.ModelError, match=rf"{kind.__name__}: times"):
        kind([[0.0, 1.0], [2.0, 3.0]], [np.eye(4)] * 2)


def test_paths_hold_their_ends():
    """Before the first time and from the last one on."""
    for path in PATHS.values():
        first, last = (motion(path, t) for t in (0.4, 3.2))
        for at, g in ((first, motion(path, 0.5).pose), (last, motion(path, 3.1 - 1e-12).pose)):
            np.testing.assert_allclose(at.pose, g, atol=1e-9)
            np.testing.assert_array_equal([at.twist, at.twist_rate], np.zeros((2, 6)))
