"""Bodies with shapes in an Ocean: floating draughts, righting moments, energy kept, in kernels as in NumPy,
from files.
"""

import numpy as np
import pytest

import unmoored as um

RHO, G = 1000.0, 9.81


def buoy(fluid, mass, com=(0, 0, 0), tensor=(0.05, 0.06, 0.07), world=None, **options):
    b = um.SystemBuilder("buoy")
    b.vehicle("buoy", um.Free(), inertia=um.Inertia(mass, com, tensor), fluid=fluid)
    return um.Plant(b.build(), world=world or um.Ocean(density=RHO, surface=0.0), **options)


def at(height, rpy=(0, 0, 0)):
    g = um.Pose(xyz=(0.3, -0.2, height), rpy=rpy).matrix
    return np.concatenate([g[:3, :3].ravel(), g[:3, 3]])


BARE = {"flow_parts": (), "added_mass": 0.0}


def test_floating_draughts():
    """Box: m = ρ a b d. Cylinder standing: m = ρπr²d; lying half under. Sphere of half the water's density:
    half under.
    """
    box = buoy(um.Fluid.box((0.6, 0.4, 0.3), RHO), mass=RHO * 0.6 * 0.4 * 0.1)
    assert box.restoring_forces(0.0, at(0.05))[2] == pytest.approx(0.0, abs=1e-11)  # draught 0.1
    assert box.restoring_forces(0.0, at(0.06))[2] == pytest.approx(RHO * G * 0.24 * 0.01, rel=1e-12)
    cylinder = um.Fluid.cylinder(0.2, 1.0, (0, 0, 1), RHO)
    standing = buoy(cylinder, mass=RHO * np.pi * 0.04 * 0.7)
    assert standing.restoring_forces(0.0, at(-0.2))[2] == pytest.approx(0.0, abs=1e-9)
    lying = buoy(cylinder, mass=0.5 * RHO * cylinder.volume)
    assert lying.restoring_forces(0.0, at(0.0, (np.pi / 2, 0, 0)))[1] == pytest.approx(0.0, abs=1e-9)
    for fluid in (
        um.Fluid.sphere(0.2, RHO),
        um.Fluid(volume=4 / 3 * np.pi * 0.008),
    ):  # without a hull: a sphere
        half = buoy(fluid, mass=0.5 * RHO * 4 / 3 * np.pi * 0.008)
        assert half.restoring_forces(0.0, at(0.0))[2] == pytest.approx(0.0, abs=1e-11)
        cap = np.pi * 0.15**2 * (0.6 - 0.15) / 3  # πd²(3r−d)/3 at a depth d = 0.15
        expected = G * (half.system.mass - RHO * cap)
        assert half.restoring_forces(0.0, at(0.05))[2] == pytest.approx(expected, rel=1e-12)


def test_righting_moment_of_a_box():
    """−mg GM φ, GM = KB + BM − KG, BM = I_waterplane/∇."""
    beam, length, draught = 0.4, 0.6, 0.1
    low = buoy(um.Fluid.box((length, beam, 0.3), RHO), mass=RHO * length * beam * draught, com=(0, 0, -0.05))
    bm = length * beam**3 / 12 / (length * beam * draught)
    gm = (-0.15 + draught / 2) + bm - (-0.05)
    for angle in (1e-3, -1e-3):
        n = low.restoring_forces(0.0, at(0.05, (angle, 0, 0)))
        # about the origin; what is not balanced at this draught has no lever there
        assert n[3] == pytest.approx(low.system.mass * G * gm * np.sin(angle), rel=1e-4)


@pytest.mark.parametrize("name", ["box", "capsule", "spheroid"])
def test_a_released_body_bobs_and_keeps_its_energy(name):
    fluids = {
        "box": um.Fluid.box((0.6, 0.4, 0.3), RHO, at=um.Pose(rpy=(0.2, 0.1, 0))),
        "capsule": um.Fluid.capsule(0.12, 0.5, (1, 0, 1), RHO),
        "spheroid": um.Fluid.spheroid((0.5, 0.15, 0.2), RHO),
    }
    fluid = fluids[name]
    ideal = um.Fluid(
        added_mass=fluid.added_mass,
        volume=fluid.volume,
        hull=fluid.hull,
        centre_of_buoyancy=(0.02, 0, 0.01),
    )
    plant = buoy(
        ideal, mass=0.5 * RHO * fluid.volume, com=(0.01, 0.02, -0.03), tensor=(0.5, 0.7, 0.9),
        world=um.Ocean(density=RHO, surface=0.0, added_mass="whole"),
    )  # fmt: skip
    run = um.simulate(plant, at(-0.3, (0.3, 0.4, 0)), np.zeros(6), duration=2.0, step=2e-3)
    energy = run.energy().total if hasattr(run.energy(), "total") else run.energy()
    moved = np.abs(run.q[:, 11] + 0.3).max()
    assert moved > 0.2
    heave = RHO * G * fluid.volume
    assert np.ptp(energy) < 2e-6 * heave
    # the forces are the slopes of the energy, at random poses
    rng = np.random.default_rng(1)
    for _ in range(4):
        q = at(rng.uniform(-0.2, 0.2), rng.uniform(-1, 1, 3))
        n, e = plant.restoring_forces(0.0, q), 1e-6
        for k in range(6):
            up, down = (
                plant.energy(0.0, plant.system.retract(q, s * e * np.eye(6)[k]), np.zeros(6)).potential
                for s in (1, -1)
            )
            assert (up - down) / (2 * e) == pytest.approx(n[k], abs=2e-5 * heave)


def heaving(fluid, mass, **ocean):
    """A body that only heaves, without drag."""
    b = um.SystemBuilder("buoy")
    b.vehicle("buoy", um.Prismatic((0, 0, 1)), inertia=um.Inertia.sphere(mass, 0.2), fluid=fluid)
    return um.Plant(b.build(), world=um.Ocean(density=RHO, surface=0.0, **ocean))


def test_added_mass_follows_the_share_under_water():
    """Lagrange of ½(m + κ(z)a)ż² + mgz + ρgVū(z), for a ball: (m + κa) z̈ + ½κ′a ż² = −mg + ρgVκ.

    Integrated apart from the package with κ = (2 − 3h + h³)/4, h = z/r: out of the water, back in, and the energy is
    kept, which it is not without the second term.
    """
    r = 0.2
    volume = 4 / 3 * np.pi * r**3
    m, a = 0.4 * RHO * volume, 0.5 * RHO * volume
    plant = heaving(um.Fluid(added_mass=np.diag([a, a, a, 0, 0, 0]), volume=volume), m)

    def acceleration(z, speed):
        h = np.clip(z / r, -1, 1)
        share, slope = (2 - 3 * h + h**3) / 4, 0.75 * (h * h - 1) / r
        return (-m * G + RHO * G * volume * share - 0.5 * slope * a * speed**2) / (m + share * a)

    for z, speed in ((0.05, 0.7), (-0.15, -0.3), (0.5, 1.0), (-0.5, 1.0)):
        found = plant.forward_dynamics(0.0, [z], [speed])[0]
        assert found == pytest.approx(acceleration(z, speed), rel=1e-12)
        share = np.clip((2 - 3 * z / r + (z / r) ** 3) / 4, 0, 1) if abs(z) < r else float(z < 0)
        assert plant.mass_matrix([z])[0, 0] == pytest.approx(m + share * a, rel=1e-12)
    state, step = np.array([-0.4, 0.0]), 5e-4

    def rate(y):
        return np.array([y[1], acceleration(*y)])

    for _ in range(2400):
        k1 = rate(state)
        k2 = rate(state + 0.5 * step * k1)
        k3 = rate(state + 0.5 * step * k2)
        k4 = rate(state + step * k3)
        state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    run = um.simulate(plant, [-0.4], [0.0], duration=1.2, step=5e-4)
    assert [run.q[-1, 0], run.v[-1, 0]] == pytest.approx(state, abs=1e-9)
    assert run.q.max() > 0.2  # it leaps out
    energy = run.energy().total
    assert np.ptp(energy) < 2e-5 * m * G * r
    whole = heaving(um.Fluid(added_mass=np.diag([a, a, a, 0, 0, 0]), volume=volume), m, added_mass="whole")
    assert whole.mass_matrix([1.0])[0, 0] == pytest.approx(m + a)


@pytest.mark.parametrize("name", ["box", pytest.param("capsule", marks=pytest.mark.long), "spheroid"])
def test_changing_added_mass_keeps_energy_momentum_and_matrix_form(name):
    """In any pose and twist: power is the rate of energy, in a current too; M a + C v + D v + n + rest is the force."""
    fluids = {
        "box": um.Fluid.box((0.6, 0.4, 0.3), RHO, at=um.Pose(rpy=(0.2, 0.1, 0))),
        "capsule": um.Fluid.capsule(0.12, 0.5, (1, 0, 1), RHO),
        "spheroid": um.Fluid.spheroid((0.5, 0.15, 0.2), RHO),
    }
    plant = buoy(
        um.Fluid(
            added_mass=fluids[name].added_mass, volume=fluids[name].volume, hull=fluids[name].hull,
            centre_of_buoyancy=(0.02, 0, 0.01), linear_drag=2.0,
        ),
        20.0, com=(0.01, 0.02, -0.03), tensor=(0.5, 0.7, 0.9),
        world=um.Ocean(density=RHO, surface=0.0, current=(0.4, -0.2, 0.0)),
    )  # fmt: skip
    rng = np.random.default_rng(2)
    for height in (-0.05, 0.03, 0.09):
        q, v, a = at(height, rng.uniform(-0.7, 0.7, 3)), rng.normal(size=6), rng.normal(size=6)
        assert plant.mass_matrix(q)[0, 0] > 20.0
        M, C = plant.mass_matrix(q), plant.coriolis_matrix(q, v)
        D, n, left = (
            plant.damping_matrix(0.0, q, v),
            plant.restoring_forces(0.0, q),
            plant.current_forces(0.0, q, v),
        )
        assert M @ a + (C + D) @ v + n + left == pytest.approx(plant.inverse_dynamics(0.0, q, v, a), abs=1e-9)
        a = plant.forward_dynamics(0.0, q, v)
        assert plant.inverse_dynamics(0.0, q, v, a) == pytest.approx(np.zeros(6), abs=1e-8)
        e = 1e-6
        ahead, behind = (
            plant.energy(0.0, plant.system.retract(q, s * e * v), v + s * e * a).total for s in (1, -1)
        )
        scale = np.abs(plant.power(0.0, q, v).drag) + 1.0
        assert (ahead - behind) / (2 * e) == pytest.approx(
            plant.power(0.0, q, v).total, abs=1e-6 * scale + 1e-5
        )
        if name == "box":  # compiles for long; the others go the same way
            continue
        slopes = plant.forward_dynamics_derivatives(0.0, q, v)
        for k in (2, 4):
            up, down = (
                plant.forward_dynamics(0.0, plant.system.retract(q, s * e * np.eye(6)[k]), v) for s in (1, -1)
            )
            assert (up - down) / (2 * e) == pytest.approx(
                slopes.dq[:, k], rel=1e-4, abs=1e-4 * np.abs(slopes.dq).max()
            )


def test_what_takes_inertias_as_constant_is_refused_at_a_surface():
    plant = buoy(um.Fluid.sphere(0.2, RHO), 10.0)
    with pytest.raises(um.ModelError, match="immersed"):
        um.simulate(plant, at(0.0), duration=0.1, step=0.01, method="variational")
    with pytest.raises(um.ModelError, match="added_mass='whole'"):
        plant.lagrange_poincare(at(0.0), np.zeros(6))
    with pytest.raises(um.ModelError, match="'immersed' or 'whole'"):
        um.Ocean(surface=0.0, added_mass="half")
    step = plant.step_derivatives(0.0, at(0.0), np.zeros(6), np.zeros(6), 0.01)
    assert np.isfinite(step.state).all()


def test_drag_at_the_surface_goes_by_what_is_wet_and_kernels_agree():
    fluid = um.Fluid.capsule(0.12, 0.5, (1, 0, 0.3), RHO)
    lift = um.Lift.wing(area=0.05, span=0.2, density=RHO)
    fluid = um.Fluid(
        **{f: getattr(fluid, f) for f in ("added_mass", "volume", "hull")},
        flow_parts=(*fluid.flow_parts, lift),
        linear_drag=3.0,
        fading=2.0,
    )
    world = um.Ocean(density=RHO, surface=0.0, current=(0.2, 0.1, 0))
    plant = buoy(fluid, 12.0, world=world, free=["buoy.fluid.flow_scale", "buoy.fluid.fading"])
    rng = np.random.default_rng(3)
    q = np.stack([at(h, rng.uniform(-1, 1, 3)) for h in np.linspace(-0.3, 0.5, 7)])
    v, a = rng.normal(size=(7, 6)), rng.normal(size=(7, 6))
    compiled = plant.forward_dynamics(0.0, q, v)
    assert np.allclose(compiled, plant.forward_dynamics(0.0, q, v, backend="numpy"), rtol=1e-12, atol=1e-12)
    # the matrix form holds, wet, half wet and dry
    M, C = plant.mass_matrix(q), plant.coriolis_matrix(q, v)
    D, n = plant.damping_matrix(0.0, q, v), plant.restoring_forces(0.0, q)
    left = plant.current_forces(0.0, q, v)
    total = (M @ a[..., None])[..., 0] + ((C + D) @ v[..., None])[..., 0] + n + left
    assert np.allclose(total, plant.inverse_dynamics(0.0, q, v, a), rtol=0, atol=1e-9)
    out = plant.damping_matrix(0.0, at(2.0), v[0])
    assert np.allclose(out, 0.0, atol=1e-14)
    power = plant.power(0.0, q, v)
    assert np.all(np.isfinite(power.drag))
    twice = plant.damping_matrix(0.0, q[0], v[0], p=np.array([2.0, *[0.0] * 6]))
    once = plant.damping_matrix(0.0, q[0], v[0], p=np.array([1.0, *[0.0] * 6]))
    linear = plant.damping_matrix(0.0, q[0], v[0], p=np.array([0.0, *[0.0] * 6]))
    assert np.allclose(twice - linear, 2 * (once - linear), rtol=1e-12, atol=1e-12)


def test_linear_drag_fades():
    plant = buoy(um.Fluid(linear_drag=4.0, fading=3.0), 1.0, world=um.Ocean(density=0.0, gravity=(0, 0, 0)))
    v = np.array([0.3, 0, 0.4, 0, 0, 0.2])
    forces = -plant.inverse_dynamics(0.0, plant.system.neutral(), v, np.zeros(6))
    still = um.Plant(plant.system, world=um.Space()).inverse_dynamics(
        0.0, plant.system.neutral(), v, np.zeros(6)
    )
    assert np.allclose(forces + still, -4.0 * np.exp(-1.5) * v, rtol=1e-12, atol=1e-14)


def test_a_rov_that_is_released_floats():
    rov = um.load("bluerov2_heavy")
    plant = um.Plant(rov, world=um.Ocean(density=1030.0, surface=0.0))
    q = rov.pack({rov.vehicles[0]: um.Pose(xyz=(0, 0, -1.0)).matrix})
    run = um.simulate(plant, q, np.zeros(6), duration=60.0, step=0.01, record_every=100)
    assert -0.2 < run.q[-1, 11] < 0.2
    assert np.abs(run.v[-1]).max() < 0.02


def test_fluids_by_shape_in_files(tmp_path):
    fluids = [
        um.Fluid.box((0.6, 0.4, 0.3), RHO, at=um.Pose(xyz=(0, 0, 0.1), rpy=(0, 0.2, 0))),
        um.Fluid.cylinder(0.1, 1.0, (1, 1, 0), RHO),
        um.Fluid(
            flow_parts=(um.Lift.wing(area=0.1, span=0.3, density=RHO),),
            linear_drag=2.0,
            fading=1.5,
            flow_scale=0.5,
        ),
    ]
    for fluid in fluids:
        system = buoy(fluid, 10.0).system
        system.save(tmp_path / "b.yaml")
        assert um.load(tmp_path / "b.yaml") == system
    text = """
unmoored: 1
name: b
bodies:
  - name: b
    parent: world
    joint: {type: Free}
    inertia: {sphere: {mass: 10, radius: 0.2}}
    fluid: {cylinder: {radius: 0.1, length: 1.0, axis: [1, 1, 0], density: 1000}, linear_drag: 2.0}
"""
    (tmp_path / "b.yaml").write_text(text)
    fluid = um.load(tmp_path / "b.yaml").tree.bodies[0].fluid
    assert fluid.flow_parts == fluids[1].flow_parts
    assert fluid.linear_drag[0, 0] == 2.0
    for old, new, words in (
        ("linear_drag: 2.0", "sphere: {radius: 1, density: 1}", "at most one of sphere"),
        ("radius: 0.1", "radius: -0.1", "radius: expected > 0"),
        ("linear_drag: 2.0", "fading: -1", "≥ 0"),
        ("linear_drag: 2.0", "hull: {form: cube, size: [1, 1, 1]}", "'ellipsoid', 'cylinder'"),
        ("linear_drag: 2.0", "flow_parts: [{type: StripDrag, across: 1, length: 0}]", "length: expected > 0"),
    ):
        (tmp_path / "b.yaml").write_text(text.replace(old, new))
        with pytest.raises(um.ModelError, match=words.replace("(", r"\(")):
            um.load(tmp_path / "b.yaml")


def test_mistakes_are_told():
    with pytest.raises(um.ModelError, match="gravity along −z"):
        um.Ocean(surface=0.0, gravity=(1, 0, -9))
    with pytest.raises(um.ModelError, match="no place of its own"):
        um.Hull("box", (1, 1, 1), um.Pose(xyz=(1, 0, 0)))
    with pytest.raises(um.ModelError, match="one rate for all"):
        um.Fluid(linear_drag=np.eye(6) + 0.1, fading=(1, 2, 0, 0, 0, 0))
    plant = buoy(um.Fluid.sphere(0.1, RHO), 1.0)
    with pytest.raises(um.ModelError, match="deep water"):
        plant.regressor(0.0, at(0), np.zeros(6), np.zeros(6))
