"""Plants that are joined: momentum with added mass and wheels, bound velocities, free numbers (theory.md §23)."""

from dataclasses import replace

import numpy as np
import pytest
from tests.worlds.support import random_fluid, random_state, relative_error, wet_system

import unmoored as um
from unmoored.lie import se3

OCEAN = um.Ocean(density=1020.0)


def floating(name, mass, added, **options):
    b = um.SystemBuilder(name)
    fluid = um.Fluid(added_mass=[added] * 3 + [0.5 * added] * 3, volume=mass / 1020.0)
    b.vehicle(name, joint=um.Free(), inertia=um.Inertia.sphere(mass, 0.3), fluid=fluid, **options)
    return b.build()


def satellite(name, wheels, seed, as_bodies):
    """A satellite with an arm and wheels: as actuators, or as bodies with joints; axes and places are random.

    The wheel's own mass is in the body in the one case and apart in the other.
    """
    rng = np.random.default_rng(seed)
    b = um.SystemBuilder(name)
    parts = [(rng.normal(size=3), rng.uniform(-0.3, 0.3, 3), rng.uniform(0.5, 2.0)) for _ in range(wheels)]
    spinning, across = 0.3, 0.2  # moments of inertia (kg m²) of a wheel along and across its axis
    bus = um.Inertia(rng.uniform(20, 40), rng.uniform(-0.2, 0.2, 3), np.diag(rng.uniform(3, 4, 3)))
    axes = [axis / np.linalg.norm(axis) for axis, _, _ in parts]
    discs = [
        um.Inertia(mass, at, across * np.eye(3) + (spinning - across) * np.outer(a, a))
        for a, (_, at, mass) in zip(axes, parts, strict=True)
    ]
    total = bus if as_bodies else sum_of([bus, *discs])
    b.vehicle("bus", joint=um.Free(), inertia=total)
    b.link(
        "arm",
        parent="bus",
        joint=um.Revolute((0, 1, 0)),
        inertia=um.Inertia.sphere(5.0, 0.3),
        at=um.Pose(xyz=(0.5, 0, 0)),
    )
    b.frame("tool", parent="arm", at=um.Pose(xyz=(0.4, 0.1, 0)))
    if as_bodies:
        for k, (a, (_, at, mass)) in enumerate(zip(axes, parts, strict=True)):
            disc = um.Inertia(mass, (0, 0, 0), across * np.eye(3) + (spinning - across) * np.outer(a, a))
            b.link(f"wheel_{k}", parent="bus", joint=um.Revolute(a), inertia=disc, at=um.Pose(xyz=at))
        return b.build()
    actuators = [
        um.ReactionWheel(frame="bus", name=f"wheel_{k}", axis=a, inertia=spinning) for k, a in enumerate(axes)
    ]
    return um.Plant(b.build(), um.Space(), actuators), axes


def sum_of(parts):
    """The inertia of several, at the common origin."""
    matrix = sum(part.matrix for part in parts)
    mass = matrix[0, 0]
    c = np.array([matrix[2, 4], matrix[0, 5], matrix[1, 3]]) / mass  # (m ĉᵀ) in the upper right block
    c = -c if np.abs(matrix[:3, 3:] - mass * hat(c).T).max() > 1e-9 else c
    tensor = matrix[3:, 3:] - mass * hat(c) @ hat(c).T
    return um.Inertia(mass, c, tensor)


def hat(c):
    return np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])


def test_added_mass_counts():
    """30 kg with 15 kg of added mass at 0.5 m/s takes 10 kg at rest: 0.409 m/s, dry it would be 0.375 m/s."""
    host, load = floating("rov", 30.0, 15.0), floating("load", 10.0, 0.0)
    v = host.pack_velocity({"rov.vx": 0.5})
    still = np.zeros(6)
    dry = host.join(host.neutral(), v, load, load.neutral(), still, frame="rov")
    wet = um.Plant(host, OCEAN).join(host.neutral(), v, load, load.neutral(), still, frame="rov")
    assert abs(dry.v[0] - 0.375) < 1e-14
    assert abs(wet.v[0] - 0.5 * 45 / 55) < 1e-14
    assert abs(wet.impulse[0] - 10 * wet.v[0]) < 1e-13
    assert abs(wet.energy_lost - 0.5 * 45 * 10 / 55 * 0.25) < 1e-13
    assert wet.plant.worlds == (OCEAN,)
    assert wet.plant.name == "rov"
    assert "load/load" in wet.plant.system.names


@pytest.mark.parametrize("joint", [None, um.Revolute((0.3, -0.2, 0.9)), um.Spherical()], ids=str)
def test_the_impulse_of_wet_bodies_is_conserved(joint):
    host, guest = wet_system(3), wet_system(4, ("Free", "Revolute", "Universal"))
    state, state_guest = random_state(host, 5), random_state(guest, 6)
    plants = um.Plant(host, OCEAN), um.Plant(guest, OCEAN)
    before = plants[0].momentum(0.0, *state) + plants[1].momentum(0.0, *state_guest)
    joined = plants[0].join(*state, plants[1], *state_guest, frame=host.names[-1], joint=joint, prefix="g")
    assert relative_error(joined.plant.momentum(0.0, joined.q, joined.v), before) < 1e-12
    kinetic = sum(
        plant.energy(0.0, *s).kinetic for plant, s in zip(plants, (state, state_guest), strict=True)
    )
    after = joined.plant.energy(0.0, joined.q, joined.v).kinetic
    assert abs(kinetic - after - joined.energy_lost) < 1e-11 * kinetic
    assert joined.energy_lost > 0
    dry = host.join(*state, guest, *state_guest, frame=host.names[-1], joint=joint)
    assert relative_error(dry.v, joined.v) > 1e-2


def test_a_batch_is_its_samples():
    host, guest = wet_system(3), wet_system(4, ("Free", "Revolute"))
    (q, v), (q_g, v_g) = random_state(host, 5), random_state(guest, 6)
    plant = um.Plant(host, OCEAN)
    rng = np.random.default_rng(7)
    vs, vs_g = v + rng.normal(size=(3, len(v))), v_g + rng.normal(size=(3, len(v_g)))
    batch = plant.join(q, vs, guest, q_g, vs_g, frame=host.names[2])
    assert batch.energy_lost.shape == (3,)
    for k in range(3):
        one = plant.join(q, vs[k], guest, q_g, vs_g[k], frame=host.names[2])
        assert one.plant == batch.plant
        assert relative_error(batch.v[k], one.v) < 1e-12
        assert relative_error(batch.impulse[k], one.impulse) < 1e-11
        assert abs(batch.energy_lost[k] - one.energy_lost) < 1e-11 * one.energy_lost


def test_every_sample_holds_the_guest_at_its_own_place():
    """A batch whose masses and places differ, against the samples one by one."""
    host, guest = (wet_system(seed, ("Free", "Revolute", "Prismatic")[:n]) for seed, n in ((3, 3), (4, 2)))
    body, vehicle = host.names[1], guest.names[0]
    plant, other = um.Plant(host, OCEAN, free=[f"{body}.mass"]), um.Plant(guest, OCEAN)
    (qs, vs), (qs_g, vs_g) = (
        (np.stack(x) for x in zip(*(random_state(system, seed) for seed in range(9, 12)), strict=True))
        for system in (host, guest)
    )
    masses = np.array([[1.0], [2.0], [3.0]])
    batch = plant.join(qs, vs, other, qs_g, vs_g, frame=host.names[2], prefix="g", p=masses)
    assert batch.plant.free == (f"{body}.mass", f"g/{vehicle}.xyz", f"g/{vehicle}.rpy")
    assert batch.p.shape == (3, 7)
    before = plant.momentum(0.0, qs, vs, p=masses) + other.momentum(0.0, qs_g, vs_g)
    after = batch.plant.momentum(0.0, batch.q, batch.v, p=batch.p)
    assert relative_error(after, before) < 1e-11
    for k in range(3):
        one = plant.join(qs[k], vs[k], other, qs_g[k], vs_g[k], frame=host.names[2], prefix="g", p=masses[k])
        assert one.plant.free == (f"{body}.mass",)
        assert relative_error(batch.v[k], one.v) < 1e-11
        assert relative_error(batch.impulse[k], one.impulse) < 1e-10
        assert abs(batch.energy_lost[k] - one.energy_lost) < 1e-10 * one.energy_lost
        u = np.ones(one.plant.nu)
        a = one.plant.forward_dynamics(0.0, one.q, one.v, u, p=one.p)
        assert (
            relative_error(batch.plant.forward_dynamics(0.0, batch.q[k], batch.v[k], u, p=batch.p[k]), a)
            < 1e-9
        )


def test_wheels_turn_freely_through_the_jump():
    """The same capture with wheels that are bodies, free in their bearings: the same velocities of all else."""
    (plant, axes), (other, axes_g) = satellite("a", 2, 1, False), satellite("b", 1, 2, False)
    bodies, bodies_g = satellite("a", 2, 1, True), satellite("b", 1, 2, True)
    rng = np.random.default_rng(3)
    v, v_g, speeds, speeds_g = (
        rng.normal(size=7),
        rng.normal(size=7),
        rng.normal(size=2) * 50,
        rng.normal(size=1) * 50,
    )
    q, q_g = plant.system.neutral(), other.system.neutral()
    q, q_g = q.copy(), q_g.copy()
    q[12], q_g[9:12], q_g[12] = 0.4, (1.0, 0.3, 0.2), -0.7
    x = [0.3 * (Ω + a @ v[3:6]) for Ω, a in zip(speeds, axes, strict=True)]
    x_g = [0.3 * (Ω + a @ v_g[3:6]) for Ω, a in zip(speeds_g, axes_g, strict=True)]
    joined = plant.join(q, v, other, q_g, v_g, frame="tool", prefix="b", x=x, x_guest=x_g)
    np.testing.assert_array_equal(joined.x, [*x, *x_g])
    assert joined.plant.state_names == ("wheel_0.momentum", "wheel_1.momentum", "b_wheel_0.momentum")
    total = plant.momentum(0.0, q, v, x) + other.momentum(0.0, q_g, v_g, x_g)
    assert relative_error(joined.plant.momentum(0.0, joined.q, joined.v, joined.x), total) < 1e-12
    full = bodies.join(
        [*q, 0, 0], [*v, *speeds], bodies_g, [*q_g, 0], [*v_g, *speeds_g], frame="tool", prefix="b"
    )
    after = full.system.unpack_velocity(full.v)
    np.testing.assert_allclose(joined.v[:6], after["bus"], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(joined.v[6:], [after["arm"][0], after["b/arm"][0]], rtol=1e-11, atol=1e-12)
    for k, a in enumerate(axes):  # I (Ω + aᵀω) is what it was
        assert abs(0.3 * (after[f"wheel_{k}"][0] + a @ after["bus"][3:]) - x[k]) < 1e-10
    assert abs(full.energy_lost - joined.energy_lost) < 1e-9
    locked = plant.system.join(q, v, other.system, q_g, v_g, frame="tool")
    assert relative_error(locked.v[:6], joined.v[:6]) > 5e-3


def test_what_is_prescribed_goes_on_and_what_is_tied_stays_tied():
    """A gantry that is moved carries an arm that catches a ball; and a rover on wheels that catches one."""
    b = um.SystemBuilder("crane")
    b.vehicle("cart", joint=um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(50.0, 0.5))
    b.link("rod", parent="cart", joint=um.Revolute((0, 1, 0)), inertia=um.Inertia.sphere(4.0, 0.3))
    b.frame("tip", parent="rod", at=um.Pose(xyz=(0, 0, -1)))
    ball = floating("ball", 3.0, 0.0)
    crane = um.Plant(b.build(), prescribed={"cart": lambda t: 0.7 * t})
    below = ball.pack({"ball": se3.pose(np.eye(3), np.array([0.0, 0, -1]))})
    caught = crane.join(
        [0, 0], [9.0, 0.2], ball, below, np.zeros(6), frame="tip"
    )  # the cart's 9 m/s do not count
    assert abs(caught.v[0] - 0.7) < 1e-14
    # about the hinge, which moves at 0.7: I ω + m r (0 − 0.7)·(−1) → (I + I_b + m r²) ω⁺
    own, held = 0.4 * 4.0 * 0.09, 0.4 * 3.0 * 0.09 + 3.0
    ω = (own * 0.2 + 3.0 * 1.0 * 0.7) / (own + held)
    assert abs(caught.v[1] - ω) < 1e-13
    rover = um.load_scenario("rover_with_arm").plant
    q, v = random_state(rover.system, 3)
    q = rover.configuration(0.0, q)
    v = np.asarray(rover.full_velocity(0.0, q, rover.independent_velocity(q, v)))
    frame = rover.system.names[-1]
    at = rover.system.pose(q, frame)
    V = np.arange(6.0)
    joined = rover.join(q, v, ball, ball.pack({"ball": at}), V, frame=frame)
    w = joined.plant.independent_velocity(joined.q, joined.v)
    np.testing.assert_allclose(joined.plant.full_velocity(0.0, joined.q, w), joined.v, atol=1e-12)
    # what is lost is the kinetic energy of the velocities lost (Carnot)
    ΔV = joined.plant.system.velocity(joined.q, joined.v, "ball/ball") - V
    Δv = joined.v[: rover.nv] - v
    I = ball.mass_matrix(ball.neutral())
    assert abs(0.5 * (Δv @ rover.mass_matrix(q) @ Δv + ΔV @ I @ ΔV) - joined.energy_lost) < 1e-10
    np.testing.assert_allclose(joined.impulse, I @ ΔV, atol=1e-11)


def test_run_time_parameters_count():
    """Free masses, added masses and frames against plants that were built with those numbers."""

    def plants(mass, xyz, load, free):
        b = um.SystemBuilder("rov")
        fluid = random_fluid(np.random.default_rng(2))
        b.vehicle("rov", joint=um.Free(), inertia=um.Inertia(mass, (0, 0, 0), np.eye(3)), fluid=fluid)
        b.frame("tool", parent="rov", at=um.Pose(xyz=xyz))
        g = um.SystemBuilder("load")
        g.vehicle("box", joint=um.Free(), inertia=um.Inertia(load, (0, 0, 0), 0.1 * np.eye(3)), fluid=fluid)
        jets = [um.Thruster(frame="tool", name="jet", at=(0, 0.1, 0))]
        own = [um.Thruster(frame="box", lag=0.1, limits=(-3, 3))]
        names = (
            (["tool.xyz", "rov.mass", "ocean.density"], ["box.mass", "box_thruster.lag"])
            if free
            else ([], [])
        )
        return um.Plant(b.build(), OCEAN, jets, free=names[0]), um.Plant(g.build(), OCEAN, own, free=names[1])

    host, guest = plants(20.0, (0.1, 0, 0), 2.0, True)
    (q, v), (q_g, v_g) = random_state(host.system, 3), random_state(guest.system, 4)
    p = host.nominal_parameters.copy()
    p[:4] = [0.4, 0.2, 0.1, 31.0]
    hinge = um.Revolute((0, 0, 1))
    joined = host.join(
        q, v, guest, q_g, v_g, frame="tool", joint=hinge, p=p, p_guest=[5.0, 0.3], prefix="g", x_guest=[0.5]
    )
    host_b, guest_b = plants(31.0, (0.4, 0.2, 0.1), 5.0, False)
    built = host_b.join(q, v, guest_b, q_g, v_g, frame="tool", joint=hinge, prefix="g")
    assert relative_error(joined.v, built.v) < 1e-12
    assert joined.plant.parameter_names[-2:] == ("g/box.mass", "g_box_thruster.lag")
    np.testing.assert_array_equal(joined.p, [*p, 5.0, 0.3])
    np.testing.assert_array_equal(joined.x, [0.5])
    assert joined.plant.input_names == ("jet", "g_box_thruster")
    M, M_built = joined.plant.mass_matrix(joined.q, p=joined.p), built.plant.mass_matrix(built.q)
    assert relative_error(M, M_built) < 1e-12
    assert "g/box" in joined.plant.system.names


def frame_on(system):
    tree = system.tree
    return um.System(replace(tree, frames=(um.Frame(name="tool", parent=tree.names[0]),)))


def test_misfits_are_refused():
    host, guest = floating("rov", 30.0, 15.0), floating("load", 10.0, 0.0)
    plant, still = um.Plant(host, OCEAN), np.zeros(6)
    states = (host.neutral(), still), (guest.neutral(), still)

    def join(other, **options):
        return plant.join(*states[0], other, *states[1], frame="rov", **options)

    with pytest.raises(um.ModelError, match="guest: expected a Plant or a System"):
        join(guest.tree)
    with pytest.raises(um.ModelError, match="guest: world: expected the world of the host"):
        join(um.Plant(guest, um.Ocean(density=1000.0)))
    with pytest.raises(
        um.ModelError, match=r"guest: actuators: expected lists on both sides .* None for the host, a list"
    ):
        join(um.Plant(guest, OCEAN, []))
    with pytest.raises(um.ModelError, match="guest: prescribed: expected a vehicle that no trajectory moves"):
        join(um.Plant(guest, OCEAN, prescribed={"load": lambda t: np.eye(4)}))
    with pytest.raises(
        um.ModelError, match="guest: free: expected numbers of the world free in the host only"
    ):
        join(um.Plant(guest, OCEAN, free=["ocean.density"]))
    with pytest.raises(um.ModelError, match="guest: free: expected no free place of the vehicle"):
        join(um.Plant(guest, OCEAN, free=["load.xyz"]))
    with pytest.raises(um.ModelError, match="guest: joints"):
        join(um.Plant(guest, OCEAN, joints=um.JointEffects(stops=False)))
    with pytest.raises(um.ModelError, match="join: prefix"):
        join(guest, prefix="")
    with pytest.raises(um.ModelError, match="t: expected one time"):
        join(guest, t=[0.0, 1.0])
    varied = um.Plant(frame_on(host), OCEAN, free=["tool.xyz"])
    with pytest.raises(um.ModelError, match="join: expected a frame at one place on its body"):
        varied.join(*states[0], guest, *states[1], frame="tool", p=[[0, 0, 0.1], [0, 0, 0.2]])
