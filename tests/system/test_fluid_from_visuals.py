"""Fluids from visuals: volumes of unions, overlaps and hollow bodies named, scaled to what is known."""

from dataclasses import replace

import numpy as np
import pytest

import unmoored as um
from unmoored.lie import se3
from unmoored.system.fluid_from_visuals import _contains, _points


def rover(mass=20.0):
    b = um.SystemBuilder("rov")
    shapes = [um.Box(size=(1.0, 0.4, 0.2)), um.Box(size=(1.0, 0.4, 0.2), at=um.Pose(xyz=(0.5, 0, 0)))]
    b.vehicle("hull", um.Free(), inertia=um.Inertia.sphere(mass, 0.3), visuals=shapes)
    rod = um.Cylinder(radius=0.05, length=0.6, at=um.Pose(xyz=(0, 0, 0.3)))
    b.link(
        "arm",
        parent="hull",
        joint=um.Revolute((0, 1, 0)),
        at=um.Pose(xyz=(0, 0, -0.5)),
        inertia=um.Inertia.rod(6.0, 0.6),
        visuals=[rod],
    )
    b.link(
        "cam",
        parent="arm",
        joint=um.Fixed(),
        inertia=um.Inertia.point(0.1),
        visuals=[um.Mesh(path="cam.stl")],
    )
    return b.build()


def test_volumes_are_those_of_unions_and_what_is_odd_is_named():
    found = um.fluid_from_visuals(rover(), 1000.0)
    assert found.volumes["hull"] == pytest.approx(1.5 * 0.4 * 0.2, rel=1e-12)  # the boxes share half
    assert found.volumes["arm"] == pytest.approx(np.pi * 0.0025 * 0.6, rel=1e-12)
    assert found.buoyancy == pytest.approx(1000 * 9.81 * found.volume, rel=1e-15)
    assert found.hollow == ("hull",)
    assert found.shapeless == ("cam",)
    named = {(a, b): share for a, b, share in found.overlaps}
    assert named["hull Box 0", "hull Box 1"] == pytest.approx(0.5, abs=1e-12)
    assert named["arm", "hull"] == pytest.approx(
        1 / 3, abs=0.07
    )  # z from −0.1 to 0.1 of a rod from −0.5 to 0.1
    hull = found.system.tree.bodies[0].fluid
    assert np.allclose(hull.centre_of_buoyancy, (0.25, 0, 0), atol=1e-12)
    one = um.Fluid.box((1.0, 0.4, 0.2), 1000.0)
    assert hull.added_mass[0, 0] == pytest.approx(2 * one.added_mass[0, 0], rel=1e-14)
    text = str(found)
    for word in ("hull: 120 l", "buoyancy", "50 % of hull Box 0 lies in hull Box 1", "cam", "hollow"):
        assert word in text


def test_the_print_says_all_in_litres_newtons_and_per_cent():
    assert str(um.fluid_from_visuals(rover(), 1000.0, volume=0.03, flooded=["hull"])).split("\n") == [
        "hull: 0 l",
        "arm: 30 l",
        "all: 30 l (scaled by 6.366), buoyancy 294.3 N, weight 256 N",  # (20 + 6 + 0.1) kg
        "overlap: 50 % of hull Box 0 lies in hull Box 1",
        "overlap: 50 % of hull Box 1 lies in hull Box 0",
        "overlap: 31 % of arm lies in hull",  # 5 of 16 heights
        "hollow or flooded? lighter than half of their water: arm",
        "no simple shape, so no water: cam",
    ]
    alone = of_one_body(um.Box(size=(0.1, 0.1, 0.1)))
    assert str(alone) == "hull: 1 l\nall: 1 l (scaled by 1), buoyancy 9.81 N, weight 196.2 N"


def test_water_is_the_sea_if_nothing_is_said():
    found = um.fluid_from_visuals(rover())
    assert found.density == 1026.0
    assert found.buoyancy == pytest.approx(1026.0 * 9.81 * found.volume, rel=1e-15)
    assert found.system.tree.bodies[1].fluid.added_mass == pytest.approx(
        um.Fluid.cylinder(0.05, 0.6, (0, 0, 1), 1026.0, centre=(0, 0, 0.3)).added_mass
    )


@pytest.mark.parametrize(("cells", "told"), [((2, 4, 5), False), ((2, 3, 7), True)], ids=["40", "42"])
def test_what_overlaps_is_told_from_a_hundredth_on(cells, told):
    """Boxes that share a corner: 40 and 42 of the 16³ points of each; on one body, and on a body and its parent."""
    size, there = (1.6, 1.6, 1.6), um.Pose(0.1 * (16 - np.array(cells)))
    both = of_one_body(um.Box(size=size), um.Box(size=size, at=there)).overlaps
    assert [share for _, _, share in both] == ([np.prod(cells) / 4096] * 2 if told else [])
    b = um.SystemBuilder("two")
    ball = um.Inertia.sphere(20.0, 0.3)
    b.vehicle("hull", um.Free(), inertia=ball, visuals=[um.Box(size=size)])
    b.link("arm", parent="hull", joint=um.Fixed(), at=there, inertia=ball, visuals=[um.Box(size=size)])
    found = um.fluid_from_visuals(b.build(), 1000.0).overlaps
    assert found == ((("arm", "hull", np.prod(cells) / 4096),) if told else ())


def test_a_share_of_just_a_hundredth_is_not_told():
    """A quarter of one of 25 boxes: 1024 of 102 400 points."""
    b, ball = um.SystemBuilder("two"), um.Inertia.sphere(20.0, 0.3)
    box = um.Box(size=(1.6, 1.6, 1.6))
    far = [um.Box(size=(1.6, 1.6, 1.6), at=um.Pose((5.0 * k, 0, 0))) for k in range(25)]
    b.vehicle("hull", um.Free(), inertia=ball, visuals=[box])
    b.link("arm", parent="hull", joint=um.Fixed(), at=um.Pose((0, 0.8, 0.8)), inertia=ball, visuals=far)
    assert um.fluid_from_visuals(b.build(), 1000.0).overlaps == ()
    there = np.concatenate([_points(shape) for shape in far])
    assert _contains(box, there + np.array((0, 0.8, 0.8))).mean() == 0.01


def test_hollow_is_what_weighs_less_than_half_of_its_water():
    for mass, hollow in ((500.0, ()), (499.9, ("hull",))):
        b = um.SystemBuilder("one")
        cube = um.Box(size=(1.0, 1.0, 1.0))
        b.vehicle("hull", um.Free(), inertia=um.Inertia.sphere(mass, 0.3), visuals=[cube])
        assert um.fluid_from_visuals(b.build(), 1000.0).hollow == hollow


def test_scaled_and_flooded():
    found = um.fluid_from_visuals(rover(), 1000.0, volume=0.03, flooded=["hull"])
    assert found.volumes["hull"] == 0.0
    assert found.volume == pytest.approx(0.03, rel=1e-14)
    assert found.scale == pytest.approx(0.03 / (np.pi * 0.0025 * 0.6), rel=1e-12)
    for body in found.system.tree.bodies:
        assert getattr(body.fluid, "volume", 0.0) == found.volumes.get(body.name, 0.0)
    whole = um.fluid_from_visuals(rover(), 1000.0, volume=0.03).system.tree.bodies
    assert [body.fluid.volume for body in whole[:2]] == pytest.approx(
        [0.12, np.pi * 0.0025 * 0.6] * np.array(0.03 / (0.12 + np.pi * 0.0025 * 0.6))
    )
    again = um.fluid_from_visuals(
        um.SystemBuilder.of(found.system).change("cam", visuals=[um.Sphere(radius=0.02)]).builder.build()
    )
    assert again.kept == ("hull", "arm")
    assert "had fluid data, kept: hull, arm" in str(again)
    assert list(again.volumes) == ["cam"]


AT = um.Pose((0.3, -0.2, 0.5), rpy=(0.4, -0.7, 1.1))
SHAPES = {
    "box": um.Box(size=(0.3, 0.5, 0.8), at=AT),
    "sphere": um.Sphere(radius=0.4, at=AT),
    "cylinder": um.Cylinder(radius=0.2, length=0.7, at=AT),
    "capsule": um.Capsule(radius=0.25, length=0.6, at=AT),
}


def slices(kind):
    """Heights (n,) of thin slices of a shape across its z axis, their areas (n,) and mean squares across (2, n)."""
    shape = SHAPES[kind]
    half = {"box": 0.4, "sphere": 0.4, "cylinder": 0.35, "capsule": 0.55}[kind]
    z = half * (np.arange(-2000, 2000) + 0.5) / 2000
    if kind == "box":
        return z, np.full(z.shape, 0.15), np.array([[0.3**2 / 12], [0.5**2 / 12]]) + 0 * z
    straight = getattr(shape, "length", 0.0) / 2
    over = np.zeros(z.shape) if kind == "cylinder" else np.maximum(np.abs(z) - straight, 0.0)
    square = shape.radius**2 - over**2
    return z, np.pi * square, np.stack([square / 4, square / 4])


def of_one_body(*shapes):
    builder = um.SystemBuilder("one")
    builder.vehicle("hull", um.Free(), inertia=um.Inertia.sphere(20.0, 0.3), visuals=list(shapes))
    return um.fluid_from_visuals(builder.build(), 1000.0)


@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape_that_is_moved_takes_its_water_along(kind):
    """The middle of its volume, and the added mass in its own axes there, are those of the shape that is not moved."""
    moved = of_one_body(SHAPES[kind]).system.tree.bodies[0].fluid
    plain = of_one_body(replace(SHAPES[kind], at=um.Pose())).system.tree.bodies[0].fluid
    assert np.allclose(plain.centre_of_buoyancy, 0.0, atol=1e-15)
    assert np.allclose(moved.centre_of_buoyancy, AT.xyz, atol=1e-15)
    X = se3.Ad(se3.inverse(AT.matrix))
    assert np.allclose(moved.added_mass, X.T @ plain.added_mass @ X, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape_told_twice_counts_once_and_floats_as_its_ellipsoid_of_inertia(kind):
    """Volume and middle are its own; the ellipsoid's half axes a have a² / 5 for the shape's mean squares."""
    found = of_one_body(SHAPES[kind], SHAPES[kind])
    z, area, across = slices(kind)
    assert found.volume == pytest.approx(area.sum() * (z[1] - z[0]), rel=1e-6)
    assert {share for _, _, share in found.overlaps} == {1.0}
    fluid = found.system.tree.bodies[0].fluid
    assert np.allclose(fluid.centre_of_buoyancy, AT.xyz, atol=1e-12)
    squares = 20 * np.append((across * area).sum(axis=1), (z**2 * area).sum()) / area.sum()
    R = fluid.hull.at.rotation
    assert np.linalg.det(R) == pytest.approx(1.0)
    ours = R @ np.diag(np.square(fluid.hull.size)) @ R.T
    assert np.allclose(ours, AT.rotation @ np.diag(squares) @ AT.rotation.T, atol=0.02 * squares.max())


@pytest.mark.parametrize("kind", SHAPES)
def test_the_part_of_a_shape_in_a_box_is_that_of_its_slices(kind):
    """A box around all of a shape above a height: shares, volume and middle of their union."""
    z, area, _ = slices(kind)
    low, high, wide = 0.5 * z[-1], z[-1] + 0.05, 1.0
    size = (wide, wide, high - low)
    middle = AT.xyz + AT.rotation @ (0, 0, (low + high) / 2)
    found = of_one_body(SHAPES[kind], um.Box(size=size, at=um.Pose(middle, rotation=AT.rotation)))
    step, above = z[1] - z[0], area * (z > low)
    whole, common, box = area.sum() * step, above.sum() * step, np.prod(size)
    shares = [share for _, _, share in found.overlaps]
    assert shares == pytest.approx([common / whole, common / box], abs=0.03)
    assert found.volume == pytest.approx(whole + box - common, rel=0.02)
    along = (box * (low + high) / 2 - (above * z).sum() * step) / (whole + box - common)
    told = found.system.tree.bodies[0].fluid.centre_of_buoyancy
    assert np.allclose(AT.rotation.T @ (told - AT.xyz), (0, 0, along), atol=0.01)


def gap(kind, x):
    """How far (n,) points (n, 3) in a shape's own axes are outside of it; ≤ 0 inside."""
    shape, z = SHAPES[kind], np.abs(x[:, 2])
    if kind == "box":
        return (np.abs(x) - np.array(shape.size) / 2).max(axis=1)
    if kind == "sphere":
        return np.linalg.norm(x, axis=1) - shape.radius
    if kind == "cylinder":
        return np.maximum(np.linalg.norm(x[:, :2], axis=1) - shape.radius, z - shape.length / 2)
    over = np.maximum(z - shape.length / 2, 0.0)
    return np.linalg.norm(np.column_stack([x[:, :2], over]), axis=1) - shape.radius


@pytest.mark.parametrize("kind", SHAPES)
def test_points_lie_in_a_shape_where_it_is_and_on_its_surface_too(kind):
    x = np.random.default_rng(3).uniform(-0.6, 0.6, (20000, 3))
    inside = _contains(SHAPES[kind], x @ AT.rotation.T + AT.xyz)
    assert np.array_equal(inside, gap(kind, x) <= 0)
    assert 100 < inside.sum() < 19000
    exact = {
        "box": (um.Box(size=(0.5, 1.0, 2.0)), [(0.25, 0, 0), (0, -0.5, 0), (0, 0, 1.0)]),
        "sphere": (um.Sphere(radius=0.5), [(0.5, 0, 0), (0, -0.5, 0), (0, 0, 0.5)]),
        "cylinder": (um.Cylinder(radius=0.5, length=2.0), [(0.5, 0, 0), (0, -0.5, 0), (0, 0, 1.0)]),
        "capsule": (um.Capsule(radius=0.5, length=2.0), [(0.5, 0, 1.0), (0, -0.5, 0), (0, 0, -1.5)]),
    }
    shape, surface = exact[kind]
    assert _contains(shape, np.array(surface)).all()
    assert not _contains(shape, 1.001 * np.array(surface)).any()


@pytest.mark.parametrize("kind", SHAPES)
def test_the_points_of_a_shape_fill_it(kind):
    """All in it, on the grid of its own box: as many as its share of that, with its middle."""
    points = _points(SHAPES[kind])
    assert (gap(kind, (points - AT.xyz) @ AT.rotation) <= 1e-12).all()
    area = slices(kind)[1]
    across = 0.15 if kind == "box" else (2 * SHAPES[kind].radius) ** 2
    assert len(points) / 16**3 == pytest.approx(area.mean() / across, rel=0.04)  # a circle of 16 points
    assert np.allclose(points.mean(axis=0), AT.xyz, atol=1e-12)


def test_bodies_overlap_where_they_are_joined():
    """A child turned and moved: the share of it in its parent is that of its slices."""
    b = um.SystemBuilder("two")
    b.vehicle("hull", um.Free(), inertia=um.Inertia.sphere(20.0, 0.3), visuals=[um.Box(size=(1.0, 0.6, 0.4))])
    b.link(
        "arm", parent="hull", joint=um.Revolute((0, 0, 1)), at=um.Pose((0.5, 0.1, 0), rpy=(0, 0.5 * np.pi, 0)),
        inertia=um.Inertia.sphere(6.0, 0.2), visuals=[um.Box(size=(0.2, 0.1, 0.8), at=um.Pose((0, 0, 0.2)))],
    )  # fmt: skip
    ((child, parent, share),) = um.fluid_from_visuals(b.build(), 1000.0).overlaps
    assert (child, parent) == ("arm", "hull")
    assert share == pytest.approx(0.25, abs=1e-12)  # x from 0.3 to 1.1, the hull ends at 0.5


def test_mistakes_are_told():
    with pytest.raises(um.ModelError, match="unknown body"):
        um.fluid_from_visuals(rover(), flooded=["nose"])
    for bad in (-1.0, 0.0):
        with pytest.raises(um.ModelError, match=f"density: expected > 0, given {bad}"):
            um.fluid_from_visuals(rover(), bad)
        with pytest.raises(um.ModelError, match=f"volume: expected > 0, given {bad}"):
            um.fluid_from_visuals(rover(), volume=bad)
    with pytest.raises(um.ModelError, match=r"a box, cylinder.* given none"):
        um.fluid_from_visuals(um.load("bluerov2_heavy"))
    with pytest.raises(um.ModelError, match="a body that is not flooded"):
        um.fluid_from_visuals(rover(), volume=1.0, flooded=["hull", "arm"])


def test_a_robot_of_meshes_is_told_what_to_do():
    b = um.SystemBuilder("meshes")
    hull = um.Mesh(path="hull.stl")
    b.vehicle("hull", um.Free(), inertia=um.Inertia.sphere(1.0, 0.1), visuals=[hull])
    with pytest.raises(um.ModelError, match=r"given meshes only: give those bodies um.Fluid.cylinder"):
        um.fluid_from_visuals(b.build())
