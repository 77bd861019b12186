"""Live mode: forces of the hand, steps, and the panel that drives them."""

import contextlib
import time
from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.rolling_vehicles import WHEELS, rover
from tests.worlds.closed_systems import closed_four_bar

import unmoored as um
from unmoored.lie import se3
from unmoored.views import view
from unmoored.views.letters import markdown
from unmoored.views.viewer.live_dynamics import (
    GroupStepper,
    Hand,
    LiveState,
    Pull,
    dry_stepper,
    plant_stepper,
)


@pytest.fixture(scope="module")
def system():
    return um.load("free_flyer_arm7")


@pytest.fixture(scope="module")
def state(system):
    rng = np.random.default_rng(5)
    return LiveState(0.0, system.random_configuration(rng), rng.normal(size=system.nv))


def test_a_pull_is_a_force_at_the_grip(system, state):
    grip, towards = np.array([0.1, -0.2, 0.3]), np.array([1.0, 2.0, 3.0])
    still = state._replace(v=np.zeros(system.nv))
    pulled = Hand(system)._pulled(still, Pull("forearm_roll", grip, towards))
    g = system.pose(state.q, "forearm_roll") @ se3.pose(np.eye(3), grip)
    f = system.mass * 9.0 * (towards - g[:3, 3])
    # a wrench at the grip, taken to the body's origin, in its axes
    f_body = g[:3, :3].T @ f
    wrench = np.concatenate([f_body, np.cross(grip, f_body)])
    zero = np.zeros(system.nv)
    expected = -system.inverse_dynamics(still.q, zero, zero, wrenches={"forearm_roll": wrench})
    np.testing.assert_allclose(pulled, expected, rtol=1e-11, atol=1e-9)
    alone, both = (
        Hand(system).forces(still, still.q, pull) for pull in (None, Pull("forearm_roll", grip, towards))
    )
    np.testing.assert_allclose(both - alone, pulled, rtol=1e-9, atol=1e-6)
    moving = Hand(system)._pulled(state, Pull("forearm_roll", grip, g[:3, 3]))  # the damper alone
    J = system.mixed_jacobian(state.q, "forearm_roll")
    p_dot = J[:3] @ state.v + np.cross(
        J[3:] @ state.v, g[:3, 3] - system.pose(state.q, "forearm_roll")[:3, 3]
    )
    assert moving @ state.v == pytest.approx(-system.mass * 6.0 * p_dot @ p_dot, rel=1e-9)


def test_servos_give_the_joints_the_wanted_acceleration_and_leave_the_vehicle_alone(system, state):
    hand = Hand(system, gravity=(0.0, 0.0, -9.81), bandwidth=5.0)
    target = system.neutral()
    τ = hand.forces(state, target, None)
    np.testing.assert_allclose(τ[:6], 0.0, atol=1e-9)
    a = system.forward_dynamics(state.q, state.v, τ, gravity=hand.gravity)
    wanted = 25.0 * system.local(state.q, target) - 10.0 * state.v
    np.testing.assert_allclose(a[6:], wanted[6:], rtol=1e-9, atol=1e-9)


def test_held_vehicles_are_driven_too(system, state):
    hand = Hand(system, hold_vehicle=True)
    τ = hand.forces(state, system.neutral(), None)
    a = system.forward_dynamics(state.q, state.v, τ)
    wanted = 36.0 * system.local(state.q, system.neutral()) - 12.0 * state.v
    np.testing.assert_allclose(a, wanted, rtol=1e-9, atol=1e-8)


def test_joint_servos_reach_their_target_and_keep_momentum(system):
    stepper = GroupStepper(system, dry_stepper(system, (0.0, 0.0, 0.0)).acceleration, method="rkmk4")
    hand = Hand(system)
    state = LiveState(0.0, system.neutral(), np.zeros(system.nv))
    target = system.retract(state.q, np.concatenate([np.zeros(6), np.full(7, 0.8)]))
    fastest = 0.0
    for _ in range(500):
        state = stepper.step(state, hand.forces(state, target, None))
        fastest = max(fastest, np.abs(state.v).max())
    assert state.t == pytest.approx(2.0, rel=1e-12)
    assert np.abs(system.local(state.q, target)[6:]).max() < 1e-3
    # forces are internal; the scheme's own error is all that is left
    assert fastest > 1.0
    assert np.abs(system.momentum(state.q, state.v)).max() < 1e-7 * system.mass


def test_a_system_alone_falls_and_its_joints_follow_but_feel_nothing_else():
    """No springs, damping, friction and stops: two equal fingers fall alike, whether one follows or not."""
    b = um.SystemBuilder("fingers")
    palm = b.vehicle("palm", um.Fixed())
    kinds = {"stiffness": 3.0, "damping": 2.0, "friction": 1.0, "limits": (-0.1, 0.1)}
    for name in ("one", "two"):
        rod = um.Inertia.rod(0.5, 0.3, axis=(1, 0, 0), com=(0.15, 0, 0))
        b.link(name, parent=palm, joint=um.Revolute((0, 1, 0), **kinds), inertia=rod)
    free = b.build()
    b.mimic("two", "one")
    gravity = (0.3, 0.0, -4.0)
    for system in (free, b.build()):
        state = LiveState(0.0, np.array([0.4, 0.4]), np.zeros(2))
        stepper = dry_stepper(system, gravity)
        assert stepper.step_size == 4e-3
        for _ in range(100):
            state = stepper.step(state, np.zeros(2))
        assert state.t == pytest.approx(0.4)
        np.testing.assert_allclose(state.q[0], state.q[1], atol=1e-12)
        work = (
            0.5 * 0.15 * ((np.cos(state.q[0]) - np.cos(0.4)) * 0.3 - (np.sin(0.4) - np.sin(state.q[0])) * 4.0)
        )
        energy = 0.5 * (0.5 * 0.3**2 / 3) * state.v[0] ** 2
        assert energy == pytest.approx(work, rel=1e-3)
        assert state.q[0] > 0.6


def test_a_plant_is_stepped_with_its_world_but_without_its_actuators():
    swimmer = um.load("bluerov2_heavy")
    plant = um.Plant(swimmer, world=um.Ocean(current=(0.5, 0.0, 0.0)), actuators=[])
    stepper = plant_stepper(plant)
    state = LiveState(0.0, swimmer.neutral(), np.zeros(swimmer.nv))
    for _ in range(50):
        state = stepper.step(state, np.zeros(swimmer.nv))
    assert state.v[0] > 0.05, "the current does not carry it along"


def test_loops_stay_closed_and_what_cannot_close_is_told():
    plant, still = closed_four_bar(), np.zeros(3)
    stepper, at = plant_stepper(plant), plant.assemble([0.7, 0.3, 1.5])
    state = LiveState(0.0, at.q + np.array([0.05, -0.02, 0.03]), still)  # as a slider leaves it
    for _ in range(50):
        state = stepper.step(state, still)
    tip, end = (plant.system.pose(state.q, name)[:3, 3] for name in ("tip", "end"))
    np.testing.assert_allclose(tip, end, atol=1e-12)
    with view(plant, port=0, wait=False) as viewer:  # neutral: the bars cannot meet from there
        live = viewer.content.live
        live.start()
        end_of_wait = time.monotonic() + 60.0
        while live.running:
            assert time.monotonic() < end_of_wait
            time.sleep(0.01)
        time.sleep(0.1)
        assert "frames that can meet" in live._message.content


def test_the_panel_steps_a_given_stepper(system):
    class Counting:
        step_size = 0.01
        steps = 0

        def step(self, state, u):
            self.steps += 1
            return LiveState(state.t + self.step_size, state.q, state.v)

    counting = Counting()
    with view(system, stepper=counting, port=0, wait=False) as viewer:
        live = viewer.content.live
        live.start()
        end = time.monotonic() + 60.0
        while viewer.content.snapshot.t < 0.1:
            assert time.monotonic() < end
            time.sleep(0.01)
        live.stop()
        assert not live.running
        assert viewer.content.snapshot.t == pytest.approx(0.01 * counting.steps, rel=1e-9)


def test_a_motion_that_blows_up_stops_and_says_so(system):
    class Exploding:
        step_size = 0.01

        def step(self, state, u):
            return LiveState(state.t + 0.01, state.q, np.full(system.nv, np.nan))

    with view(system, stepper=Exploding(), port=0, wait=False) as viewer:
        live = viewer.content.live
        live.start()
        end = time.monotonic() + 60.0
        while live.running:
            assert time.monotonic() < end
            time.sleep(0.01)
        assert np.isfinite(viewer.content.snapshot.v).all()
        time.sleep(0.1)
        assert "blew up" in live._message.content


@pytest.fixture
def held(system, state):
    """A panel whose thread stands still: ticks are given by hand, the stepper is set by the test."""
    with view(system, stepper=SimpleNamespace(step_size=1 / 128), port=0, wait=False) as viewer:
        live = viewer.content.live
        live._state, live._owed = state, 0.0
        yield live


def test_as_many_steps_are_taken_as_time_has_gone_by_and_at_most_a_tenth_of_a_second(held):
    times = []

    def step(state, u):
        times.append(state.t)
        return state._replace(t=state.t + 1 / 128)

    held._stepper.step = step
    for elapsed, count in ((2.5, 2), (0.5, 3), (0.75, 3), (0.25, 4), (1000.0, 4 + 12)):
        held._tick(elapsed / 128)
        assert len(times) == count
    assert times == [k / 128 for k in range(16)]
    assert held._state.t == 16 / 128
    assert held._read()[0].t == 16 / 128, "it is shown"
    assert held._owed == pytest.approx(0.1 - 12 / 128, abs=1e-15)


def test_nonsense_inside_a_step_is_a_motion_that_blew_up_and_other_errors_are_told_as_they_are(held, state):
    def failing(given):
        def step(state, u):
            raise um.ModelError.single("arm", "q", expected="something", given=given)

        return step

    held._stepper.step = failing("nan")
    held._tick(0.05)
    assert held._message.content == "The motion blew up at t = 0.00 s; a softer servo may help."
    held._stepper.step = failing("a door")
    held._tick(0.05)
    assert held._message.content == markdown("arm: q: expected something, given a door")
    assert held._state is state


def test_a_body_is_pulled_where_it_was_taken_until_it_is_let_go(held, system, state):
    drag = held._dragged("forearm_roll")
    first, there = np.array([0.3, 0.1, -0.2]), np.array([1.0, 2.0, 3.0])
    grip = (np.linalg.inv(system.pose(state.q, "forearm_roll")) @ [*first, 1.0])[:3]

    def event(phase, start, end):
        told = SimpleNamespace(phase=phase, start_position=tuple(start), end_position=tuple(end))
        with contextlib.suppress(StopIteration):
            drag(told).send(None)
        return held._pull

    for phase in ("start", "update"):  # taken anew, and taken unawares
        held.pull(None)
        pull = event(phase, first, there)
        assert pull.body == "forearm_roll"
        np.testing.assert_allclose(pull.grip, grip, atol=1e-12)
        np.testing.assert_array_equal(pull.towards, there)
    pull = event("update", 5 * first, 2 * there)
    np.testing.assert_allclose(pull.grip, grip, atol=1e-12)
    np.testing.assert_array_equal(pull.towards, 2 * there)
    assert event("end", first, there) is None


def test_what_moves_as_it_is_told_keeps_the_speeds_of_the_rest():
    """Of a ship in the sea its arm's; of a rover those along which its wheels roll."""
    rng = np.random.default_rng(8)
    ship = um.load("supply_vessel_arm6")
    stepper, v = plant_stepper(um.Plant(ship, world=um.Sea())), rng.normal(size=ship.nv)
    found = stepper._kept(LiveState(3.0, ship.random_configuration(2), v))
    np.testing.assert_array_equal(found.v[6:], v[6:])
    assert np.abs(found.v[:6]).max() > 1e-3
    plant = um.Plant(
        um.System(rover(um.Planar())), constraints=[um.DifferentialDrive("rover", "axle", **WHEELS)]
    )
    q, v = plant.system.random_configuration(3), rng.normal(size=plant.system.nv)
    found = plant_stepper(plant)._kept(LiveState(0.0, q, v))
    independent = plant.velocities.independent(q, v)
    np.testing.assert_allclose(found.v, plant.full_velocity(0.0, q, independent), rtol=0, atol=1e-12)
    np.testing.assert_allclose(plant.velocities.independent(q, found.v), independent, rtol=0, atol=1e-12)
    assert np.abs(found.v - v).max() > 1e-3


def test_a_ship_goes_on_moving_with_the_sea_while_its_arm_is_driven():
    ship = um.load("supply_vessel_arm6")
    sea = um.Sea()
    stepper = plant_stepper(um.Plant(ship, world=sea))
    state = LiveState(0.0, ship.neutral(), np.zeros(ship.nv))
    for _ in range(5):
        state = stepper.step(state, np.zeros(ship.nv))
    expected = um.Plant(ship, world=sea).configuration(state.t, ship.neutral())
    np.testing.assert_allclose(state.q[:12], expected[:12], atol=1e-14)
