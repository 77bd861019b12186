"""Flexible beams and sloshing liquids against closed forms and independent routes (theory.md §37, §38)."""

import numpy as np
import pytest
from tests.support.thinning import one_in

import unmoored as um
from unmoored.model.made.spherical_slosh import first_mode

L, MASS, EI = 2.0, 3.0, 7.0
#: roots of cos x cosh x = −1
ROOTS = np.array([1.8751040687, 4.6940911330, 7.8547574382])
CLAMPED = ROOTS**2 * np.sqrt(EI / (MASS / L)) / L**2


def linear(plant, v):
    """A of the tangents (δq, δw) at the neutral configuration."""
    n = len(plant.tangent_names)
    return plant.linear_system(0.0, plant.system.neutral(), v, backend="numpy")[:, :n]


def frequencies(n, **options):
    """Of the beam in a plant, whose springs act (rad/s), lowest first."""
    plant = um.Plant(um.flexible_beam(L, MASS, EI, elements=n, axes="y", **options))
    poles = np.linalg.eigvals(linear(plant, np.zeros(n)))
    return np.sort(np.abs(poles[np.imag(poles) > 0]))


def test_frequencies_converge_with_order_two():
    errors = {n: frequencies(n)[:3] / CLAMPED - 1.0 for n in (4, 8, 16)}
    np.testing.assert_allclose(errors[4], [0.0145, 0.0521, 0.0749], atol=1e-4)
    assert 0 < errors[16][0] < 1e-3
    for fine, coarse in ((16, 8), (8, 4)):
        np.testing.assert_allclose(np.log2(errors[coarse] / errors[fine]), 2.0, atol=0.13)


def test_both_axes_twist_and_damping():
    """Bending about x and y with their own stiffness, torsion as that of a rod, Kelvin–Voigt damping ratios."""
    T, GJ, I_p = 1e-3, 5.0, 0.02
    n = 10
    beam = um.flexible_beam(L, MASS, (EI, 4 * EI), elements=n, torsion=GJ, polar_inertia=I_p, damping=T)
    poles = np.linalg.eigvals(linear(um.Plant(beam), np.zeros(beam.nv)))
    poles = poles[np.imag(poles) > 0]
    ω, ζ = np.abs(poles), -np.real(poles) / np.abs(poles)
    np.testing.assert_allclose(ζ, 0.5 * T * ω, rtol=1e-6)
    twist = 0.5 * np.pi * np.sqrt(GJ * L / I_p) / L
    for expected in (CLAMPED[0], 2 * CLAMPED[0], twist):
        assert np.abs(ω / expected - 1.0).min() < 3e-3


def test_a_tip_load_bends_it_as_the_formula_says():
    """F L³/3EI, less 1/(4n²) of it; downward is where the load pulls."""
    n, force = 8, 1e-4
    plant = um.Plant(um.flexible_beam(L, MASS, EI, elements=n, axes="y"))
    bend = force * np.array([L - (i + 0.5) * L / n for i in range(n)]) / (EI * n / L)
    x = plant.system.pose(bend, "tip")[0, 3]
    assert abs(x / (force * L**3 / (3 * EI)) - (1.0 - 0.25 / n**2)) < 1e-6
    tau = plant.system.jacobian(np.zeros(n), "tip")[0] * force
    np.testing.assert_allclose(plant.inverse_dynamics(0.0, bend, np.zeros(n), np.zeros(n)), tau, rtol=1e-6)


def rotating_flap(spin, terms=9):
    """Lowest flap frequency of a clamped beam that turns about its root: Ritz with x², x³, …, of
    EI w⁗ − (N w′)′ = ω²ρA w, N = ½ρAΩ²(L² − x²); ρA = EI = L = 1."""
    k = np.arange(2, 2 + terms, dtype=float)
    s, w = np.polynomial.legendre.leggauss(40)
    x, w = 0.5 * (s + 1.0), 0.5 * w
    f = x ** k[:, None]
    f1, f2 = k[:, None] * x ** (k[:, None] - 1), (k * (k - 1))[:, None] * x ** (k[:, None] - 2)
    K = (f2 * w) @ f2.T + spin**2 * (f1 * (0.5 * (1 - x**2) * w)) @ f1.T
    C = np.linalg.inv(np.linalg.cholesky((f * w) @ f.T))
    return float(np.sqrt(np.linalg.eigvalsh(C @ K @ C.T)[0]))


@pytest.mark.parametrize("axes", one_in(2, ["x", "y"]))
def test_a_turning_beam_gets_stiffer(axes):
    """Out of the plane of turning as Ritz says, in it ω² less by Ω²: with springs alone it would be ω² = ω₁² (− Ω²)."""
    spin, errors = 5.0, []
    assert abs(rotating_flap(0.0) - ROOTS[0] ** 2) < 1e-6
    lag = axes == "x"  # the beam is along x of the hub, which turns about z
    for n in (6, 12):
        b = um.SystemBuilder("rotor")
        hub = b.vehicle("hub", um.Revolute((0, 0, 1)), inertia=um.Inertia.sphere(1.0, 0.1))
        beam = um.flexible_beam(1.0, 1.0, 1.0, elements=n, axes=axes)
        b.mount(beam, hub, at=um.Pose(rotation=[[0, 0, 1], [0, 1, 0], [-1, 0, 0]]), prefix="")
        plant = um.Plant(b.build(), prescribed={"hub": um.Motion(lambda t: spin * t)})
        v = np.r_[spin, np.zeros(n)]
        poles = np.linalg.eigvals(linear(plant, v))
        ω = np.abs(poles[np.imag(poles) > 1e-6]).min()
        exact = np.sqrt(rotating_flap(spin) ** 2 - (spin**2 if lag else 0.0))
        errors.append(ω / exact - 1.0)
    assert abs(errors[1]) < (5e-3 if not lag else 2e-2)
    assert abs(np.log2(errors[0] / errors[1]) - 2.0) < 0.2


def test_a_beam_swings_in_a_run_and_keeps_its_energy():
    beam = um.flexible_beam(L, MASS, EI, elements=2)
    plant = um.Plant(beam)
    run = um.simulate(plant, 0.2 * np.ones(4), duration=2.0, step=0.002)
    assert run.invariants()["energy_balance"] < 1e-6
    assert np.ptp(run.q[:, 2]) > 0.3


@pytest.mark.parametrize(
    ("filling", "wavenumber", "share"),
    [(0.4, 1.1583, 0.8544), (0.8, 1.3924, 0.6799), (1.2, 1.7882, 0.4698), (1.6, 2.6864, 0.2222)],
)
def test_spheres_as_by_finite_elements(filling, wavenumber, share):
    """Our Ritz method against finite elements; a full hemisphere has λR = 1.5602."""
    found = first_mode(filling)
    assert abs(found[0] - wavenumber) < 4e-4
    assert abs(found[1] - share) < 1e-4
    assert abs(first_mode(1.0)[0] - 1.5602) < 1e-4


TANKS = [um.CylinderTank(0.5), um.BoxTank(0.6, 0.8), um.SphereTank(0.5)]


@pytest.mark.parametrize("tank", TANKS, ids=lambda tank: type(tank).__name__)
@pytest.mark.parametrize("model", ["pendulum", "spring"])
def test_shaken_tanks_push_back_as_the_formula_says(tank, model):
    """m + Σ m_n ω²/(ω_n² − ω²) along x; weight and centre of mass at rest; the same by both models."""
    g, h, ω = 9.81, 0.6, 4.0
    liquid = um.slosh(tank, h, 1000.0, model=model, gravity=g)
    mass = 1000.0 * tank.volume(h)
    assert abs(liquid.mass - mass) < 1e-9 * mass
    np.testing.assert_allclose(liquid.centre_of_mass(liquid.neutral()), [0, 0, tank.centre(h)], atol=1e-12)
    b = um.SystemBuilder("shaker")
    table = b.vehicle("table", um.Prismatic((1, 0, 0)), inertia=um.Inertia.box(1.0, (1, 1, 0.1)))
    b.mount(liquid, table, prefix="")
    plant = um.Plant(b.build(), world=um.Earth())
    q, n = plant.system.neutral(), plant.system.nv
    M = plant.mass_matrix(q)
    K = -M @ linear(plant, np.zeros(n))[n:, :n]
    free = np.arange(1, n)
    # (K − ω²M) (1, y) = (F, 0) for a table that moves by cos ωt
    D = K - ω**2 * M
    y = -np.linalg.solve(D[np.ix_(free, free)], D[free, 0])
    force = D[0, 0] + D[0, free] @ y + ω**2 * 1.0  # without the table's own mass
    waves = [wave for wave in tank.waves(h, 1) if wave.along in (None, 0)]
    expected = mass + sum(wave.share * mass * ω**2 / (g * wave.wavenumber - ω**2) for wave in waves)
    assert abs(-force / ω**2 / expected - 1.0) < 1e-9


def test_pendulums_of_cylinders_are_those_of_a_deep_box_in_one_direction():
    """Deep water: λ = ξ/R, share 2R/(ξ(ξ²−1)h), hinge and bob at −2/λ + 1/λ and −2/λ."""
    wave = um.CylinderTank(0.5).waves(50.0, 3)[0]
    assert abs(wave.wavenumber - 1.841184 / 0.5) < 1e-12
    assert abs(wave.height + 2.0 / wave.wavenumber) < 1e-12
    box = um.BoxTank(0.5, 0.5, along="x").waves(50.0, 2)
    assert [w.along for w in box] == [0, 0]
    assert abs(box[0].share * 50.0 - 8.0 * 0.5 / np.pi**3) < 1e-12


YAML = """
unmoored: 1
name: servicer
bodies:
  - {name: bus, parent: world, joint: {type: Free}, inertia: {box: {mass: 200, size: [1, 1, 1]}}}
mount:
  - {beam: {length: 2.0, mass: 3.0, bending: 7.0, elements: 4}, parent: bus, prefix: boom/}
  - {slosh: {tank: {type: SphereTank, radius: 0.4}, depth: 0.5, density: 1000.0}, parent: bus, at: {xyz: [0, 0, -0.4]}}
"""


def test_system_files_mount_both(tmp_path):
    path = tmp_path / "servicer.yaml"
    path.write_text(YAML)
    read = um.load(path)
    b = um.SystemBuilder("servicer")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(200.0, (1, 1, 1)))
    b.mount(um.flexible_beam(2.0, 3.0, 7.0, elements=4), bus, prefix="boom/")
    b.mount(um.slosh(um.SphereTank(0.4), 0.5, 1000.0), bus, at=um.Pose(xyz=(0, 0, -0.4)))
    built = b.build()
    assert read.names == built.names
    q = read.random_configuration(0)
    np.testing.assert_array_equal(read.mass_matrix(q), built.mass_matrix(q))
    assert [part.source for part in read.parts] == ["flexible_beam", "slosh"]
    for wrong, match in (
        ("bending: 7.0", "beam.*unknown key"),
        ("depth: 0.5", "SphereTank|depth"),
    ):
        text = YAML.replace(wrong, {"bending: 7.0": "bendings: 7.0", "depth: 0.5": "depth: 0.9"}[wrong])
        path.write_text(text)
        with pytest.raises(um.ModelError, match=match):
            um.load(path)
    path.write_text(YAML.replace("parent: bus, prefix", "system: tumbling_brick, parent: bus, prefix"))
    with pytest.raises(um.ModelError, match="expected just one of system, beam, slosh, given system, beam"):
        um.load(path)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: um.flexible_beam(0.0, 1.0, 1.0), "length: expected > 0"),
        (lambda: um.flexible_beam(1.0, 1.0, 1.0, elements=0), "elements: expected a whole number from 1"),
        (lambda: um.flexible_beam(1.0, 1.0, -1.0), "bending: expected > 0"),
        (lambda: um.flexible_beam(1.0, 1.0, 1.0, torsion=1.0), "torsion: expected torsion"),
        (lambda: um.slosh(um.SphereTank(0.5), 0.5, 1e3, modes=2), "from 1 to 1 for a SphereTank"),
        (
            lambda: um.slosh(um.CylinderTank(0.5), 0.5, 1e3, model="spring"),
            "gravity: expected the acceleration",
        ),
        (lambda: um.slosh(um.BoxTank(0.5, 0.5), 0.05, 1e3), "a part of the liquid that stays"),
        (lambda: um.CylinderTank(-0.5), "radius: expected > 0"),
    ],
)
@pytest.mark.whole
def test_nonsense_is_refused(make, match):
    with pytest.raises(um.ModelError, match=match):
        make()
