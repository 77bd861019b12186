"""Methods with code of the user's in them see its data as they are at the call, and the others stay quick."""

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import unmoored as um
from unmoored import kernels
from unmoored.trace import TracingError

BRICK = um.load("tumbling_brick")
FREQUENCY = 1.0
TABLE = np.array([1.0, 0.0, 0.0])
RNG = np.random.default_rng(5)


def arm(joint: Any = None) -> um.System:
    b = um.SystemBuilder("arm on a post")
    inertia = um.Inertia.box(mass=2.0, size=(0.3, 0.2, 0.1))
    post = b.vehicle("post", um.Fixed(), inertia=inertia)
    joint, place = joint or um.Revolute((0, 0, 1)), um.Pose(xyz=(0.1, 0, 0.2))
    upper = b.link("upper", parent=post, joint=joint, at=place, inertia=inertia)
    b.link("lower", parent=upper, joint=um.Revolute((0, 1, 0)), at=um.Pose(xyz=(0.5, 0, 0)), inertia=inertia)
    return b.build()


ARM = arm()
Q, V = np.array([0.3, -0.7]), np.array([0.4, 1.1])


def global_motion(t):
    return 0.5 * np.sin(FREQUENCY * t)


@dataclass(frozen=True, eq=False, repr=False)
class Wind(um.World):
    """A force (3,) in body axes (N) on the first body: its own, and that of the module's table."""

    force: Any

    def wrenches(self, scene):
        return {"drag": {0: np.array([*(np.asarray(self.force) + TABLE), 0, 0, 0])}}


def every_call(plant, t=0.7):
    """Results of methods that depend on forces or motions, by all ways."""
    q, v = plant.system.neutral(), 0.3 * np.ones(plant.nv)
    batch = np.tile(q, (3, 1))
    found = {
        "plain": plant.forward_dynamics(t, q, v),
        "again": plant.forward_dynamics(t, q, v),
        "keywords": plant.forward_dynamics(t=t, q=q, v=v, u=np.zeros(plant.nu)),
        "batch": plant.forward_dynamics(t, batch, v)[2],
        "float32": plant.forward_dynamics(np.float32(t), q.astype(np.float32), v.astype(np.float32)),
        "numpy": plant.forward_dynamics(t, q, v, backend="numpy"),
        "out": plant.forward_dynamics(t, q, v, out=np.zeros(plant.nv)),
        "symbols": kernels.compile(plant.forward_dynamics, [(), (plant.nq,), (plant.nv,)])(t, q, v),
        "compiled": um.compile_method(plant, "forward_dynamics")(t, q, v),
    }
    for name, x in found.items():
        assert np.allclose(x, found["plain"], rtol=0, atol=1e-5 if name == "float32" else 1e-12), name
    return found["plain"]


def test_a_motion_is_read_at_every_call(monkeypatch):
    """Closure variables, arrays changed in place, globals and attributes."""
    amplitude, table = 0.5, np.array([1.0, 0.0])

    def motion(t):
        return amplitude * np.sin(t) + table[1]

    def expected(amplitude, frequency, t=0.7):
        held = um.Plant(ARM, prescribed={"upper": lambda t: amplitude * np.sin(frequency * t)})
        return held.forward_dynamics(t, Q * 0, 0.3 * np.ones(2))

    plant, by_global = (
        um.Plant(ARM, prescribed={"upper": motion}),
        um.Plant(ARM, prescribed={"upper": global_motion}),
    )
    assert np.allclose(every_call(plant), expected(0.5, 1.0), atol=1e-14)
    assert np.allclose(every_call(by_global), expected(0.5, 1.0), atol=1e-14)
    before = plant.full_velocity(0.7, Q, np.array([0.3]))[0]
    amplitude = 2.0
    assert np.allclose(every_call(plant), expected(2.0, 1.0), atol=1e-14)
    assert plant.full_velocity(0.7, Q, np.array([0.3]))[0] == pytest.approx(4 * before)
    table[1] = 0.25
    assert plant.configuration(0.7, Q)[0] == pytest.approx(2 * np.sin(0.7) + 0.25)
    pose = plant.inverse_dynamics(0.7, Q, V, V)
    assert np.array_equal(plant.inverse_dynamics(0.7, Q, V, V), pose)
    monkeypatch.setitem(globals(), "FREQUENCY", 3.0)
    assert np.allclose(every_call(by_global), expected(0.5, 3.0), atol=1e-13)


def test_a_world_is_read_at_every_call():
    force = np.array([2.0, 0.0, 0.0])
    plant = um.Plant(BRICK, Wind(force))
    q, v = BRICK.neutral(), 0.3 * np.ones(6)

    def expected():
        return BRICK.forward_dynamics(q, v, [*(force + TABLE), 0, 0, 0])

    first = every_call(plant)
    assert np.allclose(first, expected(), atol=1e-14)
    copies = [copy.copy(plant), pickle.loads(pickle.dumps(plant)), copy.deepcopy(plant)]
    for other in copies:
        assert np.array_equal(every_call(other), first)
    force[0] = -5.0
    assert np.allclose(every_call(plant), expected(), atol=1e-14)
    assert np.allclose(every_call(copies[0]), expected(), atol=1e-14)
    for other in copies[1:]:  # they have arrays of their own
        assert np.array_equal(every_call(other), first)
        other.world.force[0] = -5.0
        assert np.allclose(every_call(other), expected(), atol=1e-14)
    try:
        TABLE[1] = 3.0
        for other in (plant, *copies):
            assert np.allclose(every_call(other), expected(), atol=1e-14)
        derivatives = plant.forward_dynamics_derivatives(0.0, q, v)
        assert derivatives.dv.shape == (6, 6)
    finally:
        TABLE[1] = 0.0


def test_a_potential_is_read_at_every_call():
    stiffness = [1.0]

    def potential(q):
        return 0.5 * stiffness[0] * (q @ q)

    for k in (1.0, 4.0, 1.0):
        stiffness[0] = k
        for backend in (None, "cpu", "numpy"):
            assert np.allclose(ARM.potential_forces(Q, potential, backend=backend), k * Q, atol=1e-15)
        traced = kernels.compile(lambda q: ARM.potential_forces(q, potential), [(2,)])
        assert np.allclose(traced(Q), k * Q, atol=1e-15)
    count = len(ARM._kernels._of_code)
    for _ in range(3):  # the same code written anew is the same kernel
        assert np.allclose(ARM.potential_forces(Q, lambda q: 3.0 * (q @ q)), 6.0 * Q)
    assert len(ARM._kernels._of_code) == count + 1
    with pytest.raises(um.ModelError, match="expected a function"):
        ARM.potential_forces(Q, 3.0)


def test_a_joint_is_read_at_every_call_and_checked_again():
    lead, pitch = [0.2], [0.2]

    def pose(q):
        c, s, z = np.cos(q[0]), np.sin(q[0]), lead[0] * q[0]
        return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, z], [0, 0, 0, 1]])

    def twist(q):
        return np.array([[0], [0], [pitch[0]], [0], [0], [1.0]])

    system = arm(um.CustomJoint(1, pose, twist))
    for h in (0.2, -0.3):
        lead[0] = pitch[0] = h
        screw = arm(um.Helical((0, 0, 1), h))
        for backend in ("cpu", "numpy"):
            assert np.allclose(system.mass_matrix(Q, backend=backend), screw.mass_matrix(Q), atol=1e-14)
            moved = system.velocity(Q, V, "lower", backend=backend)
            assert np.allclose(moved, screw.velocity(Q, V, "lower"), atol=1e-14)
    lead[0] = 1.0
    for backend in ("cpu", "numpy"):
        with pytest.raises(um.ModelError, match="twist"):
            system.mass_matrix(Q, backend=backend)


def test_what_the_plant_was_built_with_is_not_changed_behind_it():
    added = np.eye(6)

    @dataclass(frozen=True, eq=False, repr=False)
    class Heavy(um.World):
        """Adds inertia."""

        def added_inertia(self, body):
            return added

    plant, q, v = um.Plant(BRICK, Heavy()), BRICK.neutral(), np.ones(6)
    plant.forward_dynamics(0.0, q, v)
    added[0, 0] = 2.0
    for call in (
        lambda: plant.forward_dynamics(0.0, q, v),
        lambda: plant.forward_dynamics(0.0, q, v, backend="numpy"),
        lambda: plant.mass_matrix(q),
        lambda: um.simulate(plant, q, v, duration=0.1, step=0.01),
    ):
        with pytest.raises(
            um.ModelError, match="added inertia: expected what it was when the plant was built"
        ):
            call()


def test_what_cannot_be_seen_into_is_traced_at_every_call_and_said_once():
    cell = memoryview(bytearray(np.array([1.0]).tobytes()))

    def motion(t):
        return np.frombuffer(cell, dtype=float)[0] * np.sin(t)

    plant = um.Plant(ARM, prescribed={"upper": motion})
    with pytest.warns(um.RetraceWarning, match="traced again at every call: it uses builtins.memoryview"):
        first = plant.forward_dynamics(0.7, Q, V)
    assert np.array_equal(plant.forward_dynamics(0.7, Q, V), first)  # no second warning
    cell[:] = np.array([2.0]).tobytes()
    twice = um.Plant(ARM, prescribed={"upper": lambda t: 2.0 * np.sin(t)})
    assert np.allclose(plant.forward_dynamics(0.7, Q, V), twice.forward_dynamics(0.7, Q, V), atol=1e-14)


def test_a_world_that_computes_something_else_every_time_is_refused_by_name():
    @dataclass(frozen=True, eq=False, repr=False)
    class Gusts(um.World):
        """Counts its calls."""

        seen: Any

        def wrenches(self, scene):
            self.seen.append(1)
            return {"drag": {0: np.array([float(len(self.seen)), 0, 0, 0, 0, 0])}}

    seen: list[int] = []
    plant, q, v = um.Plant(BRICK, Gusts(seen)), BRICK.neutral(), np.zeros(6)
    for call in (
        lambda: plant.forward_dynamics(0.0, q, v),
        lambda: um.simulate(plant, q, v, duration=0.1, step=0.01),
    ):
        with pytest.raises(um.ModelError, match=r"Gusts.*pure function.*no counters"):
            call()
    assert seen == []  # put back
    with pytest.raises(um.ModelError, match=r"potential.*pure function"):
        BRICK.potential_forces(q, lambda q: RNG.normal() * q[9])


def test_a_function_that_fails_says_so():
    with pytest.raises(TracingError):
        ARM.potential_forces(Q, lambda q: 1.0 if q[0] > 0 else 2.0)


def test_methods_without_such_code_keep_their_quick_call():
    plant = um.Plant(ARM, um.Earth())
    for owner, call in ((ARM, ARM.mass_matrix), (plant, plant.mass_matrix)):
        assert not owner._kernels._of_code or owner is ARM
        call(Q)
        assert "mass_matrix" in owner._calls
    assert plant.digest is not None
    moved = um.Plant(ARM, prescribed={"upper": global_motion})
    moved.mass_matrix(Q)
    assert not moved._calls
