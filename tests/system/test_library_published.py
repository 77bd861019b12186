"""Numbers of the built-in systems that no other oracle reaches, against the published tables."""

import numpy as np
import pytest
from tests.system.library_systems import load, tensor

# mass (kg), centre of mass (m), moments and products about it (kg m²), in body axes
BODIES = {
    ("bluerov2_heavy", "rov"): (13.5, (0, 0, 0), (0.26, 0.23, 0.37)),
    ("bluerov2_bravo7", "rov"): (11.5, (0, 0, 0), (0.16, 0.16, 0.16)),
    ("rexrov_oberon7", "rov"): (1862.87, (0, 0, 0), (525.39, 794.20, 691.23, 1.44, 33.41, 2.6)),
    ("rexrov_oberon7", "arm_base"): (9.6747, (-0.1016, -0.0014, -0.0098), (0.05117, 0.08368, 0.09580)),
    ("rexrov_oberon7", "azimuth"): (6.7223, (0.0397, 0.0054, 0.0174), (0.04258, 0.05133, 0.02958)),
    ("rexrov_oberon7", "shoulder_pitch"): (12.4444, (0.3125, 0.0175, 0), (0.03782, 0.41149, 0.41542)),
    ("rexrov_oberon7", "elbow_pitch"): (10.3145, (0.1253, -0.0747, 0), (0.07172, 0.07241, 0.10276)),
    ("rexrov_oberon7", "forearm_roll"): (8.5463, (0, 0, 0.15798), (0.09618, 0.09619, 0.03268)),
    ("rexrov_oberon7", "wrist_pitch"): (3.9024, (0.1040, 0.0033, 0), (0.01043, 0.02115, 0.02053)),
    ("rexrov_oberon7", "wrist_roll"): (3.4611, (0.0244, 0, 0), (0.00775, 0.00536, 0.00557)),
    ("ets_vii", "chaser"): (2552, (0, 0, 0), (6206, 3541, 7087, 48.16, 78.52, -29.22)),
    ("ets_vii_wheels", "chaser"): (2552, (0, 0, 0), (6206, 3541, 7087, 48.16, 78.52, -29.22)),
    ("spart_sc_3dof", "bus"): (100, (0, 0, 0), (9.3, 9.3, 9.3)),
    ("spart_sc_3dof", "arm_base"): (5, (0, 0, 0.125), (0.05, 0.05, 0.05)),
    ("spart_sc_3dof", "shoulder_yaw"): (5, (0, 0, 0.1), (0.05, 0.05, 0.05)),
    ("spart_sc_3dof", "shoulder_pitch"): (10, (0, 0, 0.375), (0.1, 0.1, 0.1)),
    ("spart_sc_3dof", "elbow_pitch"): (10, (0, 0, 0.375), (0.1, 0.1, 0.1)),
    ("manisat", "base"): (13.3, (0, 0, 0), (0.1425, 0.1425, 0.2850)),
    ("manisat", "left_shoulder"): (2.9, (0.1926, 0, 0), (0, 0.1245, 0.1245)),
    ("manisat", "left_elbow"): (2.9, (0.1635, 0, 0), (0, 0.1245, 0.1245)),
    ("manisat", "right_shoulder"): (2.9, (0.1926, 0, 0), (0, 0.1245, 0.1245)),
    ("manisat", "right_elbow"): (2.9, (0.1635, 0, 0), (0, 0.1245, 0.1245)),
    ("ssrms_station", "base_latch"): (243.66, (1.3589 / 2, 0, 0), (9.336, 44.413, 44.413)),
    ("ssrms_station", "shoulder_roll"): (105.98, (0, 0, 0.7026 / 2), (12.19, 12.13, 3.061)),
    ("ssrms_station", "shoulder_yaw"): (105.98, (0, -0.5692 / 2, 0), (8.088, 3.061, 8.446)),
    ("ssrms_station", "shoulder_pitch"): (
        314.88,
        (7.11 / 2, -0.475 / 2, 0),
        (15.41, 2094.71, 2103.19, 49.52),
    ),
    ("ssrms_station", "elbow_pitch"): (279.2, (7.11 / 2, 0, 0), (9.522, 1966.28, 1966.28, -39.95)),
    ("ssrms_station", "wrist_pitch"): (105.98, (0, -0.5692 / 2, 0), (8.305, 3.061, 8.0386)),
    ("ssrms_station", "wrist_yaw"): (105.98, (0, 0, -0.7026 / 2), (12.13, 12.13, 3.061)),
    ("ssrms_station", "wrist_roll"): (243.66, (1.3589 / 2, 0, 0), (9.336, 44.41, 44.41)),
}

# added mass, linear drag, quadratic drag (diagonals), surge to yaw; the signs do not change with the axes
VEHICLES = {
    "bluerov2_heavy": (
        (6.3567, 7.1206, 18.6863, 0.1858, 0.1348, 0.2215),
        (13.7, 0, 33.0, 0, 0.8, 0),
        (141, 217, 190, 1.192, 0.470, 1.500),
    ),
    "bluerov2_bravo7": (
        (5.5, 12.7, 14.57, 0.12, 0.12, 0.12),
        (4.03, 6.22, 5.18, 0.07, 0.07, 0.07),
        (18.18, 21.66, 36.99, 1.55, 1.55, 1.55),
    ),
    "rexrov_oberon7": (
        (779.79, 1222, 3659.9, 534.9, 842.69, 224.32),
        (74.82, 69.48, 728.4, 268.8, 309.77, 105),
        (748.22, 992.53, 1821.01, 672, 774.44, 523.27),
    ),
}

BRAVO_BUOYANCY = {  # volume (litre), centre (mm)
    "arm_base": (0.81, (-16, 1, -1)),
    "base_yaw": (0.74, (27, 9, -101)),
    "shoulder_pitch": (1.96, (157, 39, 0)),
    "elbow_pitch": (0.44, (38, -48, -6)),
    "forearm_roll": (0.59, (23, 9, -146)),
    "wrist_pitch": (0.39, (36, -42, -9)),
    "wrist_roll": (0.53, (0, 0, -145)),
    "jaws": (0.16, (1, -27, 0)),
}

ALPHA_HULLS = {  # centre of buoyancy (mm), added mass (kg), quadratic drag (N s²/m²)
    "arm_base_hull": ((-53, -3, -1), 0.189, (0, 0, 0)),
    "base_yaw_hull": ((2, -4, 31), 0.032, (0.26, 0.26, 0.3)),
    "shoulder_pitch_hull": ((76, 0, -1), 0.201, (0.3, 1.6, 1.6)),
    "elbow_pitch_hull": ((2, -4, 29), 0.032, (0.26, 0.3, 0.26)),
    "wrist_roll_hull": ((0, 0, -97), 0.226, (1.8, 1.8, 0.3)),
    "jaws_hull": ((0, 0, -180), 0.0, (0.05, 0.05, 0.05)),
}


def body_of(name, body):
    tree = load(name).tree
    return tree.bodies[tree.index(body)]


@pytest.mark.parametrize(("name", "body"), BODIES)
@pytest.mark.whole
def test_published_inertias(name, body):
    mass, com, moments = BODIES[name, body]
    inertia = body_of(name, body).inertia
    assert inertia.mass == mass
    np.testing.assert_array_equal(inertia.com, com)
    np.testing.assert_array_equal(inertia.tensor, tensor(*moments))


@pytest.mark.parametrize("name", VEHICLES)
def test_published_vehicle_hydrodynamics(name):
    fluid = body_of(name, "rov").fluid
    added, linear, quadratic = VEHICLES[name]
    np.testing.assert_array_equal(np.diag(fluid.added_mass), added)
    np.testing.assert_array_equal(fluid.linear_drag, np.diag(linear))
    np.testing.assert_array_equal(fluid.quadratic_drag, np.diag(quadratic))


def test_rexrov_volume():
    assert body_of("rexrov_oberon7", "rov").fluid.volume == 1.83826


@pytest.mark.parametrize("link", BRAVO_BUOYANCY)
@pytest.mark.whole
def test_reach_bravo_7_buoyancy(link):
    volume, centre = BRAVO_BUOYANCY[link]
    fluid = body_of("bluerov2_bravo7", link).fluid
    assert fluid.volume == pytest.approx(volume / 1000, rel=1e-15)
    np.testing.assert_allclose(fluid.centre_of_buoyancy, np.array(centre) / 1000, rtol=1e-15)


@pytest.mark.parametrize("hull", ALPHA_HULLS)
@pytest.mark.whole
def test_reach_alpha_5_hydrodynamics_act_at_the_centre_of_buoyancy(hull):
    centre, added, drag = ALPHA_HULLS[hull]
    body = body_of("bluerov2_heavy_alpha5", hull)
    assert body.inertia.mass == 0
    np.testing.assert_allclose(body.at.matrix[:3, 3], np.array(centre) / 1000, rtol=1e-15)
    np.testing.assert_array_equal(body.at.rotation, np.eye(3))
    np.testing.assert_array_equal(body.fluid.added_mass, np.diag([added] * 3 + [0] * 3))
    np.testing.assert_array_equal(body.fluid.quadratic_drag, np.diag([*drag, 0, 0, 0]))
    np.testing.assert_array_equal(body.fluid.centre_of_buoyancy, [0, 0, 0])


def test_reach_alpha_5_limits():
    joints = ("base_yaw", "shoulder_pitch", "elbow_pitch", "wrist_roll")
    limits = [body_of("bluerov2_heavy_alpha5", joint).joint.limits[:, 0] for joint in joints]
    np.testing.assert_allclose(np.rad2deg(limits), [(-175, 175), (0, 200), (0, 200), (-165, 165)], rtol=1e-14)


def test_gantry_crane_friction():
    joint = body_of("gantry_crane", "cart").joint
    np.testing.assert_array_equal(joint.damping, [100, 82])
    np.testing.assert_array_equal(joint.friction, [5, 7.5])
