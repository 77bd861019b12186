"""The invariant filter: its derivatives against differences, its statistics, and what it does in a run."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.sensing import drifting

import unmoored as um
from unmoored.lie import so3
from unmoored.sensing import aiding_models, belief, extended_pose, kalman
from unmoored.sensing.belief import Belief
from unmoored.sensing.extended_pose import ExtendedPose, local, moved, retract
from unmoored.sensing.signals import Signal

RNG = np.random.default_rng(4)
HERE = ExtendedPose(
    so3.exp(np.array([0.4, -0.8, 0.5])), np.array([0.5, -0.3, 0.2]), np.array([1.0, 2.0, -3.0])
)
GRAVITY = np.array([0.0, 0.0, -9.81])


@pytest.mark.parametrize("averaged", [True, False])
def test_the_error_moves_as_said_however_large_it_is(averaged):
    """Of attitude and velocity; of position to first order, which for errors without a turn is all."""
    by = extended_pose.increment(np.array([0.7, -1.1, 0.9]), np.array([2.0, 1.0, 9.0]), 0.1, averaged)
    F = extended_pose.transition(by, 0.1)
    for size in (1.0, 1e-5):
        ξ = size * RNG.standard_normal(9) / 2.0
        found = local(moved(HERE, by, GRAVITY, 0.1), moved(retract(HERE, ξ), by, GRAVITY, 0.1))
        assert np.abs((F @ ξ - found)[3:]).max() < 1e-13
        assert np.abs((F @ ξ - found)[:3]).max() < size**2
    still = np.concatenate([RNG.standard_normal(6), np.zeros(3)])
    found = local(moved(HERE, by, GRAVITY, 0.1), moved(retract(HERE, still), by, GRAVITY, 0.1))
    assert np.abs(F @ still - found).max() < 1e-13


def test_retract_and_local_undo_each_other():
    ξ = RNG.standard_normal(9)
    assert np.abs(local(HERE, retract(HERE, ξ)) - ξ).max() < 1e-13
    D, h = extended_pose.carried(ξ), 1e-6
    there = retract(HERE, ξ)
    for k, e in enumerate(np.eye(9)):
        slope = (local(there, retract(HERE, ξ + h * e)) - local(there, retract(HERE, ξ - h * e))) / (2 * h)
        assert np.abs(slope - D[:, k]).max() < 1e-9


def predicted(filter_, χ, biases, P, y, period=0.05, last=(0.1, -0.3, 0.6), begun=1.0):
    before = Belief(χ, biases, np.array(last) - biases[1], np.zeros(3), P)
    gravity = filter_.plant.gravity
    after = belief.predicted(before, Signal(y, 1.0, 0.0), filter_.imu, gravity, period, 0.0, period, begun)
    return after.χ, after.P, after.rate


@pytest.mark.parametrize("sampling", ["average", "instant"])
def test_covariances_are_propagated_by_the_derivative_of_the_step(sampling):
    quiet = um.Imu("imu", "unit", sampling=sampling)
    filter_ = um.InvariantFilter(drifting.plant(), quiet, (), pose=um.Pose())
    y, biases, h = np.array([0.3, -0.5, 0.4, 1.0, -2.0, 9.0]), (np.full(3, 0.05), np.full(3, -0.02)), 1e-5
    for k, e in enumerate(np.eye(15)):
        after = [
            predicted(filter_, retract(HERE, s * h * e[:9]), (biases[0] + s * h * e[9:12], biases[1] + s * h * e[12:]),
                      np.zeros((15, 15)), y)[0]
            for s in (1.0, -1.0)
        ]  # fmt: skip
        middle, P, _ = predicted(filter_, HERE, biases, np.outer(e, e), y)
        slope = (local(middle, after[0]) - local(middle, after[1])) / (2 * h)
        slope = np.concatenate([slope, e[9:]])
        assert np.abs(P - np.outer(slope, slope)).max() < 1e-8, k


def test_instantaneous_readings_of_a_steady_turn_with_a_steady_push_miss_nothing():
    """Weight in turning axes, the rate growing evenly: exact attitude about one axis, and velocity but for rounding."""
    unit = um.Imu("imu", "unit", sampling="instant")
    filter_ = um.InvariantFilter(drifting.plant(), unit, (), pose=um.Pose())
    push, growth, Δ, steps = np.array([0.4, -0.2, 0.1]), 0.8, 0.02, 50
    angle = [0.5 * growth * (k * Δ) ** 2 for k in range(steps + 1)]
    R = [so3.exp(np.array([0.0, 0.0, a])) @ so3.exp(np.array([0.3, 0.0, 0.0])) for a in angle]

    def reading(k):
        return np.concatenate([R[k].T @ [0, 0, growth * k * Δ], R[k].T @ (push - filter_.plant.gravity)])

    still = Belief(
        ExtendedPose(R[0], np.zeros(3), np.zeros(3)),
        (np.zeros(3),) * 2,
        np.zeros(3),
        np.zeros(3),
        np.zeros((15, 15)),
    )
    for k in range(steps + 1):
        about = (unit, filter_.plant.gravity, Δ, 0.0, Δ, float(k > 0))
        still = belief.predicted(still, Signal(reading(k), 1.0, 0.0), *about)
    assert np.abs(still.χ.R - R[-1]).max() < 1e-13
    assert np.abs(still.χ.v - push * steps * Δ).max() < 1e-12
    assert np.abs(still.χ.p - 0.5 * push * (steps * Δ) ** 2).max() < 1e-12


def test_noise_enters_as_biases_do():
    noise, period = np.array([0.1, 0.2, 0.3]), 0.05
    loud = um.Imu("imu", "unit", sampling="average", gyro_noise=noise, accelerometer_noise=2 * noise)
    quiet = um.Imu("imu", "unit", sampling="average")
    y, biases = np.array([0.3, -0.5, 0.4, 1.0, -2.0, 9.0]), (np.zeros(3), np.zeros(3))
    make = [um.InvariantFilter(drifting.plant(), imu, (), pose=um.Pose()) for imu in (loud, quiet)]
    as_noise = predicted(make[0], HERE, biases, np.zeros((15, 15)), y)[1]
    as_bias = np.diag(np.concatenate([np.zeros(9), 4 * noise**2, noise**2]) / period)
    as_bias = predicted(make[1], HERE, biases, as_bias, y)[1]
    assert np.abs(as_noise[:9, :9] - as_bias[:9, :9]).max() < 1e-15
    assert not as_noise[9:].any()


def test_a_mean_rate_is_brought_to_the_time_of_its_reading():
    """Exact for a rate that grows evenly; a DVL on a lever would be half a period behind otherwise."""
    Δ, growth = 0.01, np.array([2.0, -1.0, 0.5])
    means = [growth * (k - 0.5) * Δ for k in (1, 2)]
    unit = {kind: replace(drifting.IMU, sampling=kind) for kind in ("average", "instant")}
    assert np.allclose(belief.rate_now(unit["average"], means[1], means[0], 1.0), 2 * Δ * growth, atol=1e-16)
    assert np.array_equal(belief.rate_now(unit["average"], means[1], means[0], 0.0), means[1])
    assert np.array_equal(belief.rate_now(unit["instant"], means[1], means[0], 1.0), means[1])


@pytest.mark.parametrize("sensor", drifting.SENSORS[1:4], ids=lambda sensor: sensor.name)
def test_readings_are_linearised_by_their_derivatives(sensor):
    place = um.Pose(xyz=(0.3, -0.2, 0.4), rpy=(0.2, -0.5, 0.7)).matrix
    rate, h = np.array([0.4, -0.3, 0.2]), 1e-6
    value = np.ones(sensor.size)

    def innovation(e):
        found = aiding_models.model(
            sensor, value, retract(HERE, e[:9]), rate - e[12:], (place, np.zeros(3), 0.01)
        )
        return found.ν

    model = aiding_models.model(sensor, value, HERE, rate, (place, np.zeros(3), 0.01))
    H = np.zeros((sensor.size, 15))
    for c, part in model.H.items():
        H[:, 3 * c : 3 * c + 3] = part
    for k, e in enumerate(np.eye(15)):
        slope = (innovation(h * e) - innovation(-h * e)) / (2 * h)
        assert np.abs(slope + H[:, k]).max() < 1e-8, k


def test_a_reading_through_the_water_by_pose_and_current():
    place, about = um.Pose(xyz=(0.3, -0.2, 0.4), rpy=(0.2, -0.5, 0.7)).matrix, (np.zeros(3), 0.01)
    water = um.Dvl("dvl", "log", noise=0.01, lock="water")
    rate, current, h = np.array([0.4, -0.3, 0.2]), np.array([0.3, -0.2, 0.1]), 1e-6

    def model(e):
        at = retract(HERE, e[:9])
        return aiding_models.model(water, np.ones(3), at, rate - e[12:15], (place, *about), current + e[15:])

    R_s, r = place[:3, :3], place[:3, 3]
    expected = R_s.T @ (HERE.R.T @ (HERE.v - current) + np.cross(rate, r))
    assert np.abs(np.ones(3) - expected - model(np.zeros(18)).ν).max() < 1e-14
    H = np.zeros((3, 18))
    for c, part in model(np.zeros(18)).H.items():
        H[:, 3 * c : 3 * c + 3] = part
    for k, e in enumerate(np.eye(18)):
        assert np.abs((model(h * e).ν - model(-h * e).ν) / (2 * h) + H[:, k]).max() < 1e-8, k


def test_an_update_is_josephs_and_leaves_what_has_no_reading():
    A = RNG.standard_normal((15, 15))
    P, N = A @ A.T, np.diag([0.1, 0.2, 0.3])
    row = {1: RNG.standard_normal((3, 3)), 4: RNG.standard_normal((3, 3))}
    H = np.zeros((3, 15))
    for c, part in row.items():
        H[:, 3 * c : 3 * c + 3] = part
    ν = RNG.standard_normal(3)
    S = H @ P @ H.T + N
    K = P @ H.T @ np.linalg.inv(S)
    T = np.eye(15) - K @ H
    step = kalman.corrected(P, row, N, ν, 1.0)
    assert np.abs(step.P - (T @ P @ T.T + K @ N @ K.T)).max() < 1e-12
    assert np.abs(step.δ - K @ ν).max() < 1e-12
    assert step.nis == pytest.approx(um.nis(ν, S), rel=1e-12)
    none = kalman.corrected(P, row, N, ν, 0.0)
    assert np.array_equal(none.P, P)
    assert not none.δ.any()
    assert none.nis == 0.0


def test_bounds_are_quantiles_of_chi_square():
    chi2 = pytest.importorskip("scipy.stats").chi2
    for degrees, runs in ((1, 1), (15, 1), (3, 50), (15, 500)):
        low, high = um.consistency_bounds(degrees, runs, 0.95)
        assert low * runs == pytest.approx(chi2.ppf(0.025, degrees * runs), rel=1e-10)
        assert high * runs == pytest.approx(chi2.ppf(0.975, degrees * runs), rel=1e-10)


SAMPLES = 60


@cache
def watched():
    q, V, options = drifting.start(SAMPLES, 7, 0.06)
    return drifting.run(SAMPLES, 3, 6.0, options, q, V)


@pytest.mark.long
def test_errors_are_as_large_as_the_filter_says():
    filter_, run = watched()
    squares = um.nees(filter_.errors(run), run.estimate.covariance)[:, 1:-1]
    low, high = um.consistency_bounds(15, SAMPLES, 0.999)
    assert np.all((low < squares.mean(axis=0)) & (squares.mean(axis=0) < high)), squares.mean(axis=0)
    told = run.memory["0.filter.nis"][:, 1:-1]
    for i, sensor in enumerate(drifting.SENSORS[1:]):
        low, high = um.consistency_bounds(sensor.size, told[..., i].size, 0.999)
        assert low < told[..., i].mean() < high, sensor.name
    moved = np.linalg.norm(run.q[:, -1, 9:] - run.q[:, 0, 9:], axis=-1)
    assert moved.min() > 0.05


@pytest.mark.long
def test_a_filter_that_believes_too_much_is_found_out():
    sensors = (
        drifting.IMU,
        um.Dvl("dvl", "log", noise=drifting.DVL.noise / 3.0, rate=5.0),
        *drifting.SENSORS[2:],
    )
    q, V, options = drifting.start(SAMPLES, 7, 0.06)
    filter_, run = drifting.run(SAMPLES, 3, 6.0, options, q, V, believed=sensors)
    squares = um.nees(filter_.errors(run), run.estimate.covariance)[:, -2]
    assert squares.mean() > 2 * um.consistency_bounds(15, SAMPLES, 0.999)[1]


def test_the_law_sees_the_estimate_and_the_run_keeps_both():
    filter_, run = watched()
    estimate = run.estimate
    assert estimate.q.shape == run.q.shape
    assert estimate.v.shape == run.v.shape
    assert estimate.covariance.shape == (SAMPLES, len(run.t), 15, 15)
    assert len(filter_.error_names) == 15
    off = run.system.local(estimate.q[:, :-1], run.q[:, :-1])
    assert 1e-4 < np.abs(off[:, 2:]).max() < 1.0
    spread = np.sqrt(np.linalg.eigvalsh(estimate.covariance[:, 2:-1, :3, :3])[..., -1])
    assert np.mean(np.linalg.norm(off[:, 2:, :3], axis=-1) < 3.0 * spread) > 0.95


class Told(um.Law):
    """Gives back what it sees."""

    def __call__(self, t, q, v):
        return v


def test_in_the_kernel_and_by_python():
    q, V, options = drifting.start(1, 7, 0.06)
    options = {name: x[0] if np.ndim(x) > 1 else x for name, x in options.items()}
    imu, aiding = drifting.SENSORS[0], drifting.SENSORS[2:3]
    law = um.Estimated(um.InvariantFilter(drifting.plant(), imu, aiding, iterations=1, **options), Told())
    runs = [
        um.simulate(
            drifting.plant(), q[0], V[0], duration=0.1, step=0.01, control_step=0.01, controller=law,
            sensors=(imu, *aiding), controller_in=place,
        )
        for place in ("kernel", "python")
    ]  # fmt: skip
    assert np.abs(runs[0].estimate.q - runs[1].estimate.q).max() < 1e-10
    assert np.abs(runs[0].estimate.covariance - runs[1].estimate.covariance).max() < 1e-10
    assert np.array_equal(runs[0].u[:-1], runs[0].estimate.v[:-1])


class Homeless(um.Law):
    """A filter that belongs to no plant."""

    memory = {"covariance": (6, 6)}

    def __call__(self, seen, memory):
        return um.Estimate(seen.q, seen.v, memory["covariance"]), memory


def test_what_a_filter_cannot_do_is_refused():
    plant, imu = drifting.plant(), drifting.IMU
    for make, words in (
        (lambda: um.InvariantFilter(plant, drifting.DVL, (), pose=um.Pose()), "Imu"),
        (lambda: um.InvariantFilter(plant, imu, (um.Gyro("g", "unit"),), pose=um.Pose()), "aiding"),
        (
            lambda: um.InvariantFilter(plant, imu, (um.Dvl("d", "log", delay=0.1),), pose=um.Pose()),
            "rate of d",
        ),
        (
            lambda: um.InvariantFilter(plant, imu, (um.Dvl("d", "log", lock="water"),), pose=um.Pose()),
            "current",
        ),
        (lambda: um.InvariantFilter(plant, imu, (), pose=um.Pose(), iterations=0), "iterations"),
        (lambda: um.InvariantFilter(plant, imu, (), pose=np.diag([1.0, 1.0, -1.0, 1.0])), r"a pose \(4, 4\)"),
        (lambda: um.InvariantFilter(plant, imu, (), pose="here"), r"a pose \(4, 4\)"),
        (
            lambda: um.InvariantFilter(plant, imu, (), pose=um.Pose(), velocity="0"),
            "velocity: expected numbers",
        ),
        (
            lambda: um.InvariantFilter(um.Plant(um.load("free_flyer_arm7")), imu, (), pose=um.Pose()),
            "encoder",
        ),
        (lambda: um.Estimated(Told(), Told()), "filter"),
        (lambda: um.Estimated(Homeless(), Told()), "a law with `plant`"),
        (lambda: um.consistency_bounds(15, 0), "runs"),
    ):
        with pytest.raises(um.ModelError, match=words):
            make()
    with pytest.raises(um.ModelError, match="Estimated"):
        _ = um.simulate(plant, plant.system.neutral(), duration=0.01).estimate
