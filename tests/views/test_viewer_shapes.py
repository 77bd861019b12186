"""Shapes are what they say: closed, facing outward, of the right size; and every system has some."""

from dataclasses import replace

import numpy as np
import pytest

import unmoored as um
from unmoored.views.shapes import body_shapes, extent, merged
from unmoored.views.shapes.invented_shapes import JOINT, equal_box, invented_shapes, typical_length
from unmoored.views.shapes.primitives import AROUND, box, capsule, cylinder, ellipsoid, sphere
from unmoored.views.shapes.shape import face_normals

GREY = (0.5, 0.5, 0.5, 1.0)
POLYGON = (
    AROUND / (2 * np.pi) * np.sin(2 * np.pi / AROUND)
)  # area of the polygon in a circle against the circle's


def volume(shape):
    """Signed volume by the divergence theorem: positive if all triangles face outward."""
    a, b, c = np.moveaxis(shape.corners, 1, 0)
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0


def edges_meet(shape):
    """Whether every edge is run through once in each direction: the surface is closed."""
    places = np.unique(shape.vertices.round(12), axis=0, return_inverse=True)[1].ravel()[shape.triangles]
    forward = {(a, b) for t in places for a, b in zip(t, np.roll(t, -1), strict=True)}
    return len(forward) == places.size and all((b, a) in forward for a, b in forward)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (box((1.0, 2.0, 3.0), GREY), 6.0),
        (cylinder(0.5, 2.0, GREY), POLYGON * np.pi * 0.25 * 2.0),
    ],
)
def test_volumes_of_flat_sided_shapes(shape, expected):
    assert volume(shape) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("shape", "smooth"),
    [
        (sphere(0.5, GREY), np.pi / 6),
        (capsule(0.5, 2.0, GREY), np.pi / 6 + np.pi / 2),
        (ellipsoid((0.5, 1.0, 2.0), GREY), 4 / 3 * np.pi),
    ],
)
def test_round_shapes_are_inscribed(shape, smooth):
    assert 0.97 * smooth < volume(shape) < smooth


@pytest.mark.parametrize(
    "shape", [box((1, 2, 3), GREY), cylinder(0.5, 2, GREY), sphere(1, GREY), capsule(0.3, 1, GREY)]
)
def test_surfaces_are_closed(shape):
    assert edges_meet(shape)


@pytest.mark.parametrize(
    ("shape", "vertices", "triangles"),
    [
        (box((1, 2, 3), GREY), 24, 12),
        (cylinder(0.5, 2, GREY), 6 * 32, 4 * 32),
        (sphere(1, GREY), 17 * 32, 30 * 32),
        (capsule(0.3, 1, GREY), 18 * 32, 32 * 32),
    ],
)
def test_shapes_are_round_by_32_corners_and_eight_rings_on_a_quarter_circle(shape, vertices, triangles):
    """No triangle at a pole is a line; vertices are shared but at sharp edges."""
    assert (len(shape.vertices), len(shape.triangles)) == (vertices, triangles)
    normals = face_normals(shape.corners)
    assert np.linalg.norm(normals, axis=1).min() > 1e-3 * np.linalg.norm(normals, axis=1).max()
    assert np.einsum("ij,ij->i", normals, shape.corners.mean(axis=1)).min() > 0, "outwards"


def test_moving_turns_and_shifts():
    g = np.array([[0.0, -1, 0, 5], [1, 0, 0, 6], [0, 0, 1, 7], [0, 0, 0, 1]])
    moved = box((2.0, 4.0, 6.0), GREY).moved(g)
    np.testing.assert_allclose(moved.vertices.min(axis=0), [3, 5, 4], atol=1e-15)
    np.testing.assert_allclose(moved.vertices.max(axis=0), [7, 7, 10], atol=1e-15)


def test_merging_keeps_triangles_and_separates_colours():
    red = (1.0, 0.0, 0.0, 1.0)
    parts = [box((1, 1, 1), GREY), sphere(1.0, red), box((2, 2, 2), GREY)]
    grey, other = merged(parts)
    assert (grey.rgba, other.rgba) == (GREY, red)
    assert volume(grey) == pytest.approx(9.0, rel=1e-13)


@pytest.mark.parametrize("size", [(1.0, 2.0, 3.0), (0.3, 0.3, 0.3)])
def test_the_equal_box_of_a_box_is_that_box(size):
    found, axes = equal_box(um.Inertia.box(mass=7.0, size=size))
    spans = np.abs(axes * found).max(axis=1)
    np.testing.assert_allclose(spans, size, rtol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1.0, abs=1e-13)


def test_a_point_mass_is_a_cube_of_water():
    size, _ = equal_box(um.Inertia.point(1000.0))
    np.testing.assert_allclose(size, 1.0, rtol=1e-12)


@pytest.mark.whole
@pytest.mark.parametrize("name", um.systems())
@pytest.mark.parametrize("with_visuals", [True, False])
@pytest.mark.filterwarnings("ignore::unmoored.ModelWarning")
def test_every_built_in_system_can_be_seen(name, with_visuals):
    tree = um.load(name).tree
    if not with_visuals:
        tree = replace(tree, bodies=tuple(replace(body, visuals=()) for body in tree.bodies))
    shapes = body_shapes(tree)
    system = um.System(tree)
    low, high = extent(tree, system.neutral())
    heavy = [own for body, own in zip(tree.bodies, shapes, strict=True) if body.inertia.mass > 0]
    assert all(heavy), "a body with mass has no shape"
    assert np.isfinite([*low, *high]).all()
    assert np.linalg.norm(high - low) > 0.2 * typical_length(tree)


def test_sizes_are_chosen_by_the_longest_way_between_joints_not_by_where_it_stands():
    builder = um.SystemBuilder("crane")
    ball = um.Inertia.sphere(4.0, 0.1)
    base = builder.vehicle("base", um.Free(), at=um.Pose((9.0, 9.0, 9.0)), inertia=ball)
    boom = builder.link(
        "boom", parent=base, joint=um.Revolute((0, 0, 1)), at=um.Pose((3.0, 0, 4.0)), inertia=ball
    )
    builder.frame("mark", parent="world", at=um.Pose((0, 0, 50.0)))
    assert typical_length(builder.build().tree) == pytest.approx(5.0, rel=1e-15)
    builder.frame("hook", parent=boom, at=um.Pose((0, 0, -6.0)))
    assert typical_length(builder.build().tree) == pytest.approx(6.0, rel=1e-15)


def test_without_ways_sizes_are_chosen_by_the_biggest_mass():
    b = um.SystemBuilder("two")
    b.vehicle("small", um.Free(), inertia=um.Inertia.box(1.0, (0.5, 0.2, 0.1)))
    b.vehicle("large", um.Free(), inertia=um.Inertia.box(1.0, (0.3, 2.5, 1.5)), at=um.Pose((9, 9, 9)))
    assert typical_length(b.build().tree) == pytest.approx(2.5, rel=1e-12)


def test_ways_of_a_thousandth_are_no_bones_and_masses_beside_bones_are_small():
    b = um.SystemBuilder("ways")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    block = um.Inertia.box(1.0, (1.0, 0.5, 0.08))
    b.link("arm", parent=bus, joint=um.Revolute((0, 0, 1)), at=um.Pose((4.0, 0, 0)), inertia=block)
    for name, length in (("near", 3.9e-3), ("far", 4.1e-3)):
        b.frame(name, parent="arm", at=um.Pose((0, length, 0)))
    tree = b.build().tree
    bone, mass, joint = invented_shapes(tree, 1, 4.0)
    np.testing.assert_allclose(bone.vertices.mean(axis=0), [0, 2.05e-3, 0], atol=1e-6)
    assert sorted(np.ptp(mass.vertices, axis=0)) == pytest.approx([0.08, 0.5, 0.64], rel=1e-2)
    assert joint.rgba == JOINT
    alone = invented_shapes(replace(tree, frames=()), 1, 4.0)[0]
    assert sorted(np.ptp(alone.vertices, axis=0)) == pytest.approx([0.08, 0.5, 1.0], rel=1e-2)


def test_invented_joints_are_pins_rods_and_balls_about_their_axes():
    """A twentieth of the way between joints thick: 2.4 times that long where they turn, four times where they slide."""
    kinds = {
        "turns": (um.Revolute((0, 1, 0)), (2.0, 2.4, 2.0)),
        "slides": (um.Prismatic((1, 0, 0)), (4.0, 1.0, 1.0)),
        "both": (um.Universal(), (2.4, 2.4, 2.4)),
    }
    b = um.SystemBuilder("joints")
    last = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    for name, (joint, _) in kinds.items():
        at = um.Pose((0, 0, 2.0))
        last = b.link(name, parent=last, joint=joint, at=at, inertia=um.Inertia.point(1.0, (0, 0, 1.0)))
    b.frame("end", parent=last, at=um.Pose((0, 0, 2.0)))
    for (_, spans), own in zip(kinds.values(), body_shapes(b.build().tree)[1:], strict=True):
        (joint,) = [shape for shape in own if shape.rgba == JOINT]
        np.testing.assert_allclose(np.ptp(joint.vertices, axis=0), 0.1 * np.array(spans), rtol=0.01)


def test_a_massless_body_among_drawn_ones_stays_invisible():
    builder = um.SystemBuilder("one")
    visual = um.Box(size=(1, 1, 1))
    bus = builder.vehicle("bus", um.Free(), inertia=um.Inertia.box(1.0, (1, 1, 1)), visuals=[visual])
    builder.link("hull", parent=bus, joint=um.Fixed(), inertia=um.Inertia.zero())
    builder.frame("eye", parent="hull", at=um.Pose(xyz=(0.3, 0.0, 0.0)))  # a way that bones are invented for
    assert body_shapes(builder.build().tree)[1] == ()


def test_a_mesh_file_is_read_scaled_and_mirrored(tmp_path):
    import trimesh

    path = tmp_path / "part.stl"
    trimesh.creation.box((1.0, 2.0, 3.0)).export(path)
    tree = _with_mesh(um.Mesh(path=str(path), scale=(2.0, 1.0, -1.0)))
    (shape,) = body_shapes(tree)[0]
    assert volume(shape) == pytest.approx(12.0, rel=1e-6), "turned inside out by the mirror, or not scaled"


@pytest.mark.parametrize("content", [None, "not a mesh"])
def test_a_mesh_that_cannot_be_read_is_said_and_replaced(tmp_path, content):
    path = tmp_path / "part.stl"
    if content is not None:
        path.write_text(content)
    with pytest.warns(um.ModelWarning, match=r"part\.stl' is not shown"):
        shapes = body_shapes(_with_mesh(um.Mesh(path=str(path))))
    assert shapes[0]


def _with_mesh(mesh):
    builder = um.SystemBuilder("meshed")
    builder.vehicle("bus", um.Free(), inertia=um.Inertia.box(1.0, (1, 1, 1)), visuals=[mesh])
    return builder.build().tree
