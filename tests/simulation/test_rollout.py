"""Rollouts and their adjoints: against steps, chains of step derivatives, differences; batches, stretches, refusals."""

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states
from tests.support.gpu_or_host import on_gpu_or_host
from tests.support.other_arrays import Tensor
from tests.support.rolling_vehicles import R_WHEEL, car, rover
from tests.support.thinning import one_in

import unmoored as um
from unmoored.simulation import rollout as rollout_module

SYSTEM = small_arm()
T, STEP = 12, 0.01
NUMPY = {"backend": "numpy"}


class Learned(um.Law):
    """A small law with gains and memory, none of them linear."""

    weights: np.ndarray
    stiffness: float
    memory = {"sum": 2, "last": 0.3}

    def __call__(self, seen, memory):
        hidden = np.tanh(self.weights @ seen.v[:3]) + 0.1 * seen.q[9]
        u = np.concatenate([hidden, -self.stiffness * seen.q[-2:]])[-2:] - memory["sum"] * memory["last"]
        return u, {
            "sum": 0.9 * memory["sum"] + seen.period * hidden[:2],
            "last": memory["last"] * np.cos(seen.v[0]),
        }


def driven():
    motors = [um.JointMotor("arm1", lag=0.05), um.JointMotor("arm2")]
    return um.Plant(SYSTEM, um.Earth(), actuators=motors, free=["arm2.mass", "gravity", "arm1_motor.lag"])


def rolling():
    drive = um.DifferentialDrive("rover", "axle", ("left", "right"), R_WHEEL)
    return um.Plant(um.System(rover(um.Planar(), kinds=("Revolute",))), um.Earth(), constraints=[drive])


def steered():
    """A car whose steering is moved: which way it goes depends on the time."""
    system = um.System(car(wheels=False))
    path = {"fork": lambda t: np.stack([0.4 + 0.5 * np.sin(3.0 * t)])}
    return um.Plant(system, um.Earth(), constraints=[um.Car("car", "fork", "axle")], prescribed=path)


def law():
    return Learned(np.random.default_rng(3).normal(size=(3, 3)), 1.5)


def close(a, b, bound):
    assert np.shape(a) == np.shape(b)
    assert np.abs(a - b).max(initial=0.0) <= bound * (1.0 + np.abs(b).max(initial=0.0))


def arguments(plant, periods, seed=0):
    rng = np.random.default_rng(seed)
    q, v = states(plant.system, 1, seed)
    q, v = plant.configuration(0.0, q[0]), v[0]
    v = plant.full_velocity(0.0, q, plant.independent_velocity(q, v))
    p = plant.nominal_parameters * (1 + 0.1 * rng.normal(size=len(plant.nominal_parameters)))
    u = rng.normal(size=(periods, plant.nu))
    weights = [rng.normal(size=(T + 1, plant.nv)) for _ in range(2)]
    return q, v, u, p, weights, 0.2 * rng.normal(size=plant.nx)


def difference(function, x, direction, ε=1e-3):
    """Derivative along a direction, by differences of sixth order."""
    pairs = [function(x + m * ε * direction) - function(x - m * ε * direction) for m in (1, 2, 3)]
    return (45 * pairs[0] - 9 * pairs[1] + pairs[2]) / (60 * ε)


@pytest.mark.parametrize("method", one_in(2, ["heun", "lie_midpoint"]))
def test_rows_are_steps_and_the_adjoint_is_the_chain_of_step_derivatives(method):
    plant = driven()
    q, v, u, p, (dq, dv), x = arguments(plant, T // 2)
    rollout = um.Rollout(plant, T, STEP, control_step=2 * STEP, method=method)
    Q, V = rollout(q, v, u, p, x0=x, t0=0.4)
    assert Q.shape == (T + 1, plant.nq)
    xs, here = [x], x
    for k in range(T):
        end = plant.step(0.4 + k * STEP, Q[k], V[k], u[k // 2], STEP, x=here, p=p, method=method)
        assert np.array_equal(end.q, Q[k + 1])
        assert np.array_equal(end.v, V[k + 1])
        here = end.x
        xs.append(here)
    g = rollout.vjp(q, v, u, p, dq, dv, x0=x, t0=0.4)
    n = plant.nv
    η, du, dp = np.concatenate([dq[T], dv[T], np.zeros(plant.nx)]), np.zeros_like(u), np.zeros_like(p)
    for k in reversed(range(T)):
        d = plant.step_derivatives(
            0.4 + k * STEP, Q[k], V[k], u[k // 2], STEP, x=xs[k], p=p, method=method, **NUMPY
        )
        du[k // 2] += d.input.T @ η
        dp += d.parameter.T @ η
        η = d.state.T @ η
        η[:n] += dq[k]
        η[n : 2 * n] += dv[k]
    for found, expected in [(g.q0, η[:n]), (g.v0, η[n : 2 * n]), (g.x0, η[2 * n :]), (g.u, du), (g.p, dp)]:
        close(found, expected, 1e-11)


def test_a_law_with_gains_and_memory_against_differences():
    """The dot test, too: weights · (derivative along a direction) = gradient · direction."""
    plant, rng = driven(), np.random.default_rng(8)
    q, v, u, p, (dq, dv), x = arguments(plant, T // 3)
    own = law()
    rollout = um.Rollout(plant, T, STEP, control_step=3 * STEP, controller=own)
    base, _ = rollout(q, v, u, p, x0=x)
    g = rollout.vjp(q, v, u, p, dq, dv, x0=x)

    def value(q=q, v=v, u=u, p=p, x=x, law=own, gains=None):
        run = rollout if law is own else um.Rollout(plant, T, STEP, control_step=3 * STEP, controller=law)
        Q, V = run(q, v, u, p, x0=x, gains=gains)
        return (dq * SYSTEM.local(base, Q)).sum() + (dv * V).sum()

    e = rng.normal(size=plant.nv)
    assert g.q0 @ e == pytest.approx(
        difference(lambda s: value(q=SYSTEM.retract(q, s * e)), 0.0, 1.0), rel=1e-8
    )
    for name, at, found in [("v", v, g.v0), ("u", u, g.u), ("p", p, g.p), ("x", x, g.x0)]:
        e = rng.normal(size=at.shape)
        expected = difference(lambda y, name=name: value(**{name: y}), at, e)
        assert (found * e).sum() == pytest.approx(expected, rel=1e-8)
    for name in ("weights", "stiffness"):
        at, e = getattr(own, name), rng.normal(size=np.shape(getattr(own, name)))
        expected = difference(lambda y, name=name: value(gains={name: y}), at, e)
        assert (g.gains[name] * e).sum() == pytest.approx(expected, rel=1e-8)

    def started(last):
        kind = type("Started", (Learned,), {"memory": {"sum": 2, "last": float(last)}})
        return kind(own.weights, own.stiffness)

    assert g.memory["sum"].shape == (2,)
    assert g.memory["last"] == pytest.approx(difference(lambda y: value(law=started(y)), 0.3, 1.0), rel=1e-8)


@pytest.mark.parametrize(("make", "t0"), [(rolling, 0.0), (steered, 0.3)])
def test_constraints_against_differences(make, t0):
    plant, rng = make(), np.random.default_rng(2)
    q, v, u, p, (dq, dv), _ = arguments(plant, T)
    rollout = um.Rollout(plant, T, STEP)
    base, V = rollout(q, v, u, t0=t0)
    for k in range(T + 1):
        w = plant.independent_velocity(base[k], V[k])
        assert np.abs(plant.full_velocity(t0 + k * STEP, base[k], w) - V[k]).max() < 1e-12
    g = rollout.vjp(q, v, u, p, dq, dv, t0=t0)

    def value(q=q, v=v, u=u):
        Q, V = rollout(q, v, u, t0=t0)
        return (dq * plant.system.local(base, Q)).sum() + (dv * V).sum()

    e = rng.normal(size=plant.nv)
    along = difference(lambda s: value(q=plant.system.retract(q, s * e)), 0.0, 1.0)
    assert g.q0 @ e == pytest.approx(along, rel=1e-8)
    for name, at, found in [("v", v, g.v0), ("u", u, g.u)]:
        e = rng.normal(size=at.shape)
        expected = difference(lambda y, name=name: value(**{name: y}), at, e)
        assert (found * e).sum() == pytest.approx(expected, rel=1e-8)


def test_batches_have_the_bits_of_single_samples_and_stretches_those_of_one(monkeypatch):
    plant = driven()
    cases = [arguments(plant, T // 3, seed) for seed in range(9)]
    q, v, u, p, x = (np.stack([case[k] for case in cases]) for k in (0, 1, 2, 3, 5))
    dq, dv = (np.stack([case[4][k] for case in cases]) for k in (0, 1))
    rollout = um.Rollout(plant, T, STEP, control_step=3 * STEP, controller=law())
    Q, _ = rollout(q, v, u, p, x0=x)
    g = rollout.vjp(q, v, u, p, dq, dv, x0=x)
    one = rollout.vjp(q[4], v[4], u[4], p[4], dq[4], dv[4], x0=x[4])
    assert np.array_equal(rollout(q[4], v[4], u[4], p[4], x0=x[4])[0], Q[4])
    assert np.array_equal(one.q0, g.q0[4])
    assert np.array_equal(one.u, g.u[4])
    assert np.array_equal(one.gains["weights"], g.gains["weights"][4])
    monkeypatch.setattr(rollout_module, "_MOST_KEPT", 1)
    stretched = rollout.vjp(q, v, u, p, dq, dv, x0=x)
    for a, b in zip(stretched[:5], g[:5], strict=True):
        close(a, b, 1e-13)
    shared = rollout.vjp(q, v, u, p, dq[0], None, x0=x)
    close(shared.q0[0], rollout.vjp(q[0], v[0], u[0], p[0], dq[0], None, x0=x[0]).q0, 0.0)


def test_gains_given_to_a_rollout_are_those_of_a_law_with_them():
    """One number or one for each sample; those that are not given are the law's own."""
    plant, weights = driven(), np.random.default_rng(4).normal(size=(3, 3, 3))
    q, v, u, p, _, x = arguments(plant, T // 3)
    rollout = um.Rollout(plant, T, STEP, control_step=3 * STEP, controller=law())
    stiffness = [0.5, 1.0, 2.0]
    for gains in (
        {"stiffness": stiffness},
        {"weights": weights},
        {"weights": weights, "stiffness": stiffness},
    ):
        Q, V = rollout(q, v, u, p, x0=x, gains=gains)
        assert Q.shape == (3, T + 1, plant.nq)
        for i in range(3):
            one = Learned(
                *(gains.get(name, [getattr(law(), name)] * 3)[i] for name in ("weights", "stiffness"))
            )
            alone = um.Rollout(plant, T, STEP, control_step=3 * STEP, controller=one)(q, v, u, p, x0=x)
            assert np.array_equal(Q[i], alone[0])
            assert np.array_equal(V[i], alone[1])
    for gains in ({"stiffness": [[1.0]]}, {"weights": np.ones(3)}, {"weights": np.ones((1, 3, 3, 3))}):
        ((name, given),) = gains.items()
        shape = str(np.shape(given)).replace("(", r"\(").replace(")", r"\)")
        told = rf"^Rollout: gains\['{name}'\]: expected shape .*, with a leading dimension.*, given shape {shape}"
        with pytest.raises(um.ModelError, match=told):
            rollout(q, v, u, p, x0=x, gains=gains)
    with pytest.raises(
        um.ModelError, match="Rollout: unknown gain: expected one of weights, stiffness, given"
    ):
        rollout(q, v, u, p, x0=x, gains={"stiff": 1.0})


def test_stretches_are_as_long_as_their_states_may_be_kept(monkeypatch):
    """In bytes: of all samples, the states before every step of whole control periods; one period at least."""
    plant = driven()
    q = np.tile(SYSTEM.neutral(), (3, 1))
    for dtype, item in (("float64", 8), ("float32", 4)):
        rollout = um.Rollout(plant, T, STEP, control_step=2 * STEP, dtype=dtype)
        size = plant.nq + plant.nw + plant.nx + plant.nu
        rows = rollout(q)[0]
        for bytes_, length in (
            (1, 2), (2 * 3 * size * item, 2), (4 * 3 * size * item - 1, 2), (4 * 3 * size * item, 4),
            (10 * 3 * size * item, 10), (10**9, 12),
        ):  # fmt: skip
            monkeypatch.setattr(rollout_module, "_MOST_KEPT", bytes_)
            given = rollout._given(q, None, None, None, None, 0.0, None)
            starts, found = rollout._checkpoints(given)
            assert found == length
            assert len(starts) == -(-T // length)
            for k, start in enumerate(starts):
                assert np.array_equal(start[:, : plant.nq], rows[:, k * length])


def test_arrays_of_other_libraries_are_taken_by_dlpack():
    plant = driven()
    q, v, u, p, _, x = arguments(plant, T // 3)
    rollout = um.Rollout(plant, T, STEP, control_step=3 * STEP)
    found = rollout(Tensor(q), Tensor(v), Tensor(u), Tensor(p), x0=Tensor(x))
    for a, b in zip(found, rollout(q, v, u, p, x0=x), strict=True):
        assert np.array_equal(a, b)
    with pytest.raises(um.ModelError, match=r"Rollout: v0: expected shape \(..., 8\), given shape \(\)"):
        rollout(q, np.float64(1.0))


def test_a_plant_without_inputs_has_a_rollout_too():
    """With gradients of its start, and none by inputs."""
    plant = um.Plant(SYSTEM, um.Earth(), actuators=[])
    q, v, u, p, (dq, dv), _ = arguments(plant, T // 3)
    assert u.shape == (T // 3, 0)
    rollout = um.Rollout(plant, T, STEP, control_step=3 * STEP)
    passive = um.Rollout(um.Plant(SYSTEM, um.Earth()), T, STEP, control_step=3 * STEP)
    assert np.array_equal(rollout(q, v)[0], passive(q, v)[0])
    g, expected = rollout.vjp(q, v, u, p, dq, dv), passive.vjp(q, v, dq=dq, dv=dv)
    assert g.u.shape == (T // 3, 0)
    close(g.q0, expected.q0, 1e-13)
    close(g.v0, expected.v0, 1e-13)


def test_a_sample_with_bad_numbers_has_no_gradient_and_spoils_no_other():
    plant = um.Plant(SYSTEM)
    q, v = states(SYSTEM, 3)
    rollout = um.Rollout(plant, T, STEP)
    good = rollout.vjp(q, v, dv=np.ones((T + 1, plant.nv)))
    v[1, 0] = np.nan
    bad = rollout.vjp(q, v, dv=np.ones((T + 1, plant.nv)))
    assert np.isnan(bad.q0[1]).all()
    assert np.array_equal(bad.q0[[0, 2]], good.q0[[0, 2]])


def test_what_is_refused():
    """By the name of the class, with what would be right."""
    plant = driven()
    for options, told in [
        ({"steps": 0}, "Rollout: steps: expected a whole number ≥ 1, given 0"),
        (
            {"steps": 5, "control_step": 0.002},
            "steps: expected a multiple of the 2 steps of a control period, given 5",
        ),
        (
            {"control_step": 0.0015},
            "Rollout: control_step: expected a multiple of the step 0.001 s, given 0.0015",
        ),
        ({"step": 0.0}, "Rollout: step: expected a number > 0"),
        ({"control_step": -1.0}, "Rollout: control_step: expected a number > 0"),
        ({"method": "leapfrog"}, "Rollout: unknown method: expected one of euler, heun, rkmk4"),
        ({"backend": "numpy"}, "Rollout: unknown backend: expected one of cpu, cuda, given 'numpy'"),
        ({"dtype": "float16"}, "Rollout: unknown dtype: expected one of float64, float32, given 'float16'"),
    ]:
        with pytest.raises(um.ModelError) as caught:
            um.Rollout(plant, **options)
        assert told in str(caught.value)
    with pytest.raises(um.ModelError, match=r"^Rollout: plant: expected a (System|Plant)"):
        um.Rollout("plant")
    rollout = um.Rollout(plant, 4, control_step=0.002)
    q, n, nu, nx = SYSTEM.neutral(), plant.nv, plant.nu, plant.nx
    assert (n, nu, nx) == (8, 2, 1)
    for call, told in [
        (lambda: rollout(q[:-1]), "Rollout: q0: expected shape (..., 14), given shape (13,)"),
        (lambda: rollout(q, np.zeros(7)), "Rollout: v0: expected shape (..., 8), given shape (7,)"),
        (
            lambda: rollout(q, u=np.zeros((3, nu))),
            "Rollout: u: expected shape (..., 2, 2), given shape (3, 2)",
        ),
        (lambda: rollout(q, u=np.zeros(nu)), "Rollout: u: expected shape (..., 2, 2), given shape (2,)"),
        (lambda: rollout(q, p=np.zeros(4)), "Rollout: p: expected shape (..., 5), given shape (4,)"),
        (lambda: rollout(q, x0=[1.0, 2.0]), "Rollout: x0: expected shape (..., 1), given shape (2,)"),
        (
            lambda: rollout(q, t0=[[1.0]]),
            "Rollout: samples: expected one leading dimension, the same number of samples",
        ),
        (lambda: rollout(q.astype(complex)), "Rollout: q0: expected numbers (..., 14), given"),
        (lambda: rollout(q, "rest"), "Rollout: v0: expected numbers (..., 8), given 'rest'"),
        (
            lambda: rollout(q, gains={"stiffness": 1.0, "b": 2.0}),
            "gains: expected none: there is no law, given ['b'",
        ),
        (
            lambda: rollout(np.stack([q] * 2), np.zeros((3, n))),
            "same number of samples everywhere, given [(), (2,), (3,)]",
        ),
        (
            lambda: rollout(np.stack([q] * 2), u=np.zeros((3, 2, nu))),
            "samples everywhere, given [(), (2,), (3,)]",
        ),
        (
            lambda: rollout.vjp(q, dq=np.zeros((4, n))),
            "Rollout: dq: expected shape (..., 5, 8), given shape (4, 8)",
        ),
        (
            lambda: rollout.vjp(q, dv=np.zeros((5, 7))),
            "Rollout: dv: expected shape (..., 5, 8), given shape (5, 7)",
        ),
        (
            lambda: rollout.vjp(np.stack([q] * 2), dv=np.zeros((3, 5, n))),
            "everywhere, given [(), (2,), (3,)]",
        ),
    ]:
        with pytest.raises(um.ModelError) as caught:
            call()
        assert told in str(caught.value)


def test_on_the_gpu_the_same_numbers(monkeypatch, tmp_path):
    on_gpu_or_host(monkeypatch, tmp_path)
    plant = driven()
    q, v, u, p, (dq, dv), x = arguments(plant, T // 3)
    q, v = np.stack([q] * 5), np.stack([v] * 5) + 0.1 * np.arange(5)[:, None]
    found = {}
    for backend in ("cpu", "cuda"):
        rollout = um.Rollout(plant, T, STEP, control_step=3 * STEP, controller=law(), backend=backend)
        g = rollout.vjp(q, v, u, p, dq, dv, x0=x)
        Q, V = rollout(q, v, u, p, x0=x)
        found[backend] = [a.get() if hasattr(a, "get") else a for a in (Q, V, *g[:5])]
    for a, b in zip(*found.values(), strict=True):
        close(a, b, 1e-13)
