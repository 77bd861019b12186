"""Statistics of sensors against their definitions: Allan deviations, growth of biases, losses, spreads."""

from functools import cache

import numpy as np
import pytest

import unmoored as um

RATE, SAMPLES, COUNT = 100.0, 300, 1024


@cache
def resting():
    b = um.SystemBuilder("resting")
    b.vehicle("post", um.Revolute(axis=(0, 0, 1)), inertia=um.Inertia.box(mass=2.0, size=(1, 1, 1)))
    return um.Plant(b.build())


@cache
def readings(sensor):
    """Readings (S, COUNT, n) and biases of a sensor at rest."""
    run = um.simulate(
        resting(), np.zeros((SAMPLES, 1)), duration=COUNT / RATE, step=1.0 / RATE, control_step=1.0 / RATE,
        sensors=[sensor], seed=11,
    )  # fmt: skip
    return run.y[sensor.name]


def allan_deviation(x, rate, m):
    """Over clusters of m readings: √(½⟨(x̄_k+1 − x̄_k)²⟩) (IEEE 952), of readings (S, N)."""
    clusters = x[:, : x.shape[1] // m * m].reshape(len(x), -1, m).mean(axis=-1)
    return np.sqrt(0.5 * np.mean(np.diff(clusters, axis=1) ** 2))


def test_white_noise_falls_with_the_root_of_the_time():
    σ = 2e-3
    x = readings(um.Gyro("g", "post", noise=σ)).value[:, :-1, 0]
    for m in (1, 4, 16, 64):
        expected, count = σ / np.sqrt(m / RATE), SAMPLES * (COUNT // m - 1)
        assert allan_deviation(x, RATE, m) == pytest.approx(expected, rel=5.0 / np.sqrt(count)), m
    assert abs(x.mean()) < 5.0 * σ * np.sqrt(RATE / x.size)


def test_a_walk_grows_with_the_root_of_the_time():
    σ = 5e-3
    signal = readings(um.Gyro("g", "post", walk=σ, rate=RATE / 2))
    x = signal.value[:, :-1:2, 0]
    for m in (16, 64, 128):
        τ, count = 2 * m / RATE, SAMPLES * (COUNT // 2 // m - 1)
        expected = σ * np.sqrt(τ / 3.0) * np.sqrt(1.0 + 0.5 / m**2)  # of a walk in steps
        assert allan_deviation(x, RATE / 2, m) == pytest.approx(expected, rel=6.0 / np.sqrt(count)), m
    assert not signal.bias[:, 0].any()
    spread = signal.bias[:, -1, 0].std()
    assert spread == pytest.approx(σ * np.sqrt(COUNT / RATE), rel=5.0 / np.sqrt(2 * SAMPLES))
    assert np.array_equal(signal.bias[:, :-1:2, 0], x)


def test_a_bias_is_drawn_once_and_settles_with_a_correlation_time():
    signal = readings(um.Gyro("g", "post", bias=(0.1, 0.2, 0.4), walk=0.3, bias_time=0.5))
    first = signal.bias[:, 0].std(axis=0)
    assert np.abs(first / [0.1, 0.2, 0.4] - 1.0).max() < 5.0 / np.sqrt(2 * SAMPLES)
    settled = signal.bias[:, COUNT // 2 :: 50].std()
    assert settled == pytest.approx(0.3 * np.sqrt(0.5 * 0.5), rel=0.03)


def test_losses_come_at_their_rate_and_repeat_nothing():
    signal = readings(um.Gyro("g", "post", noise=1.0, dropout=0.2, rate=RATE / 2))
    fresh = signal.fresh[:, :-1:2]
    n = fresh.size
    assert abs(1.0 - fresh.mean() - 0.2) < 5.0 * np.sqrt(0.2 * 0.8 / n)
    assert not signal.fresh[:, 1::2].any()
    pairs = fresh[:, 1:] * fresh[:, :-1]
    assert abs(pairs.mean() - 0.64) < 5.0 * np.sqrt(0.64 * 0.36 / n)
    lost = signal.fresh[:, 1:-1] == 0.0
    assert np.array_equal(signal.value[:, 1:-1][lost], signal.value[:, :-2][lost])
    assert np.array_equal(signal.stamp[:, 1:-1][lost], signal.stamp[:, :-2][lost])


def test_a_fix_spreads_along_and_across_the_line_of_sight():
    signal = readings(um.Usbl("u", "post", transponder=(3.0, 4.0, 12.0), distance=0.05, angle=0.02))
    e = signal.value[:, :-1].reshape(-1, 3) - [3.0, 4.0, 12.0]
    u = np.array([3.0, 4.0, 12.0]) / 13.0
    C = np.cov(e.T)
    expected = 0.05**2 * np.outer(u, u) + (13.0 * 0.02) ** 2 * (np.eye(3) - np.outer(u, u))
    assert np.abs(C - expected).max() < 0.02 * expected.max()


def test_grades_are_as_published():
    grade = um.Imu("i", "post", grade="ADIS16488")
    assert grade.gyro_noise[0] == pytest.approx(np.radians(0.3) / 60.0)  # 0.3 °/√h
    assert grade.accelerometer_noise[0] == pytest.approx(0.029 / 60.0)  # 0.029 m/s/√h
    assert grade.gyro_bias[0] == pytest.approx(np.radians(6.5) / 3600.0)
    assert grade.accelerometer_bias[0] == pytest.approx(0.1e-3 * 9.80665)
    dvl = um.Dvl("d", "post", grade="WHN600")  # four beams at 30°: 1/√(2 sin²30°) and 1/(2 cos 30°)
    assert dvl.noise / 0.005 == pytest.approx([2**0.5, 2**0.5, 3**-0.5])
    assert um.grades()["DepthGauge"] == ("MS5837-30BA",)
    assert um.DepthGauge("z", "post", grade="MS5837-30BA").noise == 0.002


def test_the_beams_of_a_grade():
    angle = np.radians(30.0)
    azimuths = np.radians([45.0, -45.0, 135.0, -135.0])
    beams = np.stack(
        [np.sin(angle) * np.cos(azimuths), np.sin(angle) * np.sin(azimuths), np.full(4, np.cos(angle))], -1
    )
    C = 0.0022**2 * np.linalg.inv(beams.T @ beams)
    assert np.abs(np.diag(um.Dvl("d", "post", grade="Syrinx").noise ** 2) - C).max() < 1e-18
