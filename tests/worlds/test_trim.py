"""Equilibria: closed forms, statics of library systems, least effort, and what happens at limits."""

import numpy as np
import pytest

import unmoored as um
from unmoored.worlds.equilibria.trim import Trim

G = 9.81


def hull(volume=0.02, buoyancy=(0.03, 0.0, 0.05), mass=20.0):
    b = um.SystemBuilder("boat")
    fluid = um.Fluid(volume=volume, centre_of_buoyancy=buoyancy, added_mass=[5, 8, 12, 0.3, 0.4, 0.5])
    b.vehicle(
        "hull", joint=um.Free(), inertia=um.Inertia(mass, (0, 0, 0), np.diag([0.5, 0.7, 0.9])), fluid=fluid
    )
    return b.build()


def quadrotor(limits=(0.0, 8.0), offset=0.0, **options):
    b = um.SystemBuilder("quad")
    b.vehicle("quad", joint=um.Free(), inertia=um.Inertia(1.2, (offset, 0, 0), np.diag([0.02, 0.02, 0.03])))
    at = [(0.2, 0, 0), (0, 0.2, 0), (-0.2, 0, 0), (0, -0.2, 0)]
    rotors = [
        um.Rotor(
            frame="quad",
            name=f"rotor_{k}",
            at=r,
            direction=(0, 0, 1),
            drag_ratio=0.02,
            spin=(-1) ** k,
            limits=limits,
            **options,
        )
        for k, r in enumerate(at)
    ]
    return um.Plant(b.build(), um.Earth(), rotors)


ROTORS = [f"rotor_{k}" for k in range(4)]


def rov(limits=(-40.0, 40.0)):
    system = um.load("bluerov2_heavy_alpha5")
    thrusters = [um.Thruster(frame=f"thruster_{k}", limits=limits, lag=0.1) for k in range(1, 9)]
    motors = [um.JointMotor(joint=name, name=f"{name}_motor") for name in system.dof_names[6:]]
    plant = um.Plant(system, um.Ocean(density=1000.0), [*thrusters, *motors])
    return (
        plant,
        [a.label for a in (*thrusters, *motors)],
        system.pack({"shoulder_pitch": 1.2, "elbow_pitch": 0.8}),
    )


def accelerations(plant, found, t=0.0):
    return plant.forward_dynamics(t, found.q, np.zeros(plant.nv), found.u, x=found.x)


def test_a_hull_pitches_until_its_buoyancy_is_above_its_weight():
    """R_y(θ)(a, 0, b) is vertical at tan θ = −a/b."""
    plant = um.Plant(hull(), um.Ocean(density=1000.0), [])
    found = plant.trim(plant.system.neutral(), free=["hull.wy"], zero=plant.dof_names)
    assert isinstance(found, Trim)
    assert found.solved
    assert found.u.shape == found.x.shape == (0,)
    R = found.q[:9].reshape(3, 3)
    θ = np.arctan2(-0.03, 0.05)
    np.testing.assert_allclose(
        R, [[np.cos(θ), 0, np.sin(θ)], [0, 1, 0], [-np.sin(θ), 0, np.cos(θ)]], atol=1e-12
    )
    assert set(found.residual) == set(plant.dof_names)
    assert max(map(abs, found.residual.values())) < 1e-10
    np.testing.assert_allclose(found.q[9:], 0.0, atol=1e-15)


def test_a_light_hull_cannot_rest_without_thrust():
    """1 kg too light: what is left is the heave, and pitch alone cannot change it."""
    plant = um.Plant(hull(volume=0.021, buoyancy=(0, 0, 0.05)), um.Ocean(density=1000.0), [])
    found = plant.trim(plant.system.neutral(), free=["hull.wy"], zero=plant.dof_names)
    assert not found.solved
    assert abs(found.residual["hull.vz"] - 1.0 * G / (20 + 12)) < 1e-9
    assert found.at_limit == ()


@pytest.mark.parametrize("options", [{}, {"lag": 0.05}, {"curve": lambda u: 0.9 * u * u}, {"fails_at": 5.0}])
def test_a_drone_hovers_on_a_quarter_of_its_weight_each(options):
    plant = quadrotor(**options)
    found = plant.trim(plant.system.neutral(), free=ROTORS, zero="quad")
    each = 1.2 * G / 4
    expected = np.sqrt(each / 0.9) if "curve" in options else each
    assert found.solved
    np.testing.assert_allclose(found.u, expected, rtol=1e-11)
    assert found.at_limit == ()
    np.testing.assert_allclose(found.x, expected if "lag" in options else [], rtol=1e-11)
    assert np.abs(accelerations(plant, found)).max() < 1e-10


def test_a_drone_after_a_failure():
    """From the time on at which all rotors fail nothing can hold it, and rotors that do nothing get nothing."""
    plant = quadrotor(fails_at=5.0)
    found = plant.trim(plant.system.neutral(), free=ROTORS, zero=["quad.vz"], t=6.0)
    assert not found.solved
    assert abs(found.residual["quad.vz"] + G) < 1e-12


def test_a_drone_that_is_too_heavy_is_at_its_limits():
    plant = quadrotor(limits=(0.0, 2.0))
    found = plant.trim(plant.system.neutral(), free=ROTORS, zero="quad")
    assert not found.solved
    assert found.at_limit == tuple(ROTORS)
    np.testing.assert_array_equal(found.u, 2.0)
    assert abs(found.residual["quad.vz"] - (8.0 / 1.2 - G)) < 1e-12
    assert abs(found.residual["quad.wx"]) < 1e-12


def test_an_off_centre_load_and_what_is_not_asked_for():
    """Load ahead of the centre: front and rear rotors share by the lever; yaw is left to itself if not in zero."""
    plant = quadrotor(offset=0.05)
    found = plant.trim(plant.system.neutral(), free=ROTORS, zero=["quad.vz", "quad.wx", "quad.wy"])
    assert found.solved
    weight = 1.2 * G
    np.testing.assert_allclose(found.u.sum(), weight, rtol=1e-12)
    np.testing.assert_allclose(0.2 * (found.u[0] - found.u[2]), 0.05 * weight, rtol=1e-10)
    # least squares of the sum: all four share the weight alike
    np.testing.assert_allclose(found.u, weight / 4 + np.array([1, 0, -1, 0]) * 0.125 * weight, rtol=1e-9)
    heavy = quadrotor(limits=(0.0, 4.0), offset=0.05)
    held = heavy.trim(heavy.system.neutral(), free=ROTORS, zero=["quad.vz", "quad.wx", "quad.wy"])
    assert held.solved
    assert held.at_limit == ("rotor_0",)
    rear = 4.0 - 0.25 * weight
    np.testing.assert_allclose(
        held.u, [4.0, (weight - 4 - rear) / 2, rear, (weight - 4 - rear) / 2], rtol=1e-9
    )


def test_an_rov_holds_its_arm_with_least_effort():
    plant, names, q = rov()
    found = plant.trim(q, free=names, zero=plant.dof_names)
    assert found.solved
    np.testing.assert_allclose(found.q, q, atol=1e-15)
    B, n = plant.allocation_matrix(q), plant.restoring_forces(0.0, q)
    np.testing.assert_allclose(B @ found.u, n, atol=1e-11)
    np.testing.assert_allclose(found.u, np.linalg.pinv(B) @ n, atol=1e-8)
    np.testing.assert_allclose(found.x, found.u[:8], rtol=1e-13)  # lags at rest
    assert np.abs(accelerations(plant, found)).max() < 1e-10


def test_least_effort_within_limits():
    """Optimality: inside, u = Bᵀλ; at the upper limit Bᵀλ ≥ u, at the lower one Bᵀλ ≤ u."""
    plant, names, q = rov(limits=(-7.0, 7.0))
    found = plant.trim(q, free=names, zero=plant.dof_names)
    assert found.solved
    assert found.at_limit == ("thruster_7",)
    B = plant.allocation_matrix(q)
    inside = np.array([name not in found.at_limit for name in plant.input_names])
    λ = np.linalg.lstsq(B[:, inside].T, found.u[inside], rcond=None)[0]
    np.testing.assert_allclose(B[:, inside].T @ λ, found.u[inside], atol=1e-6)
    assert found.u[6] == 7.0
    assert B[:, 6] @ λ > 7.1


def random_jets(seed, skipped):
    """A body with twelve jets of random places, directions and limits."""
    rng = np.random.default_rng(seed)
    for _ in range(skipped + 1):
        com = 0.1 * rng.normal(size=3)
        numbers = [
            (0.5 * rng.normal(size=3), rng.normal(size=3), -rng.uniform(0, 8), rng.uniform(0, 12))
            for _ in range(12)
        ]
    b = um.SystemBuilder("s")
    b.vehicle("s", joint=um.Free(), inertia=um.Inertia(1.5, com, np.diag([0.5, 0.6, 0.7])))
    jets = [
        um.Thruster(frame="s", name=f"jet_{k}", at=at, direction=along, limits=(low, high))
        for k, (at, along, low, high) in enumerate(numbers)
    ]
    return um.Plant(b.build(), um.Earth(), jets)


@pytest.mark.parametrize(("seed", "skipped", "solved"), [(0, 3, True), (0, 0, True), (9, 0, False)])
def test_random_jets_at_their_limits(seed, skipped, solved):
    """Optimality again, of the effort where they can hold the body and of what is left where they cannot.

    In the first case what just holds it is not the least: jets have to leave limits again.
    """
    plant = random_jets(seed, skipped)
    q = plant.system.neutral()
    found = plant.trim(q, free=plant.input_names, zero="s")
    assert found.solved == solved
    assert len(found.at_limit) >= 4
    B = np.linalg.solve(plant.mass_matrix(q), plant.allocation_matrix(q))
    a = B @ found.u - np.linalg.solve(plant.mass_matrix(q), plant.holding_forces(0.0, q))
    np.testing.assert_allclose(list(found.residual.values()), a, atol=1e-12)
    low, high = np.array([jet.limits for jet in plant.actuators]).T
    at_low, at_high = found.u <= low + 1e-9, found.u >= high - 1e-9
    inside = ~at_low & ~at_high
    if solved:
        λ = np.linalg.lstsq(B[:, inside].T, found.u[inside], rcond=None)[0]
        slope = found.u - B.T @ λ  # of ½|u|² − λᵀ(B u − h)
    else:
        slope = B.T @ a  # of ½|a|²
    assert np.abs(slope[inside]).max() < 1e-6
    assert (slope[at_low] > 0).all()
    assert (slope[at_high] < 0).all()


def test_an_rov_with_weak_thrusters():
    """Not solvable: accelerations are least in squares, so no input inside its limits could lower them."""
    plant, names, q = rov(limits=(-0.5, 0.5))
    found = plant.trim(q, free=names, zero=plant.dof_names)
    assert not found.solved
    assert set(found.at_limit) == {f"thruster_{k}" for k in range(1, 9)}
    a = np.array([found.residual[name] for name in plant.dof_names])
    np.testing.assert_allclose(a, accelerations(plant, found), atol=1e-12)
    response = np.linalg.solve(plant.mass_matrix(q), plant.allocation_matrix(q))
    slope = response.T @ a
    assert (slope[:8] * np.sign(found.u[:8]) < 0).all()
    assert np.abs(slope[8:]).max() < 1e-6 * np.abs(response).max()


def test_an_rov_that_pitches_under_its_arm():
    """With pitch and roll free too, it leans to where the thrusters have less to do; the effort is stationary there."""
    plant, names, q = rov()
    stiff = plant.trim(q, free=names, zero=plant.dof_names)
    found = plant.trim(q, free=["rov.wx", "rov.wy", *names], zero=plant.dof_names)
    assert found.solved
    assert np.linalg.norm(found.u) < 0.6 * np.linalg.norm(stiff.u)
    assert found.q[:9].reshape(3, 3)[2, 0] < -0.5  # the arm is in front: nose down

    def effort(dx, dy):
        turned = plant.system.retract(found.q, plant.system.pack_velocity({"rov.wx": dx, "rov.wy": dy}))
        u = np.linalg.pinv(plant.allocation_matrix(turned)) @ plant.restoring_forces(0.0, turned)
        return u @ u

    least, h = effort(0, 0), 1e-3
    np.testing.assert_allclose(least, found.u @ found.u, rtol=1e-7)
    for dx, dy in ((h, 0), (0, h)):
        assert abs(effort(dx, dy) - effort(-dx, -dy)) / (2 * h) < 1e-4 * least
        assert effort(dx, dy) > least < effort(-dx, -dy)


def test_the_drone_of_a_library_scenario_hovers():
    plant = um.load_scenario("aerial_manipulator").plant
    rotors = [f"rotor_{k}" for k in range(1, 7)]
    q = plant.system.neutral()
    found = plant.trim(q, free=rotors, zero="drone", t=5.0)
    assert found.solved
    assert found.at_limit == ()
    bent = plant.configuration(5.0, q)
    np.testing.assert_allclose(found.q, bent, atol=1e-15)
    # weight and moments of all bodies, by statics
    forces = plant.allocation_matrix(found.q) @ found.u - plant.holding_forces(5.0, found.q)
    assert np.abs(forces[:6]).max() < 1e-10
    mass = sum(body.inertia.mass for body in plant.system.tree.bodies)
    lift = sum(a.direction[2] * f for a, f in zip(plant.actuators, found.u, strict=True))
    assert abs(lift - mass * G) < 1e-9


def test_a_wheel_under_torque_does_not_rest():
    b = um.SystemBuilder("sat")
    b.vehicle("sat", joint=um.Free(), inertia=um.Inertia(10, (0.1, 0, 0), np.diag([1, 1.2, 1.4])))
    actuators = [
        um.ReactionWheel(frame="sat", name="wheel", axis=(0, 1, 0), inertia=0.01),
        um.Thruster(frame="sat", name="jet", direction=(0, 0, 1)),
    ]
    plant = um.Plant(b.build(), um.Earth(), actuators)
    found = plant.trim(plant.system.neutral(), free=["wheel", "jet"], zero=["sat.vz", "sat.wy"])
    assert not found.solved
    assert "wheel.momentum" in found.residual
    assert abs(found.residual["wheel.momentum"] - found.u[0]) < 1e-12


def test_names_of_joints_and_inputs_that_are_alike():
    """A pendulum with spring: τ = m g l sin θ at a given angle, or the angle at a given torque."""
    b = um.SystemBuilder("pendulum")
    b.vehicle(
        "rod",
        joint=um.Revolute((0, 1, 0), effort=30.0),
        inertia=um.Inertia(2.0, (0, 0, -0.5), np.eye(3) * 0.1),
    )
    plant = um.Plant(b.build(), um.Earth())  # inputs are forces along the DoFs, and called like them
    with pytest.raises(
        um.ModelError, match=r"free: expected 'q\.rod' for the configuration or 'u\.rod' for the input"
    ):
        plant.trim([0.3], free=["rod"], zero=["rod"])
    found = plant.trim([0.3], free=["u.rod"], zero=["rod"])
    assert found.solved
    np.testing.assert_allclose(found.u, 2.0 * G * 0.5 * np.sin(0.3), rtol=1e-12)
    down = plant.trim([0.3], free=["q.rod"], zero=["rod"])
    assert down.solved
    np.testing.assert_allclose(down.q, 0.0, atol=1e-11)
    weak = um.Plant(b.build(), um.Earth(), [um.JointMotor(joint="rod", name="motor", gear=-10.0)])
    held = weak.trim([1.5], free="motor", zero="rod")
    np.testing.assert_allclose(held.u, -2.0 * G * 0.5 * np.sin(1.5) / 10, rtol=1e-12)
    b2 = um.SystemBuilder("pendulum")
    b2.vehicle(
        "rod",
        joint=um.Revolute((0, 1, 0), effort=4.0),
        inertia=um.Inertia(2.0, (0, 0, -0.5), np.eye(3) * 0.1),
    )
    limited = um.Plant(b2.build(), um.Earth(), [um.JointMotor(joint="rod", name="motor", gear=-10.0)])
    stuck = limited.trim([1.5], free="motor", zero="rod")
    assert not stuck.solved
    assert stuck.at_limit == ("motor",)
    np.testing.assert_allclose(stuck.u, -0.4)
    # with the angle free as well it sinks to where the motor holds it, or to rest
    assert limited.trim([1.5], free=["motor", "rod"], zero="rod").solved


def test_parameters_count():
    plant = um.Plant(hull(volume=0.02), um.Ocean(density=1000.0), free=["ocean.density"])
    found = plant.trim(plant.system.neutral(), free="u.hull.vz", zero="hull.vz", p=[1100.0])
    assert found.solved
    np.testing.assert_allclose(found.u[2], -(1100 * 0.02 - 20) * G, rtol=1e-11)


def test_misfits_are_refused():
    plant = quadrotor()
    q = plant.system.neutral()
    with pytest.raises(um.ModelError, match=r"unknown degree of freedom or input .* given 'rotor_9'"):
        plant.trim(q, free=["rotor_9"], zero="quad")
    with pytest.raises(um.ModelError, match="unknown"):
        plant.trim(q, free=ROTORS, zero=["quad.vw"])
    with pytest.raises(um.ModelError, match="free: expected names"):
        plant.trim(q, free=[], zero="quad")
    with pytest.raises(um.ModelError, match="zero: expected names"):
        plant.trim(q, free=ROTORS, zero=[])
    with pytest.raises(um.ModelError, match="q0: expected one state, no batch"):
        plant.trim(np.stack([q, q]), free=ROTORS, zero="quad")
    moved = um.load_scenario("aerial_manipulator").plant
    for free, zero in ((["elbow_pitch"], "drone"), (["rotor_1"], "elbow_pitch")):
        with pytest.raises(um.ModelError, match="that no trajectory prescribes, given 'elbow_pitch'"):
            moved.trim(moved.system.neutral(), free=free, zero=zero)


def test_a_joint_is_free_once_its_drive_has_failed():
    """A pendulum moved until 2 s hangs from then on, and can be asked to rest."""
    b = um.SystemBuilder("pendulum")
    b.vehicle("rod", joint=um.Revolute((0, 1, 0)), inertia=um.Inertia(2.0, (0, 0, -0.5), np.eye(3) * 0.1))
    path = um.UntilFailure(um.Motion(lambda t: 0.4 * t), 2.0)
    plant = um.Plant(b.build(), um.Earth(), [], prescribed={"rod": path})
    with pytest.raises(um.ModelError, match="that no trajectory prescribes, given 'rod'"):
        plant.trim([0.3], free="rod", zero="rod", t=1.0)
    found = plant.trim([0.3], free="rod", zero="rod", t=3.0)
    assert found.solved
    np.testing.assert_allclose(found.q, 0.0, atol=1e-11)
