"""Motions and references through many points in steppers and rollouts: tables of the kernel, no part of its code."""

import gc

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states
from tests.support.thinning import one_in

import unmoored as um
from unmoored.simulation import run_kernels

SYSTEM = small_arm()
S = 3
Q, V = states(SYSTEM, S, seed=6)
PERIOD = {"step": 0.005, "control_step": 0.01}
POINTS = 3000


def sampled(count, seed):
    t = np.linspace(-0.1, 1.0, count)
    return um.Sampled(t, 0.1 * seed * np.sin((2.0 + seed) * t)[:, None])


def moved(seed):
    """A plant with a joint that goes through many points, and states that fit it."""
    plant = um.Plant(SYSTEM, um.Earth(), prescribed={"arm1": sampled(POINTS, seed)}, free=["gravity"])
    q = plant.configuration(0.0, Q, backend="numpy")
    w = plant.velocities.independent(q, V)
    return plant, q, plant.full_velocity(0.0, q, w, backend="numpy"), None


def tracked(seed):
    """A law that follows many points."""
    plant = um.Plant(SYSTEM, um.Earth(), free=["gravity"])
    paths = {"arm1": sampled(POINTS, seed), "arm2": sampled(POINTS // 2, seed + 2)}
    law = um.JointPD(um.Plant(SYSTEM), paths, stiffness=3.0, damping=1.0)
    return plant, Q, V, law


WAYS = pytest.mark.parametrize("way", [moved, tracked])


def compilations(monkeypatch):
    made, once = [], run_kernels.RunKernels._once

    def counted(self, name, make):
        if name not in self._made:
            made.append(name)
        return once(self, name, make)

    monkeypatch.setattr(run_kernels.RunKernels, "_once", counted)
    return made


@WAYS
@pytest.mark.parametrize("dtype", one_in(2, ["float64", "float32"]))
def test_a_stepper_goes_where_a_run_does_and_tables_share_its_kernel(monkeypatch, way, dtype):
    made = compilations(monkeypatch)
    ends, counts = [], []
    for seed in (1, 2):
        plant, q, v, law = way(seed)
        stepper = um.Stepper(plant, S, q=q, v=v, controller=law, dtype=dtype, **PERIOD)
        run = um.simulate(plant, q, v, controller=law, duration=0.05, dtype=dtype, **PERIOD)
        del plant, law
        gc.collect()  # the stepper keeps what its kernel reads
        for _ in range(5):
            stepper.step()
        bound = 1e-13 if dtype == "float64" else 2e-5
        np.testing.assert_allclose(stepper.state.q, run.q[:, -1], atol=bound)
        np.testing.assert_allclose(stepper.state.v, run.v[:, -1], atol=bound)
        ends.append(stepper.state.q.copy())
        counts.append(len(made))
    assert counts[0] == counts[1] > 0
    assert not np.array_equal(*ends)


@WAYS
@pytest.mark.parametrize("method", one_in(2, ["rkmk4", "lie_midpoint"]))
def test_a_rollout_and_its_gradients(monkeypatch, way, method):
    made = compilations(monkeypatch)
    rng = np.random.default_rng(0)
    u, dq, dv = rng.normal(size=(2, SYSTEM.nv)), *rng.normal(size=(2, 5, SYSTEM.nv))
    counts = []
    for seed in (1, 2):
        plant, q, v, law = way(seed)
        rollout = um.Rollout(plant, 4, controller=law, method=method, **PERIOD)
        q0, v0, p = q[0], v[0], plant.nominal_parameters
        found = rollout(q0, v0, u, p)
        stepper = um.Stepper(plant, 1, q=q0, v=v0, controller=law, method=method, **PERIOD)
        for row in u:
            stepper.step(row)
        np.testing.assert_allclose(found[0][-1], stepper.state.q[0], atol=1e-12)
        g = rollout.vjp(q0, v0, u, p, dq, dv)
        assert g.p.shape == p.shape

        def value(u, p, rollout=rollout, found=found, q0=q0, v0=v0):
            q, v = rollout(q0, v0, u, p)
            tangents = np.stack([SYSTEM.local(a, b) for a, b in zip(found[0], q, strict=True)])
            return float((dq * tangents).sum() + (dv * v).sum())

        δu, δp, ε = rng.normal(size=u.shape), rng.normal(size=p.shape), 1e-5
        slope = (value(u + ε * δu, p + ε * δp) - value(u - ε * δu, p - ε * δp)) / (2 * ε)
        assert (g.u * δu).sum() + (g.p * δp).sum() == pytest.approx(slope, rel=1e-6)
        counts.append(len(made))
    assert counts[0] == counts[1] > 0


def test_one_free_number_beside_a_table():
    """NumPy lays one column and repeated rows out by columns: kernels read rows."""
    plant = um.Plant(SYSTEM, um.Earth(), prescribed={"arm1": sampled(20, 1)}, free=["arm2.mass"])
    q = plant.configuration(0.0, Q, backend="numpy")
    v = plant.full_velocity(0.0, q, plant.velocities.independent(q, V), backend="numpy")
    options = {"duration": 0.02, "step": 0.005, "parameters": {"arm2.mass": np.array([1.0, 2.0, 3.0])}}
    runs = [um.simulate(plant, q, v, backend=backend, **options) for backend in ("cpu", "numpy")]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-12)
    assert runs[0].completed
