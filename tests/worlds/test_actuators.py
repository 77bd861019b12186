"""Actuators: wrenches through their own bodies, lag, limits, failure (docs/theory.md §21)."""

from functools import partial

import numpy as np
import pytest
from tests.worlds.support import central_rate, random_state, relative_error, wet_system

import unmoored as um
from unmoored.lie import so3
from unmoored.trace import evaluate, trace
from unmoored.worlds.plants.plant_equations import right_hand_side

NUMPY = {"backend": "numpy"}


def arm(joint_options=None, rotor_inertia=True):
    b = um.SystemBuilder("arm")
    inertia = um.Inertia(3.0, (0.1, 0.05, 0.2), (0.3, 0.4, 0.5))
    bus = b.vehicle("bus", um.Free(), inertia=inertia)
    link = b.link("link", parent=bus, joint=um.Revolute((0, 1, 0), **(joint_options or {})), inertia=inertia)
    turned = um.Pose(xyz=(0.2, -0.1, 0.3), rotation=so3.exp(np.array([0.4, -0.7, 0.3])))
    b.frame("nozzle", parent=link, at=turned)
    return b.build()


def acceleration(system, actuators, u, x=None, t=0.0, world=None, q=None, v=None):
    plant = um.Plant(system, world or um.Space(), actuators=actuators)
    state = random_state(system, 1)
    q, v = state[0] if q is None else q, state[1] if v is None else v
    return plant.forward_dynamics(t, q, v, u, x=x, **NUMPY)


def with_wrench(system, frame, F):
    q, v = random_state(system, 1)
    return system.forward_dynamics(
        q, v, np.zeros(system.nv), wrenches={frame: np.asarray(F, dtype=float)}, **NUMPY
    )


def test_a_thruster_pushes_its_own_body():
    system, r, d = arm(), np.array([0.1, 0.2, -0.3]), np.array([0.6, 0.0, 0.8])
    found = acceleration(system, [um.Thruster("nozzle", at=r, direction=d)], [5.0])
    assert (
        relative_error(found, with_wrench(system, "nozzle", 5.0 * np.concatenate([d, np.cross(r, d)])))
        < 1e-13
    )


def test_a_rotor_adds_its_drag_torque():
    system = arm()
    found = acceleration(system, [um.Rotor("nozzle", direction=(0, 0, 1), drag_ratio=0.02, spin=-1)], [5.0])
    assert relative_error(found, with_wrench(system, "nozzle", [0, 0, 5.0, 0, 0, -0.1])) < 1e-13


def test_an_azimuth_thruster_turns_its_direction():
    system = arm()
    thruster = um.Thruster("nozzle", azimuth=(0, 0, 1))
    found = acceleration(system, [thruster], [5.0, 0.7])
    assert (
        relative_error(found, with_wrench(system, "nozzle", [5 * np.cos(0.7), 5 * np.sin(0.7), 0, 0, 0, 0]))
        < 1e-13
    )


def test_curve_and_limits():
    system = arm()
    thruster = um.Thruster("nozzle", curve=lambda n: 2.0 * np.abs(n) * n, limits=(-1.0, 3.0))
    for command, thrust in ((2.0, 8.0), (10.0, 18.0), (-5.0, -2.0)):
        found = acceleration(system, [thruster], [command])
        assert relative_error(found, with_wrench(system, "nozzle", [thrust, 0, 0, 0, 0, 0])) < 1e-13


def test_lag_is_a_first_order_state():
    system = arm()
    plant = um.Plant(
        system, actuators=[um.Thruster("nozzle", lag=0.2, limits=(-2.0, 2.0)), um.JointMotor("link")]
    )
    assert plant.state_names == ("nozzle",)
    assert plant.input_names == ("nozzle", "link_motor")
    q, v = random_state(system, 1)
    p = np.zeros(0)
    _, x_dot = right_hand_side(plant, 0.0, q, v, np.array([0.5]), np.array([9.0, 0.0]), p)
    assert x_dot == pytest.approx([(2.0 - 0.5) / 0.2], rel=1e-15)
    found = plant.forward_dynamics(0.0, q, v, [9.0, 0.0], x=[0.5], **NUMPY)
    assert relative_error(found, with_wrench(system, "nozzle", [0.5, 0, 0, 0, 0, 0])) < 1e-13


def test_motors_gear_and_effort():
    system = arm({"effort": 4.0})
    q, v = random_state(system, 1)
    for gear, command, torque in ((2.0, 1.5, 3.0), (2.0, -9.0, -4.0)):
        found = acceleration(system, [um.JointMotor("link", gear=gear)], [command])
        tau = np.array([0, 0, 0, 0, 0, 0, torque])
        assert relative_error(found, system.forward_dynamics(q, v, tau, **NUMPY)) < 1e-13
    plant = um.Plant(system, actuators=[um.JointMotor("bus"), um.JointMotor("link", limits=(-1, 1))])
    assert plant.input_names == (
        *(f"bus_motor.{dof}" for dof in ("vx", "vy", "vz", "wx", "wy", "wz")),
        "link_motor",
    )
    found = plant.forward_dynamics(0.0, q, v, [1, 2, 3, 4, 5, 6, 7.0], **NUMPY)
    assert relative_error(found, system.forward_dynamics(q, v, [1, 2, 3, 4, 5, 6, 1.0], **NUMPY)) < 1e-13
    one = acceleration(system, [um.JointMotor("bus.wy")], [2.0])
    assert relative_error(one, system.forward_dynamics(q, v, [0, 0, 0, 0, 2.0, 0, 0], **NUMPY)) < 1e-13


def test_a_wrench_as_input():
    system, F = arm(), np.arange(1.0, 7.0)
    plant = um.Plant(system, actuators=[um.Wrench("nozzle")])
    assert plant.input_names[0] == "nozzle.fx"
    assert (
        relative_error(acceleration(system, [um.Wrench("nozzle")], F), with_wrench(system, "nozzle", F))
        < 1e-13
    )


def test_an_actuator_that_fails_gives_nothing_from_then_on():
    system = arm()
    motors = [
        um.JointMotor("link", fails_at=2.0),
        um.Thruster("nozzle", fails_at=3.0, lag=0.1, azimuth=(0, 0, 1)),
    ]
    u, x = [1.0, 4.0, 0.3], [4.0, 0.3]
    both = acceleration(system, motors, u, x, t=1.999)
    thrust = acceleration(system, motors, u, x, t=2.0)
    none = acceleration(system, motors, u, x, t=3.0)
    q, v = random_state(system, 1)
    assert relative_error(none, system.forward_dynamics(q, v, np.zeros(7), **NUMPY)) < 1e-13
    assert relative_error(both - thrust, acceleration(system, motors[:1], [1.0], t=0.0) - none) < 1e-11
    wrench = [4 * np.cos(0.3), 4 * np.sin(0.3), 0, 0, 0, 0]
    assert relative_error(thrust, with_wrench(system, "nozzle", wrench)) < 1e-13


WHEEL = um.Inertia(1.5, (0, 0, 0), (0.02, 0.02, 0.035))
BUS = um.Inertia(20.0, (0.1, 0.2, -0.1), np.diag([1.0, 1.5, 2.0]) + 0.1)


def wheel_as_body():
    b = um.SystemBuilder("with wheel")
    bus = b.vehicle("bus", um.Free(), inertia=BUS)
    turned = um.Pose(xyz=(0.3, -0.2, 0.1), rotation=so3.exp(np.array([0.5, -0.4, 0.8])))
    b.link("wheel", parent=bus, joint=um.Revolute((0, 0, 1)), inertia=WHEEL, at=turned)
    return b.build(), turned


def wheel_locked():
    _, turned = wheel_as_body()
    system, _ = wheel_as_body()
    M = system.mass_matrix(system.neutral(), **NUMPY)[:6, :6]
    mass = M[0, 0]
    com = so3.vee(M[3:, :3] / mass)
    tensor = M[3:, 3:] + mass * so3.hat(com) @ so3.hat(com)
    b = um.SystemBuilder("gyrostat")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia(mass, com, (tensor + tensor.T) / 2))
    b.frame("hub", parent=bus, at=turned)
    return b.build()


def test_a_wheel_as_gyrostat_moves_the_bus_as_a_wheel_that_is_a_body():
    full, turned = wheel_as_body()
    held = wheel_locked()
    axis = turned.matrix[:3, 2]
    plant = um.Plant(held, actuators=[um.ReactionWheel("hub", 0.035, name="wheel")])
    assert plant.state_names == ("wheel.momentum",)
    q, v = random_state(full, 3)
    speed, torque = 40.0, 0.6
    v[6] = speed
    a = full.forward_dynamics(q, v, [0, 0, 0, 0, 0, 0, torque], **NUMPY)
    h = 0.035 * (speed + axis @ v[3:6])
    found = plant.forward_dynamics(0.0, q[:12], v[:6], [torque], x=[h], **NUMPY)
    assert relative_error(found, a[:6]) < 1e-11
    _, h_dot = right_hand_side(plant, 0.0, q[:12], v[:6], np.array([h]), np.array([torque]), np.zeros(0))
    assert h_dot[0] == pytest.approx(0.035 * (a[6] + axis @ a[3:6]), rel=1e-10)
    assert h_dot[0] == torque
    assert plant.energy(0.0, q[:12], v[:6], x=[h], **NUMPY).total == pytest.approx(
        full.energy(q, v, **NUMPY).total, rel=1e-13
    )


def test_a_wheel_larger_than_its_body_is_refused():
    with pytest.raises(um.ModelError, match="hub: inertia: expected less than 'bus' has"):
        um.Plant(wheel_locked(), actuators=[um.ReactionWheel("hub", 5.0)])


def test_a_rudder_lifts_and_stalls_nowhere():
    """½ρ A C_L U² δ for small angles; the force never drives."""
    b = um.SystemBuilder("boat")
    b.vehicle("boat", um.Free(), inertia=um.Inertia(10.0, (0, 0, 0), (1, 1, 1)), fluid=um.Fluid(volume=0.01))
    system = b.build()
    rudder = um.Rudder("boat", 0.05, at=(-1.0, 0, 0), lift_slope=3.0, drag=0.02)
    plant = um.Plant(system, um.Ocean(density=1000.0, gravity=(0, 0, 0)), actuators=[rudder])
    q = system.neutral()
    U, δ = 2.0, 1e-4
    F = 10.0 * plant.forward_dynamics(0.0, q, [U, 0, 0, 0, 0, 0], [δ], **NUMPY)
    assert F[1] == pytest.approx(0.5 * 1000 * 0.05 * 3.0 * U**2 * δ, rel=1e-7)
    assert F[0] == pytest.approx(-0.5 * 1000 * 0.05 * 0.02 * U**2, rel=1e-4)
    assert F[5] < 0  # bow to starboard
    rng = np.random.default_rng(1)
    for _ in range(20):
        q, v = system.random_configuration(rng), rng.normal(size=6)
        assert plant.power(0.0, q, v, rng.uniform(-3, 3, 1), **NUMPY).actuators <= 0
    drifting = um.Plant(system, um.Ocean((2.0, 0, 0), 1000.0, (0, 0, 0)), actuators=[rudder])
    assert (
        np.abs(drifting.forward_dynamics(0.0, system.neutral(), [2.0, 0, 0, 0, 0, 0], [0.3], **NUMPY)).max()
        < 1e-13
    )


def test_fins_need_a_fluid():
    system = arm()
    with pytest.raises(um.ModelError, match="density: expected a density"):
        um.Plant(system, actuators=[um.Fin("nozzle", 0.1)])
    um.Plant(system, actuators=[um.Fin("nozzle", 0.1, density=1.2)])


def test_everything_traces():
    system = wet_system(3, ("Free", "Revolute", "Spherical"))
    actuators = [
        um.Thruster("tool", azimuth=(0, 1, 0), lag=0.1, limits=(-1, 1), fails_at=1.0, name="azimuth"),
        um.Rotor("tool", drag_ratio=0.1, curve=lambda n: n * n, name="rotor"),
        um.Fin("tool", 0.1, drag=0.2, lag=0.1, limits=(-0.5, 0.5), name="fin"),
        um.ReactionWheel("b0", 0.01, lag=0.1, name="wheel"),
        um.JointMotor("b2", fails_at=0.1),
        um.Wrench("b1"),
    ]
    plant = um.Plant(system, um.Ocean((0.1, 0.2, 0.3)), actuators=actuators)
    rng = np.random.default_rng(0)
    q, v = random_state(system, 2)
    x, u = rng.normal(size=plant.nx), rng.normal(size=plant.nu)
    traced = trace(
        partial(right_hand_side, plant), (), (plant.nq,), (plant.nv,), (plant.nx,), (plant.nu,), (0,)
    )
    for t in (0.0, 0.5, 2.0):
        expected = right_hand_side(plant, t, q, v, x, u, np.zeros(0))
        found = evaluate(traced, np.asarray(t), q, v, x, u, np.zeros(0))
        for a, b in zip(found, expected, strict=True):
            assert relative_error(a, b) < 1e-13
    batch = right_hand_side(
        plant,
        np.zeros(2),
        np.stack([q, q]),
        np.stack([v, -v]),
        np.stack([x, x]),
        np.stack([u, u]),
        np.zeros(0),
    )
    assert relative_error(batch[0][0], right_hand_side(plant, 0.0, q, v, x, u, np.zeros(0))[0]) < 1e-13


def test_friction_turns_round_smoothly_and_stops_push_back():
    options = {"friction": 2.0, "damping": 0.5, "limits": (-0.5, 0.5)}
    system = arm(options)
    effects = um.JointEffects(friction_speed=0.01, stop_stiffness=1e4, stop_damping=0.5)
    plant = um.Plant(system, joints=effects)

    def force(angle, rate):
        q, v = system.pack({"link": angle}), system.pack_velocity({"link": rate})
        a = np.zeros(system.nv)
        dry = system.inverse_dynamics(q, v, a, **NUMPY)
        return (dry - plant.inverse_dynamics(0.0, q, v, a, **NUMPY))[6]

    assert force(0.0, 1.0) == pytest.approx(-2.5, rel=1e-12)
    assert force(0.0, 0.005) == pytest.approx(-2 * np.tanh(0.5) - 0.0025, rel=1e-12)
    assert force(0.6, 0.0) == pytest.approx(-1e3, rel=1e-12)
    assert force(-0.6, 0.0) == pytest.approx(1e3, rel=1e-12)
    assert force(0.6, 1.0) + 2.5 == pytest.approx(-1e3 * 1.5, rel=1e-12)
    assert force(0.6, -1.0) - 2.5 == pytest.approx(-1e3 * 0.5, rel=1e-12)
    assert force(0.6, -9.0) - 6.5 == pytest.approx(0.0, abs=1e-10)  # it never pulls
    off = um.Plant(system, joints=um.JointEffects(damping=False, friction=False, stops=False))
    q, v = system.pack({"link": 0.6}), system.pack_velocity({"link": 1.0})
    assert off.forward_dynamics(0.0, q, v, **NUMPY) == pytest.approx(
        system.forward_dynamics(q, v, np.zeros(7), **NUMPY)
    )


def test_stops_are_as_stiff_as_the_frequency_asks():
    """A joint alone on its stop swings with the stop's frequency."""
    b = um.SystemBuilder("pendulum")
    b.vehicle(
        "arm",
        um.Revolute((0, 1, 0), limits=(-0.5, 0.5)),
        inertia=um.Inertia(2.0, (0.3, 0, 0), (0.1, 0.1, 0.1)),
    )
    system = b.build()
    plant = um.Plant(system, joints=um.JointEffects(stop_frequency=50.0))
    stiffness = central_rate(
        lambda s: -plant.inverse_dynamics(0.0, [0.6 + s], [0.0], [0.0], **NUMPY)[0], h=1e-3
    )
    assert -stiffness / plant.mass_matrix([0.0])[0, 0] == pytest.approx(2500.0, rel=1e-9)
