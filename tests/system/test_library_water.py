"""Fluid data of the built-in systems: change of axes, thrust maps, potential flow, hydrostatics."""

import numpy as np
import pytest
from scipy.integrate import quad
from tests.system.library_systems import load

# forward-right-down to forward-left-up, twists (v, ω)
FLIP = np.diag([1.0, -1, -1, 1, -1, -1])


def fluid_of(name, body):
    tree = load(name).tree
    return tree.bodies[tree.index(body)].fluid


HEIGHTS = {  # of the centre of buoyancy above the centre of mass (m)
    "bluerov2_heavy": 0.01,
    "bluerov2_heavy_alpha5": 0.01,
    "bluerov2_bravo7": 0.02,
    "remus100": 0.02,
    "rexrov_oberon7": 0.3,
}


@pytest.mark.parametrize("name", HEIGHTS)
@pytest.mark.whole
def test_submerged_vehicles_are_stable_upright(name):
    """The centre of buoyancy is above the centre of mass: +z here, though −z in the marine sources."""
    vehicle = load(name).tree.bodies[0]
    offset = vehicle.fluid.centre_of_buoyancy - vehicle.inertia.com
    np.testing.assert_allclose(offset, [0, 0, HEIGHTS[name]], rtol=1e-15)


def test_bluerov2_heavy_is_the_same_vehicle_with_and_without_arm():
    assert load("bluerov2_heavy").tree.bodies[0] == load("bluerov2_heavy_alpha5").tree.bodies[0]


def test_bluerov2_heavy_nearly_floats_in_fresh_water():
    net = 13.5 - 1000 * fluid_of("bluerov2_heavy", "rov").volume
    assert net * 9.82 == pytest.approx(0.98, abs=0.005)


def test_bluerov2_standard_buoyancy():
    assert fluid_of("bluerov2_bravo7", "rov").volume * 1000 * 9.81 == pytest.approx(114.8, rel=1e-15)


# published map, forward-right-down: wrench (X Y Z K M N) of each thruster
THRUST_MAP = np.array(
    [
        [0.7071, 0.7071, -0.7071, -0.7071, 0, 0, 0, 0],
        [-0.7071, 0.7071, -0.7071, 0.7071, 0, 0, 0, 0],
        [0, 0, 0, 0, -1, -1, -1, -1],
        [0, 0, 0, 0, 0.218, 0.218, -0.218, -0.218],
        [0, 0, 0, 0, 0.120, -0.120, 0.120, -0.120],
        [-0.1888, 0.1888, 0.1888, -0.1888, 0, 0, 0, 0],
    ]
)


@pytest.mark.parametrize("name", ["bluerov2_heavy", "bluerov2_heavy_alpha5"])
def test_thruster_frames_reproduce_the_published_map(name):
    frames = {frame.name: frame for frame in load(name).tree.frames}
    columns = []
    for i in range(1, 9):
        at = frames[f"thruster_{i}"].at
        push = at.rotation[:, 0]
        columns.append(np.concatenate([push, np.cross(at.xyz, push)]))
    # the map has four printed digits
    np.testing.assert_allclose(FLIP @ np.array(columns).T, THRUST_MAP, rtol=0, atol=5e-5)


def spheroid_integrals(a, b):
    """α₀, β₀ of a prolate spheroid by quadrature (Lamb, Hydrodynamics, §114)."""
    tight = {"epsabs": 0, "epsrel": 1e-12}
    alpha, _ = quad(lambda s: (a**2 + s) ** -1.5 / (b**2 + s), 0, np.inf, **tight)
    beta, _ = quad(lambda s: (a**2 + s) ** -0.5 / (b**2 + s) ** 2, 0, np.inf, **tight)
    return a * b**2 * alpha, a * b**2 * beta


def test_remus_added_mass_is_that_of_a_spheroid_in_potential_flow():
    tree = load("remus100").tree
    a, b, m = 0.8, 0.095, tree.mass
    alpha, beta = spheroid_integrals(a, b)
    assert alpha + 2 * beta == pytest.approx(2, rel=1e-11)
    # rotation about a short axis, general ellipsoid formula (Lamb, §115)
    squares, apart = a**2 + b**2, a**2 - b**2
    turning = m / 5 * apart**2 * (beta - alpha) / (2 * apart - squares * (beta - alpha))
    sway = m * beta / (2 - beta)
    roll = 0.3 * 0.4 * m * b**2
    expected = np.diag([m * alpha / (2 - alpha), sway, sway, roll, turning, turning])
    np.testing.assert_allclose(fluid_of("remus100", "hull").added_mass, expected, rtol=1e-9, atol=0)


def test_remus_is_neutral_and_damped_as_stated():
    tree, fluid = load("remus100").tree, fluid_of("remus100", "hull")
    assert 1026 * fluid.volume == pytest.approx(tree.mass, rel=1e-15)
    M = np.diag(tree.bodies[0].inertia.matrix + fluid.added_mass)
    stiffness = tree.mass * 9.81 * 0.02
    damping = np.diag(fluid.linear_drag)
    np.testing.assert_allclose(M[:3] / damping[:3], 20, rtol=1e-14)  # time constants (s)
    assert damping[3] == pytest.approx(2 * 0.3 * np.sqrt(stiffness * M[3]), rel=1e-14)
    assert damping[4] == pytest.approx(2 * 0.8 * np.sqrt(stiffness * M[4]), rel=1e-14)
    assert damping[5] == pytest.approx(M[5], rel=1e-14)


def test_remus_cross_flow_drag_is_the_sum_of_its_strips():
    drag = np.diag(fluid_of("remus100", "hull").quadratic_drag)
    per_metre = drag[1] / 1.6
    # Hoerner's coefficient of a circular section
    assert per_metre == pytest.approx(0.5 * 1026 * 0.19 * 1.1977, rel=1e-4)
    turning = quad(lambda x: per_metre * abs(x) ** 3, -0.8, 0.8, points=[0])[0]
    np.testing.assert_allclose(drag[4:], turning, rtol=1e-12)
    assert drag[0] == pytest.approx(0.42 * 0.5 * 1026 * np.pi * 0.095**2, rel=1e-14)


def test_rexrov_added_mass_is_the_published_matrix():
    added = fluid_of("rexrov_oberon7", "rov").added_mass
    np.testing.assert_array_equal(np.diag(added), [779.79, 1222, 3659.9, 534.9, 842.69, 224.32])
    assert (added[1, 3], added[0, 4], added[2, 4], added[2, 5]) == (409.44, -165.54, -386.42, 10.7745)
    assert np.linalg.eigvalsh(added)[0] > 0


# Supply vessel, forward-right-down axes, midships on the water line
LCF = -1.4565e8 / 1.3910e7
SUPPLY_ADDED = np.diag([1.950e6, 6.490e6, 9.813e6, 1.014e8, 5.646e9, 2.541e9])
for (i, j), value in {(1, 3): 9.02e6, (1, 5): -1.08e7, (2, 4): 1.254e8}.items():
    SUPPLY_ADDED[i, j] = SUPPLY_ADDED[j, i] = value
SUPPLY_WAVE_DAMPING = np.diag([0, 0, 6.90e6, 9.38e6 + 3.0e7, 4.19e9, 0])


def midships_twist(twist):
    """A twist at the centre of flotation, as the source has it: at midships, forward-right-down axes."""
    v, w = twist[:3], twist[3:]
    return FLIP @ np.concatenate([v + np.cross(w, [-LCF, 0, 0]), w])


@pytest.mark.parametrize("what", ["added_mass", "linear_drag"])
def test_supply_vessel_matrices_have_the_energy_of_the_source(what):
    ours = getattr(fluid_of("supply_vessel_arm6", "vessel"), what)
    source = SUPPLY_ADDED if what == "added_mass" else SUPPLY_WAVE_DAMPING
    rng = np.random.default_rng(3)
    for twist in rng.normal(size=(20, 6)):
        there = midships_twist(twist)
        assert twist @ ours @ twist == pytest.approx(there @ source @ there, rel=1e-13)


def test_supply_vessel_spring_is_its_hydrostatics():
    """Small motions: the source's stiffness at midships, and its metacentric heights 2.144 and 103.63 m."""
    tree = load("supply_vessel_arm6").tree
    spring = np.diag(tree.bodies[0].joint.stiffness)
    C = np.zeros((6, 6))
    C[2, 2], C[3, 3], C[4, 4] = 1.3910e7, 1.3380e8, 7.6332e9
    C[2, 4] = C[4, 2] = 1.4565e8
    for small in np.random.default_rng(5).normal(size=(20, 6)):
        there = midships_twist(small)
        assert small @ spring @ small == pytest.approx(there @ C @ there, rel=1e-12)
    weight = 6362208.5 * 9.81
    lever = tree.bodies[0].inertia.com[0]
    assert spring[3, 3] / weight == pytest.approx(2.144, rel=1e-3)
    assert (spring[4, 4] + spring[2, 2] * lever**2) / weight == pytest.approx(103.63, rel=1e-3)


def test_supply_vessel_floats_without_its_arm():
    tree, fluid = load("supply_vessel_arm6").tree, fluid_of("supply_vessel_arm6", "vessel")
    vessel = tree.bodies[0].inertia
    assert 1025 * fluid.volume == pytest.approx(vessel.mass, rel=1e-15)
    np.testing.assert_array_equal(fluid.centre_of_buoyancy, vessel.com)
    gyration = np.sqrt(np.diag(vessel.tensor) / vessel.mass)
    np.testing.assert_allclose(gyration, [6.845, 20.741, 20.7], rtol=1e-14)
    np.testing.assert_allclose(vessel.com, [-5.386 - LCF, 0, 7.3 - 6], rtol=0, atol=1e-12)
