"""Ships in a seaway: spectra, response, and the motion's own derivatives (docs/theory.md §14, §20)."""

import dataclasses
import math

import numpy as np
import pytest
from tests.worlds.support import central_rate, random_state, relative_error

import unmoored as um
from unmoored.dynamics.forced_base import forced_base
from unmoored.lie import se3
from unmoored.model.joints import pose_from_numbers
from unmoored.trace import evaluate, trace
from unmoored.worlds.seas.waves import Waves, directional_density


@pytest.mark.parametrize("spectrum", [um.PiersonMoskowitz(3.0, 9.0), um.Jonswap(3.0, 9.0, 1.0)])
def test_variance_of_a_grown_sea_is_a_sixteenth_of_the_height_squared(spectrum):
    edges = np.geomspace(0.05, 500, 4001)
    assert spectrum.variance(edges[:-1], edges[1:]).sum() == pytest.approx(3.0**2 / 16, rel=1e-6)


@pytest.mark.parametrize("peakedness", [2.0, 3.3, 5.0])
def test_variance_of_a_growing_sea(peakedness):
    """The factor 1 − 0.287 ln γ is a fit: good to half a per cent up to γ = 5."""
    edges = np.linspace(0.1, 40, 4001)
    variance = um.Jonswap(3.0, 9.0, peakedness).variance(edges[:-1], edges[1:]).sum()
    assert variance == pytest.approx(3.0**2 / 16, rel=5e-3)


SPECTRA = [um.Jonswap(2.0, 8.0), um.TabulatedSpectrum([0.4, 0.5, 0.9, 1.0, 1.6], [0.0, 2.0, 0.0, 0.0, 1.0])]


def moment(spectrum, order):
    """∫ ω^order S dω over the band, with a rule of its own."""
    ω = np.linspace(*spectrum.band, 400_001)
    S = ω**order * spectrum.density(ω)
    return 0.5 * (S[1:] + S[:-1]).sum() * (ω[1] - ω[0])


@pytest.mark.parametrize("spectrum", SPECTRA)
def test_every_wave_has_the_same_energy_and_a_frequency_in_its_bin(spectrum):
    waves = Waves(spectrum, seed=7, count=40)
    m0 = moment(spectrum, 0)
    assert (waves.amplitudes**2 / 2) == pytest.approx(np.full(40, m0 / 40), rel=1e-5)
    below = np.array([spectrum.variance(spectrum.band[0], ω) for ω in waves.frequencies]) / m0
    assert np.all(np.abs(below * 40 - np.arange(40) - 0.5) < 0.51)
    again, other = Waves(spectrum, 7, 40), Waves(spectrum, 8, 40)
    assert again == waves
    assert not np.array_equal(other.phases, waves.phases)
    assert not np.array_equal(other.frequencies, waves.frequencies)


def test_variance_and_significant_height_are_those_of_the_spectrum():
    sea = um.Sea(um.Jonswap(2.0, 8.0), seed=1)
    elevation = sea.elevation(np.arange(0, 40000, 0.5))
    m0 = moment(sea.spectrum, 0)
    assert (sea.waves.amplitudes**2 / 2).sum() == pytest.approx(m0, rel=1e-6)
    assert 4 * np.sqrt(m0) == pytest.approx(2.0, rel=5e-3)
    assert elevation.var() == pytest.approx(m0, rel=1e-2)
    assert abs(elevation.mean()) < 0.01
    flat = um.Sea(um.Jonswap(0.0, 8.0))
    assert not flat.elevation(3.0).any()
    assert np.isfinite(flat.waves.frequencies).all()


def test_in_the_mean_over_seeds_the_waves_have_the_spectrum():
    """Energies of fixed bands, and the mean periods m₀/m₁ and √(m₀/m₂), within 4.5 standard errors of 400 seeds."""
    spectrum = um.Jonswap(2.0, 8.0)
    drawn = np.stack([Waves(spectrum, seed, 20).frequencies for seed in range(400)])
    m0 = moment(spectrum, 0)
    edges = np.linspace(*spectrum.band, 31)
    shares = np.stack([np.histogram(row, edges)[0] / 20 for row in drawn])
    expected = spectrum.variance(edges[:-1], edges[1:]) / m0
    error = shares.std(axis=0) / 20 + 1e-3
    assert np.all(np.abs(shares.mean(axis=0) - expected) < 4.5 * error)
    for order in (1, 2):
        means = (drawn**order).mean(axis=1)
        assert abs(means.mean() - moment(spectrum, order) / m0) < 4.5 * means.std() / 20


def test_zero_crossings_have_the_mean_period():
    """Rice: upward crossings of zero of a Gaussian sea are 2π √(m₀/m₂) apart in the mean."""
    sea = um.Sea(um.Jonswap(2.0, 8.0), seed=3, count=100)
    waves = sea.waves
    t = np.arange(0, 10000, 0.2)
    elevation = np.concatenate([sea.elevation(part) for part in np.split(t, 20)])
    upward = np.count_nonzero((elevation[:-1] < 0) & (elevation[1:] >= 0))
    period = 2 * np.pi / np.sqrt((waves.frequencies**2).mean())
    assert t[-1] / upward == pytest.approx(period, rel=0.02)
    assert period == pytest.approx(
        2 * np.pi * np.sqrt(moment(sea.spectrum, 0) / moment(sea.spectrum, 2)), rel=0.02
    )


def test_the_elevation_is_gaussian():
    """Over 20,000 seas of 50 waves: within the 1 % bound of Kolmogorov, no skew, kurtosis 3 − 1.5/50."""
    sea = um.Sea(um.Jonswap(2.0, 8.0))
    phases = np.random.default_rng(0).uniform(0, 2 * np.pi, (20_000, 50))
    x = np.sort(np.cos(sea.waves.frequencies * 17.0 + phases) @ sea.waves.amplitudes)
    x = x / np.sqrt((sea.waves.amplitudes**2 / 2).sum())
    normal = np.array([0.5 * math.erfc(-y / math.sqrt(2)) for y in x])
    assert np.abs(normal - (np.arange(len(x)) + 0.5) / len(x)).max() < 1.63 / np.sqrt(len(x))
    assert abs((x**3).mean()) < 4 * np.sqrt(6 / len(x))
    assert (x**4).mean() == pytest.approx(3 - 1.5 / 50, abs=4 * np.sqrt(24 / len(x)))


def test_the_sea_does_not_repeat():
    """R(τ) = mean of cos ωτ: beyond the memory of the sea it is noise of size 1/√(2·50), at 378 s (once 0.67) too."""
    worst, near = [], []
    for seed in range(20):
        ω = um.Sea(seed=seed).waves.frequencies
        R = np.cos(np.outer(np.arange(200.0, 4000.0, 0.5), ω)).mean(axis=1)
        worst.append(np.abs(R).max())
        near.append(np.abs(R[np.abs(np.arange(200.0, 4000.0, 0.5) - 378.0) < 10]).max())
        assert np.sqrt((R**2).mean()) < 1.3 / np.sqrt(100)
    assert np.median(worst) < 0.45
    assert np.max(worst) < 0.6
    assert np.median(near) < 0.25


def test_a_tabulated_spectrum_is_its_table():
    table = um.TabulatedSpectrum([0.5, 1.0, 1.5], [0.0, 2.0, 0.0])
    assert table.variance(0.5, 1.5) == pytest.approx(1.0, rel=1e-12)
    assert table.density(np.array([0.1, 0.75, 3.0])).tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("ship", [um.supply_vessel(), um.s175()], ids=["supply", "s175"])
def test_long_waves_carry_the_ship_along(ship):
    """In long waves the ship moves as the water does: heave with the surface, surge and sway along the orbits."""
    low = ship.frequencies[:1]
    head, beam = ship.at(np.pi, low)[0], ship.at(np.pi / 2, low)[0]
    assert head[2] == pytest.approx(1.0, abs=0.02)  # up, with the surface
    # waves that go to −x: velocity −aω cos, displacement −a sin = a cos(· + π/2)
    assert head[0] == pytest.approx(1j, abs=0.05)
    # at 90 degrees they go to starboard, which is −y here
    assert beam[1] == pytest.approx(1j, abs=0.05)
    # the bow rises (pitch < 0 about y to port) before the crest has passed it: slope of the surface k = ω²/g
    assert head[4] == pytest.approx(-1j * low[0] ** 2 / 9.81, abs=1e-3)


def test_a_sea_from_the_other_side_is_mirrored():
    ship, ω = um.supply_vessel(), np.array([0.5, 0.9])
    assert ship.at(1.5 * np.pi, ω) == pytest.approx(ship.at(np.pi / 2, ω) * [1, -1, 1, -1, 1, -1])
    assert ship.at(-np.pi / 2, ω) == pytest.approx(ship.at(1.5 * np.pi, ω))


def test_response_is_interpolated_as_complex_numbers():
    """Between −3.10 and 3.13 rad of phase the operator stays near −1, it does not swing through +1."""
    ship = um.ShipResponse([np.pi], [0.5, 1.0], np.exp(1j * np.array([[[-3.1] * 6, [3.13] * 6]])))
    middle = ship.at(np.pi, np.array([0.75]))
    assert np.abs(middle + 1).max() < 0.03
    assert np.abs(ship.at(np.pi, np.array([1.2]))).max() == 0


def test_headings_between_those_of_the_table_are_interpolated_as_complex_numbers():
    ship, ω = um.supply_vessel(), np.array([0.5, 0.9])
    below, above = ship.at(np.radians(130), ω), ship.at(np.radians(140), ω)
    assert ship.at(np.radians(133), ω) == pytest.approx(0.7 * below + 0.3 * above, rel=1e-12)
    # across the bow the lateral motions change sign, the others do not
    left, right = ship.at(np.radians(176), ω), ship.at(np.radians(184), ω)
    assert right == pytest.approx(left * [1, -1, 1, -1, 1, -1], rel=1e-12)
    assert np.abs(ship.at(np.pi, ω)[:, [1, 3, 5]]).max() == 0
    each = ship.at(np.radians([133, 30]), ω)  # a heading for each frequency
    assert each[1] == pytest.approx(ship.at(np.radians(30), ω)[1])
    assert ship.covers_all_headings


def test_every_other_heading_foretells_those_between():
    """From steps of 20°, with about four times the error of 10°: 10 % of a motion's largest value up to 0.9 rad/s."""
    ship = um.supply_vessel()
    coarse = um.ShipResponse(ship.headings_rad[::2], ship.frequencies, ship.operators[::2])
    long = ship.frequencies < 0.95
    for heading, operators in zip(ship.headings_rad[1::2], ship.operators[1::2], strict=True):
        error = np.abs(coarse.at(heading, ship.frequencies[long]) - operators[long])
        assert (error.max(axis=0) / np.abs(ship.operators[:, long]).max(axis=(0, 1))).max() < 0.12


def test_a_motion_that_is_not_known_is_not_interpolated():
    ship = um.s175()
    assert np.isfinite(ship.at(np.pi / 2, np.array([0.5]))).all()
    assert not ship.covers_all_headings
    with pytest.raises(um.ModelError, match=r"surge.*not known.*given 2\.6"):
        ship.at(2.6, np.array([0.5]))
    with pytest.raises(um.ModelError, match=r"90°.*140°.*180°.*220°.*270°"):
        ship.at(np.pi / 4, np.array([0.5]))
    with pytest.raises(um.ModelError, match="not known"):
        um.Sea(response="s175", spreading=2.0)
    assert (
        "sea.heading_rad"
        not in um.Plant(um.load("supply_vessel_arm6"), um.Sea(response="s175")).available_parameters()
    )


def test_all_long_waves_carry_the_ship_along_at_every_heading():
    """Surge and sway along the orbit of the water, heave with the surface, pitch and roll with its slope, at 20 s."""
    ship, ω = um.supply_vessel(), np.array([0.3142])
    k = ω[0] ** 2 / 9.81
    for heading in np.radians(np.arange(0, 360, 15)):
        x, y = np.cos(heading), -np.sin(heading)
        motion = ship.at(heading, ω)[0]
        assert motion[:3] == pytest.approx([-1j * x, -1j * y, 1.0], abs=0.06)
        assert motion[4] == pytest.approx(1j * k * x, abs=1e-3)  # the bow goes down where the surface does
        assert abs(motion[5]) < 6e-3


def test_moments_of_a_grown_sea():
    """m_n = (A/4) B^(n/4 − 1) Γ(1 − n/4) of A ω⁻⁵ exp(−B ω⁻⁴), and T_z = 0.710 T_p."""
    grown = um.PiersonMoskowitz(3.0, 9.0)
    ω_p = 2 * np.pi / 9.0
    B = 1.25 * ω_p**4
    A = 4 * B * 3.0**2 / 16
    tail = {
        0: A / (4 * 5**4 * ω_p**4),
        1: A / (3 * 5**3 * ω_p**3),
        2: A / (2 * 5**2 * ω_p**2),
    }  # above the band
    for n, rest in tail.items():
        exact = A / 4 * B ** (n / 4 - 1) * math.gamma(1 - n / 4)
        assert grown.moment(n) + rest == pytest.approx(exact, rel=3e-4)
    assert grown.moment(0) == pytest.approx(grown.total)
    assert 2 * np.pi * np.sqrt((A / 4 / B) / (A / 4 * B**-0.5 * math.sqrt(math.pi))) / 9.0 == pytest.approx(
        0.710, abs=1e-3
    )
    assert grown.zero_crossing_period == pytest.approx(
        0.710 * 9.0, rel=0.03
    )  # the band ends at five times ω_p
    assert um.TabulatedSpectrum([0.5, 1.0, 1.5], [0.0, 2.0, 0.0]).peak_frequency == pytest.approx(
        1.0, abs=1e-9
    )


@pytest.mark.parametrize("s", [1.0, 8.0])
def test_the_energy_of_a_short_crested_sea_is_spread_over_directions(s):
    """Over seeds the directions have the density cos^2s: bins, and ∫ D cos θ = Γ(s+1)²/(Γ(s+½)Γ(s+3/2))."""
    drawn = np.stack([Waves(um.Jonswap(2.0, 8.0), seed, 40, s).directions for seed in range(200)])
    θ = np.linspace(-np.pi / 2, np.pi / 2, 4001)
    D = directional_density(θ, s)
    assert 0.5 * (D[1:] + D[:-1]).sum() * (θ[1] - θ[0]) == pytest.approx(1.0, abs=1e-9)
    first = math.exp(2 * math.lgamma(s + 1) - math.lgamma(s + 0.5) - math.lgamma(s + 1.5))
    assert np.cos(drawn).mean() == pytest.approx(first, abs=2e-4)
    assert abs(np.sin(drawn).mean()) < 2e-3
    edges = np.linspace(-np.pi / 2, np.pi / 2, 13)
    shares = np.histogram(drawn, edges)[0] / drawn.size
    expected = [np.interp(edges, θ, np.cumsum(D) * (θ[1] - θ[0]))]
    assert np.abs(shares - np.diff(expected[0])).max() < 4e-3
    # directions do not go with frequencies
    ω = np.stack([Waves(um.Jonswap(2.0, 8.0), seed, 40, s).frequencies for seed in range(200)])
    assert abs(np.corrcoef(drawn.ravel(), ω.ravel())[0, 1]) < 0.05


def test_slopes_of_a_short_crested_sea():
    """Mean squares of the slopes along and across the heading are as 2s + 1 to 1; long crests have none across."""
    t = np.arange(0.0, 2000.0, 1.1)
    step, ratios = 0.5, []
    for seed in range(6):
        sea = um.Sea(um.Jonswap(2.0, 8.0), heading_rad=0.0, seed=seed, count=150, spreading=1.0)
        along = sea.elevation(t, (step, 0.0)) - sea.elevation(t, (-step, 0.0))
        across = sea.elevation(t, (0.0, step)) - sea.elevation(t, (0.0, -step))
        ratios.append([(along**2).mean(), (across**2).mean()])
    along, across = np.mean(ratios, axis=0)
    assert along / across == pytest.approx(3.0, rel=0.1)
    long = um.Sea(heading_rad=0.0)
    assert long.elevation(t, (0.0, 3.0)) == pytest.approx(long.elevation(t), abs=1e-12)
    # crests go to where the heading says: to the right of the ship at 90 degrees
    beam = um.Sea(um.TabulatedSpectrum([0.5, 0.5001], [1.0, 1.0]), heading_rad=np.pi / 2, count=1)
    ω = beam.frequencies[0]
    later = beam.elevation(1.0 + 10.0 * ω / 9.81, (0.0, -10.0))
    assert later == pytest.approx(beam.elevation(1.0), abs=1e-9)


def crane_on_a_ship():
    b = um.SystemBuilder("crane")
    ship = b.vehicle("ship", um.Free(), inertia=um.Inertia.sphere(1e6, 5.0))
    boom = um.Inertia.sphere(100.0, 1.0, com=(3.0, 0, 0))
    b.link("boom", parent=ship, joint=um.Revolute((0, 1, 0)), inertia=boom)
    return b.build()


def test_a_campaign_varies_the_sea():
    """The ship's place at the start is that of the sample's height and of the seed's phases."""
    sea = um.Sea(um.Jonswap(2.0, 9.0), count=5)
    vary = {"sea.significant_height": um.Uniform(0.5, 4.0), "sea.seed": um.Integers(0, 100)}
    campaign = um.Campaign(um.Plant(crane_on_a_ship(), sea), vary=vary, samples=3, duration=0.02, step=0.01)
    for k in range(3):
        values = campaign.values([k])
        height, seed = float(values["sea.significant_height"][0]), int(values["sea.seed"][0])
        own = dataclasses.replace(sea, significant_height=height, phases=sea.phases_of(seed))
        expected = own.ship_motion.motion(np.asarray(0.0), um.Free()).configuration
        assert campaign.sample(k).q[0, :12] == pytest.approx(expected, abs=1e-12)


def test_height_period_and_heading_vary_from_sample_to_sample():
    """Free numbers give what a sea built with them gives, in kernels and in batches."""
    system = crane_on_a_ship()
    sea = um.Sea(
        um.Jonswap(4.0, 9.0), heading_rad=2.3, seed=3, count=4, reference=(5.084, 0, 0), spreading=3.0
    )
    plant = um.Plant(system, sea, free=["sea.significant_height", "sea.peak_period", "sea.heading_rad"])
    q, v = random_state(system, 1)
    values = [(1.5, 7.0, 0.4), (6.0, 12.5, -2.9), (0.0, 9.0, 3.1)]
    both = plant.forward_dynamics(5.0, q, v, p=np.array(values))
    assert both[:2] != pytest.approx(both[1:], rel=1e-3)
    for k, (height, period, heading) in enumerate(values):
        changed = dataclasses.replace(sea, significant_height=height, peak_period=period, heading_rad=heading)
        alone = um.Plant(system, changed)
        assert relative_error(both[k], alone.forward_dynamics(5.0, q, v, backend="numpy")) < 1e-12
    with pytest.raises(um.ModelError, match=r"sea\.peak_period.*> 0"):
        um.simulate(plant, q, v, duration=0.1, step=0.05, parameters={"sea.peak_period": 0.0})
    with pytest.raises(um.ModelError, match=r"sea\.heading_rad.*radians"):
        um.simulate(plant, q, v, duration=0.1, step=0.05, parameters={"sea.heading_rad": 150.0})


def test_another_height_or_period_is_the_sea_of_that_spectrum():
    """JONSWAP scales: waves of half the period are those drawn from the spectrum with half the period."""
    sea = um.Sea(um.Jonswap(2.0, 16.0), seed=5, peak_period=8.0, significant_height=1.0)
    other = um.Sea(um.Jonswap(3.0, 8.0), seed=5)
    assert sea.frequencies == pytest.approx(other.frequencies, rel=1e-12)
    assert (sea.elevation(np.arange(0, 20000, 0.5)) ** 2).mean() == pytest.approx(1.0 / 16, rel=0.02)
    assert 16 * sea.count * sea.amplitude**2 / 2 == pytest.approx(1.0, rel=1e-12)
    same = um.Sea(um.Jonswap(2.0, 8.0), seed=5)
    assert same.frequencies.tolist() == same.waves.frequencies.tolist()
    assert same.amplitude == pytest.approx(same.waves.amplitudes[0], rel=1e-12)
    for name, value in (
        ("significant_height", -1.0),
        ("peak_period", 0.0),
        ("spreading", -1.0),
        ("response", "ship"),
    ):
        with pytest.raises(um.ModelError, match=name):
            um.Sea(**{name: value})


def example_sea(**options):
    return um.Sea(
        spectrum=um.Jonswap(4.0, 9.0),
        heading_rad=np.radians(140),
        seed=3,
        count=20,
        reference=(5.084, 0, -1.0),
        **options,
    )


def test_velocity_and_acceleration_of_the_ship_are_those_of_its_pose():
    motion = example_sea().ship_motion
    joint = um.Free()

    def pose(s):
        return pose_from_numbers(motion.motion(np.asarray(33.0 + s), joint).configuration)

    at = motion.motion(np.asarray(33.0), joint)
    V = se3.vee(se3.inverse(pose(0.0)) @ central_rate(pose, h=0.05))
    assert relative_error(at.velocity, V) < 1e-10
    V_dot = central_rate(lambda s: motion.motion(np.asarray(33.0 + s), joint).velocity, h=0.05)
    assert relative_error(at.acceleration, V_dot) < 1e-10
    assert np.abs(pose(0.0)[:3, :3].T @ pose(0.0)[:3, :3] - np.eye(3)).max() < 1e-15


def test_the_reference_point_moves_as_the_response_says():
    sea = example_sea()
    motion = sea.ship_motion
    t = np.asarray(12.3)
    g = pose_from_numbers(motion.motion(t, um.Free()).configuration)
    waves = sea.waves
    response = sea.response.at(np.radians(140), waves.frequencies) * waves.amplitudes[:, None]
    η = (np.exp(1j * (waves.frequencies * t + waves.phases)) @ response).real
    moved = g @ np.append(sea.reference, 1.0)
    assert moved[:3] - sea.reference == pytest.approx(η[:3], abs=1e-14)


def test_a_ship_in_waves_is_a_forced_vehicle():
    system = um.load("supply_vessel_arm6")
    sea = example_sea()
    quiet = um.JointEffects(springs=False, damping=False, friction=False, stops=False)
    plant = um.Plant(system, sea, joints=quiet)
    assert plant.nw == system.nv - 6
    q, v = random_state(system, 1)
    u = np.random.default_rng(2).normal(size=system.nv) * 1e3
    t = 5.0
    a = plant.forward_dynamics(t, q, v, u, backend="numpy")
    ship = sea.ship_motion.motion(np.asarray(t), um.Free())
    q[:12], v[:6] = ship.configuration, ship.velocity
    given = np.concatenate([ship.acceleration, np.zeros(system.nv - 6)])
    expected = forced_base(system.tree, q, v, u, given, np.array([0, 0, -9.81]), None, "vessel")
    assert relative_error(a, expected.acceleration) < 1e-12
    reaction = plant.reactions(t, q, v, u, backend="numpy")
    assert relative_error(reaction[:6] + u[:6], expected.reaction) < 1e-12
    assert np.abs(reaction[6:]).max() < 1e-10 * np.abs(reaction).max()
    assert relative_error(plant.forward_dynamics(t, q, v, u), a) < 1e-12


def test_phases_vary_the_sea_from_sample_to_sample():
    system = um.load("supply_vessel_arm6")
    sea = example_sea()
    plant = um.Plant(system, sea, free=["sea.phases"])
    q, v = random_state(system, 1)
    p = np.stack([sea.phases_of(seed) for seed in (3, 4)])
    both = plant.forward_dynamics(5.0, q, v, p=p)
    for k, seed in enumerate((3, 4)):
        alone = um.Plant(system, example_sea(phases=sea.phases_of(seed)))
        assert relative_error(both[k], alone.forward_dynamics(5.0, q, v, backend="numpy")) < 1e-12
    w = np.zeros(plant.nw)
    assert not np.array_equal(plant.full_velocity(5.0, q, w, p[0]), plant.full_velocity(5.0, q, w, p[1]))
    assert plant.configuration(5.0, q, p[0])[:12].tolist() == plant.configuration(5.0, q)[:12].tolist()


def test_any_motion_of_the_ship_will_do():
    system = um.load("supply_vessel_arm6")

    def rolling(t):
        o = 0 * t
        return se3.exp(np.stack([o, o, 0.5 * np.sin(t), 0.1 * np.cos(t), o, 0.05 * t]))

    plant = um.Plant(system, um.Sea(trajectory=rolling))
    q, _ = random_state(system, 1)
    t = 0.8
    placed = pose_from_numbers(plant.configuration(t, q)[:12])
    assert placed == pytest.approx(rolling(np.asarray(t)), abs=1e-15)
    v = plant.full_velocity(t, q, np.zeros(plant.nw))
    rate = central_rate(lambda s: rolling(np.asarray(t + s)))
    assert relative_error(v[:6], se3.vee(se3.inverse(placed) @ rate)) < 1e-10
    traced = trace(lambda t, w: plant.full_velocity(t, q, w), (), (plant.nw,))
    assert relative_error(evaluate(traced, np.asarray(t), np.zeros(plant.nw)), v) < 1e-13


def test_the_spectrum_comes_first():
    spectrum = um.Jonswap(1.5, 7.0)
    assert um.Sea(spectrum).spectrum == spectrum
    assert um.Sea(spectrum) == um.Sea(spectrum=spectrum, gravity=(0, 0, -9.81))


def test_waves_beyond_a_response_are_told_of():
    """Of a ship that follows every wave up to 1 rad/s, what is lost is the energy above, ∫S dω / m₀."""
    operators = np.zeros((19, 2, 6), dtype=complex)
    operators[..., 2] = 1.0
    floats = um.ShipResponse(np.radians(np.arange(0, 181, 10)), [0.4, 1.0], operators)
    spectrum = um.PiersonMoskowitz(2.0, 9.0)
    with pytest.warns(um.ModelWarning, match="lies above its last frequency, 1 rad/s") as told:
        sea = um.Sea(spectrum, response=floats)
    assert told[0].filename == __file__
    found = sea.beyond_response()
    lost = float(spectrum.variance(np.array(1.0), np.array(spectrum.band[1]))) / spectrum.total
    assert found.energy[1] == pytest.approx(lost, abs=3e-3)
    assert found.motion == pytest.approx(found.energy)  # heave is the wave
    assert sea.beyond_response(60.0).energy[0] > 0.9
    with pytest.warns(um.ModelWarning, match=r"energy lies below its first frequency, 0\.4 rad/s"):
        um.Sea(um.Jonswap(2.0, 20.0), response=floats)
    um.Sea(um.Jonswap(2.0, 14.0, 7.0), response=um.ShipResponse(floats.headings_rad, [0.3, 1.5], operators))
    um.Sea(um.Jonswap(0.0, 4.0))  # no waves
    system = um.load("supply_vessel_arm6")
    plant = um.Plant(system, um.Sea(), free=["sea.peak_period"])
    go = {"duration": 0.2, "step": 0.1}
    with pytest.warns(um.ModelWarning, match="peak period 2 s") as told:
        um.simulate(plant, system.neutral(), parameters={"sea.peak_period": [8.0, 2.0]}, **go)
    assert told[0].filename == __file__
    um.simulate(plant, system.neutral(), parameters={"sea.peak_period": [8.0, 9.0]}, **go)
    legs = um.Hexapod.of_circles(base_radius=3.0, platform_radius=1.0, height=2.0)
    with pytest.warns(um.ModelWarning, match="largest_compensated_height.*above its last"):
        um.largest_compensated_height(legs, 2.0, um.Jonswap(1.0, 4.0))
