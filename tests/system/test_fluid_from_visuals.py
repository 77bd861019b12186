"""Fluids from visuals: volumes of unions, overlaps and hollow bodies named, scaled to what is known."""

import numpy as np
import pytest

import unmoored as um


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


def test_scaled_and_flooded():
    found = um.fluid_from_visuals(rover(), 1000.0, volume=0.03, flooded=["hull"])
    assert found.volumes["hull"] == 0.0
    assert found.volume == pytest.approx(0.03, rel=1e-14)
    assert found.scale == pytest.approx(0.03 / (np.pi * 0.0025 * 0.6), rel=1e-12)
    again = um.fluid_from_visuals(
        um.SystemBuilder.of(found.system).change("cam", visuals=[um.Sphere(radius=0.02)]).builder.build()
    )
    assert again.kept == ("hull", "arm")
    assert list(again.volumes) == ["cam"]


def test_mistakes_are_told():
    with pytest.raises(um.ModelError, match="unknown body"):
        um.fluid_from_visuals(rover(), flooded=["nose"])
    with pytest.raises(um.ModelError, match="density: expected > 0"):
        um.fluid_from_visuals(rover(), -1.0)
    with pytest.raises(um.ModelError, match="a box, cylinder"):
        um.fluid_from_visuals(um.load("bluerov2_heavy"))
    with pytest.raises(um.ModelError, match="a body that is not flooded"):
        um.fluid_from_visuals(rover(), volume=1.0, flooded=["hull", "arm"])
