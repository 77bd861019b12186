"""The iteration of implicit methods is a loop in every kernel, solves its equation, and rounds alike everywhere."""

import numpy as np
import pytest
from tests.kernels.test_c_export import compiled as compiled_c
from tests.kernels.test_time_loop_cuda import NumpyAsCupy
from tests.simulation.arms import damper, slow_damper, small_arm, states
from tests.support.random_trees import random_tree

import unmoored as um
from unmoored import kernels, trace
from unmoored.dynamics.recursive import forward_dynamics, inverse_mass
from unmoored.integrators import IMPLICIT
from unmoored.kernels.cuda import cuda_kernel, device
from unmoored.kernels.time_loop import cuda_loop_kernel
from unmoored.simulation.time_step import TimeStep

SYSTEM = small_arm()
Q, V = states(SYSTEM, 5, seed=4)
PLANT = um.Plant(SYSTEM, world=um.Earth())
EVERY = pytest.mark.parametrize("method", IMPLICIT)
GO = {"duration": 0.2, "step": 0.01}


def traced_step(method, iterations=10, plant=PLANT):
    step = TimeStep(plant, method, None, (), None, hold=False, iterations=iterations)
    return trace.trace(lambda clock, state: step.step(clock, state, np.zeros(0), np.zeros(0)), *(
        (n,) for n in step.sizes[:2]
    ))  # fmt: skip


def given(i=0, h=0.01):
    return np.array([0.3, h]), np.concatenate([Q[i], V[i], [0.0, 0.0]])


def same(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("q", "v"))


def size_of(traced):
    return len(traced.graph.nodes) + sum(
        size_of(part) for part in traced.graph.parts if isinstance(part, trace.Traced)
    )


@EVERY
def test_the_code_does_not_grow_with_the_iterations(method):
    few, many = traced_step(method, 10), traced_step(method, 200)
    assert size_of(few) == size_of(many)
    assert many.operations > 15 * few.operations
    assert any(node[0] == "loop" for node in few.graph.nodes)


@EVERY
def test_a_step_in_c_has_the_bits_of_the_kernel(tmp_path, method):
    traced = traced_step(method)
    in_c, kernel = compiled_c(tmp_path, traced), kernels.compile(traced)
    for i in range(5):
        (found,), expected = in_c(*given(i)), kernel(*given(i))
        np.testing.assert_array_equal(found, expected)
        assert found[-2] == 0.0


@pytest.mark.parametrize(("method", "control_step"), [("lie_midpoint", 0.02)])
def test_alone_in_a_batch_in_cuda_and_with_python_in_the_loop(tmp_path, monkeypatch, method, control_step):
    def run(law, q=Q, v=V, **options):
        return um.simulate(
            PLANT, q, v, controller=law, control_step=control_step, method=method, **GO, **options
        )

    together = run(damper)
    assert together.completed
    assert same(run(damper, Q[3], V[3]), together.sample(3))
    assert same(run(slow_damper, controller_in="python"), together)
    reference = run(damper, backend="numpy")
    assert np.abs(reference.q - together.q).max() < 1e-12
    module = NumpyAsCupy(tmp_path)
    for place in (device, cuda_loop_kernel, cuda_kernel):
        monkeypatch.setattr(place, "cupy", lambda: module)
    monkeypatch.setattr("unmoored.simulation.task.device_array", lambda x: x)
    loop = trace_loop(method, control_step)
    state = np.concatenate([Q, V, np.zeros((5, 8 * bool(control_step))), np.zeros((5, 2))], axis=-1)
    made = {backend: loop(backend) for backend in ("cpu", "cuda")}
    ends = {name: one(state, h=0.01, steps=20, update_every=2).state for name, one in made.items()}
    np.testing.assert_array_equal(ends["cuda"], ends["cpu"])
    np.testing.assert_array_equal(ends["cpu"][:, SYSTEM.nq : SYSTEM.nq + 8], together.v[:, -1])


def trace_loop(method, control_step):
    """The time loop of the same run, for either backend."""
    from unmoored.simulation.controller import as_controller

    law = as_controller(damper, None, PLANT, control_step)
    step = TimeStep(PLANT, method, law, (), None, hold=control_step is not None)
    none = np.zeros(0)

    def made(backend):
        return kernels.compile_loop(
            lambda t, h, y, p, u: (step.step(np.stack([t, h]), y, none, none), 0.0),
            lambda t, y, p, u: y,
            state=step.sizes[1],
            update=(lambda t, y, p, u: step.update(np.stack([t, t]), y, none, none)) if step.hold else None,
            backend=backend,
        )

    return made


@EVERY
def test_with_events(method):
    event = um.Event(lambda t, q, v: q[12] - Q[0, 12] + 0.02, "turned")
    run = um.simulate(PLANT, Q[0], V[0], method=method, events=[event], duration=1.0, step=0.01)
    assert run.status[0].kind == "event"
    assert run.q[-1, 12] - Q[0, 12] == pytest.approx(-0.02, abs=1e-12)
    fine = um.simulate(PLANT, Q[0], V[0], events=[event], duration=1.0, step=0.001)
    assert run.status[0].time == pytest.approx(fine.status[0].time, abs=1e-4)


def test_the_midpoint_rule_solves_its_equation():
    """Independently: w⁺ − w = h ẇ at the middle of the step."""
    h = 0.02
    run = um.simulate(PLANT, Q, V, duration=h, step=h, method="lie_midpoint")
    v_m = 0.5 * (V + run.v[:, -1])
    q_m = SYSTEM.retract(Q, 0.5 * h * v_m)
    a = PLANT.forward_dynamics(0.0, q_m, v_m, np.zeros((5, 8)))
    assert np.abs(run.v[:, -1] - V - h * a).max() < 1e-13


@pytest.mark.parametrize("kinds", [("Free", "Revolute", "Spherical"), ("Planar", "Universal", "Prismatic")])
def test_velocities_of_momenta_are_those_of_forward_dynamics(kinds):
    tree = random_tree(3, kinds, armature=True)
    system, rng = um.System(tree), np.random.default_rng(0)
    q = np.stack([system.random_configuration(rng) for _ in range(4)])
    p = rng.normal(size=(4, tree.nv))
    found = inverse_mass(tree, q)(p)
    expected = forward_dynamics(tree, q, 0.0 * p, p, np.zeros(3))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_allclose(system.mass_matrix(q) @ found[..., None], p[..., None], atol=1e-11)
