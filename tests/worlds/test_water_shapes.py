"""Water by shape: added mass against Lamb's closed forms, drag that no choice of axes changes, lift, hulls at
the surface.
"""

from dataclasses import replace

import numpy as np
import pytest

import unmoored as um
from unmoored.lie import se3, so3
from unmoored.model.added_mass import ellipsoid_factors, lamb_integrals
from unmoored.worlds.water.flow_wrenches import part_drag_matrix, part_wrench
from unmoored.worlds.water.immersion import immersion

RHO = 1025.0
RNG = np.random.default_rng(7)
SHAPES = {
    "sphere": um.Fluid.sphere(0.2, RHO, centre=(0.1, 0.0, -0.2)),
    "cylinder": um.Fluid.cylinder(0.1, 1.2, (1, 2, 0), RHO, centre=(0.3, 0.1, 0.0)),
    "capsule": um.Fluid.capsule(0.1, 0.7, (0, 1, 1), RHO),
    "box": um.Fluid.box((0.3, 0.5, 0.9), RHO, at=um.Pose(xyz=(0, 0.2, 0), rpy=(0.3, 0.2, 0.9))),
    "spheroid": um.Fluid.spheroid((0.8, 0.1, 0.1), RHO, at=um.Pose(rpy=(0, 0.4, 0))),
}
WING = um.Lift.wing(area=0.2, span=0.4, density=RHO, drag=0.02, at=um.Pose(xyz=(-0.5, 0, 0), rpy=(0.4, 0, 0)))
HULL_LIFT = replace(WING, round=True)


def test_lambs_integrals_against_the_closed_forms_of_spheroids():
    for a, b in ((0.8, 0.095), (1.0, 0.99), (50.0, 1.0)):
        e = np.sqrt(1 - (b / a) ** 2)
        logarithm = np.log((1 + e) / (1 - e))
        alpha = 2 * (1 - e**2) * (logarithm / 2 - e) / e**3
        beta = 1 / e**2 - (1 - e**2) * logarithm / (2 * e**3)
        assert np.allclose(lamb_integrals(np.array([a, b, b])), [alpha, beta, beta], rtol=0, atol=2e-10)
        turning = (a**2 - b**2) ** 2 * (beta - alpha)
        turning /= 5 * (2 * (a**2 - b**2) - (a**2 + b**2) * (beta - alpha))
        expected = [alpha / (2 - alpha), beta / (2 - beta), beta / (2 - beta), 0, turning, turning]
        assert np.allclose(ellipsoid_factors(np.array([a, b, b])), expected, rtol=1e-7, atol=1e-9)
    assert lamb_integrals(np.array([0.3, 1.7, 0.6])).sum() == pytest.approx(2.0, abs=1e-14)
    assert np.allclose(ellipsoid_factors(np.ones(3)), [0.5, 0.5, 0.5, 0, 0, 0], atol=1e-15)
    disc = um.Fluid.spheroid((1.0, 1.0, 1e-4), RHO).added_mass[2, 2]
    assert disc == pytest.approx(8 / 3 * RHO, rel=1e-3)  # a thin disc


def test_added_mass_and_volume_of_the_shapes():
    sphere, cylinder, box = (
        SHAPES["sphere"],
        um.Fluid.cylinder(0.01, 4.0, (0, 0, 1), RHO),
        um.Fluid.box((1, 1, 1), RHO),
    )
    assert sphere.added_mass[0, 0] == pytest.approx(0.5 * RHO * sphere.volume, rel=1e-15)
    assert cylinder.added_mass[0, 0] == pytest.approx(
        RHO * np.pi * 1e-4 * 4.0, rel=5e-4
    )  # ρπr² for each length
    assert cylinder.added_mass[3, 3] == pytest.approx(RHO * np.pi * 1e-4 * 4.0**3 / 12, rel=5e-4)
    assert box.added_mass[0, 0] == pytest.approx(0.68 * RHO, rel=1e-15)  # DNV's cube
    assert SHAPES["capsule"].volume == pytest.approx(np.pi * 0.01 * (0.7 + 0.4 / 3), rel=1e-15)
    for fluid in SHAPES.values():  # added mass sits at the centre of buoyancy: no coupling there
        r = fluid.centre_of_buoyancy
        X = se3.Ad(um.Pose(xyz=r).matrix)
        there = X.T @ fluid.added_mass @ X
        assert np.allclose(there[:3, 3:], 0, atol=1e-9 * np.abs(fluid.added_mass).max())


def turned(fluid, R):
    """The same fluid in body axes that are turned by R: vectors x become Rᵀx."""
    g = um.Pose(rotation=R).inverse()
    X = se3.Ad(um.Pose(rotation=R).matrix)
    parts = tuple(replace(part, at=g @ part.at) for part in fluid.flow_parts)
    hull = None if fluid.hull is None else replace(fluid.hull, at=g @ fluid.hull.at)
    centre = R.T @ fluid.centre_of_buoyancy
    added = X.T @ fluid.added_mass @ X
    return replace(
        fluid, flow_parts=parts, hull=hull, centre_of_buoyancy=centre, added_mass=(added + added.T) / 2
    )


@pytest.mark.parametrize("name", [*SHAPES, "lift", "hull lift"])
def test_the_wrench_does_not_depend_on_the_axes(name):
    parts = {"lift": (WING,), "hull lift": (HULL_LIFT,)}
    fluid = SHAPES.get(name) or um.Fluid(flow_parts=parts[name])
    for _ in range(5):
        R = so3.exp(RNG.normal(size=3))
        V = RNG.normal(size=6)
        other = turned(fluid, R)
        V_other = np.concatenate([R.T @ V[:3], R.T @ V[3:]])
        F = sum(part_wrench(part, V) for part in fluid.flow_parts)
        F_other = sum(part_wrench(part, V_other) for part in other.flow_parts)
        back = np.concatenate([R @ F_other[:3], R @ F_other[3:]])
        assert np.abs(F - back).max() <= 1e-13 * max(1.0, np.abs(F).max())
        assert F @ V <= 0.0  # it takes energy
        if (D := part_drag_matrix(fluid.flow_parts[0], V)) is not None:
            assert np.allclose(-D @ V, F, rtol=0, atol=1e-12 * max(1.0, np.abs(F).max()))
            assert np.linalg.eigvalsh(D).min() > -1e-12 * np.abs(D).max()


def test_drag_against_closed_forms():
    sphere = um.SphereDrag(coefficient=3.0)
    v = np.array([1.0, 2.0, -2.0])
    assert np.allclose(part_wrench(sphere, np.array([*v, 0, 0, 0]))[:3], -3.0 * 3.0 * v, rtol=1e-15)
    # across, and pure yaw about the middle: −ρ C_d d L⁴ ω|ω|/64, which is −c L⁴ ω|ω|/32
    strips = um.StripDrag(across=2.0, length=1.5, strips=6)
    assert np.allclose(part_wrench(strips, np.array([0.6, 0.8, 0, 0, 0, 0]))[:2], [-1.8, -2.4], rtol=1e-14)
    moment = part_wrench(strips, np.array([0, 0, 0, 0.7, 0, 0]))[3]
    assert moment == pytest.approx(-2.0 * 1.5**4 * 0.7**2 / 32, rel=4e-3)
    fine = part_wrench(replace(strips, strips=64), np.array([0, 0, 0, 0.7, 0, 0]))[3]
    assert fine == pytest.approx(-2.0 * 1.5**4 * 0.7**2 / 32, rel=2e-5)
    # a moving and turning strip body, while the sign is constant: exact integrals
    F = part_wrench(um.StripDrag(across=2.0, length=1.5, strips=2), np.array([1.0, 0, 0, 0, 0.5, 0]))
    z = np.polynomial.Polynomial([0, 1])
    push = (2.0 * (1.0 + 0.5 * z) ** 2).integ()
    lever = (2.0 * z * (1.0 + 0.5 * z) ** 2).integ()
    assert F[0] == pytest.approx(-(push(0.75) - push(-0.75)), rel=1e-14)
    assert F[4] == pytest.approx(-(lever(0.75) - lever(-0.75)), rel=1e-14)
    # a rolled cylinder loses nothing; entry by entry it would lose 29 %
    across = [
        np.linalg.norm(part_wrench(strips, np.array([np.cos(a), np.sin(a), 0, 0, 0, 0])))
        for a in (0, np.pi / 4)
    ]
    assert across[0] == pytest.approx(across[1], rel=1e-14)
    box = um.BoxDrag(size=(1.0, 2.0, 3.0), coefficient=5.0)
    assert np.allclose(
        part_wrench(box, np.array([0, 2.0, 0, 0, 0, 0])), [0, -5.0 * 3.0 * 4.0, 0, 0, 0, 0], atol=1e-12
    )
    ellipse = um.StripDrag(across=2.0, length=1.0, taper="ellipse")
    assert part_wrench(ellipse, np.array([1.0, 0, 0, 0, 0, 0]))[0] == pytest.approx(
        -2.0 * np.pi / 4, rel=1e-14
    )


@pytest.mark.parametrize("taper", ["none", "ellipse"])
def test_strips_are_the_sum_over_their_points_and_near_the_integral(taper):
    """Of all strips, one by one, to rounding; of the integral as theory.md §32 states."""
    rng = np.random.default_rng(3)
    x, weights = np.polynomial.legendre.leggauss(60)
    θ = 0.5 * np.pi * (x + 1.0)  # finer towards the ends of each part
    errors = []
    for planar in (False, True):
        for _ in range(60):
            V = rng.normal(size=6) * ([1, 0, 1, 0, 1, 1] if planar else [1] * 6)
            u, v, p, q = V[[0, 1, 3, 4]]
            for n in (1, 5, 6):
                part = um.StripDrag(across=1.3, length=2.0, along=0.2, taper=taper, strips=n)
                F = _strip_by_strip(V, *part.points())
                F[2] = -0.2 * abs(V[2]) * V[2]
                assert np.allclose(part_wrench(part, V), F, rtol=0, atol=1e-14 * np.abs(F).max())
            slowest = np.clip((v * p - u * q) / (p * p + q * q), -1.0, 1.0)
            ends = [(-1.0, slowest), (slowest, 1.0)]
            z = np.concatenate([a + (b - a) * 0.5 * (1.0 - np.cos(θ)) for a, b in ends])
            dz = np.concatenate([(b - a) * 0.25 * np.pi * np.sin(θ) * weights for a, b in ends])
            exact = _strip_by_strip(V, z, dz * np.sqrt(1.0 - z * z) if taper == "ellipse" else dz)
            part = um.StripDrag(across=1.3, length=2.0, taper=taper)
            errors.append(np.abs(part_wrench(part, V) - exact).max() / np.abs(exact).max())
    assert np.median(errors[:60]) < 1e-5
    assert max(errors) < 1.2e-2


def _strip_by_strip(V, z, lengths):
    u = V[:2] + np.outer(z, [V[4], -V[3]])
    f = -1.3 * lengths[:, None] * np.linalg.norm(u, axis=1)[:, None] * u
    return np.array([f[:, 0].sum(), f[:, 1].sum(), 0.0, -(z * f[:, 1]).sum(), (z * f[:, 0]).sum(), 0.0])


def test_lift_is_linear_then_a_plate():
    wing = um.Lift.wing(area=0.5, span=1.0, density=1000.0, drag=0.01)
    slope = 2 * np.pi * 2 / (2 + np.sqrt(8))
    assert wing.slope == pytest.approx(slope, rel=1e-15)

    def coefficients(angle):
        u = np.array([np.cos(angle), 0, -np.sin(angle), 0, 0, 0])  # sinking nose up: α > 0
        F = part_wrench(wing, u)
        drag, lift = -F[:3] @ u[:3], F[0] * np.sin(angle) + F[2] * np.cos(angle)
        return lift / 250.0, drag / 250.0

    lift, drag = coefficients(0.1)
    assert lift == pytest.approx(slope * 0.1, rel=1e-4)
    assert drag == pytest.approx(0.01 + (slope * 0.1) ** 2 / (np.pi * 0.9 * 2), rel=1e-4)
    lift, drag = coefficients(1.0)
    assert lift == pytest.approx(2 * np.sin(1.0) ** 2 * np.cos(1.0), rel=1e-6)
    assert drag == pytest.approx(2 * np.sin(1.0) ** 3, rel=1e-6)
    assert coefficients(-0.2)[0] == pytest.approx(-coefficients(0.2)[0], rel=1e-12)
    assert np.allclose(part_wrench(wing, np.zeros(6)), 0)
    # a body of revolution lifts alike in every plane
    hull = replace(wing, round=True)
    F = part_wrench(hull, np.array([1.0, 0, -0.1, 0, 0, 0]))
    G = part_wrench(hull, np.array([1.0, -0.1, 0, 0, 0, 0]))
    assert np.allclose(F, part_wrench(wing, np.array([1.0, 0, -0.1, 0, 0, 0])), rtol=1e-9, atol=1e-9)
    assert np.allclose(F[[0, 2]], G[[0, 1]], rtol=1e-12)


HULLS = {
    "ellipsoid": um.Hull("ellipsoid", (0.6, 0.4, 1.0)),
    "cylinder": um.Hull("cylinder", (0.4, 0.4, 1.0)),
    "capsule": um.Hull("capsule", (0.4, 0.4, 1.0)),
    "box": um.Hull("box", (0.6, 0.4, 1.0)),
}


@pytest.mark.parametrize("form", HULLS)
def test_slopes_of_immersion_are_exact_and_its_volume_right(form):
    hull = HULLS[form]
    points = RNG.uniform(-0.5, 0.5, size=(400_000, 3)) * hull.size
    r, half = hull.size[0] / 2, hull.size[2] / 2
    radial, z = np.hypot(points[:, 0], points[:, 1]), np.abs(points[:, 2])
    inside = {
        "ellipsoid": ((2 * points / hull.size) ** 2).sum(axis=1) <= 1,
        "cylinder": radial <= r,
        "capsule": (radial <= r) & np.where(z > half - r, (z - half + r) ** 2 + radial**2 <= r**2, True),
        "box": np.full(len(points), True),
    }[form]
    points = points[inside]
    for _ in range(6):
        n = RNG.normal(size=3)
        n /= np.linalg.norm(n)
        height = RNG.uniform(-0.4, 0.4)
        depth, share, turning = immersion(hull, height, n)
        heights = height + points @ n
        assert share == pytest.approx(np.mean(heights < 0), abs=0.02)
        assert depth == pytest.approx(np.mean(np.maximum(0, -heights)), abs=0.004)
        e = 1e-6
        slope = (immersion(hull, height + e, n)[0] - immersion(hull, height - e, n)[0]) / (2 * e)
        assert -slope == pytest.approx(share, abs=1e-8)
        for k in range(3):
            step = e * np.eye(3)[k]
            slope = (immersion(hull, height, n + step)[0] - immersion(hull, height, n - step)[0]) / (2 * e)
            assert slope == pytest.approx(turning[k], abs=1e-8)
    for far, whole in ((2.0, 0.0), (-2.0, 1.0)):
        n = np.array([0.48, 0.6, 0.64])
        depth, share, turning = immersion(hull, far, n)
        assert share == pytest.approx(whole, abs=1e-14)
        assert depth == pytest.approx(max(0.0, -far), abs=1e-13)
        assert np.allclose(turning - (turning @ n) * n, 0, atol=1e-12)  # no moment


def test_strips_on_six_bodies_account_for_their_energy():
    """What drag takes is the rate of the energy, in a current too, and a run loses the work of its powers."""
    from unmoored.cli.bench.tied_bodies import swimmer

    system = swimmer(strips=True)
    plant = um.Plant(system, um.Ocean(density=1026.0, current=(0.3, -0.2, 0.1)))
    rng, e = np.random.default_rng(4), 1e-6
    for _ in range(3):
        q, v = system.random_configuration(int(rng.integers(99))), rng.normal(size=system.nv)
        a = plant.forward_dynamics(0.0, q, v)
        after, before = (
            plant.energy(0.0, system.retract(q, s * e * v), v + s * e * a).total for s in (1, -1)
        )
        power = plant.power(0.0, q, v)
        assert (after - before) / (2 * e) == pytest.approx(power.total, rel=1e-6)
    still = um.Plant(system, um.Ocean(density=1026.0, gravity=(0, 0, 0)))
    run = um.simulate(still, system.neutral(), rng.normal(size=system.nv), duration=0.5, step=1e-3)
    drag = still.power(run.t, run.q, run.v).drag
    assert drag.max() < 0
    energy = run.energy().total
    taken = 0.5 * (drag[1:] + drag[:-1]).sum() * 1e-3
    assert energy[-1] - energy[0] == pytest.approx(taken, rel=1e-4)


def test_water_of_another_density_is_told_of(tmp_path):
    """Fresh water's added mass and drag in the sea: 2.6 % off, warned of by name; figures of one sea are not."""

    def raft(density):
        b = um.SystemBuilder("raft")
        b.vehicle("hull", um.Free(), inertia=um.Inertia.sphere(5.0, 0.1), fluid=um.Fluid.sphere(0.1, density))
        b.link(
            "tail",
            parent="hull",
            joint=um.Revolute((0, 0, 1)),
            inertia=um.Inertia.sphere(1.0, 0.1),
            fluid=um.Fluid(volume=0.1),
        )
        return b.build()

    with pytest.warns(
        um.ModelWarning, match=r"density 1026 kg/m³: added mass and drag of hull \(1000\) are for"
    ) as told:
        um.Plant(raft(1000.0), um.Ocean())
    assert told[0].filename == __file__
    for density in (1025.0, 1030.0):
        um.Plant(raft(density), um.Ocean())
    um.Plant(raft(1000.0), um.Ocean(density=1000.0))
    raft(1000.0).save(tmp_path / "raft.yaml")
    again = um.load(tmp_path / "raft.yaml")
    assert again.tree.bodies[0].fluid.density == 1000.0
    assert again.tree.bodies[1].fluid.density is None
    with pytest.raises(um.ModelError, match="density: expected > 0"):
        um.Fluid(density=0.0)
