"""Orbit: tide and gravity gradient against Clohessy and Wiltshire's equations (docs/theory.md §19)."""

import numpy as np
import pytest
from tests.worlds.support import central_rate, random_state, relative_error

import unmoored as um
from unmoored.model.joints import pose_from_numbers

RATE = 1.1e-3


def satellite():
    b = um.SystemBuilder("satellite")
    b.vehicle("bus", um.Free(), inertia=um.Inertia(100.0, (0, 0, 0), (20.0, 30.0, 40.0)))
    return b.build()


def test_hill_frame_takes_batches_and_refuses_what_does_not_fit():
    space, rng = um.Space(orbital_rate=RATE), np.random.default_rng(0)
    t, x, v = np.linspace(0, 4000, 5), rng.normal(size=(3, 5, 3)), rng.normal(size=(3, 5, 3))
    many = space.hill_frame(t, x, v)
    for i in range(3):
        for k in range(5):
            one = space.hill_frame(t[k], x[i, k].tolist(), tuple(v[i, k]))
            assert np.array_equal(one, [part[i, k] for part in many])
    for bad in ((t[:2], x, v), (t, x[..., :2], v), (0.0, 1.0, v)):
        with pytest.raises(um.ModelError, match="hill_frame"):
            space.hill_frame(*bad)


def test_hill_s_equations():
    """ẍ = 3n²x + 2nẏ, ÿ = −2nẋ, z̈ = −n²z in the orbiting frame."""
    system = satellite()
    space = um.Space(orbital_rate=RATE)
    plant = um.Plant(system, space)
    q, v = random_state(system, 3)
    t = 1234.5
    g = pose_from_numbers(q)
    R, x = g[:3, :3], 50 * g[:3, 3]
    g = g.copy()
    g[:3, 3] = x
    q = system.pack({"bus": g})
    v[3:] = 0
    a = R @ plant.forward_dynamics(t, q, v, backend="numpy")[:3]
    velocity = R @ v[:3]

    def hill(s, k):
        return space.hill_frame(t + s, x + s * velocity + s**2 / 2 * a, velocity + s * a)[k]

    rates = central_rate(lambda s: hill(s, 1), h=10.0)  # the frame turns slowly
    (px, _, pz), (vx, vy, _) = hill(0.0, 0), hill(0.0, 1)
    expected = [3 * RATE**2 * px + 2 * RATE * vy, -2 * RATE * vx, -(RATE**2) * pz]
    # the path is a parabola here, so velocity + s a is its exact rate
    assert relative_error(rates, np.array(expected)) < 1e-11
    assert relative_error(central_rate(lambda s: hill(s, 0), h=1.0), hill(0.0, 1)) < 1e-12


def test_gravity_gradient_torque():
    """3n² r̂ × J r̂ in body axes; none if a principal axis points to the planet."""
    system = satellite()
    plant = um.Plant(system, um.Space(orbital_rate=RATE))
    q, _ = random_state(system, 1)
    R = pose_from_numbers(q)[:3, :3]
    J = np.diag([20.0, 30.0, 40.0])
    t = 800.0
    r = R.T @ [np.cos(RATE * t), np.sin(RATE * t), 0]
    α = plant.forward_dynamics(t, q, np.zeros(6), backend="numpy")[3:]
    assert relative_error(J @ α, 3 * RATE**2 * np.cross(r, J @ r)) < 1e-12
    assert plant.forward_dynamics(0.0, system.neutral(), np.zeros(6), backend="numpy").tolist() == [0.0] * 6


def test_two_bodies_joined_feel_the_tide_of_one():
    """The tide is a field: a body cut in two and welded again moves the same."""
    whole = um.Inertia.box(12.0, (1.0, 2.0, 3.0))
    half = um.Inertia.box(6.0, (1.0, 2.0, 1.5))
    one, two = um.SystemBuilder("one"), um.SystemBuilder("two")
    one.vehicle("a", um.Free(), inertia=whole)
    a = two.vehicle("a", um.Free(), inertia=um.Inertia(6.0, (0, 0, 0.75), half.tensor))
    two.link("b", parent=a, joint=um.Fixed(), inertia=half, at=um.Pose(xyz=(0, 0, -0.75)))
    systems = one.build(), two.build()
    q, v = random_state(systems[0], 5)
    found = [um.Plant(s, um.Space(0.1)).forward_dynamics(0.4, q, v, backend="numpy") for s in systems]
    assert relative_error(found[1], found[0]) < 1e-12


def test_jacobi_s_integral_is_conserved():
    """d/dt(E − n L_z) = 0 for a passive system (docs/theory.md §19)."""
    system = um.load("spart_sc_3dof")
    n = 0.3
    plant = um.Plant(system, um.Space(n), joints=um.JointEffects(damping=False, friction=False, stops=False))
    q, v = random_state(system, 2)
    t = 0.7
    a = plant.forward_dynamics(t, q, v, backend="numpy")

    def integral(s):
        moved, faster = system.retract(q, s * v), v + s * a
        spin = system.momentum(moved, faster, backend="numpy")[5]
        return plant.energy(t + s, moved, faster, backend="numpy").total - n * spin

    assert abs(central_rate(integral)) < 1e-9 * plant.energy(t, q, v, backend="numpy").total


def test_free_fall_is_dry_dynamics():
    system = satellite()
    q, v = random_state(system, 1)
    assert um.Plant(system).forward_dynamics(0.0, q, v, np.ones(6)) == pytest.approx(
        system.forward_dynamics(q, v, np.ones(6)), rel=1e-15
    )
