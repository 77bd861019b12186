"""The attitude filter of gyroscope and star tracker: consistent, convergent, and it holds a craft by its estimate."""

from functools import cache

import numpy as np
import pytest

import unmoored as um
from unmoored.lie import se3, so3

SAMPLES = 100
GYRO = um.Gyro("gyro", "unit", grade="MPU-6000", sampling="average")
STARS = um.StarTracker("stars", "camera", noise=(333e-6, 333e-6, 1e-3), rate=5.0)


@cache
def plant():
    b = um.SystemBuilder("tumbler")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=12.0, size=(0.6, 0.4, 0.3)))
    b.frame("unit", parent=bus, at=um.Pose(xyz=(0.1, 0.05, -0.02), rpy=(0.1, -0.2, 0.3)))
    b.frame("camera", parent=bus, at=um.Pose(xyz=(-0.2, 0.0, -0.1), rpy=(1.0, 0.4, -0.7)))
    return um.Plant(b.build())


class Pointing(um.Law):
    """Turns the bus to the axes of the world, by what it sees."""

    def __call__(self, t, q, v):
        R = q[:9].reshape(3, 3)
        return np.concatenate([np.zeros(3), -1.0 * so3.log(R) - 1.2 * v[3:]])


@cache
def watched(deviation, believed=1.0, samples=SAMPLES):
    rng = np.random.default_rng(2)
    φ = deviation * rng.standard_normal((samples, 3))
    g = se3.exp(rng.standard_normal((samples, 6)))
    first = g.copy()
    first[:, :3, :3] = g[:, :3, :3] @ so3.exp(-φ)
    gyro = um.Gyro(
        "gyro", "unit", noise=believed * GYRO.noise, bias=GYRO.bias, walk=GYRO.walk, sampling="average"
    )
    stars = um.StarTracker("stars", "camera", noise=believed * STARS.noise, rate=5.0)
    filter_ = um.AttitudeFilter(plant(), gyro, stars, pose=first, attitude_deviation=deviation)
    run = um.simulate(
        plant(), plant().system.pack({"bus": g}), 0.2 * rng.standard_normal((samples, 6)), duration=12.0, step=0.02,
        control_step=0.02, controller=um.Estimated(filter_, Pointing()), sensors=[GYRO, STARS], seed=1, record_every=25,
    )  # fmt: skip
    return filter_, run


def test_errors_are_as_large_as_the_filter_says():
    filter_, run = watched(0.1)
    squares = um.nees(filter_.errors(run), run.estimate.covariance)[:, :-1].mean(axis=0)
    low, high = um.consistency_bounds(6, SAMPLES, 0.999)
    assert np.all((low < squares) & (squares < high)), squares
    fresh = run.y["stars"].fresh[:, :-1] == 1.0
    told = run.memory["filter.nis"][:, :-1, 0][fresh]
    low, high = um.consistency_bounds(3, told.size, 0.999)
    assert low < told.mean() < high


class Stirring(um.Law):
    """Turns the bus to and fro."""

    def __call__(self, t, q, v):
        return np.concatenate(
            [np.zeros(3), 0.2 * np.stack([np.sin(0.9 * t), np.sin(1.1 * t + 1), np.cos(t)])]
        )


def test_rates_at_instants_are_as_good_while_it_turns():
    """A reading held over the period that it ends is half a period behind: NEES would be in the hundreds."""
    rng, samples = np.random.default_rng(5), 60
    gyro = um.Gyro("gyro", "unit", grade="MPU-6000", sampling="instant")
    filter_ = um.AttitudeFilter(plant(), gyro, STARS, pose=um.Pose(), attitude_deviation=0.05)
    turned = np.c_[np.zeros((samples, 3)), 0.05 * rng.standard_normal((samples, 3))]
    q0 = plant().system.retract(plant().system.neutral(), turned)
    run = um.simulate(
        plant(), q0, [0, 0, 0, 0.4, 0.0, -0.3], duration=6.0, step=0.02,
        control_step=0.02, controller=um.Estimated(filter_, Stirring()), sensors=[gyro, STARS], seed=3, record_every=50,
    )  # fmt: skip
    squares = um.nees(filter_.errors(run), run.estimate.covariance)[:, :-1].mean(axis=0)
    low, high = um.consistency_bounds(6, samples, 0.999)
    assert np.abs(run.v[..., 3:]).max() > 0.8
    assert np.all((low < squares) & (squares < high)), squares


def test_the_craft_ends_where_it_should_by_the_estimate():
    filter_, run = watched(0.1)
    off = np.linalg.norm(so3.log(run.q[:, -1, :9].reshape(-1, 3, 3)), axis=-1)
    spread = np.sqrt(np.trace(run.estimate.covariance[:, -2, :3, :3], axis1=-2, axis2=-1))
    assert np.median(off) < 3.0 * np.median(spread) + 1e-3
    assert len(filter_.error_names) == 6


def test_from_far_off_it_comes_back():
    filter_, run = watched(1.0)
    off = np.linalg.norm(filter_.errors(run)[:, -2, :3], axis=-1)
    assert off.max() < 5e-3


def test_a_filter_that_believes_too_much_is_found_out():
    filter_, run = watched(0.1, believed=1.0 / 3.0)
    squares = um.nees(filter_.errors(run), run.estimate.covariance)[:, -2].mean()
    assert squares > 2.0 * um.consistency_bounds(6, SAMPLES, 0.999)[1]


def test_position_and_velocity_are_not_estimated():
    _, run = watched(0.1)
    assert not run.estimate.v[..., :3].any()
    assert np.abs(run.estimate.q[:, 5, 9:] - run.estimate.q[:, 0, 9:]).max() < 1e-15


def test_what_it_cannot_do_is_refused():
    with pytest.raises(um.ModelError, match="bias"):
        um.AttitudeFilter(plant(), GYRO, um.StarTracker("stars", "camera", grade="BCT-nano"), pose=um.Pose())
    with pytest.raises(um.ModelError, match="StarTracker"):
        um.AttitudeFilter(plant(), GYRO, GYRO, pose=um.Pose())
    for bad in (
        "1",
        True,
        np.eye(3),
        2.0 * np.eye(4),
        [np.eye(4), -np.eye(4)],
        1j * np.eye(4),
        np.nan * np.eye(4),
        None,
    ):
        with pytest.raises(um.ModelError, match=r"^AttitudeFilter.*pose.*: expected a pose \(4, 4\)"):
            um.AttitudeFilter(plant(), GYRO, STARS, pose=bad)
    for name in ("attitude_deviation",):
        with pytest.raises(um.ModelError, match=f"AttitudeFilter: {name}: expected numbers"):
            um.AttitudeFilter(plant(), GYRO, STARS, pose=um.Pose(), **{name: "0.1"})
