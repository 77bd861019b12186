"""What water does to simple shapes: volume, drag and added mass against closed forms, with every number its own."""

from dataclasses import replace

import numpy as np
import pytest

import unmoored as um
from unmoored.lie import se3
from unmoored.model.added_mass import box, ellipsoid, ellipsoid_factors, lamb_integrals
from unmoored.model.files import format_yaml, parse_yaml
from unmoored.worlds.water.flow_wrenches import part_wrench

RHO, ACROSS, ALONG = 1013.0, 1.3, 0.37
CENTRE = (0.3, -0.2, 0.7)
R, LENGTH = 0.11, 0.9


def drag(fluid, direction, speed=1.7):
    """Force (N) against a motion of the shape's middle along a unit vector of body axes."""
    V = np.array([*(speed * np.asarray(direction)), 0.0, 0.0, 0.0])
    force = sum(part_wrench(part, V)[:3] for part in fluid.flow_parts)
    np.testing.assert_allclose(np.cross(force, direction), 0.0, atol=1e-9 * np.abs(force).max())
    return -float(force @ direction) / speed**2


def in_own_axes(fluid, at):
    X = se3.Ad(at.matrix)
    return X.T @ fluid.added_mass @ X


def spheroid_factors(a, b):
    """Lamb's, of a prolate spheroid with half axes a > b, for 1 kg displaced: along, across, turning (m²)."""
    e = np.sqrt(1.0 - (b / a) ** 2)
    logarithm = np.log((1 + e) / (1 - e))
    α = 2 * (1 - e**2) * (0.5 * logarithm - e) / e**3
    β = 1 / e**2 - (1 - e**2) * logarithm / (2 * e**3)
    turning = (a**2 - b**2) ** 2 * (β - α) / (5 * (2 * (a**2 - b**2) + (a**2 + b**2) * (α - β)))
    return α / (2 - α), β / (2 - β), turning


def test_a_sphere():
    fluid = um.Fluid.sphere(R, RHO, centre=CENTRE, drag=ACROSS)
    volume = 4 / 3 * np.pi * R**3
    at = um.Pose(xyz=CENTRE)
    assert fluid.volume == pytest.approx(volume, rel=1e-15)
    np.testing.assert_array_equal(fluid.centre_of_buoyancy, CENTRE)
    expected = np.diag([0.5 * RHO * volume] * 3 + [0.0] * 3)
    np.testing.assert_allclose(in_own_axes(fluid, at), expected, rtol=0, atol=1e-14 * RHO)
    assert drag(fluid, (0.6, 0.0, 0.8)) == pytest.approx(0.5 * RHO * ACROSS * np.pi * R**2, rel=1e-14)
    assert (fluid.density, fluid.hull.form, fluid.hull.size.tolist()) == (RHO, "ellipsoid", [2 * R] * 3)
    assert [part.at for part in fluid.flow_parts] == [at]


@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 0, -2), (1, -2, 3)])
def test_long_shapes_along_any_axis(kind, axis):
    make = getattr(um.Fluid, kind)
    fluid = make(R, LENGTH, axis, RHO, centre=CENTRE, drag=ACROSS, end_drag=ALONG)
    (part,) = fluid.flow_parts
    at = part.at
    z = np.array(axis) / np.linalg.norm(axis)
    np.testing.assert_allclose(at.rotation[:, 2], z, rtol=0, atol=1e-15)
    np.testing.assert_allclose(at.rotation.T @ at.rotation, np.eye(3), rtol=0, atol=1e-15)
    assert np.linalg.det(at.rotation) == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_array_equal(at.xyz, CENTRE)
    np.testing.assert_array_equal(fluid.centre_of_buoyancy, CENTRE)
    whole = LENGTH if kind == "cylinder" else LENGTH + 2 * R
    volume = np.pi * R**2 * LENGTH + (0.0 if kind == "cylinder" else 4 / 3 * np.pi * R**3)
    assert fluid.volume == pytest.approx(volume, rel=1e-15)
    assert drag(fluid, z) == pytest.approx(0.5 * RHO * ALONG * np.pi * R**2, rel=1e-13)
    for side in (at.rotation[:, 0], at.rotation @ [0.6, 0.8, 0.0]):
        assert drag(fluid, side) == pytest.approx(0.5 * RHO * ACROSS * 2 * R * whole, rel=1e-13)
    along, across, turning = spheroid_factors(0.5 * whole, R)
    m = RHO * volume
    expected = [m * across, m * across, m * along, m * turning, m * turning, 0.0]
    if kind == "cylinder":  # its ends are discs, and each slice moves as it does across
        expected[2:5] = [8 / 3 * RHO * R**3, *[m * across * LENGTH**2 / 12] * 2]
    np.testing.assert_allclose(in_own_axes(fluid, at), np.diag(expected), rtol=0, atol=1e-9 * m)
    assert (fluid.density, fluid.hull.form) == (RHO, kind)
    np.testing.assert_allclose(fluid.hull.size, [2 * R, 2 * R, whole], rtol=1e-15)
    np.testing.assert_array_equal(fluid.hull.at.rotation, at.rotation)
    assert not fluid.hull.at.xyz.any()


def test_a_box():
    size, at = np.array([0.4, 0.9, 1.6]), um.Pose(xyz=CENTRE, rpy=(0.3, -0.4, 1.1))
    fluid = um.Fluid.box(size, RHO, at=at, drag=ACROSS)
    assert fluid.volume == pytest.approx(0.4 * 0.9 * 1.6, rel=1e-15)
    for i, area in enumerate((0.9 * 1.6, 0.4 * 1.6, 0.4 * 0.9)):
        assert drag(fluid, at.rotation[:, i]) == pytest.approx(0.5 * RHO * ACROSS * area, rel=1e-12)
    np.testing.assert_array_equal(fluid.centre_of_buoyancy, CENTRE)
    own = in_own_axes(fluid, at)
    np.testing.assert_allclose(own, np.diag(box(size, RHO)), rtol=0, atol=1e-12 * RHO)
    assert (fluid.density, fluid.hull.form, fluid.hull.size.tolist()) == (RHO, "box", size.tolist())
    np.testing.assert_array_equal(fluid.hull.at.rotation, at.rotation)
    plain = um.Fluid.box(size, RHO)
    np.testing.assert_array_equal(plain.flow_parts[0].at.matrix, np.eye(4))


def test_added_mass_of_boxes():
    """Along square prisms DNV's numbers; of thin plates that of a disc of equal area; turning Lamb's ellipsoid."""
    for ratio, factor in ((1.0, 0.68), (2.0, 0.72), (5.0, 0.75), (3.0, 0.73), (50.0, 0.75)):
        for i in range(3):
            size = np.roll([0.5 * ratio, 0.5, 0.5], i)
            assert box(size, RHO)[i] == pytest.approx(factor * RHO * 0.5**3, rel=1e-14)
    plate = box(np.array([2.0, 3.0, 1e-9]), RHO)[2]
    assert plate == pytest.approx(8 / 3 * RHO * (6.0 / np.pi) ** 1.5, rel=1e-8)
    assert box(np.array([4.0, 1.0, 1.0]) * 0.5, RHO)[0] == pytest.approx(
        RHO * 0.125 * (0.72 + 0.03 * 2 / 3), rel=1e-14
    )
    half = box(np.array([1.0, 2.0, 0.5 * np.sqrt(2.0)]), RHO)[2]  # halfway between the disc and the cube
    assert half == pytest.approx(RHO * 2.0**1.5 * 0.5 * (8 / (3 * np.pi**1.5) + 0.68), rel=1e-14)
    _, _, turning = spheroid_factors(0.8, 0.3)
    expected = RHO * 1.6 * 0.6 * 0.6 * turning * np.array([0.0, 1.0, 1.0])
    np.testing.assert_allclose(box(np.array([1.6, 0.6, 0.6]), RHO)[3:], expected, rtol=1e-8, atol=1e-9)


def test_ellipsoids_with_three_axes():
    """Lamb's integrals by quadrature; the formula of turning about each axis, from its own two integrals."""
    a = np.array([0.9, 0.5, 0.3])
    s, w = np.polynomial.legendre.leggauss(100)
    θ, w = 0.25 * np.pi * (s + 1.0), 0.25 * np.pi * w  # λ = a₀² tan²θ
    λ, slope = a[0] ** 2 * np.tan(θ) ** 2, 2 * a[0] ** 2 * np.tan(θ) / np.cos(θ) ** 2
    Δ = np.sqrt(np.prod(a[:, None] ** 2 + λ, axis=0))
    α = np.array([a.prod() * (w * slope / ((a_i**2 + λ) * Δ)).sum() for a_i in a])
    np.testing.assert_allclose(lamb_integrals(a), α, rtol=1e-10)
    factors = ellipsoid_factors(a)
    np.testing.assert_allclose(factors[:3], α / (2 - α), rtol=1e-9)
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        b, c = a[j] ** 2, a[k] ** 2
        expected = (b - c) ** 2 * (α[k] - α[j]) / (2 * (b - c) + (b + c) * (α[j] - α[k])) / 5
        assert factors[3 + i] == pytest.approx(expected, rel=1e-8)
        assert expected > 0
    np.testing.assert_allclose(ellipsoid(a, RHO), RHO * 4 / 3 * np.pi * a.prod() * factors, rtol=1e-14)


@pytest.mark.parametrize("longest", range(3))
def test_a_spheroid_is_slender_along_its_longest_axis(longest):
    a, at = np.roll([0.9, 0.2, 0.3], longest), um.Pose(xyz=CENTRE, rpy=(0.5, 0.2, -0.3))
    fluid = um.Fluid.spheroid(a, RHO, at=at, drag=ACROSS, end_drag=ALONG)
    assert fluid.volume == pytest.approx(4 / 3 * np.pi * a.prod(), rel=1e-15)
    np.testing.assert_allclose(in_own_axes(fluid, at), np.diag(ellipsoid(a, RHO)), rtol=0, atol=1e-12 * RHO)
    section = np.pi * 0.2 * 0.3
    assert drag(fluid, at.rotation[:, longest]) == pytest.approx(0.5 * RHO * ALONG * section, rel=1e-12)
    shown = np.pi * 0.9 * np.sqrt(0.2 * 0.3)  # an ellipse of the length and the mean width
    for k in (1, 2):
        side = at.rotation[:, (longest + k) % 3]
        assert drag(fluid, side) == pytest.approx(0.5 * RHO * ACROSS * shown, rel=1e-12)
    assert np.linalg.det(fluid.flow_parts[0].at.rotation) == pytest.approx(1.0, abs=1e-14)
    assert (fluid.hull.form, fluid.hull.size.tolist()) == ("ellipsoid", (2 * a).tolist())
    np.testing.assert_array_equal(fluid.hull.at.rotation, at.rotation)


def test_a_wing_has_helmbolds_slope_oswalds_drag_and_the_options_of_any_lift():
    at = um.Pose((0.1, 0.2, 0.3))
    wing = um.Lift.wing(
        area=0.5,
        span=1.2,
        density=RHO,
        drag=0.01,
        efficiency=0.8,
        at=at,
        stall_rad=0.2,
        sharpness=30.0,
        round=True,
    )
    aspect = 1.44 / 0.5
    slope = 2 * np.pi * aspect / (2 + np.hypot(aspect, 2.0))
    assert wing == um.Lift(
        coefficient=0.25 * RHO, slope=slope, drag=0.01, induced=1 / (0.8 * np.pi * aspect), stall_rad=0.2,
        sharpness=30.0, round=True, at=at,
    )  # fmt: skip
    plain = um.Lift.wing(area=0.5, span=1.2, density=RHO)
    assert plain == um.Lift(coefficient=0.25 * RHO, slope=slope, induced=1 / (0.9 * np.pi * aspect))


NONSENSE = [
    (lambda: um.Fluid.sphere(0.0, RHO), "Fluid.sphere: radius: expected > 0, given 0"),
    (lambda: um.Fluid.sphere(0.1, 0.0), "Fluid.sphere: density: expected > 0"),
    (lambda: um.Fluid.sphere(0.1, RHO, drag=-0.1), "Fluid.sphere: drag: expected ≥ 0"),
    (lambda: um.Fluid.cylinder(0.1, 0.0), "Fluid.cylinder: length: expected > 0"),
    (lambda: um.Fluid.cylinder(0.1, 1.0, (0, 0, 0)), "Fluid.cylinder: axis: expected a non-zero vector"),
    (lambda: um.Fluid.capsule(0.1, 1.0, end_drag=-1), "Fluid.capsule: end_drag: expected ≥ 0"),
    (lambda: um.Fluid.box((1, 0, 1)), "Fluid.box: size: expected three lengths > 0"),
    (lambda: um.Fluid.box((1, 1, 1), drag=-1), "Fluid.box: drag: expected ≥ 0"),
    (lambda: um.Fluid.spheroid((1, 1, 0)), "Fluid.spheroid: semi_axes: expected three lengths > 0"),
    (lambda: um.Fluid.spheroid((1, 1, 1), drag=-1), "Fluid.spheroid: drag: expected ≥ 0"),
    (lambda: um.Hull("capsule", (0.2, 0.2, 0.1)), "a length over all of at least the diameter"),
    (lambda: um.Hull("cylinder", (0.2, 0.3, 0.1)), "the same diameter"),
    (lambda: um.Hull("box", (0.2, 0.3, 0.0)), "three lengths > 0"),
    (lambda: um.Fluid(fading=-1.0), "fading: expected ≥ 0"),
    (lambda: um.Fluid(volume=-1.0), "volume: expected ≥ 0"),
    (lambda: um.Fluid(flow_scale=-1.0), "flow_scale: expected ≥ 0"),
    (lambda: um.Fluid(density=0.0), "density: expected > 0"),
    (lambda: um.StripDrag(across=1.0, length=0.0), "length: expected > 0"),
    (lambda: um.StripDrag(across=1.0, length=1.0, strips=65), "strips: expected a whole number, 1 to 64"),
    (lambda: um.StripDrag(across=1.0, length=1.0, strips=0), "strips: expected a whole number"),
    (lambda: um.StripDrag(across=1.0, length=1.0, taper="cone"), "taper: expected"),
    (lambda: um.BoxDrag(size=(1.0, 0.0, 1.0), coefficient=1.0), "size: expected > 0"),
    (lambda: um.Lift(coefficient=1.0, slope=1.0, stall_rad=0.0), "stall_rad: expected > 0"),
    (lambda: um.Lift(coefficient=1.0, slope=1.0, sharpness=0.0), "sharpness: expected > 0"),
    (lambda: um.Lift.wing(area=0.0, span=1.0, density=RHO), "area: expected > 0"),
    (lambda: um.Lift.wing(area=1.0, span=1.0, density=RHO, efficiency=0.0), "efficiency: expected > 0"),
]


def test_nonsense_is_refused():
    for make, match in NONSENSE:
        with pytest.raises(um.ModelError, match=match):
            make()


PARTS = {
    um.SphereDrag: {"coefficient": 0},
    um.StripDrag: {"across": 0, "length": 1, "along": 0},
    um.BoxDrag: {"size": (1, 2, 3), "coefficient": 0},
    um.Lift: {"coefficient": 0, "slope": 0, "drag": 0, "induced": 0, "stall_rad": 1, "sharpness": 1},
}


@pytest.mark.parametrize("kind", PARTS, ids=lambda kind: kind.__name__)
def test_every_number_of_a_part_in_a_flow_is_checked_and_kept_as_a_float(kind):
    """Zero where that is given here, and nothing below; elsewhere only what is greater."""
    good = PARTS[kind]
    part = kind(**good)
    for name, x in good.items():
        kept = getattr(part, name)
        assert type(kept) is (np.ndarray if np.ndim(x) else float)
        assert np.array_equal(kept, x)
        sign = "≥" if np.all(x == 0) else ">"
        for bad in (-0.1,) if sign == "≥" else (-0.1, 0.0):
            with pytest.raises(um.ModelError, match=f"{kind.__name__}: {name}: expected {sign} 0, given"):
                kind(**good | {name: np.full(np.shape(x), bad)})
        for bad in ("1", None, np.ones((2, 2)), np.nan):
            with pytest.raises(um.ModelError, match=f"{kind.__name__}: {name}: expected .* number"):
                kind(**good | {name: bad})
    with pytest.raises(um.ModelError, match=f"{kind.__name__}: at: expected a Pose"):
        kind(**good, at=np.eye(4))


def test_what_is_just_allowed():
    """No drag, a sphere as a capsule, as many strips as there may be, and zeros elsewhere."""
    assert um.Fluid.cylinder(0.1, 1.0, drag=0.0, end_drag=0.0).flow_parts[0].across == 0.0
    assert um.Hull("capsule", (0.2, 0.2, 0.2)).size[2] == 0.2
    assert len(um.StripDrag(across=0.0, length=1.0, strips=64).points()[0]) == 64
    assert um.StripDrag(across=0.0, length=1.0, strips=1).points()[1].tolist() == [1.0]
    assert um.BoxDrag(size=(1, 1, 1), coefficient=0.0).coefficient == 0.0
    assert um.Fluid(volume=0.0, flow_scale=0.0, fading=0.0).flow_scale == 0.0


def test_the_density_and_the_scale_of_the_flow_are_numbers_that_files_keep():
    body = um.Body(name="b", parent="world", joint=um.Free(), inertia=um.Inertia.sphere(1.0, 0.1))
    for given in (
        {"density": np.float32(1025.0)},
        {"density": 1000},
        {"flow_scale": 0.5},
        {"flow_scale": 1},
        {},
    ):
        fluid = um.Fluid(volume=0.01, **given)
        assert type(fluid.density) is (float if "density" in given else type(None))
        text = format_yaml(um.Tree(name="t", bodies=(replace(body, fluid=fluid),)))
        assert parse_yaml(text).bodies[0].fluid == fluid
        assert ("density" in text, "flow_scale" in text) == (
            "density" in given,
            given.get("flow_scale") == 0.5,
        )


def test_axes_that_differ_by_rounding_only_make_a_body_of_revolution():
    """Turning about it moves no water; from 1e-14 of the sum of their squares on they are two axes."""
    for part, turns in ((0.9, False), (1.2, True)):
        factors = ellipsoid_factors(np.array([2.0, 3.0 * (1.0 + part * 1e-14), 3.0]))
        assert (factors[3] != 0.0) == turns
        assert abs(factors[3]) < 1e-12
