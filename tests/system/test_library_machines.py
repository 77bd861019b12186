"""Built-in systems on drones, rovers and gantries: against Pinocchio on the published URDFs, and by hand."""

from pathlib import Path

import numpy as np
import pinocchio
import pytest
from tests.system.library_systems import load, move, rotate_x, rotate_z

from unmoored.dynamics.mass_matrix import mass_matrix

URDFS = Path(pinocchio.__file__).parents[4] / "share" / "example-robot-data" / "robots"
DRONES = {
    "borinot": ("borinot_description/urdf/borinot_flying_arm_2.urdf", "flying_arm_2__ee"),
    "hextilt_arm5": ("hextilt_description/urdf/hextilt_flying_arm_5.urdf", "flying_arm_5__gripper"),
}


def pinocchio_model(name):
    """The published model, its right angles printed as 1.5708 and 3.1416 made exact."""
    text = (URDFS / DRONES[name][0]).read_text()
    text = text.replace("1.5708", repr(np.pi / 2)).replace("3.1416", repr(np.pi))
    model = pinocchio.buildModelFromXML(text, pinocchio.JointModelFreeFlyer())
    return model, model.createData()


@pytest.mark.parametrize("name", DRONES)
def test_drones_agree_with_pinocchio(name):
    system = load(name)
    model, data = pinocchio_model(name)
    rng = np.random.default_rng(11)
    assert system.mass == pytest.approx(pinocchio.computeTotalMass(model), rel=1e-14)
    for _ in range(3):
        q_pin = pinocchio.integrate(model, pinocchio.neutral(model), rng.uniform(-1.6, 1.6, model.nv))
        pinocchio.crba(model, data, q_pin)
        pinocchio.framesForwardKinematics(model, data, q_pin)
        q = system.random_configuration(rng)
        q[:9], q[9:12], q[12:] = data.oMi[1].rotation.ravel(), q_pin[:3], q_pin[7:]
        expected = np.triu(data.M) + np.triu(data.M, 1).T
        np.testing.assert_allclose(mass_matrix(system.tree, q), expected, rtol=0, atol=1e-13)
        tool = data.oMf[model.getFrameId(DRONES[name][1])].homogeneous
        np.testing.assert_allclose(system.pose(q, "tool"), tool, rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", DRONES)
def test_drone_joint_limits_are_the_published_ones(name):
    system = load(name)
    model, _ = pinocchio_model(name)
    joints = [body.joint for body in system.tree.bodies if body.joint.kind == "Revolute"]
    published = np.stack([model.lowerPositionLimit[7:], model.upperPositionLimit[7:]], axis=-1)
    np.testing.assert_array_equal([j.limits[:, 0] for j in joints], published)
    np.testing.assert_array_equal([j.effort[0] for j in joints], model.effortLimit[6:])


def test_free_flyer_has_exact_right_angles_and_principal_inertias():
    """Zeros of the reference system fold away in the kernels only when they are exact."""
    tree = load("free_flyer_arm7").tree
    for body in tree.bodies:
        assert set(np.unique(body.at.rotation)) <= {-1.0, 0.0, 1.0}
        assert np.array_equal(body.inertia.tensor, np.diag(np.diag(body.inertia.tensor)))
        assert np.count_nonzero(body.inertia.com) <= 1
        assert np.count_nonzero(body.at.xyz) <= 1
        if body.parent != "world":
            assert np.array_equal(body.joint.axis, [0, 0, 1])


def test_free_flyer_arm_stands_straight_and_its_axes_alternate():
    system = load("free_flyer_arm7")
    q = system.neutral()
    np.testing.assert_array_equal(system.pose(q, "tool"), move(0, 0, 0.5 + 2.2))
    axes = [system.pose(q, body)[:3, 2] for body in system.names[1:]]
    np.testing.assert_array_equal(axes, [(0, 0, 1), (0, 1, 0)] * 3 + [(0, 0, 1)])


@pytest.mark.parametrize(
    ("name", "base", "mount", "lengths", "tool"),
    [
        ("rover_arm6", "rover", (0.3, 0, 0.4), (0.09, 0.14, 0.42, 0.40, 0.12, 0.1, 0.1), 0.08),
        ("supply_vessel_arm6", "vessel", (0, 0, 3.4), (3, 2, 10, 8, 2, 0.8, 0.6), 0.5),
    ],
)
def test_six_joint_arms_by_hand(name, base, mount, lengths, tool):
    system = load(name)
    d1, side, upper, fore, back, d4, d5 = lengths
    rng = np.random.default_rng(2)
    for _ in range(3):
        q = system.random_configuration(rng)
        a = rng.uniform(-np.pi, np.pi, 6)
        q[12:] = a
        up = rotate_x(-np.pi / 2)
        g = system.pose(q, base) @ move(*mount) @ rotate_z(a[0]) @ move(0, side, d1) @ up @ rotate_z(a[1])
        g = g @ move(0, -upper, -back) @ rotate_z(a[2]) @ move(0, -fore, 0) @ rotate_z(a[3])
        g = g @ move(0, 0, d4) @ up.T @ rotate_z(a[4]) @ move(0, 0, d5) @ up @ rotate_z(a[5])
        g = g @ move(0, 0, tool)
        np.testing.assert_allclose(system.pose(q, "tool"), g, rtol=0, atol=1e-12 * (1 + upper))


def test_rover_stays_on_the_ground():
    system = load("rover_arm6")
    pose = system.pose(system.random_configuration(4), "rover")
    np.testing.assert_array_equal(pose[2], [0, 0, 1, 0])
    np.testing.assert_array_equal(pose[:3, 2], [0, 0, 1])


def test_gantry_crane_moves_rail_and_cart_along_x_but_the_cart_alone_along_y():
    system = load("gantry_crane")
    M = mass_matrix(system.tree, system.neutral())
    swing = 1.0 * 0.5**2 + 0.4 * 0.03**2
    assert M[0, 0] == pytest.approx(1.155 + 1.0 + 2.2, rel=1e-14)
    assert M[1, 1] == pytest.approx(1.155 + 1.0, rel=1e-14)
    np.testing.assert_allclose(np.diag(M)[2:], [swing, swing, 0.4 * 0.03**2], rtol=1e-14)
    # the payload hangs below: turning about +y moves it to −x, about +x to +y
    assert M[0, 3] == pytest.approx(-0.5, rel=1e-14)
    assert M[1, 2] == pytest.approx(0.5, rel=1e-14)


def test_schoenflies_base_keeps_upright_and_its_arm_hangs():
    system = load("schoenflies_arm")
    np.testing.assert_array_equal(system.pose(system.random_configuration(1), "carriage")[:3, 2], [0, 0, 1])
    tool = system.pose(system.neutral(), "tool")
    np.testing.assert_allclose(tool[:3, 3], (0, 0, 2 - 0.2 - 0.6 - 0.4 - 0.16), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(tool[:3, 2], (0, 0, -1))


def test_brick_has_three_distinct_moments():
    brick = load("tumbling_brick").tree.bodies[0].inertia
    a, b, c = np.array([0.24, 0.115, 0.071]) ** 2
    np.testing.assert_allclose(brick.tensor, np.diag([b + c, a + c, a + b]) * 3.6 / 12, rtol=1e-15)
    assert np.diff(np.sort(np.diag(brick.tensor))).min() > 0.1 * brick.tensor.max()


def test_rexrov_arm_by_hand():
    system = load("rexrov_oberon7")
    rng = np.random.default_rng(8)
    q = system.random_configuration(rng)
    a = rng.uniform(-np.pi, np.pi, 6)
    q[12:] = a
    x90, xm90 = rotate_x(np.pi / 2), rotate_x(-np.pi / 2)
    y = np.array([[0, 0, -1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1.0]])  # −90° about y
    g = system.pose(q, "rov") @ move(1.3, -0.5, -0.615) @ rotate_z(a[0])
    g = g @ move(0.06955, 0.00015, 0.01536) @ x90 @ rotate_z(a[1])
    g = g @ move(0.55616, -0.01229, 0) @ rotate_z(a[2])
    g = g @ move(0.1349014, -0.1936267, 0) @ x90 @ rotate_z(a[3])
    g = g @ move(0, 0, 0.315958) @ y @ xm90 @ rotate_z(a[4])
    g = g @ move(0.19304, 0, 0) @ rotate_x(a[5]) @ move(0.2, 0, 0)
    np.testing.assert_allclose(system.pose(q, "tool"), g, rtol=0, atol=1e-13)


def test_the_mantis_hangs_its_arm_as_published():
    """Joints about −y of the body: a positive angle swings the arm forward; two links below the origin."""
    system = load("mantis_quad_arm2")
    for a, b in ((0.0, 0.0), (0.4, -0.9), (np.pi / 2, 0.3)):
        tool = system.pose(system.pack({"shoulder": a, "elbow": b}), "tool")[:3, 3]
        reach = 0.235 * np.array([np.sin(a), -np.cos(a)]) + 0.21 * np.array([np.sin(a + b), -np.cos(a + b)])
        np.testing.assert_allclose(tool, [reach[0], 0, -0.05025 + reach[1]], atol=1e-15)
    M = mass_matrix(system.tree, system.neutral())
    about_elbow = 2.5428e-4 + 0.116 * 0.115**2
    about_shoulder = 2.5428e-4 + 0.216 * 0.1505**2 + 2.5428e-4 + 0.116 * (0.235 + 0.115) ** 2
    assert M[7, 7] == pytest.approx(about_elbow, rel=1e-12)
    assert M[6, 6] == pytest.approx(about_shoulder, rel=1e-12)
    radii = [np.hypot(*system.pose(system.neutral(), f"rotor_{k}")[:2, 3]) for k in (1, 2, 3, 4)]
    np.testing.assert_allclose(radii, 0.225, atol=1e-15)


def test_the_f550_points_its_arm_up_and_its_rotors_give_the_published_rows():
    system = load("f550_arm2")
    for a, b in ((0.0, 0.0), (0.4, -0.9)):
        tool = system.pose(system.pack({"shoulder": a, "elbow": b}), "tool")[:3, 3]
        reach = 0.25 * np.array([np.sin(a), np.cos(a)]) + 0.30 * np.array([np.sin(a + b), np.cos(a + b)])
        np.testing.assert_allclose(tool, [0.05 + reach[0], 0.005, 0.05 + reach[1]], atol=1e-15)
    M = mass_matrix(system.tree, system.neutral())
    assert M[7, 7] == pytest.approx(0.001 * 0.15**2 + 0.05923 * 0.3**2 + 13.192e-6, rel=1e-12)
    p = np.array([system.pose(system.neutral(), f"rotor_{k}")[:3, 3] for k in range(1, 7)])
    roll = 0.275 * np.array([0.5, 1, 0.5, -0.5, -1, -0.5])
    pitch = 0.275 * np.sqrt(3) / 2 * np.array([-1, 0, 1, 1, 0, -1])
    np.testing.assert_allclose(
        np.cross(p, [0, 0, 1.0]), np.stack([roll, pitch, 0 * roll], axis=1), atol=1e-14
    )


def test_phoenix_and_smart_3s_by_hand():
    """The source's total mass matrix, the DH table, masses that float; forward-right-down turned half about x."""
    system = load("phoenix_smart3s")
    rng = np.random.default_rng(5)
    a = rng.uniform(-np.pi, np.pi, 6)
    q = system.neutral()
    q[12:] = a
    dh = [(0.15, -1, 0), (0.61, 0, 0), (0.11, -1, 0), (0, 1, 0.61), (0, -1, -0.113), (0, 0, 0.103)]
    g = move(0, 0, -1.5) @ rotate_x(np.pi)
    for angle, (length, quarter, offset) in zip(a, dh, strict=True):
        g = g @ rotate_z(angle) @ move(length, 0, offset) @ rotate_x(quarter * np.pi / 2)
    np.testing.assert_allclose(system.pose(q, "tool"), g, rtol=0, atol=1e-12)
    vehicle = system.tree.bodies[0]
    T = np.diag([1.0, -1, -1, 1, -1, -1])
    total = T @ (vehicle.inertia.matrix + vehicle.fluid.added_mass) @ T
    np.testing.assert_allclose(np.diag(total), [6019, 9551, 23320, 4129, 49130, 20690], rtol=1e-12)
    for i, j, x in ((0, 4, 332.5), (1, 3, -380.2), (1, 5, -473.6), (2, 4, 2683), (3, 5, 84.67)):
        assert total[i, j] == pytest.approx(x, abs=0.3)
    assert vehicle.fluid.volume * 1000 == pytest.approx(vehicle.inertia.mass)
    second = system.tree.bodies[2].fluid
    assert second.volume == pytest.approx(np.pi * 0.01 * 1.0)
    assert second.added_mass[1, 1] == pytest.approx(1000 * np.pi * 0.01)
    assert second.added_mass[0, 0] == pytest.approx(8.0)


def test_envisat_is_its_tensor():
    system = load("envisat")
    J = mass_matrix(system.tree, system.neutral())[3:, 3:]
    expected = [[17023.3, 397.1, -2171.4], [397.1, 124825.7, 344.2], [-2171.4, 344.2, 129112.2]]
    np.testing.assert_allclose(J, expected, rtol=1e-15)
