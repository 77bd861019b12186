"""The arms of the built-in systems against forward kinematics written again from the published tables."""

import numpy as np
import pytest
from tests.system.library_systems import (
    dh,
    load,
    move,
    rotate_x,
    rotate_y,
    rotate_z,
    tensor,
    world_inertia,
)

from unmoored.dynamics.mass_matrix import mass_matrix

PI = np.pi


def agree(a, b, scale=1.0):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * scale)


def random_states(system, joints, count=5):
    """Configurations with a random vehicle pose and joint angles, and the angles (count, len(joints))."""
    rng = np.random.default_rng(7)
    for _ in range(count):
        angles = rng.uniform(-PI, PI, len(joints))
        q = system.random_configuration(rng)
        for joint, angle in zip(joints, angles, strict=True):
            q[system.tree.link(joint).q] = angle
        yield q, angles


# Reach Alpha datasheet: d, a (mm), theta offset, alpha; mass, centre (mm), moments and products (kg mm²).
THETA_C = np.arctan(40 / 145.3)
ALPHA_ROWS = [
    (46.2, PI, 20, PI / 2),
    (0, THETA_C - PI / 2, np.sqrt(40**2 + 145.3**2), PI),
    (0, THETA_C - PI / 2, 20, -PI / 2),
    (-180, PI / 2, 0, PI / 2),
    (0, -PI / 2, 0, 0),
]
ALPHA_LINKS = {
    "arm_base": (0.234, (-52.425, -7.120, -0.037), (45.012, 393.932, 397.995, -2.832, 4.115, 0.010)),
    "base_yaw": (0.161, (7.746, 0.112, 25.038), (109.469, 122.362, 43.987, -0.808, -29.828, -0.544)),
    "shoulder_pitch": (0.380, (73.563, -0.091, -0.734), (82.697, 847.148, 868.483, 74.836, 1.866, -0.317)),
    "elbow_pitch": (0.142, (11.188, -16.660, 0.148), (63.596, 40.651, 75.158, 21.363, 0.802, -0.337)),
    "wrist_roll": (0.355, (-0.030, -1.482, -100.881), (615.921, 625.307, 62.574, -0.067, 7.916, 0.428)),
}
ALPHA_JOINTS = ["base_yaw", "shoulder_pitch", "elbow_pitch", "wrist_roll"]


def test_reach_alpha_5_follows_its_dh_table():
    system = load("bluerov2_heavy_alpha5")
    for q, angles in random_states(system, ALPHA_JOINTS):
        # the datasheet's base frame, half a turn behind the frame in which the mount is given
        before = system.pose(q, "rov") @ move(0.25, -0.10965, 0.005) @ rotate_z(-PI)
        frames = {"arm_base": before @ rotate_z(PI)}
        for (d, offset, a, alpha), joint, angle in zip(
            ALPHA_ROWS, [*ALPHA_JOINTS, "tool"], [*angles, 0.0], strict=True
        ):
            frames[joint] = before @ rotate_z(angle + offset)
            before = before @ dh(d / 1000, angle + offset, a / 1000, alpha)
        agree(system.pose(q, "tool"), before)
        check_links(system, q, frames, ALPHA_LINKS)


def check_links(system, q, frames, links):
    """Masses, centres (mm) and tensors (kg mm²) given in `frames` are the system's, seen from the world."""
    for name, (mass, centre, moments) in links.items():
        g = frames[name]
        com, inertia = world_inertia(system, q, name)
        assert system.tree.link(name).mass == mass
        agree(com, (g @ [*(np.array(centre) / 1000), 1])[:3])
        agree(inertia, g[:3, :3] @ tensor(*moments) @ g[:3, :3].T / 1e6)


def test_reach_alpha_5_buoyancy_is_the_datasheets():
    system = load("bluerov2_heavy_alpha5")
    volumes = dict(zip(ALPHA_LINKS, (0.157, 0.032, 0.218, 0.032, 0.134), strict=True))  # litres
    hulls = {b.parent: b for b in system.tree.bodies if b.name.endswith("_hull") and b.fluid.volume}
    assert set(hulls) == set(volumes)
    for link, hull in hulls.items():
        assert hull.fluid.volume == pytest.approx(volumes[link] / 1000, rel=1e-15)
        assert np.linalg.norm(hull.at.xyz - system.tree.link(link).com) < 0.04
    assert sum(volumes.values()) == pytest.approx(0.573)


THETA_S = np.arctan(5.2 / 290.77)
BRAVO_ROWS = [
    (41.45, 0, 67.5, PI),
    (-117.48, PI, 46, -PI / 2),
    (0, -PI / 2 + THETA_S, np.sqrt(5.2**2 + 290.77**2), 0),
    (0, -PI / 2 - THETA_S, 40.8, -PI / 2),
    (-160.26, PI, 40.8, -PI / 2),
    (0, 0, 40.8, -PI / 2),
    (-224.16, 0, 0, PI / 2),
    (0, -PI / 2, 120, 0),
]
BRAVO_LINKS = {
    "arm_base": (1.85, (-15, 1, -2), (2528, 2593, 3312, 20, -23, -7)),
    "base_yaw": (1.62, (31, 10, -98), (3179, 4209, 2387, -233, 1024, 344)),
    "shoulder_pitch": (2.12, (176, 22, 4), (3420, 35166, 35981, 1868, -3150, 79)),
    "elbow_pitch": (1.33, (34, -46, -3), (1809, 1557, 2024, 398, -156, 197)),
    "forearm_roll": (1.33, (28, 12, -145), (1983, 2676, 1526, -180, 641, 264)),
    "wrist_pitch": (0.97, (31, -39, -6), (1272, 1205, 1511, 346, -116, 189)),
    "wrist_roll": (1.09, (0, 0, -127), (1977, 1986, 1035, 0, 15, -1)),
    "jaws": (0.64, (1, 1, 0), (2237, 309, 2258, 18, 0, -1)),
}


def test_reach_bravo_7_follows_its_dh_table():
    system = load("bluerov2_bravo7")
    joints = list(BRAVO_LINKS)[1:-1]
    for q, angles in random_states(system, joints):
        before = system.pose(q, "rov") @ move(0.15, 0, -0.13) @ rotate_x(PI)
        frames = {}
        rows = zip(BRAVO_ROWS, BRAVO_LINKS, [0.0, *angles, 0.0], strict=True)
        for (d, offset, a, alpha), link, angle in rows:
            frames[link] = before @ rotate_z(angle + offset)
            after = before @ dh(d / 1000, angle + offset, a / 1000, alpha)
            if link == "arm_base":
                frames[link] = after  # frames 0 and 1 share an origin
            if link == "jaws":
                frames[link] = before  # before the turn of the tool row
            before = after
        agree(system.pose(q, "tool"), before)
        check_links(system, q, frames, BRAVO_LINKS)


# mass, moments and products, joint from the parent's centre of mass, own centre, angles of Rx Ry Rz
ETS = {
    "shoulder_yaw": (
        35.01, (1.218, 0.5132, 1.692, -0.07309, 0.00071, 0.1132),
        (-0.785, -0.295, 1), (0, 0, 0.175), (0, 0, 0),
    ),
    "shoulder_pitch": (
        22.45, (0.102, 3.378, 3.752, 0, -0.00214, 0),
        (0, 0.275, 0.175), (0.435, 0, 0), (-PI / 2, 0, -PI / 2),
    ),
    "elbow_pitch": (
        21.89, (0.4327, 2.266, 2.528, 0, -0.6328, 0),
        (0.435, 0, 0), (0.315, 0, 0.275), (0, 0, PI / 2),
    ),
    "wrist_pitch": (
        16.54, (0.3878, 0.3963, 0.07271, 0, 0.01675, 0),
        (0.315, 0, 0), (0, 0, -0.1335), (0, 0, -PI / 2),
    ),
    "wrist_yaw": (
        26.00, (0.5727, 0.5987, 0.1290, 0, -0.2313, 0),
        (0, 0, -0.1335), (0, 0, 0.1385), (PI / 2, PI / 2, 0),
    ),
    "wrist_roll": (
        18.49, (0.165, 0.241, 0.259, 0.000781, -0.0145, -0.000137),
        (0, 0, 0.1385), (0, 0, 0.266), (PI, PI / 2, 0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ["ets_vii", "ets_vii_wheels"])
def test_ets_vii_walks_from_centre_of_mass_to_joint(name):
    system = load(name)
    for q, angles in random_states(system, ETS):
        at_com = system.pose(q, "chaser")
        for angle, (body, (mass, moments, t, f, (a, b, c))) in zip(angles, ETS.items(), strict=True):
            joint = at_com @ move(*t) @ rotate_x(a) @ rotate_y(b) @ rotate_z(c) @ rotate_z(angle)
            at_com = joint @ move(*f)
            com, inertia = world_inertia(system, q, body)
            assert system.tree.link(body).mass == mass
            agree(com, at_com[:3, 3], 10)
            agree(inertia, at_com[:3, :3] @ tensor(*moments) @ at_com[:3, :3].T, 10)
        agree(system.pose(q, "tool"), joint @ move(0, 0, 0.53), 10)


def test_ets_vii_wheels_spin_about_the_chasers_axes():
    system = load("ets_vii_wheels")
    q = system.neutral()
    for i, wheel in enumerate(["wheel_x", "wheel_y", "wheel_z"]):
        g = system.pose(q, wheel)
        agree(g[:3, 2], np.eye(3)[i])
        agree(g[:3, 3], 0.8 * np.eye(3)[i])
        agree(world_inertia(system, q, wheel)[1], np.diag([1.0 if k == i else 0.001 for k in range(3)]))


def test_spart_spacecraft_by_hand():
    system = load("spart_sc_3dof")
    for q, (a, b, c) in random_states(system, ["shoulder_yaw", "shoulder_pitch", "elbow_pitch"]):
        g1 = system.pose(q, "bus") @ move(0, 0, 0.375 + 0.25) @ rotate_z(a)
        g2 = g1 @ move(0, 0, 0.2) @ rotate_x(b)
        g3 = g2 @ move(0, 0, 0.75) @ rotate_x(c)
        agree(system.pose(q, "tool"), g3 @ move(0, 0, 0.75))
        points = [(g1 @ [0, 0, 0.1, 1], 5), (g2 @ [0, 0, 0.375, 1], 10), (g3 @ [0, 0, 0.375, 1], 10)]
        bus = system.pose(q, "bus")
        points += [(bus @ [0, 0, 0, 1], 100), (bus @ [0, 0, 0.5, 1], 5)]
        agree(system.centre_of_mass(q), sum(m * p[:3] for p, m in points) / 130)


SSRMS = [
    ("shoulder_roll", rotate_x, (1.3589, 0, 0)), ("shoulder_yaw", rotate_z, (0, 0, 0.7026)),
    ("shoulder_pitch", rotate_y, (0, -0.5692, 0)), ("elbow_pitch", rotate_y, (7.11, -0.475, 0)),
    ("wrist_pitch", rotate_y, (7.11, 0, 0)), ("wrist_yaw", rotate_z, (0, -0.5692, 0)),
    ("wrist_roll", rotate_x, (0, 0, -0.7026)),
]  # fmt: skip


def test_ssrms_chain_and_centres_half_way():
    system = load("ssrms_station")
    ends = [*(offset for _, _, offset in SSRMS), (1.3589, 0, 0)]
    for q, angles in random_states(system, [joint for joint, _, _ in SSRMS]):
        g = system.pose(q, "base_latch")
        agree(g[:3, 0], system.pose(q, "station")[:3, 2])
        for (joint, turn, offset), angle, end in zip(SSRMS, angles, ends[1:], strict=True):
            g = g @ move(*offset) @ turn(angle)
            agree(system.pose(q, joint), g, 20)
            agree(world_inertia(system, q, joint)[0], (g @ [*(np.array(end) / 2), 1])[:3], 20)
        agree(system.pose(q, "tool"), g @ move(1.3589, 0, 0), 20)


def test_planar_two_link_matches_the_law_of_motion_of_its_base():
    """Straight and locked, the moment about the base is that of three bodies on a line."""
    system = load("papadopoulos_dubowsky")
    q = system.neutral()
    M = mass_matrix(system.tree, q)
    masses, x = np.array([40, 4, 3]), np.array([0, 1.0, 2.0])
    assert M[2, 2] == pytest.approx(6.667 + 0.333 + 0.25 + masses @ x**2, rel=1e-14)
    assert M[1, 2] == pytest.approx(masses @ x, rel=1e-14)
    agree(system.pose(q, "tool")[:3, 3], (2.5, 0, 0))


def test_manisat_is_symmetric():
    system = load("manisat")
    q = system.pack({"left_shoulder": 0.3, "left_elbow": -0.7, "right_shoulder": -0.3, "right_elbow": 0.7})
    left, right = system.pose(q, "tool_left")[:3, 3], system.pose(q, "tool_right")[:3, 3]
    agree(left * [1, -1, 1], right)
    agree(system.centre_of_mass(q)[1:], (0, 0))
    agree(system.pose(system.neutral(), "tool_left")[:3, 3], (0, 0.2 + 2 * 0.3852, 0))
