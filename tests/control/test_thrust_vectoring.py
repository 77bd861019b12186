"""A quadrotor with an arm: the attitude's error loses energy exactly, the arm's motion is fed forward."""

from math import factorial

import numpy as np
import pytest
from tests.control.tracked_plants import rate_along_motion

import unmoored as um
from unmoored.control.thrust_attitude import _unit, thrust_attitude
from unmoored.dynamics.centre_of_mass_motion import centre_of_mass_motion
from unmoored.lie import so3

SYSTEM = um.load("mantis_quad_arm2")
PLANT = um.Plant(SYSTEM, um.Earth())
WAVE = um.Sine([0.5, 0.4, 0.3], [3.0, 4.0, 5.0], phase=[0.0, 0.5, 1.0])
SWING = {"shoulder": um.Sine(0.8, 1.5), "elbow": um.Sine(-0.7, 1.1, phase=0.4)}


def flown(plant, held="vehicle", position=WAVE, yaw=None, **options):
    yaw = um.Sine(0.6, 4.0, phase=0.2) if yaw is None else yaw
    return um.ThrustVectoring(plant, SWING, "drone", position, yaw, held=held, **options)


def tilted(seed=0):
    rng = np.random.default_rng(seed)
    q = SYSTEM.retract(
        SYSTEM.neutral(), np.concatenate([rng.normal(size=3), 0.4 * rng.normal(size=3), rng.normal(size=2)])
    )
    return q, rng.normal(size=8)


def test_the_error_of_the_attitude_loses_energy_exactly():
    """Far off a turning, accelerating reference, while the arm swings: all rates of the wanted attitude are right."""
    law = flown(PLANT, "centre_of_mass", attitude_stiffness=[80, 90, 70], attitude_damping=[12, 14, 10])
    for seed in (0, 1):
        q, v = tilted(seed)

        def wanted(t, q, v):
            return law.wanted(t, q, v, law._arm(t, q, v))

        rate = rate_along_motion(PLANT, lambda t, q, v: wanted(t, q, v).energy, law, 0.7, q, v)
        ω = wanted(0.7, q, v).rate_error
        lost = ω @ (law.attitude_damping * ω)
        assert abs(rate + lost) < 1e-9 * lost


def test_nothing_is_pushed_sideways_and_the_centre_of_mass_feels_thrust_and_weight_alone():
    law = flown(PLANT)
    q, v = tilted()
    forces = law(0.7, q, v)
    assert np.abs(forces[:2]).max() == 0
    a = PLANT.forward_dynamics(0.7, q, v, forces)
    motion = centre_of_mass_motion(SYSTEM.tree, q, v, a)
    expected = q[:9].reshape(3, 3)[:, 2] * forces[2] / SYSTEM.mass + [0, 0, -9.81]
    assert np.abs(motion.acceleration - expected).max() < 1e-12
    wanted = law.wanted(0.7, q, v, law._arm(0.7, q, v))
    assert np.abs(a[3:6] - wanted.turning).max() < 1e-11
    assert np.abs(a[6:] - law._arm(0.7, q, v)[6:]).max() < 1e-11


def test_the_wanted_attitude_and_its_rates():
    """z along the force, x in the vertical plane of the heading; rates by differences."""

    def at(t):
        force = WAVE.derivatives(t, 4)
        F = [force[2] + [0, 0, 9.81], force[3], force[4]]
        heading = um.Sine(0.6, 4.0).derivatives(t, 2)
        return F, thrust_attitude(tuple(F), tuple(x[..., 0] for x in heading))

    (F, _, _), (R, ω, ω_dot) = at(0.3)
    assert np.abs(np.cross(R[:, 2], F)).max() < 1e-14
    assert abs(np.linalg.det(R) - 1) < 1e-14
    h = 1e-4
    (_, before), (_, after) = at(0.3 - h), at(0.3 + h)
    assert np.abs(so3.log(before.rotation.T @ after.rotation) / (2 * h) - ω).max() < 1e-7
    assert np.abs((after.rate - before.rate) / (2 * h) - ω_dot).max() < 1e-6


def rotors(lag=0.03):
    spins = (1, 1, -1, -1)
    made = [
        um.Rotor(f"rotor_{k + 1}", direction=(0, 0, 1), drag_ratio=0.016, spin=s, limits=(0, 12.987), lag=lag)
        for k, s in enumerate(spins)
    ]
    return [*made, um.JointMotor("shoulder"), um.JointMotor("elbow")]


def flight(plant, law, duration=6.0, **options):
    hover = 9.81 * SYSTEM.mass / 4
    x0 = np.full(plant.nx, hover) if plant.nx else None
    start = [
        SWING[name].motion(np.asarray(0.0), SYSTEM.tree.link(name).joint) for name in ("shoulder", "elbow")
    ]
    q = SYSTEM.pack({"shoulder": start[0].configuration, "elbow": start[1].configuration})
    v = np.concatenate([np.zeros(6), start[0].velocity, start[1].velocity])
    run = um.simulate(
        plant, q, v, duration=duration, step=2e-3, controller=law, record_every=25, x0=x0, **options
    )
    assert run.provenance["controller_in"] == "kernel"
    late = run.t > 2.0
    return np.linalg.norm(run.q[late, 9:12], axis=1).max()


def test_the_vehicle_stays_while_its_arm_swings():
    """Its centre of mass moves by 59 mm over it; at 100 Hz, with lagging, limited rotors. What else: tests/long."""
    plant = um.Plant(SYSTEM, um.Earth(), actuators=rotors())
    law = flown(plant, position=[0.0, 0.0, 0.0], yaw=0.0)
    assert (
        flight(plant, um.Allocated(plant, law, regularization=1e-6), duration=4.0, control_step=0.01) < 6e-3
    )


def test_files_and_refusals():
    from unmoored.simulation.scenario import parse_scenario

    text = """unmoored_scenario: 1
name: mantis
system: mantis_quad_arm2
world: {type: Earth}
controllers:
  - {type: ThrustVectoring, targets: {shoulder: {type: Sine, amplitude: 0.8, period: 1.5}, elbow: 0.2}, body: drone,
     position: {type: Quintic, times: [0, 2], values: [[0, 0, 0], [1, 0, 0]]}, yaw: 0.3, held: centre_of_mass}
integrator: {step: 0.002}
duration: 0.1
"""
    law = parse_scenario(text, "mantis.yaml").controller
    assert law.position == um.Quintic([0, 2], [[0, 0, 0], [1, 0, 0]])
    assert law.held == "centre_of_mass"
    with pytest.raises(um.ModelError, match="unknown vehicle with six DoFs"):
        um.ThrustVectoring(PLANT, SWING, "shoulder", [0, 0, 0])
    with pytest.raises(um.ModelError, match="a world with weight"):
        um.ThrustVectoring(um.Plant(SYSTEM), SWING, "drone", [0, 0, 0])
    with pytest.raises(um.ModelError, match="a reference with 3 coordinates"):
        um.ThrustVectoring(PLANT, SWING, "drone", um.Sine(1.0, 1.0))
    with pytest.raises(um.ModelError, match="exactly the joints"):
        um.ThrustVectoring(PLANT, {}, "drone", [0, 0, 0])
    with pytest.raises(um.ModelError, match="held"):
        um.ThrustVectoring(PLANT, SWING, "drone", [0, 0, 0], held="tool")
    for axis in range(3):
        with pytest.raises(um.ModelError, match="each below the sum of the other two"):
            um.ThrustVectoring(
                PLANT, SWING, "drone", [0, 0, 0], attitude_stiffness=50.0 + 50.0 * np.eye(3)[axis]
            )
        most = np.full(3, 50.0) + 49.9 * np.eye(3)[axis]
        law = um.ThrustVectoring(PLANT, SWING, "drone", [0, 0, 0], attitude_stiffness=most)
        assert np.array_equal(law.attitude_stiffness, most)


def test_a_heading_of_zero_is_along_x():
    """Over a force that leans: x is in the plane of the world's x and up, z along the force; nothing turns."""
    still, force = np.zeros(3), np.array([0.3, 0.0, 2.0])
    R, ω, ω_dot = thrust_attitude((force, still, still), (np.array(0.0), np.array(0.0), np.array(0.0)))
    z = force / np.linalg.norm(force)
    np.testing.assert_allclose(R, np.column_stack([[z[2], 0, -z[0]], [0, 1, 0], z]), atol=1e-15)
    np.testing.assert_array_equal([ω, ω_dot], np.zeros((2, 3)))


def test_a_direction_turns_and_bends_as_its_vector_does():
    """u, u̇ and ü of F/|F| for F along a polynomial, by differences of fourth order."""
    c, h = np.random.default_rng(3).normal(size=(4, 3)), 1e-3

    def moved(t):
        x = [
            c[0] + c[1] * t + c[2] * t**2 + c[3] * t**3,
            c[1] + 2 * c[2] * t + 3 * c[3] * t**2,
            2 * c[2] + 6 * c[3] * t,
        ]
        return _unit(tuple(x))

    at = [moved(0.3 + k * h) for k in (-2, -1, 0, 1, 2)]
    u, u_dot, u_ddot = at[2]
    assert np.linalg.norm(u) == pytest.approx(1.0, abs=1e-15)
    weights = np.array([1, -8, 0, 8, -1]) / (12 * h)
    np.testing.assert_allclose(weights @ [x[0] for x in at], u_dot, atol=1e-9)
    np.testing.assert_allclose(weights @ [x[1] for x in at], u_ddot, atol=1e-9)


def test_directions_of_a_batch_are_those_of_its_samples():
    F = tuple(np.random.default_rng(3).normal(size=(3, 4, 3)))
    together = _unit(F)
    for i in range(4):
        for all_of_it, alone in zip(together, _unit(tuple(x[i] for x in F)), strict=True):
            assert np.abs(all_of_it[i] - alone).max() < 1e-14


def three_joints():
    """An arm beside the middle of a vehicle that is not where the world begins, so that all of it goes round."""
    builder = um.SystemBuilder("drone")
    link = um.Inertia(0.7, (0.05, -0.1, 0.25), np.diag([0.02, 0.02, 0.01]))
    box = um.Inertia.box(2.0, (0.4, 0.4, 0.1))
    builder.vehicle("body", um.Free(), inertia=box, at=um.Pose((0.3, -0.2, 0.5)))
    axes = {"one": (0, 1, 0), "two": (1, 0, 0), "three": (0, 1, 1)}
    places = {"one": (0.3, 0.2, -0.1), "two": (0, 0, 0.5), "three": (0.1, 0, 0.4)}
    for parent, (name, axis) in zip(("body", "one", "two"), axes.items(), strict=True):
        builder.link(name, parent=parent, joint=um.Revolute(axis), at=um.Pose(places[name]), inertia=link)
    return builder.build()


def test_the_arms_balance_moves_with_every_joint_and_the_heading():
    """The turned centre of mass and four derivatives, against a polynomial through where it is nearby."""
    system = three_joints()
    ways = {
        "one": um.Sine(0.8, 1.5),
        "two": um.Sine(-0.7, 1.1, phase=0.4),
        "three": um.Sine(0.5, 1.3, phase=1.0),
    }
    yaw, now = um.Sine(0.9, 1.7, phase=0.3), 0.4
    law = um.ThrustVectoring(um.Plant(system, um.Earth()), ways, "body", (0, 0, 0), yaw)
    s = np.linspace(-0.1, 0.1, 21)

    def at(t, order=0):
        return {name: way.derivatives(t, order)[order][..., 0] for name, way in ways.items()}

    places = np.stack([
        so3.exp(np.array([0, 0, yaw.derivatives(t, 0)[0][0]]))
        @ (system.centre_of_mass(system.pack(at(t))) - [0.3, -0.2, 0.5])
        for t in now + s
    ])  # fmt: skip
    coefficients = np.polynomial.polynomial.polyfit(s, places, 11)
    q, v, a = system.pack(at(now)), *(np.array([0.0] * 6 + list(at(now, k).values())) for k in (1, 2))
    found = [*law._balance(yaw.derivatives(now, 2), q, v, a), *law._balance_jerk(now, q)]
    for order, ours in enumerate(found):
        expected = factorial(order) * coefficients[order]
        assert np.abs(ours - expected).max() < 1e-5 * np.abs(expected).max(), order
    tilted = system.retract(q, np.array([0.5, -0.3, 0.2, 0.3, 0.2, -0.4, 0, 0, 0]))  # level all the same
    v[:6] = [0.3, -0.2, 0.1, 0.5, 0.4, -0.6]
    again = law._balance(yaw.derivatives(now, 2), tilted, v, a)
    assert np.abs(np.array(again) - found[:3]).max() < 1e-12


def test_without_feed_forward_the_vehicle_is_flown_as_if_the_arm_stood_still():
    """Thrust along z and the wanted turning, of a rigid vehicle; the arm is moved as if the vehicle stood still."""
    law, (q, v) = flown(PLANT, feed_forward=False), tilted()
    forces, arm = law(0.7, q, v), law._arm(0.7, q, v)
    wanted = law.wanted(0.7, q, v, arm)
    M, still = SYSTEM.mass_matrix(q), np.where(np.arange(8) < 6, v, 0.0)
    h = PLANT.inverse_dynamics(0.7, q, still, np.zeros(8))
    f = np.array([0.0, 0.0, wanted.thrust])
    a = np.zeros(8)
    a[3:6] = wanted.turning
    a[:3] = np.linalg.solve(M[:3, :3], f - h[:3] - M[:3, 3:6] @ wanted.turning)
    np.testing.assert_allclose(forces[:6], (M @ a + h)[:6], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(forces[6:], PLANT.inverse_dynamics(0.7, q, v, arm)[6:], rtol=1e-10)


def test_the_goal_is_the_vehicle_or_what_has_no_frame():
    names = [
        [(goal.of, goal.kind) for goal in flown(PLANT, held).goals()]
        for held in ("vehicle", "centre_of_mass")
    ]
    joints = [("shoulder", "coordinate"), ("elbow", "coordinate")]
    assert names == [[("drone", "position"), *joints], joints]
    (place, *_), (q, v) = flown(PLANT).goals(), tilted()
    np.testing.assert_allclose(place.target(np.array([0.7]), q[None], v[None]), WAVE(np.array([0.7])))
