"""The largest sea that legs with a stroke compensate (docs/worlds.md, docs/theory.md §20)."""

import numpy as np
import pytest

import unmoored as um
from unmoored.lie import se3
from unmoored.model.joints import pose_from_numbers

LEGS = um.Hexapod.of_circles(3.0, 1.0, 2.0, at=(-10.0, 0.0, 3.5))


def heave_only(amplitude=1.0):
    operators = np.zeros((1, 2, 6), dtype=complex)
    operators[..., 2] = amplitude
    return um.ShipResponse([np.pi], [0.1, 5.0], operators)


def test_legs_that_follow_the_surface():
    """Vertical legs on a ship that heaves with the surface: σ = H/4, so H = 2 stroke/√(2 ln(duration/T_z))."""
    circle = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.arange(6)])
    legs = um.Hexapod(circle, circle + np.array([0.0, 0.0, 2.0]))
    waves = um.Jonswap(1.0, 8.0)
    found = um.largest_compensated_height(legs, 2.0, waves, response=heave_only(), duration=1200.0)
    expected = 2 * 2.0 / np.sqrt(2 * np.log(1200.0 / waves.zero_crossing_period))
    assert found.significant_height == pytest.approx(expected, rel=2e-3)
    assert found.deviations == pytest.approx(np.full(6, 0.25), rel=1e-9)
    twice = um.largest_compensated_height(
        legs, 4.0, um.Jonswap(3.0, 8.0), response=heave_only(), duration=1200.0
    )
    assert twice.significant_height == pytest.approx(2 * found.significant_height)
    half = um.largest_compensated_height(legs, 2.0, waves, response=heave_only(0.5), duration=1200.0)
    assert half.significant_height == pytest.approx(2 * found.significant_height)
    careful = um.largest_compensated_height(legs, 2.0, waves, response=heave_only(), risk=0.01)
    peak = np.sqrt(2 * np.log(1200.0 / waves.zero_crossing_period / -np.log(0.99)))
    assert careful.significant_height == pytest.approx(4.0 / peak, rel=2e-3)


def test_lengths_per_motion_are_the_slopes_of_the_lengths():
    at = np.array([4.0, 1.0, -2.0])
    r = se3.pose(np.eye(3), at)
    for k in range(6):
        η = 1e-5 * np.eye(6)[k]
        ahead, behind = (LEGS.lengths_at(r @ se3.exp(s * η) @ se3.inverse(r)) for s in (1, -1))
        assert (ahead - behind) / 2e-5 == pytest.approx(LEGS.per_motion(at)[:, k], abs=1e-8)
    assert np.linalg.matrix_rank(LEGS.per_motion(at)) == 6


@pytest.mark.long
def test_the_supply_vessel_compensates_three_metres():
    """Stroke 2 m, base of 6 m: 3.0 m is reported for a 75 m vessel (Ampelmann); ours is 82.8 m, head sea of 8 s.

    Through exact kinematics in drawn seas of that height the largest excursion is half the stroke: in the mean
    a factor 1 + 0.5772/(2 ln N) more than the most probable one.
    """
    found = um.largest_compensated_height(LEGS, 2.0, um.Jonswap(1.0, 8.0))
    assert found.significant_height == pytest.approx(3.35, abs=0.01)
    t, largest = np.arange(0.0, 1200.0, 1.0), []
    for seed in range(6):
        sea = um.Sea(um.Jonswap(1.0, 8.0), seed=seed, count=100, significant_height=found.significant_height)
        poses = pose_from_numbers(sea.ship_motion.motion(t, um.Free()).configuration)
        largest.append(np.abs(LEGS.lengths_at(poses) - LEGS.lengths).max())
    assert np.mean(largest) == pytest.approx(1.0 + 0.5772 / found.peaks[0] ** 2, abs=0.1)


def test_short_crests_take_from_the_worst_heading_and_give_to_the_best():
    waves = um.Jonswap(1.0, 8.0)

    def height(heading, **options):
        return um.largest_compensated_height(
            LEGS, 2.0, waves, heading_rad=heading, **options
        ).significant_height

    assert height(np.pi) > height(np.pi, spreading=1.0) > height(np.pi / 2, spreading=1.0) > height(np.pi / 2)
    assert height(np.pi, spreading=500.0) == pytest.approx(height(np.pi), rel=0.02)


def test_wrong_numbers_are_refused():
    with pytest.raises(um.ModelError, match="stroke"):
        um.largest_compensated_height(LEGS, 0.0, um.Jonswap(1.0, 8.0))
    with pytest.raises(um.ModelError, match="risk"):
        um.largest_compensated_height(LEGS, 2.0, um.Jonswap(1.0, 8.0), risk=1.0)
    with pytest.raises(um.ModelError, match=r"heading_rad.*radians"):
        um.largest_compensated_height(LEGS, 2.0, um.Jonswap(1.0, 8.0), heading_rad=150)
    with pytest.raises(um.ModelError, match="waves of some height"):
        um.largest_compensated_height(LEGS, 2.0, um.Jonswap(0.0, 8.0))
    with pytest.raises(um.ModelError, match="a ShipResponse"):
        um.largest_compensated_height(LEGS, 2.0, um.Jonswap(1.0, 8.0), response="s175")  # type: ignore[arg-type]
    for too_short in ({"duration": 5.0}, {"duration": 100.0, "risk": 0.9999}):  # a leg's period is 8 s
        with pytest.raises(um.ModelError, match="duration: expected many waves"):
            um.largest_compensated_height(LEGS, 2.0, um.Jonswap(1.0, 8.0), **too_short)
    with pytest.raises(um.ModelError, match="legs of some length"):
        um.Hexapod(LEGS.base, LEGS.base)
