"""When sensors are read, when readings arrive, what laws see of them, and where their random numbers come from."""

import os
import signal

import numpy as np
import pytest
from tests.sensing.craft import plant, start

import unmoored as um
from unmoored.simulation.checkpoint import Checkpoint
from unmoored.simulation.scenario import parse_scenario

PERIOD, STEP = 0.01, 0.005
NOISY = um.Gyro("gyro", "box", noise=1e-3, bias=1e-2, walk=1e-3, rate=50.0)


class Damped(um.Law):
    """Brakes with what a gyroscope says, once per reading."""

    gain: float
    memory = {"told": 4}

    def __call__(self, seen, memory):
        y = seen.y["gyro"]
        u = np.concatenate([np.zeros(3), -self.gain * y.fresh * y.value, np.zeros(1)])
        return u, {"told": np.concatenate([y.value, np.array([y.stamp])])}


def simulate(sensors, samples=3, duration=0.2, **options):
    q, v = start(samples=samples)
    options = {"step": STEP, "control_step": PERIOD, "seed": 5} | options
    return um.simulate(plant(), q, v, duration=duration, sensors=sensors, **options)


@pytest.mark.parametrize("backend", ["cpu", "numpy"])
def test_noise_of_a_run_is_the_same_with_sensors_and_without(backend):
    """On configurations, velocities and inputs, each of another size; a law that sees no sensor is not moved by one."""
    noise = um.Noise(configuration=0.01, velocity=np.linspace(0.02, 0.1, plant().nv), input=0.05)
    law = um.JointPD(plant(), {plant().system.names[-1]: 0.3}, stiffness=2.0, damping=0.5)
    given = {"noise": noise, "controller": law, "duration": 0.04, "backend": backend}
    bare, noisy = simulate([], **given), simulate([NOISY, um.Dvl("dvl", "wrist", noise=0.1)], **given)
    for name in ("q", "v", "u"):
        np.testing.assert_array_equal(getattr(bare, name), getattr(noisy, name))
    quiet = simulate([], **given | {"noise": None})
    assert np.ptp(bare.u[:, 0], axis=0).min() > 1e-3
    for only in ("configuration", "velocity", "input"):
        one = simulate([], **given | {"noise": um.Noise(**{only: getattr(noise, only)})})
        assert not np.array_equal(one.u, quiet.u)


@pytest.mark.parametrize(("every", "late"), [(1, 0), (1, 3), (3, 0), (3, 2), (3, 3), (2, 5), (4, 9)])
def test_a_delay_is_exact(every, late):
    options = {"rate": 1.0 / (every * PERIOD), "delay": late * PERIOD}
    sensors = [um.Gyro("now", "box"), um.Gyro("late", "box", **options)]
    run = simulate(sensors, samples=1, duration=0.3).sample(0)
    now, delayed = (run.y[name] for name in ("now", "late"))
    for k in range(30):
        taken = (k - late) // every * every
        row = 2 * k  # two steps in a period
        assert delayed.fresh[row] == float(k >= late and (k - late) % every == 0)
        if taken >= 0:
            assert np.array_equal(delayed.value[row], now.value[2 * taken])
            assert delayed.stamp[row] == run.t[2 * taken]
        else:
            assert not delayed.value[row].any()


def test_numbers_do_not_depend_on_the_batch_or_on_other_sensors():
    both = simulate([NOISY, um.Dvl("dvl", "wrist", noise=0.1, dropout=0.3)])
    alone = simulate([NOISY])
    for part in ("value", "fresh", "stamp", "bias"):
        assert np.array_equal(getattr(both.y["gyro"], part), getattr(alone.y["gyro"], part))
    q, v = start(samples=3)
    one = um.simulate(
        plant(), q[2], v[2], duration=0.2, step=STEP, control_step=PERIOD, seed=5, samples=[2],
        sensors=[um.Dvl("dvl", "wrist", noise=0.1, dropout=0.3), NOISY],
    )  # fmt: skip
    for name in ("gyro", "dvl"):
        assert np.array_equal(one.y[name].value, both.y[name].value[2])
        assert np.array_equal(one.y[name].fresh, both.y[name].fresh[2])
    assert not np.array_equal(alone.y["gyro"].value, simulate([NOISY], seed=6).y["gyro"].value)


def test_laws_see_signals_in_the_kernel_and_in_python():
    runs = [simulate([NOISY], controller=Damped(2.0), controller_in=place) for place in ("kernel", "python")]
    for run in runs:
        y = run.y["gyro"]
        assert np.array_equal(run.u[:, :-1, 3:6], -2.0 * (y.fresh[..., None] * y.value)[:, :-1])
        assert np.array_equal(run.memory["told"][:, :-1, :3], y.value[:, :-1])
        assert np.array_equal(run.memory["told"][:, :-1, 3], y.stamp[:, :-1])
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-12
    assert 0 < runs[0].y["gyro"].fresh.mean() < 1


def test_the_reference_agrees():
    sensors = [
        NOISY,
        um.Imu("imu", "wrist", grade="ADIS16405"),
        um.Usbl("u", "box", transponder=(5.0, 1.0, 2.0), grade="low-cost"),
    ]
    a, b = (simulate(sensors, samples=2, duration=0.05, backend=x) for x in ("cpu", "numpy"))
    for name in a.y:
        assert np.abs(a.y[name].value - b.y[name].value).max() < 1e-11


def test_sensors_in_single_precision():
    run = simulate([NOISY, um.Encoder("e", joints="arm", resolution=0.01)], samples=2, dtype="float32")
    assert run.y["gyro"].value.dtype == np.float32
    double = simulate([NOISY, um.Encoder("e", joints="arm", resolution=0.01)], samples=2)
    assert np.abs(run.y["gyro"].value - double.y["gyro"].value).max() < 1e-4
    assert np.abs(run.y["e"].value - double.y["e"].value).max() < 0.0101


def test_numbers_of_sensors_are_run_time_data():
    noise = np.array([1e-3, 1e-2, 1e-1])
    sensors = [um.Gyro("gyro", "box", noise=np.repeat(noise[:, None], 3, axis=1)), um.Gyro("true", "box")]
    run = simulate(sensors, duration=1.0)
    spread = (run.y["gyro"].value - run.y["true"].value).std(axis=(1, 2))
    assert np.abs(spread / noise * np.sqrt(PERIOD) - 1.0).max() < 0.15


def test_a_stepper_reads_what_a_run_reads():
    q, v = start(samples=3)
    sensors = [NOISY, um.Dvl("dvl", "wrist", noise=0.1, dropout=0.3, delay=0.02)]
    run = simulate(sensors, controller=Damped(2.0))
    stepper = um.Stepper(
        plant(), 3, step=STEP, control_step=PERIOD, q=q, v=v, controller=Damped(2.0), sensors=sensors, seed=5
    )
    state = stepper.state
    for k in range(19):
        for name in ("gyro", "dvl"):
            for part in ("value", "fresh", "stamp"):
                expected = getattr(run.y[name], part)[:, 2 * k]
                assert np.array_equal(getattr(state.y[name], part), expected), (k, name, part)
        state = stepper.step()
    kept = state.copy()
    stepper.reset(mask=np.array([True, False, False]))
    assert np.array_equal(stepper.state.y["gyro"].value[1:], kept.y["gyro"].value[1:])
    assert stepper.state.y["gyro"].stamp[0] == 0.0
    assert not np.array_equal(stepper.state.y["gyro"].value[0], run.y["gyro"].value[0, 0])  # new numbers


def test_samples_of_a_stepper_have_seeds_of_their_own():
    """A sample's numbers depend on its seed and on how often it was read, not on the others beside it."""
    q, v = start(samples=3)
    given = {"step": STEP, "control_step": PERIOD, "sensors": [NOISY]}
    three = um.Stepper(plant(), 3, q=q, v=v, seed=[7, 2**63 + 1, 7], **given)
    alone = um.Stepper(plant(), 1, q=q[1], v=v[1], seed=2**63 + 1, **given)
    first = three.state.copy()
    three.reset(mask=np.array([True, False, False]))  # which the others do not notice
    for _ in range(3):
        assert np.array_equal(three.state.y["gyro"].value[1], alone.state.y["gyro"].value[0])
        three.step()
        alone.step()
    three.reset(seed=np.array([7, 7, 7]), mask=np.array([False, False, True]))
    assert np.array_equal(three.state.y["gyro"].value[2], first.y["gyro"].value[2])
    assert not np.array_equal(three.state.y["gyro"].value[0], first.y["gyro"].value[0])
    for wrong in ([1, 2], [1, 2, -3], [0.5, 1.0, 2.0], -1):
        with pytest.raises(um.ModelError, match="seed"):
            three.reset(seed=wrong)


def test_a_run_goes_on_from_a_checkpoint(tmp_path, monkeypatch):
    sensors = [NOISY, um.Dvl("dvl", "wrist", noise=0.1, dropout=0.3, delay=0.02)]
    whole = simulate(sensors, controller=Damped(2.0))
    real, kept = Checkpoint.keep, []

    def keep(self, course):
        real(self, course)
        kept.append(course)
        if len(kept) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "keep", keep)
        patch.setattr("unmoored.simulation.fixed_steps._CHUNK_SECONDS", 0.0)
        path = tmp_path / "kept"
        part = simulate(sensors, controller=Damped(2.0), checkpoint=path, checkpoint_every=0.0)
    assert not part.completed
    with pytest.raises(um.ModelError, match="sensors"):
        um.resume(path, plant(), controller=Damped(2.0), sensors=sensors[:1])
    with pytest.raises(um.ModelError, match="sensors"):
        um.resume(
            path, plant(), controller=Damped(2.0), sensors=[um.Gyro("gyro", "box", rate=50.0), sensors[1]]
        )
    again = um.resume(path, plant(), controller=Damped(2.0), sensors=sensors)
    for name in whole.y:
        assert np.array_equal(whole.y[name].value, again.y[name].value)
    assert np.array_equal(whole.u, again.u)


def test_saved_and_loaded(tmp_path):
    run = simulate([NOISY, um.StarTracker("stars", "box", noise=1e-3), um.Encoder("e", joints="arm")])
    run.save(tmp_path / "run.zarr")
    again = um.load_run(tmp_path / "run.zarr")
    assert set(again.y) == set(run.y)
    for name, kept in run.y.items():
        for part in ("value", "fresh", "stamp", "bias"):
            assert np.array_equal(getattr(again.y[name], part), getattr(kept, part))
            assert np.array_equal(getattr(again.sample(1).y[name], part), getattr(kept, part)[1])


def test_a_sample_that_stops_keeps_its_last_signals():
    q, v = start(samples=2)
    run = um.simulate(
        plant(), q, v, duration=0.2, step=STEP, control_step=PERIOD, sensors=[um.Gyro("g", "box")],
        events=[um.Event(lambda t, q, v: t - 0.083, name="stop")],
    )  # fmt: skip
    assert run.status[0].kind == "event"
    one = run.sample(0)
    assert len(one.t) == len(one.y["g"].value) == len(one.y["g"].stamp)
    assert one.y["g"].stamp[-1] == pytest.approx(0.08)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rate": 30.0}, "whole multiple of the control period"),
        ({"rate": 200.0}, "at most 100 Hz"),
        ({"delay": 0.015}, "whole multiple of the control period"),
        ({"frame": "nowhere"}, "frame"),
    ],
)
def test_what_does_not_fit_is_refused(change, words):
    given = {"name": "g", "frame": "box"} | change
    with pytest.raises(um.ModelError, match=words):
        simulate([um.Gyro(**given)])


def test_bad_sensors_are_refused():
    for make, words in (
        (lambda: um.Gyro("g", "box", noise=-1.0), "noise"),
        (lambda: um.Gyro("g", "box", dropout=1.5), "dropout"),
        (lambda: um.Gyro("g", "box", grade="none"), "grade"),
        (lambda: um.Imu("g", "box", grade="LN-200"), "accelerometer"),
        (lambda: um.Gyro("g", "box", rate=0.0), "rate"),
        (lambda: um.Gyro("g/h", "box"), "name"),
        (lambda: um.Usbl("g", "box"), "transponder"),
        (lambda: um.Imu("g", "box", sampling="sometimes"), "sampling"),
        (lambda: um.Encoder("e"), "joints"),
        (lambda: simulate([um.Encoder("e", joints="bus")]), "joint"),
        (lambda: simulate([um.Gyro("g", "box"), um.Gyro("g", "wrist")]), "names of their own"),
        (lambda: simulate([um.Dvl("d", "box", grade="WHN600")]), "7 Hz"),
        (lambda: simulate(["gyro"]), "sensors"),
        (lambda: simulate([NOISY], control_step=None), "control_step"),
    ):
        with pytest.raises(um.ModelError, match=words):
            make()


class Compass(um.Sensor):
    """The direction of north in the axes of the frame: a sensor of a user's own."""

    noise: float = 0.0

    def reading(self, now, bias, normals, kept, period):
        R = now.pose(self.frame)[..., :3, :3]
        return um.Reading(R[..., 0, :] + np.asarray(self.noise)[..., None] * normals, kept)


def test_a_sensor_of_ones_own():
    compasses = [Compass("compass", "box", noise=noise) for noise in (0.0, 0.01)]
    quiet, noisy = (simulate([compass]).y["compass"].value for compass in compasses)
    run = simulate([compasses[0]])
    for i in range(3):
        for k in (0, 10, 20):
            R = plant().system.pose(run.q[i, k], "box")[:3, :3]
            assert np.abs(quiet[i, k] - R[0]).max() < 1e-14
    assert 0.005 < (noisy - quiet)[:, ::2].std() < 0.02


def test_steps_of_their_own_sizes():
    a = simulate([NOISY], samples=2, duration=0.1, method="dopri5", step=PERIOD, tolerance=1e-11)
    b = simulate([NOISY], samples=2, duration=0.1, step=PERIOD / 4, record_every=4)
    assert np.abs(a.y["gyro"].value - b.y["gyro"].value).max() < 1e-7
    assert np.array_equal(a.y["gyro"].fresh, b.y["gyro"].fresh)


def test_a_sensor_that_is_not_there_is_named():
    with pytest.raises(um.ModelError, match="gyro"):
        simulate([um.Dvl("dvl", "box")], controller=Damped(2.0), controller_in="python")


SCENARIO = """unmoored_scenario: 1
name: measured
system: tumbling_brick
integrator: {step: 0.005, control_step: 0.01}
duration: 0.1
initial: {velocities: {brick: [0, 0, 0, 0.5, 1, 2]}}
sensors:
  - {type: Gyro, name: gyro, frame: brick, grade: MPU-6000, sampling: average}
  - {type: StarTracker, name: stars, frame: brick, grade: BCT-nano, rate: 5, delay: 0.02}
seed: 3
"""


def test_sensors_in_scenario_files():
    scenario = parse_scenario(SCENARIO)
    plant, q0 = scenario.plant, scenario.q0
    run = scenario.run()
    sensors = [
        um.Gyro("gyro", "brick", grade="MPU-6000", sampling="average"),
        um.StarTracker("stars", "brick", grade="BCT-nano", rate=5.0, delay=0.02),
    ]
    same = um.simulate(
        plant, q0, scenario.v0, duration=0.1, step=0.005, control_step=0.01, sensors=sensors, seed=3
    )
    for name in ("gyro", "stars"):
        assert np.array_equal(run.y[name].value, same.y[name].value)
    assert any("MPU-6000" in words for words in run.provenance["sensors"])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{type: Gyro, name: g, frame: nowhere}", r"sensors\[2\].*frame"),
        ("{type: Gyro, name: g, frame: brick, rate: 30}", r"sensors\[2\].*whole multiple"),
        ("{type: Gyro, name: gyro, frame: brick}", "names of their own"),
        ("{type: Thermometer, name: g, frame: brick}", "Thermometer"),
    ],
)
def test_wrong_sensors_in_files_are_told(line, words):
    with pytest.raises(um.ModelError, match=words):
        parse_scenario(SCENARIO.replace("seed: 3", f"  - {line}\nseed: 3"))


FILTERED = """unmoored_scenario: 1
name: filtered
system: bluerov2_heavy
world: {type: Ocean}
integrator: {step: 0.01, control_step: 0.01}
duration: 0.05
controllers:
  - {type: StationKeeping, body: rov, pose: {xyz: [0, 0, 0]}, stiffness: 20, damping: 20}
sensors:
  - {type: Imu, name: imu, frame: rov, grade: ADIS16488, sampling: average}
  - {type: Dvl, name: dvl, frame: rov, noise: 0.01, rate: 50}
filter: {type: InvariantFilter, imu: imu, aiding: [dvl], pose: {xyz: [0.1, 0, 0]}, iterations: 1}
"""


def test_filters_in_scenario_files():
    run = parse_scenario(FILTERED).run()
    assert run.estimate.covariance.shape == (len(run.t), 15, 15)
    assert run.estimate.q[0, 9] == pytest.approx(0.1)
    assert np.abs(run.u[0]).max() > 0.1  # by the estimate, which is off; the truth is not
    for change, words in (
        (("aiding: [dvl]", "aiding: [sonar]"), "a sensor of this file"),
        (("imu: imu", "imu: dvl"), "Imu"),
    ):
        with pytest.raises(um.ModelError, match=words):
            parse_scenario(FILTERED.replace(*change))
