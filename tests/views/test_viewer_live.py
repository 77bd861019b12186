"""Live mode: forces of the hand, steps, and the panel that drives them."""

import time

import numpy as np
import pytest
from tests.worlds.closed_systems import closed_four_bar

import unmoored as um
from unmoored.lie import se3
from unmoored.views import view
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


def test_a_plant_is_stepped_with_its_world_but_without_its_actuators():
    rover = um.load("bluerov2_heavy")
    plant = um.Plant(rover, world=um.Ocean(current=(0.5, 0.0, 0.0)), actuators=[])
    stepper = plant_stepper(plant)
    state = LiveState(0.0, rover.neutral(), np.zeros(rover.nv))
    for _ in range(50):
        state = stepper.step(state, np.zeros(rover.nv))
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


def test_a_ship_goes_on_moving_with_the_sea_while_its_arm_is_driven():
    ship = um.load("supply_vessel_arm6")
    sea = um.Sea()
    stepper = plant_stepper(um.Plant(ship, world=sea))
    state = LiveState(0.0, ship.neutral(), np.zeros(ship.nv))
    for _ in range(5):
        state = stepper.step(state, np.zeros(ship.nv))
    expected = um.Plant(ship, world=sea).configuration(state.t, ship.neutral())
    np.testing.assert_allclose(state.q[:12], expected[:12], atol=1e-14)
