"""Sloshing by the pressure on a tank's walls, and beams as the rods they are made of (theory.md §37, §38)."""

import numpy as np
import pytest

import unmoored as um
from unmoored.model.made.spherical_slosh import _functions, first_mode

NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)


def nodes(a, b):
    return 0.5 * (b - a) * NODES + 0.5 * (a + b), 0.5 * (b - a) * WEIGHTS


def bessel(n, x):
    """J_n by its integral."""
    τ, w = nodes(0.0, np.pi)
    return (np.cos(n * τ - np.multiply.outer(x, np.sin(τ))) @ w) / np.pi


def equivalent_mass(force, moment, surface, λ):
    """(mass over ρ, height above the surface) of a mass on a spring like a wave of potential Φ: force ∫Φ n_x and moment
    ∫Φ (z n_x − x n_z) over the wet walls, surface ∫Φ²; its weight turns the tank, too.
    """
    return force**2 / (λ * surface), moment / force - 1.0 / λ


@pytest.mark.parametrize("h", [0.15, 0.7])
def test_waves_in_boxes_by_the_pressure_on_their_walls(h):
    a, b = 0.6, 0.8
    for tank, axes in ((um.BoxTank(a, b), (0, 0, 0, 1, 1, 1)), (um.BoxTank(a, b, along="y"), (1, 1, 1))):
        waves = tank.waves(h, 3)
        assert [wave.along for wave in waves] == list(axes)
        for wave, n in zip(waves, (1, 2, 3) * 2, strict=False):
            size, width = ((a, b), (b, a))[wave.along]
            k = (2 * n - 1) * np.pi / size
            λ = k * np.tanh(k * h)
            x, wx = nodes(-size / 2, size / 2)
            z, wz = nodes(-h, 0.0)
            wall = np.sin(k * size / 2) * np.cosh(k * (z + h))  # sin kx cosh k(z + h), at x = size/2
            force = 2 * width * (wall @ wz)
            moment = 2 * width * ((z * wall) @ wz) + width * ((x * np.sin(k * x)) @ wx)
            surface = width * (np.sin(k * x) ** 2 @ wx) * np.cosh(k * h) ** 2
            mass, height = equivalent_mass(force, moment, surface, λ)
            assert wave.wavenumber == pytest.approx(λ, rel=1e-14)
            assert wave.share == pytest.approx(mass / tank.volume(h), rel=1e-10)
            assert wave.height == pytest.approx(height, rel=1e-9)


@pytest.mark.parametrize("h", [0.15, 0.7])
def test_waves_in_cylinders_by_the_pressure_on_their_walls(h):
    R = 0.5
    tank = um.CylinderTank(R)
    waves = tank.waves(h, 3)
    for count in (1, 2, 3):
        assert tank.waves(h, count) == waves[:count]
    for wave in waves:
        ξ = min(
            (1.841184, 5.331443, 8.536316), key=lambda ξ: abs(ξ / R * np.tanh(ξ * h / R) - wave.wavenumber)
        )
        assert abs(bessel(0, ξ) - bessel(1, ξ) / ξ) < 1e-6  # J₁′
        λ = ξ / R * np.tanh(ξ * h / R)
        r, wr = nodes(0.0, R)
        z, wz = nodes(-h, 0.0)
        wall = bessel(1, ξ) * np.cosh(ξ / R * (z + h))  # J₁(ξr/R) cos ψ cosh ξ(z + h)/R; ∫cos² = π
        force = np.pi * R * (wall @ wz)
        moment = np.pi * R * ((z * wall) @ wz) + np.pi * ((r**2 * bessel(1, ξ * r / R)) @ wr)
        surface = np.pi * ((r * bessel(1, ξ * r / R) ** 2) @ wr) * np.cosh(ξ * h / R) ** 2
        mass, height = equivalent_mass(force, moment, surface, λ)
        assert wave.along is None
        assert wave.wavenumber == pytest.approx(λ, rel=1e-12)
        assert wave.share == pytest.approx(mass / tank.volume(h), rel=1e-6)
        assert wave.height == pytest.approx(height, rel=1e-6)
    assert [wave.wavenumber for wave in waves] == sorted(wave.wavenumber for wave in waves)


@pytest.mark.parametrize("tank", [um.CylinderTank(0.5), um.BoxTank(0.6, 0.8), um.SphereTank(0.5)])
def test_volume_and_centre_by_slices(tank):
    h = 0.6
    z, w = nodes(0.0, h)
    area = {"CylinderTank": np.pi * 0.25, "BoxTank": 0.48, "SphereTank": np.pi * z * (1.0 - z)}[
        type(tank).__name__
    ]
    assert tank.volume(h) == pytest.approx((area * w).sum(), rel=1e-13)
    assert tank.centre(h) == pytest.approx((area * w * z).sum() / (area * w).sum(), rel=1e-13)


def test_harmonic_functions_of_the_sphere():
    """r^l P_l¹ by NumPy's Legendre polynomials, their slopes by those of the next ones."""
    rng = np.random.default_rng(0)
    ρ, z = rng.uniform(0.05, 0.9, 7), rng.uniform(-0.9, 0.9, 7)
    r = np.hypot(ρ, z)
    f, f_ρ, f_z = _functions(ρ, z)
    assert len(f) == 14
    for l, (row, along_ρ, along_z) in enumerate(zip(f, f_ρ, f_z, strict=True), start=1):
        P = np.polynomial.legendre.Legendre.basis(l)
        first, second = (P.deriv(k)(z / r) for k in (1, 2))
        np.testing.assert_allclose(row, r ** (l - 1) * ρ * first, rtol=1e-11, atol=1e-13)
        # ∂(z/r) = −zρ/r³ and ρ²/r³
        slope_ρ = (
            r ** (l - 1) * first + (l - 1) * r ** (l - 3) * ρ**2 * first - r ** (l - 4) * ρ**2 * z * second
        )
        slope_z = (l - 1) * r ** (l - 3) * z * ρ * first + r ** (l - 4) * ρ**3 * second
        np.testing.assert_allclose(along_ρ, slope_ρ, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(along_z, slope_z, rtol=1e-10, atol=1e-12)


def test_liquid_in_a_nearly_empty_sphere_swings_as_one():
    """As a pendulum of the radius's length, all of it: λR → 1, share → 1, to first order in the depth."""
    for filling in (0.02, 0.05):
        λ, share = first_mode(filling)
        assert 0.0 < λ - 1.0 < 0.6 * filling
        assert 0.0 < 1.0 - share < 0.5 * filling
    wave = um.SphereTank(0.5).waves(0.4, 1)[0]
    assert wave.wavenumber == first_mode(0.8)[0] / 0.5
    assert 0.4 + wave.height + 1.0 / wave.wavenumber == pytest.approx(
        0.5, rel=1e-15
    )  # it hangs from the centre


TANKS = [um.CylinderTank(0.5), um.BoxTank(0.6, 0.8), um.BoxTank(0.6, 0.8, along="y"), um.SphereTank(0.5)]


def test_moving_parts_have_the_frequency_the_damping_and_the_directions_of_the_waves():
    g, ζ, h = 3.7, 0.02, 0.6
    for tank in TANKS:
        modes = min(tank.most, 2)
        waves, mass = tank.waves(h, modes), 1000.0 * tank.volume(h)
        for model in ("spring", "pendulum"):
            tree = um.slosh(
                tank, h, 1000.0, modes=modes, model=model, gravity=g, damping=ζ, inertia=(1.0, 2.0, 3.0)
            ).tree
            assert tree.names == ("liquid", *(f"wave_{k + 1}" for k in range(len(waves))))
            np.testing.assert_array_equal(tree.bodies[0].inertia.tensor, np.diag([1.0, 2.0, 3.0]))
            assert tree.frames[0].at.xyz.tolist() == [0, 0, h]
            for wave, body in zip(waves, tree.bodies[1:], strict=True):
                m, L = wave.share * mass, 1.0 / wave.wavenumber
                assert body.inertia.mass == pytest.approx(m, rel=1e-14)
                low = body.at.xyz + body.inertia.com
                np.testing.assert_allclose(low, [0, 0, h + wave.height], rtol=0, atol=1e-14)
                swings = model == "pendulum"
                assert body.inertia.com[2] == pytest.approx(-L if swings else 0.0, rel=1e-14)
                felt = m * L**2 if swings else m
                ω = np.sqrt(g * wave.wavenumber)
                np.testing.assert_allclose(body.joint.damping / felt, 2 * ζ * ω, rtol=1e-13)
                np.testing.assert_allclose(body.joint.stiffness / felt, 0.0 if swings else ω**2, rtol=1e-13)
                # where the mass goes for small coordinates
                S = np.asarray(body.joint.basis(body.joint.neutral()))
                moves = S[:3] + np.cross(S[3:], body.inertia.com, axisa=0, axisc=0)
                directions = np.abs(moves) / np.abs(moves).max()
                wanted = np.eye(3)[[0, 1] if wave.along is None else [wave.along]]
                np.testing.assert_allclose(directions.T @ directions, np.eye(len(wanted)), atol=1e-14)
                np.testing.assert_allclose(wanted @ directions @ directions.T, wanted, atol=1e-14)


def test_what_tanks_refuse_and_what_they_just_take():
    tank = um.CylinderTank(0.5)
    nonsense = [
        (lambda: um.slosh(tank, 0.0, 1e3), "depth: expected > 0"),
        (lambda: um.slosh(tank, 0.6, 0.0), "density: expected > 0"),
        (lambda: um.slosh(tank, 0.6, 1e3, damping=-0.1), "damping: expected ≥ 0,"),
        (lambda: um.slosh(tank, 0.6, 1e3, damping=0.1), "gravity: expected the acceleration"),
        (lambda: um.slosh(tank, 0.6, 1e3, gravity=0.0), "gravity: expected > 0"),
        (lambda: um.slosh(tank, 0.6, 1e3, modes=4), "modes: expected a whole number from 1 to 3"),
        (lambda: um.slosh(tank, 0.6, 1e3, modes=0), "modes: expected a whole number"),
        (lambda: um.slosh(tank, 0.6, 1e3, modes=True), "modes: expected a whole number"),
        (lambda: um.slosh(tank, 0.6, 1e3, model="wave"), "model: expected one of pendulum, spring"),
        (lambda: um.slosh(None, 0.6, 1e3), "tank: expected CylinderTank"),
        (lambda: um.slosh(um.SphereTank(0.5), 0.0249, 1e3), "depth: expected from 0.05 to 1.9"),
        (lambda: um.slosh(um.SphereTank(0.5), 0.9501, 1e3), "depth: expected from 0.05 to 1.9"),
        (lambda: um.BoxTank(0.5, 0.0), "BoxTank: width: expected > 0"),
        (lambda: um.BoxTank(0.5, 0.5, along="z"), "along: expected xy, x or y"),
    ]
    for make, match in nonsense:
        with pytest.raises(um.ModelError, match=match):
            make()
    assert um.slosh(tank, 0.6, 1e3, modes=3, damping=0.0).nv == 6
    assert um.slosh(um.SphereTank(0.5), 0.025, 1e3).mass > 0
    assert um.slosh(um.SphereTank(0.5), 0.95, 1e3).mass > 0


L, MASS, POLAR = 2.0, 3.0, 0.04


@pytest.mark.parametrize("n", [1, 5])
def test_a_straight_beam_is_a_rod(n):
    """Mass, centre and inertia; the hinges in the middles of the elements; the tip where it ends."""
    beam = um.flexible_beam(L, MASS, (7.0, 11.0), elements=n, torsion=5.0, polar_inertia=POLAR, damping=0.01)
    tree, q = beam.tree, beam.neutral()
    total = np.zeros((6, 6))
    for name, body in zip(tree.names, tree.bodies, strict=True):
        g = beam.pose(q, name)
        A = np.linalg.inv(np.block([[g[:3, :3], _hat(g[:3, 3]) @ g[:3, :3]], [np.zeros((3, 3)), g[:3, :3]]]))
        total += A.T @ body.inertia.matrix @ A
        (visual,) = body.visuals
        part = L / n * (0.5 if name in ("piece_0", f"piece_{n}") else 1.0)
        assert (visual.length, visual.radius) == pytest.approx((part, 0.01 * L), rel=1e-14)
        np.testing.assert_allclose(visual.at.xyz, [0, 0, part / 2], rtol=0, atol=1e-15)
    about = MASS * L**2 / 3 + POLAR / 2
    rod = um.Inertia(MASS, (0, 0, L / 2), np.diag([about - MASS * L**2 / 4] * 2 + [POLAR])).matrix
    np.testing.assert_allclose(total, rod, rtol=0, atol=1e-13)
    np.testing.assert_allclose(beam.pose(q, "tip")[:3, 3], [0, 0, L], rtol=0, atol=1e-15)
    for k in range(1, n + 1):
        assert beam.pose(q, f"piece_{k}")[2, 3] == pytest.approx((k - 0.5) * L / n, rel=1e-14)
        joint = tree.link(f"piece_{k}").joint
        springs = n / L * np.array([7.0, 11.0, 5.0])
        np.testing.assert_allclose(joint.stiffness, springs, rtol=1e-14)
        np.testing.assert_allclose(joint.damping, 0.01 * springs, rtol=1e-14)


def _hat(p):
    return np.cross(np.eye(3), p)


def test_beams_that_bend_about_one_axis_or_two():
    for i, axes in enumerate("xy"):
        joint = (
            um.flexible_beam(L, MASS, (7.0, 11.0), elements=4, axes=axes, damping=0.01).tree.links[1].joint
        )
        np.testing.assert_array_equal(joint.axis, np.eye(3)[i])
        assert joint.stiffness[0] == pytest.approx((7.0, 11.0)[i] * 2, rel=1e-15)
        assert joint.damping[0] == pytest.approx((7.0, 11.0)[i] * 0.02, rel=1e-15)
    both = um.flexible_beam(L, MASS, 7.0, elements=4, damping=0.01, radius=0.3)
    assert both.tree.links[1].joint == um.Universal(stiffness=14.0, damping=0.14)
    assert both.tree.bodies[0].visuals[0].radius == 0.3
    assert um.flexible_beam(L, MASS, 7.0, elements=1000, axes="x").nv == 1000


def test_what_beams_refuse():
    nonsense = [
        ({"elements": 1001}, "elements: expected a whole number from 1 to 1000"),
        ({"elements": True}, "elements: expected a whole number"),
        ({"elements": 2.0}, "elements: expected a whole number"),
        ({"mass": 0.0}, "mass: expected > 0"),
        ({"bending": (1.0, 0.0)}, "bending: expected > 0"),
        ({"axes": "z"}, "axes: expected one of both, x, y"),
        ({"damping": -1.0}, "damping: expected ≥ 0"),
        ({"radius": 0.0}, "radius: expected > 0"),
        ({"torsion": 0.0, "polar_inertia": 1.0}, "torsion: expected > 0"),
        ({"torsion": 1.0, "polar_inertia": 0.0}, "polar_inertia: expected > 0"),
        ({"torsion": 1.0, "polar_inertia": 1.0, "axes": "x"}, "torsion: expected torsion"),
        ({"polar_inertia": 1.0}, "torsion: expected torsion"),
    ]
    for given, match in nonsense:
        with pytest.raises(um.ModelError, match=match):
            um.flexible_beam(**({"length": L, "mass": MASS, "bending": 7.0} | given))
