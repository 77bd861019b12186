"""What the viewer puts into the scene, without a browser: overlays, gizmo, sliders, surroundings."""

from dataclasses import replace

import numpy as np
import pytest

import unmoored as um
from unmoored.lie import se3, so3
from unmoored.lie.conversions import from_quaternion_wxyz
from unmoored.views import view
from unmoored.views.viewer import overlays, scene_nodes
from unmoored.views.viewer.actor import Actor, Ghosts
from unmoored.views.viewer.environment import elevation_of, guess
from unmoored.views.viewer.environment_nodes import round_length
from unmoored.views.viewer.joint_sliders import JointSliders, nearest, slider_ranges
from unmoored.views.viewer.overlays.ellipsoids import STEP
from unmoored.views.viewer.shown_instant import Snapshot, at_rest


@pytest.fixture(scope="module")
def setting(server):
    system = um.load("free_flyer_arm7")
    return overlays.Setting(server, Actor(server, system, "overlaid"), 2.0)


@pytest.fixture(scope="module")
def snapshot(setting):
    rng = np.random.default_rng(3)
    system = setting.actor.system
    return Snapshot(system, 0.0, system.random_configuration(rng), rng.normal(size=system.nv))


def pose_of(node):
    return se3.pose(from_quaternion_wxyz(np.array(node.wxyz)), np.array(node.position))


def test_an_actor_puts_every_body_where_it_is(setting, snapshot):
    setting.actor.show(snapshot)
    for name, node in zip(snapshot.system.names, setting.actor.nodes, strict=True):
        np.testing.assert_allclose(pose_of(node), snapshot.system.pose(snapshot.q, name), atol=1e-13)


def test_ghosts_stand_where_their_samples_are(server, snapshot):
    system = snapshot.system
    q = np.stack([snapshot.q, system.neutral()])
    ghosts = Ghosts(server, [system, system], "ghosts")
    ghosts.show([np.stack([system.pose(q[0], n), system.pose(q[1], n)]) for n in system.names])
    for name, groups in zip(system.names, ghosts._bodies, strict=True):
        ((samples, meshes),) = groups
        assert samples == [0, 1]
        for mesh in meshes:
            np.testing.assert_allclose(mesh.batched_positions, system.pose(q, name)[:, :3, 3], atol=1e-6)


def test_centre_of_mass(setting, snapshot):
    overlay = overlays.CentreOfMass(setting)
    overlay.switch(True, snapshot)
    assert overlay.root.visible
    np.testing.assert_allclose(overlay._ball.position, snapshot.system.centre_of_mass(snapshot.q), atol=1e-13)
    overlay.switch(False, snapshot)
    assert not overlay.root.visible


def test_momentum_arrows_point_along_momentum(setting, snapshot):
    overlay = overlays.Momentum(setting)
    overlay.switch(True, snapshot)
    μ = snapshot.system.momentum(snapshot.q, snapshot.v, about="com")
    for arrows, part in zip(overlay._arrows, (μ[:3], μ[3:]), strict=True):
        (start, end) = arrows._node.points[0]
        np.testing.assert_allclose(start, snapshot.centre_of_mass, atol=1e-6)
        np.testing.assert_allclose(end - start, 0.8 * part / np.linalg.norm(part), atol=1e-5)
    overlay.show(at_rest(snapshot.system))
    assert not any(arrows._node.visible for arrows in overlay._arrows)


def test_ellipsoids_are_images_of_the_unit_ball(setting, snapshot):
    system = snapshot.system
    J = system.mixed_jacobian(snapshot.q, "tool")[:3, 6:]
    J_G = (
        system.pose(snapshot.q, "tool")[:3, :3]
        @ system.generalized_jacobian(snapshot.q, "tool", passive=["bus"])[:3]
    )
    pairs = ((overlays.Manipulability, J), (overlays.GeneralizedManipulability, J_G))
    for make, jacobian in pairs:
        overlay = make(setting)
        overlay.switch(True, snapshot)
        g, semi_axes = pose_of(overlay._mesh), np.array(overlay._mesh.scale)
        shape = g[:3, :3] @ np.diag(semi_axes**2) @ g[:3, :3].T
        np.testing.assert_allclose(shape, STEP**2 * jacobian @ jacobian.T, atol=1e-12)
        np.testing.assert_allclose(g[:3, 3], system.pose(snapshot.q, "tool")[:3, 3], atol=1e-13)


def test_joint_axes_lie_along_the_joints(setting, snapshot):
    overlay = overlays.JointAxes(setting)
    overlay.switch(True, snapshot)
    points = overlay._turning._node.points
    for (start, end), name in zip(points, snapshot.system.names[1:], strict=True):
        J = snapshot.system.spatial_jacobian(snapshot.q, name)[:, snapshot.system.tree.dofs(name)[0]]
        np.testing.assert_allclose((end - start) / 0.4, J[3:], atol=1e-5)
        np.testing.assert_allclose(so3.cross(start, J[3:]), J[:3], atol=1e-5)


def test_joint_axes_turn_slide_or_are_left_out(server):
    """One arrow of 0.2 sizes for each motion of joints with one or two; a screw turns, a planar joint has too many."""
    b, mass = um.SystemBuilder("axes"), um.Inertia.box(1.0, (1, 1, 1))
    last = b.vehicle("cart", um.Prismatic((0, 0, 1)), inertia=mass, at=um.Pose(rpy=(0.3, 0.2, 0.1)))
    for name, joint in {
        "slide": um.Prismatic((0, 1, 0)), "screw": um.Helical((1, 0, 0), 0.1), "cross": um.Universal(),
        "table": um.Planar(), "tube": um.Cylindrical((1, 0, 0)),
    }.items():  # fmt: skip
        last = b.link(
            name, parent=last, joint=joint, at=um.Pose(xyz=(1, 2, 3), rpy=(0.5, 0, 0)), inertia=mass
        )
    system = b.build()
    shown = at_rest(system, system.random_configuration(4))
    overlay = overlays.JointAxes(overlays.Setting(server, Actor(server, system, "axes"), 3.0))
    overlay.switch(True, shown)
    places = {name: system.pose(shown.q, name) for name in system.names}
    motions = {link.name: link.joint.basis(shown.q[link.q]).T for link in system.tree.links}
    assert [len(motions[name]) for name in ("table", "tube", "cross")] == [3, 2, 2]
    turning = [(name, s[3:]) for name in ("screw", "cross", "tube") for s in motions[name] if s[3:].any()]
    sliding = [(name, s[:3]) for name in ("cart", "slide", "tube") for s in motions[name] if not s[3:].any()]
    for arrows, expected in ((overlay._turning, turning), (overlay._sliding, sliding)):
        starts = np.array([places[name][:3, 3] for name, _ in expected])
        along = np.array([places[name][:3, :3] @ axis for name, axis in expected])
        np.testing.assert_allclose(arrows._node.points[:, 0], starts, atol=1e-6)
        np.testing.assert_allclose(arrows._node.points[:, 1], starts + 0.6 * along, atol=1e-6)


def test_frames_show_their_poses(setting, snapshot):
    overlay = overlays.Frames(setting)
    overlay.switch(True, snapshot)
    np.testing.assert_allclose(
        pose_of(overlay._nodes["tool"]), snapshot.system.pose(snapshot.q, "tool"), atol=1e-13
    )


@pytest.fixture(scope="module")
def wet(server):
    system = um.load("bluerov2_heavy_alpha5")
    actor = Actor(server, system, "wet")
    inputs = tuple(f"thruster_{i}" for i in range(1, 9))
    return overlays.Setting(server, actor, 1.0, (um.Ocean(density=1000.0),), inputs)


def test_thruster_arrows_are_their_forces(wet):
    system = wet.actor.system
    overlay = overlays.Thrusters(wet)
    u = np.array([10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -5.0])
    overlay.switch(True, replace(at_rest(system, system.random_configuration(1)), u=u))
    snapshot = replace(at_rest(system, system.random_configuration(1)), u=u)
    points = overlay._arrows._node.points
    assert len(points) == 2
    for (start, end), (name, force) in zip(points, [("thruster_1", 10.0), ("thruster_8", -5.0)], strict=True):
        g = system.pose(snapshot.q, name)
        np.testing.assert_allclose(start, g[:3, 3], atol=1e-6)
        np.testing.assert_allclose(end - start, 0.035 * force * g[:3, 0], atol=1e-6)


def test_thrusters_that_are_no_inputs_do_not_push(wet):
    """And without any inputs all show where they push."""
    system = wet.actor.system
    overlay = overlays.Thrusters(replace(wet, input_names=("other", "thruster_3")))
    assert overlay._frames == [f"thruster_{k}" for k in range(1, 9)]
    assert overlay._forces(np.array([7.0, -2.0])).tolist() == [0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    overlay.switch(True, at_rest(system))
    ways = np.diff(overlay._arrows._node.points, axis=1)[:, 0]
    poses = [system.pose(system.neutral(), name) for name in overlay._frames]
    np.testing.assert_allclose(ways, [0.35 * g[:3, 0] for g in poses], atol=1e-6)


def test_buoyancy_and_weight_are_to_scale(wet):
    system = wet.actor.system
    overlay = overlays.Buoyancy(wet)
    overlay.switch(True, at_rest(system))
    up, down = (arrows._node.points for arrows in (overlay._up, overlay._down))
    volumes = [b.fluid.volume for b in system.tree.bodies if b.fluid is not None and b.fluid.volume > 0]
    ratio = np.sum(up[:, 1, 2] - up[:, 0, 2]) / np.sum(down[:, 0, 2] - down[:, 1, 2])
    assert ratio == pytest.approx(1000.0 * sum(volumes) / system.mass, rel=1e-5)


class TestGizmo:
    def test_a_free_vehicle_follows_any_pose(self):
        link = um.load("free_flyer_arm7").tree.links[0]
        g = se3.exp(np.array([0.5, -1.0, 2.0, 0.4, 1.1, -0.7]))
        stored = nearest(link, link.joint.neutral(), g)
        np.testing.assert_allclose(link.placement @ link.joint.transform(stored), g, atol=1e-12)

    def test_a_planar_vehicle_stays_in_its_plane(self):
        link = um.load("rover_arm6").tree.links[0]
        g = se3.exp(np.array([0.5, -1.0, 0.8, 0.0, 0.0, 0.9]))
        found = link.placement @ link.joint.transform(nearest(link, link.joint.neutral(), g))
        flat = g.copy()
        flat[2, 3] = 0.0
        np.testing.assert_allclose(found, flat, atol=1e-9)


def test_sliders_have_the_joints_limits():
    system = um.load("rover_arm6")
    low, high = slider_ranges(system.tree.link("elbow"), 1.0)
    np.testing.assert_array_equal([low, high], system.tree.link("elbow").joint.limits)
    builder = um.SystemBuilder("free")
    cart = builder.vehicle("cart", um.Prismatic(axis=(1, 0, 0)), inertia=um.Inertia.point(1.0))
    builder.link("ball", parent=cart, joint=um.Spherical(), inertia=um.Inertia.sphere(1.0, 0.1))
    tree = builder.build().tree
    np.testing.assert_array_equal(slider_ranges(tree.links[0], 0.7)[1], [0.7])
    np.testing.assert_allclose(slider_ranges(tree.links[1], 0.7)[1], np.pi / np.sqrt(3))


@pytest.mark.parametrize("turn", [0.0, 0.5])
def test_a_joint_of_ones_own_that_only_slides_has_a_slider_of_the_reach(turn):
    def pose(q):
        o = 0.0 * q[0]
        return se3.pose(so3.exp(np.stack([o, o, turn * q[0]])), np.stack([o, o, q[0]]))

    def twist(q):
        o = 0.0 * q[0]
        return np.stack([o, o, 1.0 + o, o, o, turn + o])[:, None]

    builder = um.SystemBuilder("own")
    builder.vehicle("own", um.CustomJoint(1, pose, twist), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    low, high = slider_ranges(builder.build().tree.links[0], 0.7)
    assert (low, high) == ((-0.7, 0.7) if turn == 0.0 else (-np.pi, np.pi))


def test_every_joint_kind_has_sliders_that_show_a_configuration(server):
    system = um.load("gantry_crane")
    sliders = JointSliders(server.gui, system, system.neutral(), 1.0, lambda q: None)
    q = system.random_configuration(2)
    sliders.show(q)
    payload = system.tree.link("payload")
    values = [slider.value for slider in sliders._sliders[0][1]]
    np.testing.assert_allclose(payload.joint.coordinates(q[payload.q]), values, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "world", "kind"),
    [
        ("free_flyer_arm7", None, "space"),
        ("rover_arm6", None, "ground"),
        ("bluerov2_heavy", None, "water"),
        ("borinot", um.Earth(), "ground"),
        ("bluerov2_heavy", um.Ocean(), "water"),
        ("supply_vessel_arm6", um.Sea(), "ship"),
        ("free_flyer_arm7", um.Space(), "space"),
    ],
)
def test_surroundings_fit_the_world(name, world, kind):
    assert guess(um.load(name), () if world is None else (world,)) == kind


def test_waves_are_the_seas_own_at_the_ship():
    sea = um.Sea()
    surface = elevation_of((sea,))
    for t in (0.0, 3.7):
        np.testing.assert_allclose(surface(t, np.zeros((1, 2)))[0], sea.elevation(t), rtol=1e-12)
    # a head sea goes towards −x: a little later the same crest is a little astern
    xs = np.stack([np.linspace(-200, 200, 2001), np.zeros(2001)], axis=-1)
    first, later = surface(0.0, xs), surface(0.05, xs)
    moved = np.gradient(first, xs[:, 0])
    assert np.sum((later - first) * moved) > 0


@pytest.mark.parametrize(("x", "expected"), [(0.9, 1.0), (0.13, 0.1), (4.0, 5.0), (170.0, 200.0)])
def test_round_lengths(x, expected):
    assert round_length(x) == pytest.approx(expected, rel=1e-12)


@pytest.mark.whole
@pytest.mark.parametrize("name", um.systems())
@pytest.mark.filterwarnings("ignore::unmoored.ModelWarning")
def test_every_built_in_system_opens(name):
    with view(um.load(name), port=0, wait=False) as viewer:
        assert viewer.url.startswith("http://127.0.0.1:")


def test_lines_between_the_frames_of_what_acts(setting, snapshot):
    """One line for each element and closure that acts at the time that is shown, between its frames."""
    last = snapshot.system.names[-1]
    ties = (um.SpringDamper("world", last, name="spring"), um.Closure("world", last, name="hook"))
    own = replace(setting, ties=ties, is_on=lambda tie, t: tie.label == "spring" or t > 1.0)
    drawn = overlays.Ties(own)
    drawn.switch(True, snapshot)
    (springs, _), (hooks, _) = drawn._lines
    assert springs.visible
    assert not hooks.visible
    wanted = np.array([[[0, 0, 0], snapshot.system.pose(snapshot.q, last)[:3, 3]]])
    np.testing.assert_allclose(springs.points, wanted, atol=1e-6)
    drawn.show(replace(snapshot, t=2.0))
    assert hooks.visible


def test_a_plant_at_rest_shows_what_ties_it():
    b = um.SystemBuilder("moored")
    buoy = b.vehicle("buoy", um.Free(), inertia=um.Inertia.sphere(mass=40.0, radius=0.3))
    b.frame("eye", parent=buoy, at=um.Pose(xyz=(0, 0, -0.3)))
    rope = um.Line("world", "eye", stiffness=2000.0, rest_length=5.0, name="rope")
    spare = um.Line("world", "eye", stiffness=2000.0, rest_length=5.0, active=0.0, name="spare")
    with view(um.Plant(b.build(), um.Earth(), elements=[rope, spare]), port=0, wait=False) as viewer:
        (ties,) = next(
            group for group in viewer.content._overlays._groups if isinstance(group[0], overlays.Ties)
        )
        (lines, _), _ = ties._lines
        np.testing.assert_allclose(lines.points, [[[0, 0, 0], [0, 0, -0.3]]], atol=1e-6)


def test_what_touches_is_drawn_where_it_is(setting, snapshot):
    """The shapes of contacts on their frames, a plane below the centre of mass, and rolling wheels; no lines."""
    last = snapshot.system.names[-1]
    on = {"stiffness": 1e4}
    ball, tilted = um.Sphere(0.2, at=um.Pose(xyz=(0, 0.1, 0))), um.Pose(xyz=(0, 0, -2), rpy=(0.3, 0.2, 0))
    points = um.Points([[0, 0, 0.5], [0.5, 0, 0]], radius=0.05)
    ties = (
        um.Contact("world", last, um.HalfSpace(at=tilted), ball, name="floor", **on),
        um.Contact(last, "world", um.Box((1, 1, 1)), points, name="crate", active=0.0, **on),
        um.RollingDisc("world", last, radius=0.3, axis=(0.6, 0.8, 0)),
    )
    own = replace(setting, ties=ties, is_on=lambda tie, t: tie.active > 0.5)
    drawn, lines = overlays.Touching(own), overlays.Ties(own)
    for overlay in (drawn, lines):
        overlay.switch(True, snapshot)
    assert not any(node.visible for node, _ in lines._lines)
    floor, touched, crate, dots, wheel = (part[-1] for part in drawn._parts)
    assert [node.visible for node in (floor, touched, crate, dots, wheel)] == [True, True, False, False, True]
    g, plane = snapshot.system.pose(snapshot.q, last), pose_of(floor)
    np.testing.assert_allclose(plane[:3, :3], tilted.matrix[:3, :3], atol=1e-12)
    below = np.linalg.inv(tilted.matrix) @ np.append(snapshot.centre_of_mass, 1.0)
    np.testing.assert_allclose(np.linalg.inv(tilted.matrix) @ plane[:, 3], [*below[:2], 0, 1], atol=1e-12)
    np.testing.assert_allclose(pose_of(touched), g @ ball.at.matrix, atol=1e-12)
    np.testing.assert_allclose(pose_of(wheel)[:3, 2], g[:3, :3] @ [0.6, 0.8, 0], atol=1e-12)
    assert np.ptp(dots.vertices, axis=0) == pytest.approx([0.6, 0.1, 0.6], rel=1e-2)
    assert np.linalg.norm(touched.vertices, axis=-1).max() == pytest.approx(0.2, rel=1e-6)
    np.testing.assert_allclose(np.ptp(floor.vertices, axis=0), [3.0, 3.0, 0.0], rtol=1e-6)
    np.testing.assert_allclose(np.ptp(wheel.vertices, axis=0), [0.6, 0.6, 0.006], rtol=1e-6)
    assert {(node.color, round(node.opacity, 9)) for node in (floor, touched, crate, dots, wheel)} == {
        (scene_nodes.ORANGE, 0.35)
    }


def test_points_without_a_radius_are_drawn_as_small_cubes(setting):
    drawn = overlays.Touching(setting)
    dots = drawn._drawn(um.Points([[0, 0, 0.5], [0.5, 0, 0], [0, 0.25, 0]]))
    assert dots.vertices.shape == (3 * 24, 3)
    corners = np.array([dots.vertices[24 * k : 24 * k + 24] for k in range(3)])
    np.testing.assert_allclose(
        corners.mean(axis=1), [[0, 0, 0.5], [0.5, 0, 0], [0, 0.25, 0]], rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(np.ptp(corners, axis=1), 0.02, rtol=1e-9)
