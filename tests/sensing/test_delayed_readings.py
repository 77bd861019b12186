"""Readings that arrive late: once they have, filters know what they would know without the delay; the current."""

from functools import cache

import numpy as np
import pytest
from tests.sensing import drifting
from tests.sensing.test_attitude_filter import GYRO, STARS, Pointing
from tests.sensing.test_attitude_filter import plant as tumbler
from tests.support.thinning import one_in

import unmoored as um
from unmoored.lie import se3, so3
from unmoored.sensing.aiding_models import POSITION, VELOCITY
from unmoored.sensing.belief import Belief, PastKind, PastState, kept, updated
from unmoored.sensing.extended_pose import ExtendedPose, retract

SAMPLES = 60


def late(sensor, delay):
    """The same sensor with a delay (s)."""
    kind, fields = (
        type(sensor),
        ("name", "frame", "rate", "noise", "transponder", "distance", "angle", "surface"),
    )
    given = {name: getattr(sensor, name) for name in fields if hasattr(sensor, name)}
    return kind(**given, delay=delay)


DELAYS = (0.1, 0.1, 0.4, 1.3)  # of DVL, depth gauge (as long as its period) and two transponders
DELAYED = (drifting.IMU, *(late(sensor, d) for sensor, d in zip(drifting.SENSORS[1:], DELAYS, strict=True)))


@cache
def watched(sensors, believed=None, attitude=0.06, duration=6.0, record=1.0):
    q, V, options = drifting.start(SAMPLES, 7, attitude)
    believed = sensors if believed is None else believed
    return drifting.run(
        SAMPLES, 3, duration, options, q, V, believed=believed, sensors=sensors, record=record
    )


@pytest.mark.long
def test_errors_are_as_large_as_the_filter_says():
    filter_, run = watched(DELAYED, attitude=0.03)
    assert run.estimate.covariance.shape[-1] == 15
    squares = um.nees(filter_.errors(run), run.estimate.covariance)[:, 1:-1]
    low, high = um.consistency_bounds(15, SAMPLES, 0.999)
    assert np.all((low < squares.mean(axis=0)) & (squares.mean(axis=0) < high)), squares.mean(axis=0)
    assert all(run.memory[f"0.filter.{sensor.name}.missed"].max() == 0.0 for sensor in DELAYED[1:])
    runs = run, watched(drifting.SENSORS, attitude=0.03)[1]
    spread = [np.sqrt(np.trace(each.estimate.covariance[:, -2, :3, :3].mean(axis=0))) for each in runs]
    assert 1.0 < spread[0] / spread[1] < 2.0  # late readings are worth less, and not nothing


@pytest.mark.long
def test_taken_as_if_they_were_new_they_mislead():
    """What a filter that knows nothing of the delay makes of them."""
    with pytest.warns(um.ModelWarning, match="delay: the filter believes 0 s"):
        filter_, run = watched(DELAYED, believed=drifting.SENSORS)
    squares = um.nees(filter_.errors(run), run.estimate.covariance)[:, -2]
    assert squares.mean() > 2 * um.consistency_bounds(15, SAMPLES, 0.999)[1]


@pytest.mark.parametrize("sensor", [drifting.USBL[0], drifting.DVL], ids=["position", "velocity"])
def test_a_state_that_was_just_kept_is_the_present_one(sensor):
    """A reading taken in it corrects everything as a prompt one does, however large the correction; so do others it."""
    rng = np.random.default_rng(5)
    first = POSITION if sensor is drifting.USBL[0] else VELOCITY
    kinds = PastKind(first, 5), PastKind(first, 7)
    χ = ExtendedPose(so3.exp(rng.standard_normal(3)), rng.standard_normal(3), rng.standard_normal(3))
    A = 0.3 * rng.standard_normal((27, 27))
    rate, biases = rng.standard_normal(3), (0.1 * rng.standard_normal(3), 0.1 * rng.standard_normal(3))
    older = PastState(retract(χ, 0.2 * rng.standard_normal(9)), rate)
    belief = Belief(
        χ, biases, rate, rate, kept(A @ A.T, kinds), None, (PastState(χ, rate + biases[1]), older)
    )
    T = np.eye(27)
    T[15:21] = np.eye(27)[[*range(3 * first, 3 * first + 3), 6, 7, 8]]
    T[21:] = np.eye(27)[15:21]
    assert np.abs(belief.P - T @ A @ A.T @ T.T).max() < 1e-13
    place = um.Pose(xyz=(0.3, -0.2, 0.4), rpy=(0.2, -0.5, 0.7)).matrix
    value, about = rng.standard_normal(3), (place, np.full(3, 1e-3), 0.01)
    late_, prompt = (updated(belief, sensor, value, 1.0, about, 3, kinds, k) for k in (0, None))
    assert late_[1] == pytest.approx(prompt[1], rel=1e-9)
    for found, other in zip(
        (*late_[0].χ, *late_[0].biases, late_[0].P),
        (*prompt[0].χ, *prompt[0].biases, prompt[0].P),
        strict=True,
    ):
        assert np.abs(found - other).max() < 1e-9
    now, then = prompt[0].χ, prompt[0].past[0].χ
    assert np.linalg.norm(so3.log(χ.R.T @ now.R)) > 0.1
    assert np.abs(now.R - then.R).max() < 1e-9
    assert np.abs((now.p - then.p) if first == POSITION else (now.v - then.v)).max() < 1e-9
    assert np.abs(prompt[0].past[1].χ.R - older.χ.R).max() > 1e-3


def alone(sensors, duration=0.36):
    """One vehicle, the filter called by Python: (run, filter)."""
    q, V, options = drifting.start(1, 7, 0.003, position=0.3, velocity=0.02)
    options = {name: x[0] if np.ndim(x) > 1 else x for name, x in options.items()}
    filter_ = um.InvariantFilter(drifting.plant(), sensors[0], sensors[1:], iterations=1, **options)
    law = um.Estimated(filter_, um.Inputs(drifting.plant(), np.zeros(6))) + drifting.mover()
    run = um.simulate(
        drifting.plant(), q[0], V[0], duration=duration, step=0.01, control_step=0.01, controller=law,
        sensors=sensors, controller_in="python", seed=2,
    )  # fmt: skip
    return run


@pytest.mark.long
def test_once_all_have_arrived_it_knows_what_it_would_know_without_delay():
    """At 0.35 s fixes of 0 s and velocities of 0.2 s have arrived; small errors, so that their order hardly matters."""
    late_, prompt = (
        alone((drifting.IMU, late(drifting.DVL, d), drifting.DEPTH, late(drifting.USBL[0], e)))
        for d, e in ((0.1, 0.3), (0.0, 0.0))
    )
    P, Q = (run.estimate.covariance[35] for run in (late_, prompt))
    deviation = np.sqrt(np.diag(Q))
    assert np.abs((P - Q) / np.outer(deviation, deviation)).max() < 2e-3
    for name, first in (("position", 0), ("velocity", 3)):
        apart = late_.memory[f"0.filter.{name}"][35] - prompt.memory[f"0.filter.{name}"][35]
        assert np.abs(apart).max() < 0.02 * deviation[first : first + 3].min()
    before = late_.estimate.covariance[29] - prompt.estimate.covariance[29]
    assert before[0, 0] > 0.1 * Q[0, 0]  # the fix is under way
    assert max(late_.memory[f"0.filter.{name}.missed"].max() for name in ("dvl", "usbl_1")) == 0.0


@pytest.mark.long
def test_stars_that_come_late():
    deviation, n = 0.05, 100
    rng = np.random.default_rng(2)
    φ = deviation * rng.standard_normal((n, 3))
    g = se3.exp(rng.standard_normal((n, 6)))
    first = g.copy()
    first[:, :3, :3] = g[:, :3, :3] @ so3.exp(-φ)
    stars = um.StarTracker(
        "stars", "camera", noise=STARS.noise, rate=5.0, delay=0.3
    )  # two rotations are kept
    filter_ = um.AttitudeFilter(tumbler(), GYRO, stars, pose=first, attitude_deviation=deviation)
    run = um.simulate(
        tumbler(), tumbler().system.pack({"bus": g}), 0.2 * rng.standard_normal((n, 6)), duration=6.0, step=0.02,
        control_step=0.02, controller=um.Estimated(filter_, Pointing()), sensors=[GYRO, stars], seed=1, record_every=25,
    )  # fmt: skip
    squares = um.nees(filter_.errors(run), run.estimate.covariance)[:, 1:-1].mean(axis=0)
    low, high = um.consistency_bounds(6, n, 0.999)
    assert np.all((low < squares) & (squares < high)), squares
    assert run.memory["filter.missed"].max() == 0.0
    other = um.StarTracker("stars", "camera", noise=STARS.noise, rate=5.0, delay=0.2)
    with pytest.warns(um.ModelWarning, match=r"sensor stars: delay: the filter believes 0\.3 s"):
        wrong = um.simulate(
            tumbler(), tumbler().system.pack({"bus": g[0]}), duration=1.0, step=0.02, control_step=0.02,
            controller=um.Estimated(um.AttitudeFilter(tumbler(), GYRO, stars, pose=first[0]), Pointing()),
            sensors=[GYRO, other], controller_in="python",
        )  # fmt: skip
    assert (
        wrong.memory["filter.missed"][-1] >= 3.0
    )  # stamps of states that were not kept: not used, and counted
    with pytest.raises(um.ModelError, match="rate of stars"):
        um.AttitudeFilter(
            tumbler(), GYRO, um.StarTracker("stars", "camera", noise=1e-3, delay=0.3), pose=np.eye(4)
        )


def cart():
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic(axis=(1, 0, 0)), inertia=um.Inertia.box(mass=5.0, size=(0.4, 0.3, 0.2)))
    return um.Plant(b.build())


@pytest.mark.parametrize("delay", one_in(3, [0.25, 0.03, 0.1]))
def test_of_a_linear_plant_late_readings_tell_all_that_they_can(delay):
    """Against the filter of the linear plant that goes back to the stamps: the same means and covariances."""
    plant = cart()
    still = um.JointPD(plant, {"cart": 0.0}, stiffness=0.0, damping=0.0)
    scale = um.Encoder("scale", joints=("cart",), noise=(0.01,), rate=10.0, delay=delay)
    whole = um.PlantFilter(plant, (scale,), velocity_deviation=1.0, input_deviation=0.5)
    run = um.simulate(
        plant, [0.3], [0.7], duration=0.6, step=0.01, control_step=0.01, controller=um.Estimated(whole, still),
        sensors=[scale], noise=um.Noise(input=0.5), seed=3,
    )  # fmt: skip
    h, y = 0.01, run.y["scale"]
    F, B = np.array([[1.0, h], [0.0, 1.0]]), np.array([0.5 * h * h, h]) / 5.0
    H = np.array([1.0, 0.0])
    for k in (5, 12, 25, 37, 48, 59):
        come = y.fresh[: k + 1] > 0.5
        readings = {
            round(t / h): x[0] for t, x in zip(y.stamp[: k + 1][come], y.value[: k + 1][come], strict=True)
        }
        x, P = np.zeros(2), np.diag([0.1**2, 1.0])
        for i in range(k + 1):
            if i:
                x, P = F @ x, F @ P @ F.T + 0.25 * np.outer(B, B)
            if i in readings:
                K = P @ H / (H @ P @ H + 1e-4)
                x, P = x + K * (readings[i] - H @ x), P - np.outer(K, H @ P)
        found = np.array([run.estimate.q[k, 0], run.estimate.v[k, 0]])
        assert np.abs(found - x).max() < 1e-11
        assert np.abs(run.estimate.covariance[k] - P).max() < 1e-11
        assert len(readings) == max(0, (k * h - delay + 1e-9) // 0.1 + 1)


@cache
def flow():
    b = um.SystemBuilder("drifter")
    hull = b.vehicle("hull", um.Free(), inertia=um.Inertia.box(mass=12.0, size=(0.6, 0.4, 0.3)))
    b.frame("unit", parent=hull, at=um.Pose(xyz=(0.1, 0.05, -0.02), rpy=(0.1, -0.2, 0.3)))
    b.frame("log", parent=hull, at=um.Pose(xyz=(-0.2, 0.0, -0.1), rpy=(0.0, 0.1, -0.2)))
    return um.Plant(b.build(), world=um.Ocean(current=(0.3, -0.2, 0.05)))


@pytest.mark.long
def test_the_current_is_found_through_the_water():
    """A DVL that has lost the bottom, and fixes: 18 errors, consistent; the current is found."""
    q, V, options = drifting.start(SAMPLES, 7, 0.04)
    rng = np.random.default_rng(1)
    water = um.Dvl("dvl", "log", grade="WHN600", rate=5.0, lock="water", delay=0.1)
    fixes = tuple(
        um.Usbl(s.name, "unit", transponder=s.transponder, distance=0.02, angle=0.005, rate=2.0)
        for s in drifting.USBL
    )
    sensors = (drifting.IMU, water, drifting.DEPTH, *fixes)
    first = np.array([0.3, -0.2, 0.05]) - 0.2 * rng.standard_normal((SAMPLES, 3))
    filter_ = um.InvariantFilter(
        flow(), drifting.IMU, sensors[1:], **options, current=first, current_deviation=0.2
    )
    hold = um.StationKeeping(
        flow(), "hull", um.Pose(), stiffness=(8, 8, 8, 2, 2, 2), damping=(12, 12, 12, 1, 1, 1)
    )
    law = um.Estimated(filter_, um.Inputs(flow(), np.zeros(6))) + hold + drifting.Stirring()
    run = um.simulate(
        flow(),
        q,
        V,
        duration=8.0,
        step=0.01,
        control_step=0.01,
        controller=law,
        sensors=sensors,
        seed=5,
        record_every=100,
    )
    assert filter_.error_names[-1] == "current.z"
    squares = um.nees(filter_.errors(run), run.estimate.covariance)[:, 1:-1].mean(axis=0)
    low, high = um.consistency_bounds(18, SAMPLES, 0.999)
    assert np.all((low < squares) & (squares < high)), squares
    off = np.abs(filter_.errors(run)[:, -2, 15:]).mean()
    assert off < 0.02
    for make in (
        lambda: um.InvariantFilter(flow(), drifting.IMU, (water,), pose=um.Pose()),
        lambda: um.InvariantFilter(
            flow(), drifting.IMU, (drifting.DVL,), pose=um.Pose(), current_deviation=0.2
        ),
    ):
        with pytest.raises(um.ModelError, match="current_deviation"):
            make()
