"""The built-in scenarios do what physics says they must."""

from functools import cache

import numpy as np
import pytest
from scipy.special import ellipk

import unmoored as um
from unmoored.cli.demo_command import euler_energy
from unmoored.lie import so3

pytestmark = pytest.mark.filterwarnings("ignore::unmoored.ModelWarning")


@cache
def ran(name, *settings):
    scenario = um.load_scenario(name, settings=settings)
    run = scenario.run()
    assert run.completed
    return scenario, run


def values(run, *names):
    return um.channel_values(run, names).values()


def turned(run):
    """Angle (T,) by which the vehicle has turned since the start."""
    R = run.q[:, :9].reshape(-1, 3, 3)
    return np.linalg.norm(so3.log(R[0].T @ R), axis=-1)


def test_free_floating_servicer_keeps_zero_momentum_and_turns():
    _, run = ran("free_floating_servicer")
    assert np.abs(run.momentum()).max() < 1e-9
    assert np.degrees(turned(run)[-1]) > 10


@pytest.mark.parametrize("name", ["free_floating_servicer", "ets_vii"])
def test_rates_of_the_base_follow_from_zero_momentum(name):
    """The disturbance Jacobian predicts the base's twist from the joints' rates alone."""
    _, run = ran(name)
    D = run.system.disturbance_jacobian(run.q, passive=[run.system.vehicles[0]])
    predicted = (D @ run.v[:, 6:, None])[..., 0]
    assert np.abs(predicted - run.v[:, :6]).max() < 1e-11


def test_ets_vii_reaches_its_targets():
    _, run = ran("ets_vii")
    assert np.allclose(run.q[-1, 12:], [0.9, 0.4, 1.6, 0, 0, 0], rtol=0, atol=1e-3)
    assert 0.1 < np.degrees(turned(run)[-1]) < 2


def test_mirrored_arms_leave_the_attitude():
    _, run = ran("two_arm_satellite")
    (yaw,) = values(run, "base.yaw")
    assert np.abs(yaw).max() < 1e-13
    still = (
        "prescribed.right_shoulder={type: Constant, value: 0}",
        "prescribed.right_elbow={type: Constant, value: 0}",
    )
    (yaw,) = values(ran("two_arm_satellite", *still)[1], "base.yaw")
    assert np.degrees(abs(yaw[-1])) > 10


def off_station(run):
    """Position (m) and rotation vector (rad) (..., 6) of the vehicle from its target, the origin."""
    R = run.q[..., :9].reshape(*run.q.shape[:-1], 3, 3)
    return np.concatenate([run.q[..., 9:12], so3.log(R)], axis=-1)


def test_station_keeping_ends_on_station():
    """In a current that the law does not know, with thrusters that lag and have limits: what it learns is the load."""
    scenario, run = ran("station_keeping")
    off = off_station(run)[-1]
    assert np.linalg.norm(off[:3]) < 1e-3
    assert np.linalg.norm(off[3:]) < np.radians(0.05)
    q, still, plant = run.q[-1], 0 * run.v[-1], scenario.plant
    load = plant.inverse_dynamics(
        30.0, q, still, still, p=np.array([0.25, 0.15, 0.0])
    ) - plant.inverse_dynamics(30.0, q, still, still)
    assert np.linalg.norm(load[:2]) > 5.0
    assert np.allclose(run.memory["load"][-1], load[:6], rtol=0, atol=0.1)


def test_station_keeping_without_integral_action_ends_elsewhere():
    _, run = ran("station_keeping", "controllers.0.integral=0", "duration=15")
    assert np.linalg.norm(off_station(run)[-1, :3]) > 0.03


@pytest.mark.long
def test_station_keeping_by_estimate_ends_within_the_filters_deviations():
    """The vehicle is off by what the filter says it does not know, no more: 2σ hold 95 % of Gaussian errors."""
    _, run = ran("station_keeping_by_estimate", "samples=16")
    deviations = np.sqrt(np.diagonal(run.estimate.covariance, axis1=-2, axis2=-1))[..., [0, 1, 2, 6, 7, 8]]
    ratios = (off_station(run) / deviations)[:, -2]
    assert np.mean(np.abs(ratios) < 2.0) > 0.88
    assert np.sqrt(np.mean(ratios**2)) < 1.35
    assert np.abs(run.estimate.q[:, -2, 9:12]).max() < 0.03
    assert np.abs(off_station(run)[:, -2, 2]).max() < 3e-3  # by its depth gauge


def test_station_keeping_thrust_balances_water_and_weight():
    scenario, run = ran("station_keeping")
    B = scenario.plant.allocation_matrix(run.q[-1])
    needed = scenario.plant.inverse_dynamics(
        30.0, run.q[-1], run.v[-1], 0 * run.v[-1], p=np.array([0.25, 0.15, 0.0])
    )
    assert np.allclose((B @ run.x[-1])[:6], needed[:6], rtol=0, atol=0.05)
    assert np.abs(run.x).max() < 40


def test_pitching_through_the_vertical_is_nothing_special():
    _, run = ran("pitch_through_vertical")
    tilt, pitch = values(run, "bus.tilt", "bus.pitch")
    assert np.degrees(tilt.max()) > 170
    assert np.degrees(pitch.max()) > 89.5
    energy, momentum = run.energy().total, run.momentum()
    assert np.abs(energy / energy[0] - 1).max() < 1e-7
    assert np.abs(momentum - momentum[0]).max() < 1e-6


def test_euler_angles_fail_there():
    """The same start and step in Euler angles: more than 5 percent of the energy is gone after the passage."""
    scenario, run = ran("pitch_through_vertical")
    energy = euler_energy(scenario, 350)
    assert np.isclose(energy[0], run.energy().total[0], rtol=1e-12)
    assert abs(1 - energy[-1] / energy[0]) > 0.05


@pytest.mark.long
def test_ship_bears_the_weight_and_the_inertia_of_its_arm():
    """What the ship must give for its arm is the rate of change of the arm's momentum less its weight."""
    scenario, run = ran("ship_arm_in_waves")
    system, h = run.system, 1e-4
    reaction = scenario.plant.reactions(run.t, run.q, run.v)[:, :6]
    force = (run.q[:, :9].reshape(-1, 3, 3) @ reaction[:, :3, None])[..., 0]

    def momentum(t):
        q = scenario.plant.configuration(t, run.q)
        v = scenario.plant.full_velocity(t, q, np.zeros((len(t), 0)))
        return system.momentum(q, v)[:, :3]

    rate = (momentum(run.t + h) - momentum(run.t - h)) / (2 * h)
    weight = system.mass * scenario.plant.gravity
    scale = np.abs(weight).max()
    assert np.abs(force - (rate - weight)).max() < 1e-6 * scale


def test_rover_never_slips_and_its_drive_pays_for_its_energy():
    held = {"shoulder_pan": 0, "shoulder_lift": -1.2, "elbow": 1.6}
    settings = [f"prescribed.{name}={{type: Constant, value: {x}}}" for name, x in held.items()]
    _, run = ran("rover_with_arm", *settings)
    vx, vy, wz = values(run, "rover.vx", "rover.vy", "rover.wz")
    assert np.abs(vy).max() == 0
    power = 8 * vx + 0.6 * wz
    work = np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(run.t))
    energy = run.energy().kinetic
    assert np.isclose(energy[-1], work, rtol=1e-4)
    assert np.abs(wz).max() > 0.1


def test_crane_payload_swings_with_the_pendulums_frequency():
    """After a straight move the swing is that of a plane pendulum: period 4 K(sin²(A/2)) / ω."""
    move = "prescribed.cart={type: Quintic, times: [0, 1.5], values: [[-0.2, -0.1], [0.2, -0.1]]}"
    scenario, run = ran("gantry_crane", move, "outputs.record_every=1")
    after = run.t > 1.5
    tool, cart = values(run, "tool.x", "cart.x")
    payload = run.system.tree.bodies[1].inertia
    length = -payload.com[2]
    angle = np.arcsin((tool - cart)[after] / length)
    t = run.t[after]
    i = np.flatnonzero((angle[:-1] < 0) & (angle[1:] >= 0))
    crossings = t[i] - angle[i] * (t[i + 1] - t[i]) / (angle[i + 1] - angle[i])
    g = -scenario.plant.gravity[2]
    ω = np.sqrt(payload.mass * g * length / (payload.tensor[0, 0] + payload.mass * length**2))
    period = 4 * ellipk(np.sin(np.abs(angle).max() / 2) ** 2) / ω
    assert len(crossings) > 5
    assert np.allclose(np.diff(crossings), period, rtol=1e-5)


def test_drone_hovers_and_lifts_its_weight():
    scenario, run = ran("aerial_manipulator")
    B = scenario.plant.allocation_matrix(run.q[-1])
    needed = scenario.plant.inverse_dynamics(12.0, run.q[-1], 0 * run.v[-1], 0 * run.v[-1])
    assert np.allclose((B @ run.x[-1])[:6], needed[:6], rtol=0, atol=1e-2)
    assert abs(needed[2] + run.system.mass * scenario.plant.gravity[2]) < 1e-6
    assert np.abs(run.q[:, 9:12]).max() < 0.01
    assert np.degrees(turned(run).max()) < 5
    assert run.x.min() > 0


def test_a_quadrotor_goes_where_it_should_while_its_arm_swings():
    """100 Hz, rotors with lag and limits, which cannot push sideways: within 15 mm all the way, arm fed forward."""
    _, run = ran("thrust_vectoring")
    way = um.Quintic([0, 3], [[0, 0, 0], [0.5, 0, 0.3]])(run.t)
    assert np.linalg.norm(run.q[:, 9:12] - way, axis=1).max() < 0.015
    assert abs(next(iter(values(run, "drone.yaw")))[-1] - 1.0) < 1e-4
    assert np.abs(run.unallocated[:, :2]).max() < 1e-3
    assert run.x.min() > 0


def test_a_failed_drive_gives_nothing_and_nothing_jumps():
    scenario, run = ran("actuator_failure")
    dof = run.system.tree.dofs("elbow_pitch")[0]
    torque = scenario.plant.reactions(run.t, run.q, run.v)[:, dof]
    assert np.abs(torque[run.t > 4]).max() < 1e-12
    assert np.abs(torque[run.t < 3.9]).max() > 0.1
    planned = um.Quintic([0, 8], [0.3, 1.5])(run.t)[:, 0]
    angle, rate = values(run, "elbow_pitch", "elbow_pitch.rate")
    assert np.abs(angle - planned)[run.t <= 4].max() < 1e-9
    assert np.abs(angle - planned)[run.t > 8].min() > 0.1
    assert np.abs(np.diff(rate)).max() < 0.02
    assert np.abs(run.momentum()).max() < 1e-8


@pytest.mark.long
def test_fifty_joints_keep_momentum_and_lose_energy_only_to_dampers():
    scenario, run = ran("hyper_redundant_arm", "duration=3")
    assert run.system.nv == 56
    assert np.abs(run.momentum()).max() < 1e-7
    passive = [f"joint_{i:02d}" for i in range(5, 51, 5)]
    assert np.abs(np.stack(list(values(run, *passive)))).max() > 0.01
    driven = scenario.plant.reactions(run.t, run.q, run.v)
    assert np.abs(driven[:, run.system.tree.dofs(passive)]).max() < 1e-9


def test_platform_does_not_take_part_in_the_ships_motion():
    _, run = ran("motion_compensation", "duration=60")
    settled = run.t > 20
    for axis in ("z", "roll", "pitch"):
        deck, platform = values(run, f"deck.{axis}", f"platform.{axis}")
        assert np.ptp(platform[settled]) < 1e-4 * np.ptp(deck[settled])


def test_thrusters_rest_inside_the_bounds_and_push_inward_outside():
    _, run = ran("reaction_mode")
    angle, distance = turned(run), np.linalg.norm(run.q[:, 9:12], axis=-1)
    force, torque = run.u[:, :3], run.u[:, 3:6]
    quiet = (angle < 0.087) & (distance < 0.03)
    assert 0.05 < quiet.mean() < 0.95
    assert np.abs(run.u[quiet]).max() == 0
    assert np.all(np.linalg.norm(torque[angle > 0.088], axis=-1) > 0)
    assert np.all(np.linalg.norm(force[distance > 0.0301], axis=-1) > 0)
    assert np.degrees(angle.max()) < 8


def test_a_loop_of_the_joints_turns_the_satellite_by_the_integral_of_the_connection():
    _, slow = ran("geometric_phase")
    times = "prescribed.shoulder.times=[0, 1, 2, 3, 4]", "prescribed.elbow.times=[0, 1, 2, 3, 4]"
    _, fast = ran("geometric_phase", *times, "duration=4", "integrator.step=0.002")
    corners = np.array([[0.5, 0.5], [2.0, 0.5], [2.0, 2.2], [0.5, 2.2], [0.5, 0.5]])
    nodes, weights = np.polynomial.legendre.leggauss(30)
    total = 0.0
    for a, b in zip(corners[:-1], corners[1:], strict=True):  # noqa: RUF007
        joints = a + np.outer(0.5 * (nodes + 1), b - a)
        q = slow.system.pack({"shoulder": joints[:, 0], "elbow": joints[:, 1]})
        rates = slow.system.disturbance_jacobian(q, passive=["base"])[:, 2] @ (b - a)
        total += 0.5 * rates @ weights
    for run, bound in ((slow, 1e-9), (fast, 1e-9)):
        (yaw,) = values(run, "base.yaw")
        assert abs(yaw[-1] - total) < bound
        assert np.abs(run.momentum()).max() < 1e-8
    assert abs(total) > 0.2


def test_capture_and_release_keep_momentum():
    servicer, target = um.load("spart_sc_3dof"), um.load("tumbling_brick")
    q = servicer.pack({"shoulder_pitch": 0.6, "elbow_pitch": -1.1})
    v = servicer.pack_velocity({"shoulder_yaw": 0.1, "elbow_pitch": 0.05})
    q_target = target.pack({"brick": servicer.pose(q, "tool")})
    v_target = target.pack_velocity({"brick": [0, 0.02, 0, 0.5, 0.8, -0.3]})
    before = servicer.momentum(q, v) + target.momentum(q_target, v_target)
    energy = servicer.energy(q, v).kinetic + target.energy(q_target, v_target).kinetic
    joined = servicer.join(q, v, target, q_target, v_target, frame="tool")
    run = um.simulate(joined.system, joined.q, joined.v, duration=2.0, step=0.01)
    let_go = joined.system.release(run.q[-1], run.v[-1], "tumbling_brick/brick", prefix="tumbling_brick")
    after = let_go.system.momentum(let_go.q, let_go.v) + let_go.released.momentum(
        let_go.q_released, let_go.v_released
    )
    assert np.abs(joined.system.momentum(joined.q, joined.v) - before).max() < 1e-13
    assert np.abs(after - before).max() < 1e-11
    assert abs(run.energy().kinetic[0] - (energy - joined.energy_lost)) < 1e-14
    assert joined.energy_lost > 0
