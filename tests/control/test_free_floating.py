"""Laws for free-floating systems: what they promise, to rounding where nothing limits them."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import unmoored as um
from unmoored.control.free_floating import least_square_bound, rank_damping
from unmoored.control.free_floating.floating_tool import FloatingTool
from unmoored.control.free_floating.wheel_momentum import torque_along_dofs, wheels_of
from unmoored.dynamics.momentum import momentum
from unmoored.worlds import Seen

RNG = np.random.default_rng(11)


def flyer(joints=7, actuators=None):
    """A light bus with an arm of right-angle joints, all motors, no actuators of its own."""
    b = um.SystemBuilder("flyer")
    parent = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(30.0, (0.8, 0.7, 0.6)))
    for k in range(joints):
        parent = b.link(
            f"j{k}", parent=parent, joint=um.Revolute((0, 0, 1) if k % 2 == 0 else (0, 1, 0)),
            at=um.Pose(xyz=(0, 0, 0.3), rpy=(0.2, 0, 0)), inertia=um.Inertia(3.0, (0.05, 0, 0.15), 0.05 * np.eye(3)),
        )  # fmt: skip
    b.frame("tool", parent=parent, at=um.Pose(xyz=(0, 0, 0.2)))
    return um.Plant(b.build(), actuators=actuators)


PLANT = flyer()
SYSTEM = PLANT.system
Q = SYSTEM.retract(
    SYSTEM.neutral(), np.r_[0.1, 0.2, -0.3, 0.4, -0.2, 0.1, 0.4, 0.9, -0.5, 1.1, 0.3, -0.8, 0.2]
)
GOAL = SYSTEM.pose(SYSTEM.retract(Q, np.r_[np.zeros(6), 0.2, -0.3, 0.2, 0.1, 0.3, -0.2, 0.1]), "tool")


def accelerations(law, q, v):
    """(of all DoFs, V̇ of the tool) that the law causes, by the forward dynamics of the plant."""
    tau = law(0.0, q, v)
    a = PLANT.forward_dynamics(0.0, q, v, tau)
    assert np.all(tau[:6] == 0.0)  # nothing on the bus
    return a, SYSTEM.acceleration(q, v, a, "tool")


def wanted_of_tool(q, v, rate):
    e = um.lie.se3.log(np.linalg.inv(SYSTEM.pose(q, "tool")) @ GOAL)
    return rate**2 * e - 2 * rate * SYSTEM.velocity(q, v, "tool")


class TestFloatingTool:
    def test_vehicle_first_gives_the_vehicle_just_what_it_wants_with_momentum_too(self):
        stance = SYSTEM.pose(Q, "bus")
        law = um.FloatingTool(
            PLANT, "tool", GOAL, "bus", rows=(0, 1, 2), rate=0.7, holding=1.5, stance=stance
        )
        q, v = SYSTEM.retract(Q, 0.05 * RNG.normal(size=13)), 0.3 * RNG.normal(size=13)
        a, tool = accelerations(law, q, v)
        e = um.lie.se3.log(np.linalg.inv(SYSTEM.pose(q, "bus")) @ stance)[3:]
        np.testing.assert_allclose(a[3:6], 1.5**2 * e - 3.0 * v[3:6], atol=1e-10)
        np.testing.assert_allclose(
            tool[:3], wanted_of_tool(q, v, 0.7)[:3], atol=1e-9
        )  # four joints' freedom is left

    def test_other_rows_at_rest(self):
        law = um.FloatingTool(
            PLANT, "tool", GOAL, "bus", at_rest=["bus.vx", "bus.wy"], rows=(0, 1, 2), holding=1.0
        )
        v = 0.2 * RNG.normal(size=13)
        a, _ = accelerations(law, Q, v)
        np.testing.assert_allclose(a[[0, 4]], -2.0 * v[[0, 4]], atol=1e-10)

    def test_tool_first_meets_the_task_and_disturbs_least(self):
        v = 0.2 * RNG.normal(size=13)
        law = um.FloatingTool(
            PLANT, "tool", GOAL, "bus", first="tool", rows=(0, 1, 2), rate=0.7, regularization=1e-4
        )
        a, tool = accelerations(law, Q, v)
        np.testing.assert_allclose(tool[:3], wanted_of_tool(Q, v, 0.7)[:3], atol=1e-8)
        r = -2.0 * 2.0 * v[3:6]
        J_G, J_D = (
            SYSTEM.generalized_jacobian(Q, "tool", passive=["bus"])[:3],
            SYSTEM.disturbance_jacobian(Q, passive=["bus"])[3:],
        )
        null = np.linalg.svd(J_G)[2][3:].T  # motions that the tool's place does not feel
        slope = null.T @ J_D.T @ (a[3:6] - r)  # of ½|ω̇ − r|² along them
        assert np.abs(slope).max() < 1e-6 * np.linalg.norm(J_D)

    def test_base_settles_as_the_closed_form_says_with_momentum(self):
        stance = SYSTEM.pose(Q, "bus")
        law = um.FloatingTool(
            PLANT, "tool", GOAL, "bus", rows=(0, 1, 2), rate=0.5, holding=1.0, stance=stance
        )
        v0 = np.r_[0.002, 0.001, 0, 0, 0, 0.02, np.zeros(7)]
        run = um.simulate(PLANT, Q, v0, duration=1.5, step=5e-3, controller=law)
        before, after = SYSTEM.momentum(Q, v0), SYSTEM.momentum(run.q[-1], run.v[-1])
        assert np.linalg.norm(before[3:]) > 0.1
        np.testing.assert_allclose(after, before, atol=1e-8)
        turn = um.lie.so3.log(stance[:3, :3].T @ run.q[:, :9].reshape(-1, 3, 3))
        about_z = (
            0.02 * run.t * np.exp(-run.t)
        )  # critically damped, from rest with a rate; one axis: no brackets
        np.testing.assert_allclose(turn[:, 2], about_z, atol=1e-8)
        assert np.abs(turn[:, :2]).max() < 1e-8

    @pytest.mark.long
    def test_on_ets_vii_the_base_stays_and_the_tool_pays(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", um.ModelWarning)
            plant = um.Plant(um.load("ets_vii"))
        system = plant.system
        q0 = system.retract(system.neutral(), np.r_[np.zeros(6), 0.3, 0.7, -1.0, 0.4, 0.8, 0.3])
        goal = system.pose(system.retract(q0, np.r_[np.zeros(6), -0.3, 0.2, -0.3, 0.1, 0.1, 0.2]), "tool")
        laws = (
            um.ResolvedMotion(plant, "tool", goal, ["chaser"], rate=0.3, bandwidth=5.0),
            um.FloatingTool(plant, "tool", goal, "chaser", rows=(0, 1, 2), rate=0.3, stance=np.eye(4)),
        )
        turned, gone = [], []
        for law in laws:
            run = um.simulate(plant, q0, duration=20.0, step=0.05, controller=law)
            turn = um.lie.so3.log(run.q[:, :9].reshape(-1, 3, 3))
            turned.append(np.degrees(np.linalg.norm(turn, axis=-1).max()))
            place = system.pose(run.q[[0, -1]], "tool")[:, :3, 3]
            gone.append(1.0 - np.linalg.norm(place[1] - goal[:3, 3]) / np.linalg.norm(place[0] - goal[:3, 3]))
        assert turned[0] > 1.0
        assert turned[1] < 1e-10
        assert gone[0] > 0.95
        assert 0.05 < gone[1] < 0.5

    def test_at_most_as_much_is_at_rest_as_there_are_joints_where_the_vehicle_comes_first(self):
        """Three motors hold three rotations, two do not; a tool that comes first needs none."""
        for joints, fits in ((3, True), (2, False)):
            plant = flyer(joints)
            um.FloatingTool(plant, "tool", GOAL, "bus", first="tool", rows=(0, 1))
            if fits:
                um.FloatingTool(plant, "tool", GOAL, "bus", rows=(0, 1))
            else:
                with pytest.raises(um.ModelError, match=r"at_rest: expected at most .* own \(2\), given 3"):
                    um.FloatingTool(plant, "tool", GOAL, "bus", rows=(0, 1))

    def test_as_many_joints_as_rows_are_damped_where_they_lose_rank_alone(self):
        """Three joints bring the tool's place where it is to go, to rounding; two do it as well as they can."""
        for joints, exact in ((3, True), (2, False)):
            plant = flyer(joints)
            system = plant.system
            q = system.retract(system.neutral(), np.r_[np.zeros(6), [0.4, 0.9, -0.8][:joints]])
            law = um.FloatingTool(
                plant, "tool", GOAL, "bus", first="tool", rows=(0, 1, 2), rate=0.7, tool_threshold=1e-4
            )
            a = plant.forward_dynamics(0.0, q, np.zeros(6 + joints), law(0.0, q, np.zeros(6 + joints)))
            e = um.lie.se3.log(np.linalg.inv(system.pose(q, "tool")) @ GOAL)
            off = system.acceleration(q, np.zeros(6 + joints), a, "tool")[:3] - 0.49 * e[:3]
            assert bool(np.abs(off).max() < 1e-9) is exact

    def test_the_vehicle_may_be_any_that_moves_in_several_ways(self):
        b = um.SystemBuilder("cart")
        cart = b.vehicle("cart", um.Planar(), inertia=um.Inertia.box(30.0, (0.8, 0.7, 0.6)))
        for k in range(2):
            cart = b.link(
                f"j{k}", parent=cart, joint=um.Revolute((0, 0, 1)), at=um.Pose(xyz=(0.3, 0, 0)),
                inertia=um.Inertia(3.0, (0.1, 0, 0), 0.05 * np.eye(3)),
            )  # fmt: skip
        b.vehicle("rail", um.Prismatic((1, 0, 0)), inertia=um.Inertia.box(30.0, (0.8, 0.7, 0.6)))
        plant = um.Plant(b.build())
        law = um.FloatingTool(plant, "j1", um.Pose(), "cart", rows=(0,))
        assert law.at_rest == (2,)
        with pytest.raises(um.ModelError, match="vehicle: expected one with several DoFs"):
            um.FloatingTool(plant, "j1", um.Pose(), "rail", rows=(0,))

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"vehicle": "j1"}, "bus"),
            ({"at_rest": ["j1"]}, "some of bus"),
            ({"rows": (0, 7)}, "0 … 5"),
            ({"threshold": 0.0}, "> 0"),
            ({"frame": "toll"}, "tool"),
        ],
    )
    @pytest.mark.whole
    def test_what_is_wrong_is_named(self, change, words):
        with pytest.raises(um.ModelError, match=words):
            um.FloatingTool(PLANT, **({"frame": "tool", "pose": GOAL, "vehicle": "bus"} | change))


class TestRankDamping:
    def test_the_bound_is_below_the_least_singular_value_and_vanishes_with_it(self):
        for k, n in ((1, 4), (2, 5), (3, 7), (6, 7)):
            J = RNG.normal(size=(200, k, n))
            least = np.linalg.svd(J, compute_uv=False)[:, -1] ** 2
            bound = least_square_bound(J)
            assert np.all(bound <= least * (1 + 1e-9))
            assert np.all(bound > 0)
            if k > 1:
                J[:, 1] = 2.0 * J[:, 0]
                assert np.abs(least_square_bound(J)).max() < 1e-12

    def test_the_bound_is_the_determinant_by_powers_of_the_mean(self):
        """det JJᵀ ((k − 1)/tr)^(k−1), for tables of matrices too."""
        for k, n in ((1, 3), (2, 4), (3, 3), (4, 6)):
            J = RNG.normal(size=(2, 5, k, n))
            square = J @ np.swapaxes(J, -1, -2)
            mean = np.trace(square, axis1=-2, axis2=-1) / max(k - 1, 1)
            expected = np.linalg.det(square) / mean ** (k - 1)
            np.testing.assert_allclose(least_square_bound(J), expected, rtol=1e-9)
            damping = rank_damping(J, 3.0, 0.7)
            np.testing.assert_allclose(damping, 0.7 * np.maximum(1.0 - expected / 9.0, 0.0), rtol=1e-9)
            assert least_square_bound(0.0 * J[0, 0]) == 0.0

    def test_zero_above_the_threshold_and_largest_at_a_loss_of_rank(self):
        J = np.diag([1.0, 1.0, 0.05])[None] * np.array([1.0, 1.0, 1.0])
        assert rank_damping(J, 0.01, 0.3)[0] == 0.0
        assert np.isclose(rank_damping(np.diag([1.0, 1.0, 0.0]), 0.01, 0.3), 0.3)
        small = np.linspace(0.0, 0.05, 200)
        λ = np.array([rank_damping(np.diag([1.0, 1.0, s]), 0.02, 0.3) for s in small])
        assert np.all(np.diff(λ) <= 1e-15)
        assert np.abs(np.diff(λ)).max() < 0.02


def wheeled(motors=(), thrusters=True, torque=None):
    """A bus with three wheels, thrusters that give all torques, and a target on an arm of one joint."""
    b = um.SystemBuilder("catcher")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(60.0, (1.0, 0.9, 0.8)))
    b.link("target", parent=bus, joint=um.Revolute((0, 1, 0)), at=um.Pose(xyz=(0.8, 0, 0.2)),
           inertia=um.Inertia(25.0, (0.4, 0.1, 0), np.diag([1.0, 2.0, 1.5])))  # fmt: skip
    wheels = [
        um.ReactionWheel(
            "bus", 0.02, axis, name=f"wheel_{n}", limits=None if torque is None else (-torque, torque)
        )
        for n, axis in zip("xyz", np.eye(3), strict=True)
    ]
    jets = [
        um.Thruster("bus", at, direction, name=f"jet_{k}", limits=(-20.0, 20.0))
        for k, (at, direction) in enumerate(
            [((0, 0.5, 0), (0, 0, 1)), ((0, -0.5, 0), (0, 0, 1)), ((0.5, 0, 0), (0, 0, 1)), ((-0.5, 0, 0), (0, 0, 1)),
             ((0.5, 0, 0), (0, 1, 0)), ((-0.5, 0, 0), (0, 1, 0)), ((0, 0.5, 0), (1, 0, 0)), ((0, -0.5, 0), (1, 0, 0))]
        )
    ]  # fmt: skip
    motor = [um.JointMotor("target", name="arm_motor")]
    return um.Plant(b.build(), actuators=[*wheels, *(jets if thrusters else ()), *motor])


class TestUnloading:
    def test_momentum_falls_at_the_rate_and_the_attitude_stays(self):
        plant = wheeled()
        q0 = plant.system.neutral()
        hold = um.StationKeeping(plant, "bus", np.eye(4), 5.0, 20.0) + um.JointPD(
            plant, {"target": 0.0}, 4.0, 8.0
        )
        law = um.Unloading(plant, hold, "bus", rate=0.05)
        x0 = np.array([1.5, -2.0, 1.0])
        run = um.simulate(plant, q0, x0=x0, duration=20.0, step=0.05, control_step=0.1, controller=law)
        kept = (1.0 - 0.05 * 0.1) ** np.arange(201)  # −k h held over a period
        np.testing.assert_allclose(run.x[::2], x0 * kept[:, None], atol=1e-6)
        assert np.abs(um.lie.so3.log(run.q[:, :9].reshape(-1, 3, 3))).max() < 1e-6
        assert np.abs(run.unallocated).max() < 1e-6

    def test_thrusters_off_at_rate_zero_and_what_is_wrong(self):
        plant = wheeled()
        hold = um.StationKeeping(plant, "bus", np.eye(4), 5.0, 20.0)
        run = um.simulate(
            plant, plant.system.neutral(), x0=np.array([1.0, 0, 0]), duration=1.0, step=0.05, control_step=0.1,
            controller=um.Unloading(plant, hold, "bus", rate=0.0),
        )  # fmt: skip
        assert np.abs(run.u[:, 3:11]).max() < 1e-12
        with pytest.raises(um.ModelError, match="thrusters"):
            um.Unloading(wheeled(thrusters=False), hold, "bus")
        with pytest.raises(um.ModelError, match="reaction wheels"):
            um.Unloading(PLANT, hold, "bus")

    @pytest.mark.parametrize("gyroscopic", [True, False])
    def test_a_vehicle_that_turns_feels_what_the_law_asks_for_whatever_spins_in_the_wheels(self, gyroscopic):
        """The acceleration is that with wheels at rest; without the law's help it is less by ω × h."""
        plant, rng = wheeled(), np.random.default_rng(2)
        q, v = plant.system.random_configuration(rng), 0.3 * rng.normal(size=7)
        h, wanted = np.array([1.5, -2.0, 1.0]), rng.normal(size=7)
        turning = np.r_[np.zeros(3), np.cross(v[3:6], h), 0.0]

        def given(wanted, h):
            asked = um.Inputs(um.Plant(plant.system), dict(zip(plant.system.dof_names, wanted, strict=True)))
            law = um.Unloading(plant, asked, "bus", rate=0.05, gyroscopic=gyroscopic, regularization=1e-9)
            u, told = law(Seen(0.0, q, v, x=h, period=0.1), law.memory)
            np.testing.assert_allclose(told["unallocated"], 0.0, atol=1e-6)
            return plant.forward_dynamics(0.0, q, v, u, x=h), told["allocation.wanted"]

        moved, told = given(wanted, h)
        np.testing.assert_allclose(told, wanted + turning * gyroscopic, atol=1e-12)
        expected, _ = given(wanted if gyroscopic else wanted - turning, 0.0 * h)
        np.testing.assert_allclose(moved, expected, atol=1e-7)
        assert np.abs(given(wanted, 0.0 * h)[0] - expected).max() > 1e-3 or gyroscopic

    def test_arm_wheels_and_thrusters_together(self):
        """The arm carries its load about while wheels keep the bus, fed forward, and thrusters empty the wheels."""
        plant = wheeled()
        swing = um.Quintic([0.0, 6.0], [0.0, 0.8])
        follow = um.ComputedTorque(plant, {"bus": np.eye(4), "target": swing}, 0.25, 1.0)
        x0 = np.array([1.0, -0.5, 0.8])
        run = um.simulate(
            plant, plant.system.neutral(), x0=x0, duration=8.0, step=0.02, control_step=0.02,
            controller=um.Unloading(plant, follow, "bus", rate=0.05),
        )  # fmt: skip
        turn = np.degrees(np.linalg.norm(um.lie.so3.log(run.q[:, :9].reshape(-1, 3, 3)), axis=-1))
        assert turn.max() < 0.02
        assert abs(run.q[-1, -1] - 0.8) < 1e-3
        free = um.simulate(
            um.Plant(plant.system, prescribed={"target": swing}),
            plant.system.neutral(),
            duration=8.0,
            step=0.02,
        )
        alone = np.degrees(np.linalg.norm(um.lie.so3.log(free.q[:, :9].reshape(-1, 3, 3)), axis=-1))
        assert alone.max() > 5.0  # what the arm does to a bus that nobody holds
        assert np.linalg.norm(run.x[-1]) < 0.75 * np.linalg.norm(x0)


class TestDetumbling:
    def test_never_faster_than_the_torque_allows_and_within_five_percent(self):
        plant = wheeled(thrusters=False)
        v0 = np.r_[0, 0, 0, 0.15, -0.1, 0.2, 0.0]
        torque = 0.4
        figures = um.detumbling_figures(plant, plant.system.neutral(), v0, torque=torque, capacity=20.0)
        calm = um.Detumbling(plant, "bus", torque, band=0.01 * figures.rotation)
        law = um.Allocated(plant, calm + um.JointPD(plant, {"target": 0.0}, 60.0, 40.0), 1e-6)
        duration = np.ceil(1.2 * figures.least_time)
        worst = []
        for period in (0.02, 0.01):
            run = um.simulate(
                plant,
                plant.system.neutral(),
                v0,
                duration=duration,
                step=0.01,
                control_step=period,
                controller=law,
            )
            L = np.linalg.norm(momentum(plant.tree, run.q, run.v, "com")[:, 3:], axis=-1)
            worst.append((L[0] - torque * run.t - L).max() / L[0])
        print(worst)
        assert worst[0] < 1e-3
        assert worst[1] < 0.6 * worst[0]
        stopped = run.t[np.argmax(0.02 * L[0] > L)]
        assert 0.98 * figures.least_time <= stopped <= 1.05 * figures.least_time
        assert np.linalg.norm(run.v[-1, 3:6]) < 2e-3
        total = plant.momentum(run.t, run.q, run.v, run.x, about="com")[:, 3:]
        np.testing.assert_allclose(total, total[:1] + 0 * total, atol=1e-8)  # all of it is in the wheels now

    def test_what_spins_in_the_wheels_already_counts(self):
        """All in the world's axes: h of the wheels is turned with the bus, and adds to L."""
        plant = wheeled(thrusters=False)
        g = um.lie.se3.exp(np.array([1.0, 0, 0, 0.4, -0.7, 0.9]))
        q = plant.system.pack({"bus": g, "target": 0.3})
        v, x = np.r_[0.1, 0, 0, 0.15, -0.1, 0.2, 0.0], np.array([4.0, -2.0, 1.0])
        figures = um.detumbling_figures(plant, q, v, x, torque=0.4, capacity=20.0)
        total = plant.momentum(0.0, q, v, x, about="com")[3:]
        assert figures.momentum == pytest.approx(np.linalg.norm(total), rel=1e-12)

    def test_more_than_the_wheels_hold_is_refused_with_the_figure(self):
        plant = wheeled(thrusters=False)
        v0 = np.r_[0, 0, 0, 0.5, -0.4, 0.6, 0.0]
        with pytest.raises(um.ModelError, match=r"at most the wheels' 5 N m s.*N m s to be held"):
            um.detumbling_figures(plant, plant.system.neutral(), v0, torque=0.4, capacity=5.0)


SCENARIO = """unmoored_scenario: 1
name: calm
system: free_flyer_arm7
integrator: {step: 0.05}
duration: 1
initial: {joints: {shoulder_yaw: 0.3, shoulder_pitch: 0.6, elbow_pitch: 0.9}}
controllers:
  - {type: FloatingTool, frame: tool, pose: {xyz: [0.6, 0.2, 1.2]}, vehicle: bus, rows: [0, 1, 2], rate: 0.4}
"""


@pytest.mark.long
def test_from_a_file_and_for_a_batch_with_gains_of_their_own():
    from unmoored.simulation.scenario import parse_scenario

    run = parse_scenario(SCENARIO, "calm.yaml").run()
    assert np.degrees(np.abs(um.lie.so3.log(run.q[:, :9].reshape(-1, 3, 3))).max()) < 1e-9
    law = um.FloatingTool(PLANT, "tool", GOAL, "bus", rows=(0, 1, 2), rate=np.array([[0.3] * 6, [0.6] * 6]))
    both = um.simulate(PLANT, Q, duration=0.2, step=5e-3, controller=law)
    one = um.FloatingTool(PLANT, "tool", GOAL, "bus", rows=(0, 1, 2), rate=0.6)
    alone = um.simulate(PLANT, Q, duration=0.2, step=5e-3, controller=one)
    assert np.array_equal(both.q[1], alone.q)


class TestDetumblingByThrusters:
    @pytest.mark.long
    def test_a_held_target_is_stopped_in_the_least_time(self):
        """Two bodies that a closure holds together: |L| falls by the torque, T = |L₀|/n_max, as with wheels."""
        b = um.SystemBuilder("pair")
        b.vehicle("bus", um.Free(), inertia=um.Inertia.box(60.0, (1.0, 0.9, 0.8)))
        b.vehicle("target", um.Free(), inertia=um.Inertia.box(25.0, (0.5, 0.6, 0.7)))
        ends = [(0.5, 1, 2), (0.5, 2, 1), (0.45, 0, 2), (0.45, 2, 0), (0.4, 0, 1), (0.4, 1, 0)]
        axes = [0, 0, 1, 1, 2, 2]
        jets = [
            um.Thruster(
                "bus", sign * r * np.eye(3)[axis], np.eye(3)[along], name=f"jet_{k}_{sign}", limits=(-2, 2)
            )
            for k, ((r, along, _), axis) in enumerate(zip(ends, axes, strict=True))
            for sign in (1, -1)
        ]
        plant = um.Plant(
            b.build(),
            closures=[um.Closure("bus", "target", name="grip", offset=(0.9, 0, 0, 0, 0, 0))],
            actuators=jets,
        )
        start = plant.system.pack({"target": um.Pose(xyz=(0.9, 0, 0)).matrix})
        ω = np.array([0.05, -0.1, 0.15])
        v0 = np.r_[np.zeros(3), ω, np.cross(ω, [0.9, 0, 0]), ω]
        L0 = np.linalg.norm(plant.system.momentum(start, v0, about="com")[3:])
        torque, T = 0.5, L0 / 0.5
        law = um.Allocated(plant, um.Detumbling(plant, "bus", torque, band=0.02 * L0), regularization=1e-6)
        duration = round(1.05 * T / 0.1) * 0.1
        run = um.simulate(
            plant, start, v0, duration=duration, step=0.05, control_step=0.1, controller=law, record_every=2
        )
        L = np.linalg.norm(plant.system.momentum(run.q, run.v, about="com")[:, 3:], axis=-1)
        falling = run.t < 0.9 * T
        np.testing.assert_allclose(L[falling], L0 - torque * run.t[falling], atol=1e-3 * L0)
        assert L[-1] < 0.02 * L0

    def test_as_much_as_the_wheels_hold_is_not_refused_and_wheels_are_at_rest_if_nothing_is_told(self):
        plant = wheeled(thrusters=False)
        q, v = plant.system.neutral(), np.r_[0, 0, 0, 0.5, -0.4, 0.6, 0.1]
        found = um.detumbling_figures(plant, q, v, torque=0.4, capacity=99.0)
        assert found == um.detumbling_figures(
            plant, q, v, np.zeros(3), torque=0.4, capacity=99.0, vehicle="bus"
        )
        assert (
            found.momentum
            == found.rotation
            == pytest.approx(
                np.linalg.norm(plant.momentum(0.0, q, v, np.zeros(3), about="com")[3:]), rel=1e-12
            )
        )
        assert found.least_time == pytest.approx(found.rotation / 0.4, rel=1e-12)
        assert (
            um.detumbling_figures(plant, q, v, torque=0.4, capacity=found.momentum).capacity == found.momentum
        )
        with pytest.raises(um.ModelError, match="N m s to be held"):
            um.detumbling_figures(plant, q, v, torque=0.4, capacity=np.nextafter(found.momentum, 0.0))
        for name, wrong in (
            ("q", {"q": q[:-1]}),
            ("v", {"v": np.full(7, np.nan)}),
            ("x", {"x": np.zeros(2)}),
        ):
            with pytest.raises(um.ModelError, match=f"{name}: expected .* finite numbers"):
                um.detumbling_figures(plant, **({"q": q, "v": v, "torque": 0.4, "capacity": 99.0} | wrong))

    def test_wheels_are_found_among_other_actuators(self):
        """Behind a thruster that lags and a motor, the third on another body; with four, and with three in a plane."""
        b = um.SystemBuilder("pair")
        b.vehicle("other", um.Free(), inertia=um.Inertia.box(9.0, (1, 1, 1)))
        bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(60.0, (1.0, 0.9, 0.8)))
        b.link("arm", parent=bus, joint=um.Revolute((0, 1, 0)), inertia=um.Inertia.box(1.0, (1, 1, 1)))
        b.frame("mount", parent=bus, at=um.Pose(rpy=(0, 0, np.pi / 2)))
        system = b.build()

        def plant(*axes):
            wheels = [um.ReactionWheel("mount", 0.02, axis, name=f"w{k}") for k, axis in enumerate(axes)]
            first = [um.Thruster("bus", name="jet", lag=0.1, limits=(0, 1)), um.JointMotor("arm", lag=0.2)]
            return um.Plant(system, actuators=[*first, um.ReactionWheel("other", 0.02, (1, 0, 0)), *wheels])

        found = wheels_of("Law", plant((1, 0, 0), (0, 1, 0), (0, 0, 1)), "bus")
        assert found.states == (3, 4, 5)
        assert found.turning == [9, 10, 11]
        np.testing.assert_allclose(found.axes, [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], atol=1e-15)
        np.testing.assert_allclose(found.momentum(np.arange(6.0)), [-4.0, 3.0, 5.0], atol=1e-15)
        torque = torque_along_dofs(plant(), found.link, np.array([1.0, 2.0, 3.0]))
        assert torque.tolist() == [0.0] * 9 + [1.0, 2.0, 3.0, 0.0]
        wheels_of("Law", plant((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)), "bus")
        for axes in (((1, 0, 0), (0, 1, 0), (1, 1, 0)), ((1, 0, 0), (0, 1, 0))):
            with pytest.raises(um.ModelError, match=f"with independent axes, given {len(axes)} on it"):
                wheels_of("Law", plant(*axes), "bus")
        wheels_of("Law", plant((1, 0, 0), (0, 1, 0), (1, 1, 3e-6)), "bus")
        with pytest.raises(um.ModelError, match="independent"):
            wheels_of("Law", plant((1, 0, 0), (0, 1, 0), (1, 1, 1.2e-6)), "bus")

    def test_fewer_than_three_wheels_are_refused(self):
        b = um.SystemBuilder("bus")
        b.vehicle("bus", um.Free(), inertia=um.Inertia.box(60.0, (1.0, 0.9, 0.8)))
        plant = um.Plant(b.build(), actuators=[um.ReactionWheel("bus", 0.02, (1, 0, 0), name="wheel")])
        with pytest.raises(um.ModelError, match="three or more reaction wheels"):
            um.Detumbling(plant, "bus", 0.4)


def test_the_vehicle_first_and_the_tool_with_what_is_left():
    """Two rows of the vehicle's and three of the tool's fit in six joints: both are met, wherever the rest would be."""
    rng = np.random.default_rng(8)
    J, J_G, calm, task, wished = (rng.normal(size=n) for n in ((2, 6), (3, 6), 2, 3, 6))
    law = SimpleNamespace(threshold=1e-6, damping=0.1, _tool_damping=lambda J: 0.0)
    a = FloatingTool._vehicle_first(law, J_G, J, task, calm, wished)
    np.testing.assert_allclose(J @ a, calm, atol=1e-11)
    np.testing.assert_allclose(J_G @ a, task, atol=1e-11)
    rest = np.linalg.svd(np.concatenate([J, J_G]))[2][5]  # what moves neither is as wished
    assert rest @ a == pytest.approx(rest @ wished, abs=1e-11)
