"""Noise-free readings against differences of poses, which know no formula of a sensor."""

import numpy as np
import pytest
from tests.sensing.craft import plant, start, system

import unmoored as um
from unmoored.lie import so3

PERIOD = 0.01
PUSH = np.array([3.0, -2.0, 5.0, 0.4, -0.3, 0.5, 0.2])
SENSORS = (
    um.Imu("imu", "box"),
    um.Gyro("gyro", "wrist"),
    um.Dvl("dvl", "wrist"),
    um.DepthGauge("depth", "box", surface=2.0),
    um.Usbl("usbl", "box", transponder=(4.0, -3.0, 1.0)),
    um.StarTracker("stars", "wrist"),
    um.Encoder("encoder", joints="arm"),
    um.ForceTorque("force", "wrist"),
)


@pytest.fixture(scope="module")
def run():
    q, v = start()
    law = um.Inputs(plant(), PUSH)
    return um.simulate(
        plant(), q, v, duration=0.05, step=1e-3, controller=law, control_step=PERIOD, sensors=SENSORS
    )


def stencil(function, q, v, h=2e-3):
    """(first, second) derivatives by time of a function of q along the motion, by five points."""
    points = []
    for k in (-2, -1, 0, 1, 2):
        moved = plant().step(0.0, q, v, PUSH, k * h / 4, steps=4).q if k else q
        points.append(np.asarray(function(moved)))
    a, b, c, d, e = points
    return (a - 8 * b + 8 * d - e) / (12 * h), (-a + 16 * b - 30 * c + 16 * d - e) / (12 * h**2)


def rows(run, first=1):
    """The rows at the starts of control periods, after the first: until then no input has acted."""
    return range(10 * first, len(run.t) - 1, 10)


def test_imu(run):
    γ = np.array([0.0, 0.0, -9.81])
    for k in rows(run):
        R = system().pose(run.q[k], "box")[:3, :3]
        _, p_ddot = stencil(lambda q: system().pose(q, "box")[:3, 3], run.q[k], run.v[k])
        R_dot, _ = stencil(lambda q: system().pose(q, "box")[:3, :3], run.q[k], run.v[k])
        reading = run.y["imu"].value[k]
        assert np.abs(reading[3:] - R.T @ (p_ddot - γ)).max() < 2e-7
        assert np.abs(reading[:3] - so3.vee(R.T @ R_dot)).max() < 1e-8


def test_velocities_positions_attitudes(run):
    for k in rows(run):
        q, v = run.q[k], run.v[k]
        box, wrist = system().pose(q, "box"), system().pose(q, "wrist")
        p_dot, _ = stencil(lambda x: system().pose(x, "wrist")[:3, 3], q, v)
        R_dot, _ = stencil(lambda x: system().pose(x, "wrist")[:3, :3], q, v)
        y = {name: signal.value[k] for name, signal in run.y.items()}
        assert np.abs(y["dvl"] - wrist[:3, :3].T @ p_dot).max() < 1e-8
        assert np.abs(y["gyro"] - so3.vee(wrist[:3, :3].T @ R_dot)).max() < 1e-8
        assert np.abs(y["depth"] - (2.0 - box[2, 3])).max() < 1e-12
        assert np.abs(box[:3, 3] + box[:3, :3] @ y["usbl"] - [4.0, -3.0, 1.0]).max() < 1e-12
        assert np.abs(y["stars"] - wrist[:3, :3]).max() < 1e-12
        assert y["encoder"] == pytest.approx(q[-1], abs=1e-15)


def test_the_wrench_of_a_cut_is_what_moves_the_outboard_side(run):
    body = system().tree.bodies[1].inertia
    for k in rows(run):
        q, v = run.q[k], run.v[k]

        def place(x):
            g = system().pose(x, "arm")
            return g[:3, :3] @ body.com + g[:3, 3]

        def spin(x):  # one column of R J Rᵀ hat: the angular momentum needs ω, so take rates of R first
            return system().pose(x, "arm")[:3, :3]

        _, c_ddot = stencil(place, q, v)
        R_dot, R_ddot = stencil(spin, q, v)
        g, s = system().pose(q, "arm"), system().pose(q, "wrist")
        R = g[:3, :3]
        ω, ω_dot = so3.vee(R.T @ R_dot), so3.vee(R.T @ R_ddot - R.T @ R_dot @ R.T @ R_dot)
        f = body.mass * (c_ddot - [0.0, 0.0, -9.81])
        n = R @ (body.tensor @ ω_dot + np.cross(ω, body.tensor @ ω)) + np.cross(place(q) - s[:3, 3], f)
        expected = np.concatenate([s[:3, :3].T @ f, s[:3, :3].T @ n])
        assert np.abs(run.y["force"].value[k] - expected).max() < 1e-5


def test_the_first_acceleration_is_of_no_input(run):
    γ = np.array([0.0, 0.0, -9.81])
    a = plant().forward_dynamics(0.0, run.q[0], run.v[0], np.zeros(7))
    A = system().acceleration(run.q[0], run.v[0], a, "box")
    V = system().velocity(run.q[0], run.v[0], "box")
    R = system().pose(run.q[0], "box")[:3, :3]
    expected = A[:3] + np.cross(V[3:], V[:3]) - R.T @ γ
    assert np.abs(run.y["imu"].value[0, 3:] - expected).max() < 1e-11


def test_at_rest_an_accelerometer_reads_minus_gravity():
    b = um.SystemBuilder("post")
    b.vehicle("post", um.Revolute(axis=(0, 0, 1)), inertia=um.Inertia.box(mass=2.0, size=(1, 1, 1)))
    b.frame("top", parent="post", at=um.Pose(xyz=(0.2, 0.1, 0.3), rpy=(0.3, -0.2, 0.5)))
    post = b.build()
    run = um.simulate(
        um.Plant(post, world=um.Earth()),
        [0.4],
        duration=0.02,
        control_step=0.01,
        sensors=[um.Imu("imu", "top")],
    )
    R = post.pose([0.4], "top")[:3, :3]
    assert np.abs(run.y["imu"].value - np.concatenate([np.zeros(3), R.T @ [0, 0, 9.81]])).max() < 1e-13


def test_increments_give_attitude_and_velocity_exactly():
    q, v = start()
    imu = um.Imu("imu", "box", sampling="average", rate=50.0)
    run = um.simulate(plant(), q, v, duration=0.4, step=1e-3, control_step=0.01, sensors=[imu])
    y, γ = run.y["imu"], np.array([0.0, 0.0, -9.81])
    assert not y.fresh[:20].any()
    for k in range(20, 400, 20):
        before, after = (system().pose(run.q[i], "box") for i in (k - 20, k))
        speeds = [
            system().pose(run.q[i], "box")[:3, :3] @ system().velocity(run.q[i], run.v[i], "box")[:3]
            for i in (k - 20, k)
        ]
        ω, s = y.value[k, :3], y.value[k, 3:]
        assert y.fresh[k] == 1.0
        assert np.abs(before[:3, :3] @ so3.exp(0.02 * ω) - after[:3, :3]).max() < 1e-13
        assert np.abs(speeds[0] + 0.02 * (before[:3, :3] @ s + γ) - speeds[1]).max() < 1e-13


def test_water_lock():
    water = um.Ocean(current=(0.4, -0.2, 0.1))
    wet = um.Plant(system(), world=water)
    q, v = start()
    sensors = [um.Dvl("bottom", "box"), um.Dvl("water", "box", lock="water")]
    run = um.simulate(wet, q, v, duration=0.01, control_step=0.01, sensors=sensors)
    R = system().pose(q, "box")[:3, :3]
    difference = run.y["bottom"].value[0] - run.y["water"].value[0]
    assert np.abs(difference - R.T @ [0.4, -0.2, 0.1]).max() < 1e-13


def test_counts_of_an_encoder():
    q, _ = start()
    for angle in (0.0, 0.123456, -2.0, 50.1234, 0.05, -0.05, 0.15):
        q[-1] = angle
        encoder = um.Encoder("e", joints=("arm",), resolution=0.1)
        run = um.simulate(plant(), q, duration=0.01, control_step=0.01, sensors=[encoder])
        reading = run.y["e"].value[0, 0]
        assert abs(reading - angle) < 0.05 + 1e-12
        assert abs(reading / 0.1 - round(reading / 0.1)) < 1e-9


def test_an_accelerometer_in_an_orbit_does_not_feel_the_tide():
    orbit = um.Plant(system(), world=um.Space(orbital_rate=0.05))
    q, _ = start()
    run = um.simulate(orbit, q, duration=0.01, control_step=0.01, sensors=[um.Imu("imu", "box")])
    a = orbit.forward_dynamics(0.0, q, np.zeros(7))
    A, g = system().acceleration(q, np.zeros(7), a, "box"), system().pose(q, "box")
    r, n = np.array([1.0, 0.0, 0.0]), 0.05
    tide = n**2 * (3.0 * r * (r @ g[:3, 3]) - g[:3, 3])
    assert np.abs(run.y["imu"].value[0, 3:] - (A[:3] - g[:3, :3].T @ tide)).max() < 1e-13


def test_what_is_no_reading_of_the_sensors_size_is_refused():
    """It would push the numbers of the next sensor out of their places."""
    system = um.load("tumbling_brick")

    class Odd(um.Sensor):
        """Gives something."""

        bare: bool = False
        shape = (1,)

        def reading(self, now, bias, normals, kept, period):
            return np.ones(1) if self.bare else um.Reading(now.v[..., :2], kept)

    go = {"duration": 0.1, "step": 0.01, "control_step": 0.02}
    for sensor, told in (
        (
            Odd("odd", system.names[0]),
            r"Odd odd: reading: value: expected shape \(..., 1\), given shape \(2,\)",
        ),
        (Odd("odd", system.names[0], bare=True), "Odd odd: reading: expected a Reading"),
    ):
        with pytest.raises(um.ModelError, match=told):
            um.simulate(system, system.neutral(), np.ones(6), sensors=[sensor], **go)
