"""The stepper: the bits of a run, one control period at a call; masks, parameters, times, memory, what is refused."""

import copy
import pickle

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states
from tests.simulation.test_memory import Integral
from tests.support.gpu_or_host import on_gpu_or_host
from tests.support.other_arrays import Tensor

import unmoored as um
from unmoored.kernels import cuda
from unmoored.sensing.sensor_suite import suite_of
from unmoored.simulation import status
from unmoored.simulation.driven_step import DrivenStep

SYSTEM = small_arm()
S = 11
Q, V = states(SYSTEM, S, seed=2)
U = np.random.default_rng(5).normal(size=(4, S, SYSTEM.nv))
PERIOD = {"step": 0.005, "control_step": 0.02}


def plant_with_parameters():
    motors = [um.JointMotor("arm1", lag=0.05), um.JointMotor("arm2")]
    return um.Plant(SYSTEM, um.Earth(), actuators=motors, free=["arm2.mass", "gravity"])


def test_periods_have_the_bits_of_a_run():
    plant = um.Plant(SYSTEM, um.Earth())
    stepper = um.Stepper(plant, S, q=Q, v=V, **PERIOD)
    state, end = stepper.state, (Q, V)
    assert np.array_equal(state.q, Q)
    for k, u in enumerate(U):
        run = um.simulate(plant, *end, duration=0.02, controller=um.Inputs(plant, u), t0=0.02 * k, **PERIOD)
        end = run.q[:, -1], run.v[:, -1]
        state = stepper.step(u)
        assert state is stepper.state
        assert np.array_equal(state.q, end[0])
        assert np.array_equal(state.v, end[1])
        assert np.array_equal(state.t, np.full(S, 4 * (k + 1) * 0.005))
    kept = state.copy()
    stepper.step()
    assert np.array_equal(kept.q, end[0])
    assert not np.array_equal(state.q, end[0])
    assert {um.Status.of(code).kind for code in state.status} == {"running"}


def test_a_law_inside_has_the_bits_of_a_run_with_it():
    """Memory, gains of each sample, and what is given from outside is added."""
    plant, law = um.Plant(SYSTEM), Integral(np.linspace(0.5, 2.0, S))
    run = um.simulate(plant, Q, V, duration=0.08, controller=law, **PERIOD)
    stepper = um.Stepper(plant, S, q=Q, v=V, controller=law, **PERIOD)
    for _ in range(4):
        stepper.step()
    assert np.array_equal(stepper.state.q, run.q[:, -1])
    assert np.array_equal(stepper.state.v, run.v[:, -1])
    stepper.reset()
    for u in U:
        stepper.step(u)
    assert not np.array_equal(stepper.state.v, run.v[:, -1])
    stepper.reset()
    for _ in range(4):
        stepper.step(np.zeros(plant.nu))
    assert np.array_equal(stepper.state.v, run.v[:, -1])


def test_samples_are_reset_by_a_mask_with_parameters_and_times_of_their_own():
    plant = plant_with_parameters()
    stepper = um.Stepper(plant, S, **PERIOD)
    assert np.array_equal(stepper.state.q, np.tile(SYSTEM.neutral(), (S, 1)))
    u = U[0, :, : plant.nu]
    before = stepper.step(u).copy()
    mask, masses = np.arange(S) % 3 == 0, np.linspace(1.0, 3.0, S)
    x, t = np.full(plant.nx, 0.4), np.linspace(1.0, 2.0, S)
    state = stepper.reset(Q, V, {"arm2.mass": masses}, mask, x=x, t=t)
    for name, new in {"q": Q, "v": V, "x": np.tile(x, (S, 1)), "t": t}.items():
        found, old = getattr(state, name), getattr(before, name)
        assert np.array_equal(found[mask], new[mask])
        assert np.array_equal(found[~mask], old[~mask])
    moved = stepper.step(u).copy()
    for i in (0, 1, 3):
        mass, start = (masses[i], (Q[i], V[i], x, t[i])) if mask[i] else (2.0, _at(before, i))
        own = um.Stepper(plant, 1, **PERIOD)
        own.reset(start[0], start[1], {"arm2.mass": mass}, x=start[2], t=start[3])
        own.step(u[i])
        assert np.array_equal(own.state.v[0], moved.v[i])
        assert np.array_equal(own.state.x[0], moved.x[i])


def _at(state, i):
    return state.q[i], state.v[i], state.x[i], state.t[i]


def test_constraints_and_prescribed_joints_are_put_in():
    plant = um.Plant(SYSTEM, um.Earth(), prescribed={"arm1": lambda t: np.stack([0.5 * np.sin(2 * t)])})
    stepper = um.Stepper(plant, 3, q=Q[:3], **PERIOD)
    run = um.simulate(plant, Q[:3], duration=0.02, **PERIOD)
    state = stepper.step()
    assert np.allclose(state.q, run.q[:, -1], atol=1e-14, rtol=0)
    assert np.allclose(state.v, run.v[:, -1], atol=1e-14, rtol=0)


class Followed(um.Law):
    """Pushes the leader by where its follower is and how fast, and keeps both."""

    memory = {"seen": 2}

    def __call__(self, seen, memory):
        return np.stack([-seen.q[1] - 0.2 * seen.v[1]]), {"seen": np.stack([seen.q[1], seen.v[1]])}


def test_laws_and_sensors_inside_see_followers_by_each_samples_own_ratio():
    b = um.SystemBuilder("gear")
    rotor = um.Inertia(1.0, (0.1, 0.0, 0.2), np.diag([0.1, 0.2, 0.1]))
    b.vehicle("wheel", um.Revolute((0, 0, 1)), inertia=rotor)
    b.link("pinion", parent="wheel", joint=um.Revolute((0, 1, 0)), inertia=rotor)
    b.mimic("pinion", "wheel", multiplier=2.0)
    motor = um.JointMotor("wheel")
    plant = um.Plant(b.build(), um.Earth(), actuators=[motor], free=["pinion.mimic.multiplier"])
    ratios, lead = np.array([0.5, 2.0, -3.0]), np.array([[0.2], [-0.1], [0.3]])
    p = {"pinion.mimic.multiplier": ratios}
    q, v = np.hstack([lead, ratios[:, None] * lead]), np.hstack([-lead, -ratios[:, None] * lead])
    go = PERIOD | {"controller": Followed(), "sensors": [um.Gyro("gyro", "pinion")]}
    run = um.simulate(plant, q, v, duration=0.08, parameters=p, **go)
    assert np.array_equal(run.memory["seen"][:, 1], np.stack([q[:, 1], v[:, 1]], axis=-1))
    stepper = um.Stepper(plant, 3, **go)
    state = stepper.reset(q, v, p)
    for k in range(4):
        assert np.array_equal(state.y["gyro"].value, run.y["gyro"].value[:, 4 * k])
        state = stepper.step()
        np.testing.assert_allclose(state.q, run.q[:, 4 * k + 4], atol=1e-14, rtol=0)
        np.testing.assert_allclose(state.v, run.v[:, 4 * k + 4], atol=1e-14, rtol=0)


def test_inputs_are_nought_again_if_none_are_given():
    plant = um.Plant(SYSTEM)
    one, other = (um.Stepper(plant, S, q=Q, v=V, **PERIOD) for _ in range(2))
    for given in (U[0], None, None, U[1], U[2, 0], None):
        state = one.step(given)
        expected = other.step(
            np.zeros((S, plant.nu)) if given is None else np.broadcast_to(given, (S, plant.nu))
        )
        assert np.array_equal(state.v, expected.v)


def test_readings_that_are_no_numbers_stop_their_sample_and_leave_what_was_read():
    """Noise so large that readings are as good as infinite; a sample that has stopped reads nothing more."""
    noise = np.array([1e-3, 1e160, 1e-3])
    gyro = um.Gyro("gyro", "arm2", noise=np.repeat(noise[:, None], 3, axis=1))
    stepper = um.Stepper(um.Plant(SYSTEM), 3, q=Q[:3], v=V[:3], sensors=[gyro], seed=4, **PERIOD)
    state = stepper.state
    assert state.status.tolist() == [0, int(status.NOT_FINITE), 0]  # at once
    assert not state.y["gyro"].value[1].any()
    read = state.y["gyro"].value.copy()
    u = np.zeros((3, SYSTEM.nv))
    u[2, 0] = np.inf
    state = stepper.step(u)
    assert state.status.tolist() == [0, int(status.NOT_FINITE), int(status.NOT_FINITE)]
    assert np.array_equal(state.y["gyro"].value[1:], read[1:])
    assert not np.array_equal(state.y["gyro"].value[0], read[0])


@pytest.mark.parametrize("code", [status.RUNNING, status.NOT_SOLVED, status.NOT_CLOSED])
@pytest.mark.parametrize("bad", [False, True])
@pytest.mark.whole
def test_whatever_stopped_a_sample_stays_the_reason(code, bad):
    """Inputs and readings, by NumPy: of a sample that runs they are taken, or stop it if they are no numbers."""
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(2.0, 0.1))
    plant = um.Plant(b.build())
    suite = suite_of([um.Encoder("place", joints="cart")], plant, 0.01, "Stepper")
    step = DrivenStep(plant, "rkmk4", None, (), None, suite=suite)
    _, size, count, _ = step.sizes
    now = step.layout.split(np.zeros(size))
    now = now._replace(u=np.array([4.0]), y=np.full_like(now.y, 9.0))
    state = np.append(step.layout.join(now._replace(code=np.array([code]))), 0.5)
    numbers = np.concatenate([plant.nominal_parameters, suite.gains, [0.0]])
    assert len(numbers) == count
    expected = (status.NOT_FINITE if bad else code) if code == status.RUNNING else code
    taken = code == status.RUNNING and not bad
    after = step.given(state, numbers, np.array([np.nan if bad else 7.0]))
    found = step.layout.split(after[:-1])
    assert (found.code[0], found.u[0], after[-1]) == (expected, 7.0 if taken else now.u[0], 0.5)
    place = np.array([1e200 if bad else 3.0])
    held = step.layout.join(now._replace(code=np.array([code]), q=place))
    after = step.measured(np.append(held, 0.5), numbers, np.zeros(step.channels))
    found = step.layout.split(after[:-1])
    assert (found.code[0], after[-1]) == (expected, 0.5)
    assert np.array_equal(found.z, now.z) != taken
    assert found.y[0] == (3.0 if taken else 9.0)


def test_bad_numbers_stop_their_sample_and_no_other():
    stepper = um.Stepper(um.Plant(SYSTEM), S, q=Q, v=V, **PERIOD)
    good = stepper.step(U[0]).copy()
    stepper.reset()
    u = U[0].copy()
    u[4, 2] = np.nan
    state = stepper.step(u)
    assert state.status.dtype == np.int64
    assert np.flatnonzero(state.status).tolist() == [4]
    assert um.Status.of(state.status[4]).kind == "blew_up"
    assert np.array_equal(state.q[4], Q[4])
    assert np.array_equal(np.delete(state.q, 4, 0), np.delete(good.q, 4, 0))
    state = stepper.step(U[1])
    assert np.array_equal(state.q[4], Q[4])
    stepper.reset(mask=state.status != 0)
    assert not stepper.state.status.any()
    assert stepper.step(U[0]).status[4] == 0


def test_dlpack_in_and_out():
    stepper = um.Stepper(um.Plant(SYSTEM), 2, q=Q[:2])

    state = stepper.step(Tensor(U[0, :2]))
    assert np.shares_memory(np.from_dlpack(state.q), state.q)
    other = um.Stepper(um.Plant(SYSTEM), 2, q=Tensor(Q[:2]))
    assert np.array_equal(other.step(U[0, :2]).q, state.q)


def test_single_precision():
    stepper = um.Stepper(um.Plant(SYSTEM), S, q=Q, v=V, dtype="float32", **PERIOD)
    state = stepper.step(U[0])
    assert state.q.dtype == np.float32
    double = um.Stepper(um.Plant(SYSTEM), S, q=Q, v=V, **PERIOD).step(U[0])
    assert np.abs(state.q - double.q).max() < 1e-5


def test_what_is_refused():
    """By the name of the class, with what would be right."""
    for options, told in [
        ({"samples": 0}, "Stepper: samples: expected a whole number ≥ 1, given 0"),
        (
            {"control_step": 0.0125},
            "Stepper: control_step: expected a multiple of the step 0.005 s, given 0.0125",
        ),
        ({"step": 0.0}, "Stepper: step: expected a number > 0"),
        ({"control_step": -0.02}, "Stepper: control_step: expected a number > 0"),
        ({"q": np.full(SYSTEM.nq, np.nan)}, "Stepper: q[0] (bus.R00): expected a finite number, given nan"),
        ({"v": np.zeros(3)}, "Stepper: v: expected shape (8,) or (samples, 8), given shape (3,)"),
        ({"samples": 3, "q": Q[:2]}, "Stepper: q: expected one sample or 3, given 2"),
        ({"samples": 3, "v": V[:2]}, "Stepper: v: expected one sample or 3, given 2"),
        ({"method": "rk4"}, "Stepper: unknown method: expected one of euler, heun, rkmk4"),
        ({"backend": "numpy"}, "Stepper: unknown backend: expected one of cpu, cuda, given 'numpy'"),
        ({"dtype": "float16"}, "Stepper: unknown dtype: expected one of float64, float32, given 'float16'"),
        ({"sensors": ("imu",)}, "Stepper: sensors: expected sensors (um.Sensor), given 'imu'"),
        ({"q": np.zeros(SYSTEM.nq)}, "bus: q: expected a pose in SE(3), given [["),
        ({"seed": [1, 2, 3]}, "Stepper: seed: expected a whole number, or 2 of them, given "),
        ({"seed": -1}, "seed: expected a whole number"),
    ]:
        with pytest.raises(um.ModelError) as caught:
            um.Stepper(um.Plant(SYSTEM), **({"samples": 2} | PERIOD | options))
        assert told in str(caught.value)
    with pytest.raises(um.ModelError, match=r"^Stepper: plant: expected a (System|Plant)"):
        um.Stepper("plant")


def test_what_reset_and_step_refuse():
    stepper = um.Stepper(plant_with_parameters(), 3)
    for call, told in [
        (lambda: stepper.reset(Q[0, :-1]), "Stepper: q: expected shape (14,) or (samples, 14), given shape (13,)"),
        (lambda: stepper.reset(v=[0.0] * 6 + [np.inf, 0.0]), "Stepper: v[6] (arm1): expected a finite number, given"),
        (lambda: stepper.reset(x=[1.0, 2.0]), "Stepper: x: expected shape (1,) or (samples, 1), given shape (2,)"),
        (lambda: stepper.reset(t=[1.0, 2.0]), "Stepper: t: expected one sample or 3, given 2"),
        (lambda: stepper.reset(mask=[1, 0, 1]), "mask: expected truth values of shape (3,), given int64 of shape (3,)"),
        (lambda: stepper.reset(mask=[True]), "truth values of shape (3,), given bool of shape (1,)"),
        (lambda: stepper.reset(parameters={"arm1.mass": 2.0}), "Stepper: unknown parameter (declare it"),
        (lambda: stepper.reset(parameters={"arm2.mass": [1.0, 2.0]}), "parameters: expected one sample or 3, given 2"),
        (lambda: stepper.reset(2.0 * Q[0]), "bus: q: expected a pose in SE(3), given "),
        (lambda: stepper.step(np.zeros(5)), "Stepper: u: expected numbers (3, 2) or (2,), given float64 of shape (5,)"),
        (lambda: stepper.step(np.zeros((2, 2))), "expected numbers (3, 2) or (2,), given float64 of shape (2, 2)"),
        (lambda: stepper.step(np.zeros((3, 2), complex)), "(3, 2) or (2,), given complex128 of shape (3, 2)"),
    ]:  # fmt: skip
        with pytest.raises(um.ModelError) as caught:
            call()
        assert told in str(caught.value)


def states_on(backend):
    plant, law = um.Plant(SYSTEM, um.Earth()), Integral(np.linspace(0.5, 2.0, S))
    stepper = um.Stepper(plant, S, q=Q, v=V, controller=law, backend=backend, **PERIOD)
    for u in U:
        stepper.step(cuda.device_array(u) if backend == "cuda" else u)
    stepper.reset(mask=np.arange(S) == 3)
    state = stepper.step(U[1])
    return [x.get() if hasattr(x, "get") else x for x in (state.q, state.v, state.t, state.status)]


def test_on_the_gpu_the_same_bits(monkeypatch, tmp_path):
    on_gpu_or_host(monkeypatch, tmp_path)
    for a, b in zip(states_on("cpu"), states_on("cuda"), strict=True):
        assert np.array_equal(a, b)


def test_a_reset_on_the_gpu_does_not_go_through_the_host(monkeypatch, tmp_path):
    on_gpu_or_host(monkeypatch, tmp_path)
    mask = np.arange(S) % 3 == 0
    found = []
    for backend in ("cpu", "cuda"):
        stepper = um.Stepper(um.Plant(SYSTEM), S, q=Q[0], backend=backend, **PERIOD)
        if backend == "cuda":
            monkeypatch.setattr(um.Stepper, "_host", None)  # nobody calls it
        given = (cuda.device_array(x) if backend == "cuda" else x for x in (Q, V, mask, np.linspace(0, 1, S)))
        q, v, chosen, t = given
        state = stepper.reset(q=q, v=v, mask=chosen, t=t)
        found.append([x.get() if hasattr(x, "get") else x.copy() for x in (state.q, state.v, state.t)])
        bad = Q.copy()
        bad[3, :3] *= 1.0 + 1e-8
        with pytest.raises(um.ModelError, match="a pose in SE"):
            stepper.reset(q=cuda.device_array(bad) if backend == "cuda" else bad)
        bad[3, 13] = np.nan
        with pytest.raises(um.ModelError, match=r"q\[3, 13\]"):
            stepper.reset(q=cuda.device_array(bad) if backend == "cuda" else bad)
    for a, b in zip(*found, strict=True):
        assert np.array_equal(a, b)
    assert np.array_equal(found[0][0][mask], Q[mask])
    assert not np.any(np.all(found[0][0][~mask] == Q[~mask], axis=-1))


def test_configurations_in_single_precision_are_for_steppers_in_single_precision():
    q = Q.astype(np.float32)
    stepper = um.Stepper(um.Plant(SYSTEM), S, dtype="float32", **PERIOD)
    assert np.array_equal(stepper.reset(q=q).q, q)
    off = q.copy()
    off[0, :3] *= np.float32(1.0 + 1e-4)
    with pytest.raises(um.ModelError, match="a pose in SE"):
        stepper.reset(q=off)
    with pytest.raises(um.ModelError, match="a pose in SE"):
        um.Stepper(um.Plant(SYSTEM), S, q=q, **PERIOD)
    with pytest.raises(um.ModelError, match="a pose in SE"):
        um.simulate(SYSTEM, q, duration=0.01)
    assert um.simulate(SYSTEM, q, duration=0.01, dtype="float32").completed


def test_a_start_that_was_given_does_not_change_with_the_users_array():
    q = Q.copy()
    stepper = um.Stepper(um.Plant(SYSTEM), S, q=q, **PERIOD)
    q[:, -1] += 1.0
    assert np.array_equal(stepper.reset(v=V).q, Q)


def test_copies_are_refused_as_they_would_step_the_same_memory():
    stepper = um.Stepper(um.load("tumbling_brick"), 2)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(um.ModelError, match="Stepper: copy or pickle: expected another Stepper"):
            copied(stepper)
    kept = copy.deepcopy(stepper.state.copy())
    stepper.step()
    assert kept.t.tolist() == [0.0, 0.0]
