"""Averaged NEES and NIS of filters over 500 runs inside their two-sided 95 % bounds, without inflation; far starts."""

import numpy as np
import pytest
from tests.sensing import drifting, test_attitude_filter, test_plant_filter

import unmoored as um

RUNS = 500


def share_inside(values, degrees, runs=RUNS, probability=0.95):
    """Part of averages (T,) that lie within the bounds."""
    low, high = um.consistency_bounds(degrees, runs, probability)
    return float(np.mean((low < values) & (values < high)))


@pytest.mark.parametrize("attitude", [0.02, 0.06])
def test_the_invariant_filter_is_consistent_up_to_ten_degrees(attitude):
    """Standard deviations about each axis of 1.1° and 3.4°: of 500 the largest turns are 4° and 12°."""
    q, V, options = drifting.start(RUNS, 7, attitude)
    filter_, run = drifting.run(RUNS, 3, 30.0, options, q, V)
    assert run.completed
    squares = um.nees(filter_.errors(run), run.estimate.covariance)[:, :-1]
    means = squares.mean(axis=0)
    assert share_inside(means, 15) >= 0.9, means  # of dependent times 95 % are expected
    assert share_inside(means, 15, probability=0.9999) == 1.0, means
    told = run.memory["0.filter.nis"][:, 1:-1]
    for i, sensor in enumerate(drifting.SENSORS[1:]):
        assert_mean_inside(told[..., i], sensor.size)
        assert share_inside(told[..., i].mean(axis=0), sensor.size) >= 0.85, sensor.name


def test_from_sixty_degrees_it_comes_back():
    q, V, options = drifting.turned(RUNS, 7, np.radians(60.0))
    filter_, run = drifting.run(RUNS, 3, 30.0, options, q, V, record=5.0)
    off = np.degrees(np.linalg.norm(filter_.errors(run)[:, -2, 6:9], axis=-1))
    away = np.linalg.norm(filter_.errors(run)[:, -2, :3], axis=-1)
    print(np.percentile(off, [50, 90, 99, 100]), np.percentile(away, [50, 90, 99, 100]))
    assert np.mean((off < 3.0) & (away < 0.6)) >= 0.99


@pytest.mark.parametrize("iterations", [1, 2])
def test_a_first_fix_from_far_away(iterations):
    """Transponders at 36 m, fixed to 0.05 m and 0.01 rad, attitude off by 0.15 rad: the iterated update survives."""
    far = tuple(
        um.Usbl(f"usbl_{i}", "unit", transponder=p, distance=0.05, angle=0.01, rate=1.0)
        for i, p in ((1, (30.0, 10.0, -17.0)), (2, (-20.0, 25.0, -17.0)))
    )
    sensors = (*drifting.SENSORS[:3], *far)
    q, V, options = drifting.start(RUNS, 7, 0.15)
    filter_, run = drifting.run(
        RUNS, 3, 10.0, options | {"iterations": iterations}, q, V, believed=sensors, sensors=sensors
    )
    means = um.nees(filter_.errors(run), run.estimate.covariance)[:, :-1].mean(axis=0)
    print(iterations, means)
    if iterations == 1:
        assert means.max() > 100.0  # an ordinary update does not: the figure on the page
    else:
        assert share_inside(means[1:], 15, probability=0.9999) == 1.0, means


@pytest.mark.parametrize("attitude", [0.02, 0.06])
def test_the_attitude_filter_is_consistent(attitude):
    filter_, run = test_attitude_filter.watched(attitude, samples=RUNS)
    means = um.nees(filter_.errors(run), run.estimate.covariance)[:, :-1].mean(axis=0)
    assert share_inside(means, 6) >= 0.9, means
    assert share_inside(means, 6, probability=0.9999) == 1.0, means
    fresh = run.y["stars"].fresh[:, :-1] == 1.0
    assert_mean_inside(run.memory["filter.nis"][:, :-1, 0][fresh], 3)


def test_the_filter_of_a_plant_with_an_arm_is_consistent():
    """Eight sets of 500. Times of one set depend on each other: its share inside is mostly that set's chance. What all
    sets together have at each time must lie inside the bounds of 500 runs, and each set inside those of 99.99 %."""
    means, told = [], []
    for seed in range(3, 11):
        filter_, run = test_plant_filter.watched(samples=RUNS, seed=seed)
        means.append(um.nees(filter_.errors(run), run.estimate.covariance)[:, 1:-1].mean(axis=0))
        fresh = [run.y[sensor.name].fresh[:, 1:-1] == 1.0 for sensor in test_plant_filter.SENSORS]
        nis = run.memory["filter.nis"][:, 1:-1]
        told.append([nis[..., i][rows] for i, rows in enumerate(fresh)])
    assert share_inside(np.mean(means, axis=0), 14) == 1.0, np.mean(means, axis=0)
    assert share_inside(np.ravel(means), 14, probability=0.9999) == 1.0, means
    for i, sensor in enumerate(test_plant_filter.SENSORS):
        assert_mean_inside(np.concatenate([one[i] for one in told]), sensor.channels)


def assert_mean_inside(squares, degrees):
    """The mean NIS of all readings, inside bounds that eight comparisons together miss once in a hundred times."""
    low, high = um.consistency_bounds(degrees, squares.size, 1.0 - 0.01 / 8)
    assert low < squares.mean() < high, (squares.mean(), low, high)
