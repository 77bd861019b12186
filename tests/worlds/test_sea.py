"""Ships in a seaway: spectra, response, and the motion's own derivatives (docs/theory.md §14, §20)."""

import numpy as np
import pytest
from tests.worlds.support import central_rate, random_state, relative_error

import unmoored as um
from unmoored.dynamics.forced_base import forced_base
from unmoored.lie import se3
from unmoored.model.joints import pose_from_numbers
from unmoored.trace import evaluate, trace
from unmoored.worlds.sea import Waves


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


def test_waves_have_the_energy_of_their_bins_and_repeat_with_their_seed():
    spectrum = um.Jonswap(2.0, 8.0)
    waves = Waves(spectrum, seed=7, count=40)
    edges = np.linspace(*spectrum.band, 41)
    assert np.all((edges[:-1] <= waves.frequencies) & (waves.frequencies <= edges[1:]))
    assert waves.amplitudes**2 / 2 == pytest.approx(spectrum.variance(edges[:-1], edges[1:]), rel=1e-14)
    assert (waves.amplitudes**2 / 2).sum() == pytest.approx(2.0**2 / 16, rel=1e-2)
    again, other = Waves(spectrum, 7, 40), Waves(spectrum, 8, 40)
    assert again == waves
    assert not np.array_equal(other.phases, waves.phases)


def test_elevation_has_the_variance_of_the_spectrum():
    sea = um.Sea(um.Jonswap(2.0, 8.0), seed=1, count=30)
    t = np.arange(0, 40000, 0.5)
    assert sea.elevation(t).var() == pytest.approx((sea.waves.amplitudes**2 / 2).sum(), rel=1e-2)


def test_a_tabulated_spectrum_is_its_table():
    table = um.TabulatedSpectrum([0.5, 1.0, 1.5], [0.0, 2.0, 0.0])
    assert table.variance(0.5, 1.5) == pytest.approx(1.0, rel=1e-12)
    assert table.density(np.array([0.1, 0.75, 3.0])).tolist() == [0.0, 1.0, 0.0]


def test_long_waves_carry_the_ship_along():
    """In long waves the ship moves as the water does: heave with the surface, surge and sway along the orbits."""
    ship = um.supply_vessel()
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
    with pytest.raises(um.ModelError, match=r"90°.*140°.*180°.*220°.*270°"):
        ship.at(np.pi / 4, ω)


def test_response_is_interpolated_as_complex_numbers():
    """Between −3.10 and 3.13 rad of phase the operator stays near −1, it does not swing through +1."""
    ship = um.ShipResponse([np.pi], [0.5, 1.0], np.exp(1j * np.array([[[-3.1] * 6, [3.13] * 6]])))
    middle = ship.at(np.pi, np.array([0.75]))
    assert np.abs(middle + 1).max() < 0.03
    assert np.abs(ship.at(np.pi, np.array([1.2]))).max() == 0


def example_sea(**options):
    return um.Sea(
        spectrum=um.Jonswap(4.0, 9.0),
        heading_rad=np.radians(140),
        seed=3,
        count=20,
        reference=(10.47, 0, -1.0),
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
