"""Methods of System and Plant among symbols: in functions under `kernels.compile`, in laws, events and worlds."""

import copy
import multiprocessing
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from tests.system.test_refused_inputs import CALLS, owner_of, values

import unmoored as um
from unmoored import kernels
from unmoored.system.argument_kinds import ArrayOf
from unmoored.system.method import methods_of
from unmoored.trace import TracingError, evaluate, trace

#: one of every kind: kinematics, inertia, recursions, reductions, wet
COMPARED = [
    ("System", name)
    for name in ("pose", "jacobian", "mass_matrix", "forward_dynamics", "inverse_dynamics", "generalized_jacobian",
                 "retract", "local", "regressor", "momentum", "free_floating")
] + [("Plant", name) for name in ("forward_dynamics", "damping_matrix", "restoring_forces", "momentum")]  # fmt: skip


def leaves(x):
    return [np.asarray(part) for part in x] if isinstance(x, tuple) else [np.asarray(x)]


def over_arrays(kind, name):
    """(function of the arrays that have entries, those arrays), all else fixed."""
    method = methods_of(getattr(um, kind))[name]
    owner, given = owner_of(kind, method), values(owner_of(kind, method), method)
    loose = [
        k
        for k, how in method.arrays.items()
        if isinstance(how, ArrayOf) and k != "passive" and np.size(given[k])
    ]
    fixed = {k: x for k, x in given.items() if k not in loose}

    def function(*arrays):
        found = getattr(owner, name)(**fixed, **dict(zip(loose, arrays, strict=True)))
        return tuple(found) if isinstance(found, tuple) else found

    return function, [np.asarray(given[k], dtype=float) for k in loose]


@pytest.mark.parametrize(("kind", "name"), COMPARED)
def test_a_method_has_the_bits_of_the_same_call_from_python(kind, name):
    function, arrays = over_arrays(kind, name)
    compiled = kernels.compile(function, [a.shape for a in arrays], name="around")
    for got, expected in zip(leaves(compiled(*arrays)), leaves(function(*arrays)), strict=True):
        assert got.shape == expected.shape
        assert np.array_equal(got, expected)


@pytest.mark.parametrize(("kind", "name"), CALLS)
def test_every_method_works_on_symbols(kind, name):
    method = methods_of(getattr(um, kind))[name]
    function, arrays = over_arrays(kind, name)
    if method.numpy_only:
        with pytest.raises(TracingError, match=f"{name} judges numbers.* At {__file__}:"):
            trace(function, *(a.shape for a in arrays))
        return
    traced = trace(function, *(a.shape for a in arrays))
    assert [len(part.output_shapes) for part in traced.graph.parts] == [
        len(traced.outputs)
    ]  # out of line, once


def test_values_of_joints_are_taken_apart_for_a_batch_of_symbols():
    system = owner_of("System", methods_of(um.System)["mass_matrix"])
    q, v = (np.random.default_rng(1).normal(size=(3, n)) for n in (system.nq, system.nv))
    for take, x in ((system.unpack, q), (system.unpack_velocity, v)):
        parts = take(x)
        traced = trace(lambda x, take=take: tuple(take(x).values()), x.shape)
        for got, expected in zip(evaluate(traced, x), parts.values(), strict=True):
            np.testing.assert_array_equal(got, expected)


def test_code_of_a_method_appears_once_however_often_it_is_called():
    system = um.load("free_flyer_arm7")
    q = np.stack([system.random_configuration(k) for k in range(3)])
    traced = trace(lambda q: sum(system.mass_matrix(q[k])[0, 0] for k in range(3)), q.shape)
    assert len(traced.graph.parts) == 1
    batch = trace(lambda q: system.mass_matrix(q), q.shape)
    assert batch.output_shapes == ((3, 13, 13),)


def test_options_without_meaning_and_wrong_shapes_are_told():
    system = um.load("free_flyer_arm7")
    with pytest.raises(TracingError, match="backend= and out= have no meaning"):
        trace(lambda q: system.mass_matrix(q, backend="cpu"), (19,))
    with pytest.raises(um.ModelError, match=r"q: expected shape \(\.\.\., 19\), given shape \(18,\)"):
        trace(lambda q: system.mass_matrix(q), (18,))
    with pytest.raises(um.ModelError, match=r"q: expected shape \(\.\.\., 19\), given shape \(2,\)"):
        trace(lambda q: system.mass_matrix([[q[0]], [1.0, 2.0]]), (19,))
    uneven = {"tool": [[1.0], [2.0, 3.0]]}
    with pytest.raises(
        um.ModelError, match=r"wrench on 'tool': expected shape \(\.\.\., 6\), given shape \(2,\)"
    ):
        trace(lambda q: system.wrench_forces(q, uneven), (19,))


def arm():
    b = um.SystemBuilder("arm")
    base = b.vehicle("base", um.Fixed(), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)))
    rod = um.Inertia.rod(mass=2.0, length=0.8, axis=(1, 0, 0), com=(0.4, 0, 0))
    one = b.link("one", parent=base, joint=um.Revolute(axis=(0, 1, 0)), inertia=rod)
    two = b.link(
        "two", parent=one, joint=um.Revolute(axis=(0, 1, 0)), at=um.Pose(xyz=(0.8, 0, 0)), inertia=rod
    )
    b.frame("tool", parent=two, at=um.Pose(xyz=(0.8, 0, 0)))
    return b.build()


SYSTEM = arm()
EARTH = um.Plant(SYSTEM, um.Earth())


def law(t, q, v):
    """A controller of public methods: weight compensation, inertia, and a push at the tool."""
    n = EARTH.restoring_forces(t, q)
    J = SYSTEM.jacobian(q, "tool")
    M = SYSTEM.mass_matrix(q)
    return n - M @ (4.0 * q + 3.0 * v) + J.T @ np.array([0.0, 0.0, 0.2, 0.0, 0.0, 0.0])


def test_a_law_of_public_methods_compiles_into_the_loop_and_agrees_with_python():
    q0 = np.array([[0.3, -0.5], [0.1, 0.4], [1.0, 0.2]])
    options = {"duration": 0.3, "step": 1e-2, "control_step": 2e-2}
    fast = um.simulate(EARTH, q0, controller=law, controller_in="kernel", **options)
    slow = um.simulate(EARTH, q0, controller=law, controller_in="python", **options)
    assert fast.provenance["controller_in"] == "kernel"
    assert np.abs(fast.q - slow.q).max() <= 1e-13
    alone = um.simulate(EARTH, q0[1], controller=law, controller_in="kernel", **options)
    assert np.array_equal(alone.q, fast.q[1])


def test_an_event_of_public_methods():
    height = um.Event(lambda t, q, v: SYSTEM.pose(q, "tool")[2, 3] + 1.0, "low", "falling")
    run = um.simulate(EARTH, np.zeros(2), duration=1.0, step=1e-3, events=[height])
    assert run.status[0].kind == "event"
    assert abs(SYSTEM.pose(run.end["q"][0], "tool")[2, 3] + 1.0) < 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Tether(um.World):
    """A spring from the tool to the world's origin."""

    stiffness: float = 3.0

    def wrenches(self, scene):
        index, g = scene.dry.locate("tool")
        pose = SYSTEM.pose(scene.q, "tool")
        force = -self.stiffness * pose[..., :3, 3]
        in_body = (np.swapaxes(pose[..., :3, :3], -1, -2) @ force[..., None])[..., 0]
        r = g[:3, 3]
        return {"potential": {index: np.concatenate([in_body, np.cross(r, in_body)], axis=-1)}}


def test_a_world_of_public_methods():
    plant = um.Plant(SYSTEM, Tether())
    q, v = np.array([0.4, 0.9]), np.array([0.2, -0.1])
    expected = plant.forward_dynamics(0.0, q, v, backend="numpy")
    assert np.abs(plant.forward_dynamics(0.0, q, v) - expected).max() <= 1e-12 * np.abs(expected).max()
    J, x = SYSTEM.mixed_jacobian(q, "tool")[:3], SYSTEM.pose(q, "tool")[:3, 3]
    by_hand = SYSTEM.forward_dynamics(q, v, J.T @ (-3.0 * x))
    assert np.abs(expected - by_hand).max() <= 1e-11 * np.abs(by_hand).max()


def _tool_height(q):
    return float(SYSTEM.pose(q, "tool")[2, 3])


def test_systems_plants_and_runs_pickle_after_compiled_calls():
    q = np.array([0.2, -0.3])
    SYSTEM.mass_matrix(q)
    EARTH.forward_dynamics(0.0, q, q)
    run = um.simulate(EARTH, q, duration=0.05, step=0.01, controller=law)
    for thing in (SYSTEM, EARTH):
        again = pickle.loads(pickle.dumps(thing))
        assert again == thing
        assert again.digest == thing.digest
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.q, run.q)
    assert again.plant.forward_dynamics(0.0, q, q).tolist() == EARTH.forward_dynamics(0.0, q, q).tolist()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(SYSTEM.pose, []) == []
        assert pool.map(_tool_height, [q, 2 * q]) == [_tool_height(q), _tool_height(2 * q)]


def test_compiled_methods_are_made_again_in_another_process_and_kernels_are_not():
    q = np.array([0.2, -0.3])
    bodies = (f"{name}.mass" for name in SYSTEM.names[-1:])
    kernel = um.compile_method(SYSTEM, "gravity_forces", free=bodies, gravity=(0, 0, -9.81))
    again = pickle.loads(pickle.dumps(kernel))
    numbers = kernel.pack({kernel.free[0].name: 3.0})
    assert again.arguments == kernel.arguments
    assert np.array_equal(again(q, numbers), kernel(q, numbers))
    assert np.array_equal(copy.deepcopy(kernel)(q, numbers), kernel(q, numbers))
    plain = kernels.compile(lambda x: 2.0 * x, [(2,)], name="twice")
    assert copy.copy(plain) is copy.deepcopy(plain) is plain
    with pytest.raises(TypeError, match=r"twice.*code of this processor"):
        pickle.dumps(plain)
