"""The filter of a whole plant, arm included: consistent in a batch, its linearised readings against differences."""

from functools import cache, partial

import numpy as np
import pytest
from tests.sensing.craft import system

import unmoored as um
from unmoored.sensing.linearised_readings import linearised

SAMPLES, PERIOD = 60, 0.02
DEVIATIONS = np.array([0.1, 0.1, 0.1, 0.02, 0.02, 0.02, 0.1]), np.full(7, 0.05)
SENSORS = (
    um.Dvl("dvl", "box", noise=0.01),
    um.StarTracker("stars", "box", noise=2e-3, rate=5.0),
    um.Usbl("usbl", "wrist", transponder=(6.0, 2.0, -3.0), distance=0.1, angle=0.02, rate=5.0),
    um.Encoder("encoder", joints="arm", noise=1e-3),
)


@cache
def plant():
    return um.Plant(system())


class Stirring(um.Law):
    """Forces that come and go, and a spring on the arm, by what is seen."""

    def __call__(self, t, q, v):
        rates = np.array([0.31, 0.47, 0.23, 0.41, 0.37, 0.29, 0.2])
        sizes = np.array([3.0, 2.0, 4.0, 0.3, 0.2, 0.25, 0.5])
        return sizes * np.sin(2.0 * np.pi * rates * t + np.arange(7.0)) - 0.5 * v


@cache
def watched(scale=1.0, samples=SAMPLES, seed=3):
    rng = np.random.default_rng(seed)
    q0 = system().retract(system().neutral(), 0.5 * rng.standard_normal((samples, 7)))
    v0 = 0.1 * rng.standard_normal((samples, 7))
    off = [spread * rng.standard_normal((samples, 7)) for spread in DEVIATIONS]
    believed = tuple(um.Dvl("dvl", "box", noise=0.01 * scale) if s.name == "dvl" else s for s in SENSORS)
    filter_ = um.PlantFilter(
        plant(), believed, system().retract(q0, -off[0]), v0 - off[1], *DEVIATIONS, input_deviation=0.5
    )
    run = um.simulate(
        plant(), q0, v0, duration=3.0, step=PERIOD, control_step=PERIOD, controller=um.Estimated(filter_, Stirring()),
        sensors=SENSORS, noise=um.Noise(input=0.5), seed=seed + 5, record_every=10,
    )  # fmt: skip
    return filter_, run


def test_errors_are_as_large_as_the_filter_says():
    filter_, run = watched()
    squares = um.nees(filter_.errors(run), run.estimate.covariance)[:, 1:-1].mean(axis=0)
    low, high = um.consistency_bounds(14, SAMPLES, 0.999)
    assert np.all((low < squares) & (squares < high)), squares
    assert filter_.error_names == plant().tangent_names
    told = run.memory["filter.nis"][:, 1:-1]
    for i, sensor in enumerate(SENSORS):
        fresh = run.y[sensor.name].fresh[:, 1:-1] == 1.0
        found = told[..., i][fresh]
        low, high = um.consistency_bounds(sensor.channels, found.size, 0.999)
        assert low < found.mean() < high, sensor.name


def test_the_arm_is_known_by_the_model():
    """Its velocity is read by nothing."""
    filter_, run = watched()
    off = filter_.errors(run)[:, -2, 13]
    assert (
        np.sqrt(np.mean(off**2)) < 0.2 * 0.1 + np.sqrt(np.mean(run.estimate.covariance[:, -2, 13, 13])) * 1.5
    )


def test_a_filter_that_believes_too_much_is_found_out():
    filter_, run = watched(scale=0.25)
    squares = um.nees(filter_.errors(run), run.estimate.covariance)[:, -2].mean()
    assert squares > 1.5 * um.consistency_bounds(14, SAMPLES, 0.999)[1]


OTHERS = (
    um.Imu("imu", "wrist", gyro_noise=0.1, accelerometer_noise=0.2),
    um.MotionUnit("mru", "wrist", place_noise=0.01, turn_noise=0.02, speed_noise=0.03, rate_noise=0.04),
)


@pytest.mark.parametrize("sensor", [*SENSORS, *OTHERS], ids=lambda sensor: sensor.name)
def test_readings_are_linearised_by_their_derivatives(sensor):
    rng = np.random.default_rng(5)
    q, v, u = system().random_configuration(rng), rng.standard_normal(7), rng.standard_normal(7)
    value = np.eye(3).ravel() if sensor.name == "stars" else np.ones(sensor.size)
    if sensor.name == "stars":
        value = system().pose(q, "box")[:3, :3].ravel()
    if sensor.name == "mru":
        g, V = system().pose(q, "wrist"), system().jacobian(q, "wrist") @ v
        value = np.concatenate([g[:3, :3].ravel(), g[:3, 3], V])
    h = 1e-6

    def innovation(e):
        moved = system().retract(q, e[:7])
        return linearised(sensor, plant(), value, 0.3, moved, v + e[7:], np.zeros(0), u, PERIOD)[0]

    _, H, N = linearised(sensor, plant(), value, 0.3, q, v, np.zeros(0), u, PERIOD)
    for k in (1, 5, 6, 9, 13):
        e = h * np.eye(14)[k]
        slope = (innovation(e) - innovation(-e)) / (2 * h)
        assert np.abs(slope + H[:, k]).max() < 1e-7, k
    assert np.linalg.eigvalsh(N).min() > 0.0


MRU = partial(um.MotionUnit, "m", "box", place_noise=0.1, speed_noise=0.1, rate_noise=0.1)


def test_what_it_cannot_do_is_refused():
    for sensor, words in (
        (um.Gyro("g", "box", noise=1e-3, bias=0.1), "bias"),
        (um.Gyro("g", "box", noise=1e-3, sampling="average"), "sampling"),
        (um.Dvl("d", "box", delay=0.1), "rate of d"),
        (um.Encoder("e", joints="arm", resolution=0.1), "resolution"),
        (um.Encoder("e", joints="arm"), "noise of e: expected above zero"),
        (MRU(), "noise of m: .*given along 9 of 12"),
        (MRU(turn_noise=(0.1, 0.0, 0.1)), "noise of m: .*given along 11 of 12"),
    ):
        with pytest.raises(um.ModelError, match=words):
            um.PlantFilter(plant(), (sensor,))
    gyro = um.Gyro("g", "box", noise=1e-3)
    for what in ("configuration", "velocity"):
        for bad in ("1", True, np.zeros(99), 1j):
            with pytest.raises(um.ModelError, match=f"PlantFilter.*{what}.*: expected .*numbers"):
                um.PlantFilter(plant(), (gyro,), **{what: bad})
    with pytest.raises(um.ModelError, match="PlantFilter: disturbance: expected numbers"):
        um.PlantFilter(plant(), (gyro,), disturbance="0.1")


class Pushing(um.Law):
    """A push to and fro."""

    def __call__(self, t, q, v):
        return np.array([3.0 * np.sin(2.0 * t)])


def test_states_of_actuators_are_estimated():
    """A cart with a thruster that lags, of which only the place is read; the thruster's force is in the error, too."""
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic(axis=(1, 0, 0)), inertia=um.Inertia.box(mass=2.0, size=(1, 1, 1)))
    b.frame("jet", parent="cart")
    cart = um.Plant(b.build(), actuators=[um.Thruster("jet", limits=(-9, 9), lag=0.3)])
    assert cart.nx == 1
    scale = um.Encoder("scale", joints="cart", noise=0.01)
    rng, samples = np.random.default_rng(1), 200
    q0, v0 = rng.standard_normal((samples, 1)), rng.standard_normal((samples, 1))
    first = q0 - 0.5 * rng.standard_normal((samples, 1)), v0 - 0.3 * rng.standard_normal((samples, 1))
    filter_ = um.PlantFilter(cart, (scale,), *first, 0.5, 0.3, input_deviation=2.0)
    run = um.simulate(
        cart, q0, v0, duration=4.0, step=0.02, control_step=0.02, controller=um.Estimated(filter_, Pushing()),
        sensors=[scale], noise=um.Noise(input=2.0), seed=2, record_every=20,
    )  # fmt: skip
    squares = um.nees(filter_.errors(run)[:, 1:-1], run.estimate.covariance[:, 1:-1]).mean(axis=0)
    low, high = um.consistency_bounds(3, samples, 0.9999)
    assert np.all((low < squares) & (squares < high)), squares
    assert 0.05 < filter_.errors(run)[:, -2, 2].std() < 1.0
