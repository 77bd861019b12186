"""Plants with closures near a state: against the one coordinate of a four-bar, differences, and an open tree."""

from __future__ import annotations

import numpy as np
import pytest
from tests.worlds.closed_systems import EARTH, closed_four_bar, rod
from tests.worlds.test_closures_and_methods import energy_at, four_bar_state

import unmoored as um


@pytest.fixture(scope="module")
def plant() -> um.Plant:
    return closed_four_bar()


def test_along_the_loop_by_differences(plant: um.Plant) -> None:
    """At speed, under inputs: d/dt of the chosen entries of states beside it, those of other crank motions."""
    u, ε = np.array([1.0, -0.5, 0.3]), 1e-4
    q, v = four_bar_state(0.8, 2.0)
    found = plant.linearize(0.0, q, v, u)
    assert found.A.shape == (2, 2)
    chosen = [found.all_names.index(name) for name in found.names]
    assert np.abs(found.tangents[chosen] - np.eye(2)).max() < 1e-13

    def motion(angle, speed):
        q, v = four_bar_state(angle, speed)
        return np.r_[q, v], np.r_[v, plant.forward_dynamics(0.0, q, v, u)]

    z, rates = np.empty((2, 6)), np.empty((2, 6))
    for k, (da, ds) in enumerate(((ε, 0.0), (0.0, ε))):
        ends = [motion(0.8 + s * da, 2.0 + s * ds) for s in (-2, -1, 1, 2)]
        z[k], rates[k] = ((a - 8 * b + 8 * c - d) / (12 * ε) for a, b, c, d in zip(*ends, strict=True))
    back = np.linalg.inv(z[:, chosen].T)
    assert np.abs(found.tangents - z.T @ back).max() < 1e-9
    assert np.abs(found.A - rates[:, chosen].T @ back).max() < 1e-8 * np.abs(found.A).max()
    for k in range(3):
        δ = 1e-3 * np.eye(3)[k]
        ends = [plant.forward_dynamics(0.0, q, v, u + s * δ) for s in (1, -1)]
        change = np.r_[np.zeros(3), (ends[0] - ends[1]) / 2e-3]
        assert np.abs(found.B[:, k] - change[chosen]).max() < 1e-9


def test_poles_of_a_hanging_four_bar(plant: um.Plant) -> None:
    """±i√(U″/I) of its one coordinate, and no other; so says the projected matrix of all tangents, beside zeros."""
    q0 = plant.assemble(four_bar_state(-1.2, 0.0)[0]).q
    names = ["crank", "coupler", "rocker"]
    hanging = plant.trim(q0, free=[f"q.{name}" for name in names], zero=names)
    θ, ε = float(hanging.q[0]), 1e-3
    U = [energy_at(θ + k * ε, 0)[1] for k in (-2, -1, 0, 1, 2)]
    curvature = (-U[0] + 16 * U[1] - 30 * U[2] + 16 * U[3] - U[4]) / (12 * ε**2)
    wanted = np.sqrt(curvature / energy_at(θ, 0)[0])
    poles = plant.linearize(0.0, hanging.q, np.zeros(3)).poles()
    assert np.abs(np.sort(poles.imag) - wanted * np.array([-1, 1])).max() < 1e-6 * wanted
    assert np.abs(poles.real).max() < 1e-6 * wanted
    A = plant.linear_system(0.0, hanging.q, np.zeros(3))[:, :6]
    assert np.abs(np.sort(np.linalg.eigvals(A).imag)[[0, -1]] - np.sort(poles.imag)).max() < 1e-7 * wanted
    assert np.sum(np.abs(np.linalg.eigvals(A)) > 1e-6) == 2


@pytest.mark.long
def test_a_held_body_is_a_part_of_the_arm() -> None:
    """A load with three DoFs of its own, welded to a sprung and damped arm by a closure: the poles of one body."""
    hinge = um.Revolute((0, 0, 1), stiffness=30.0, rest=0.4, damping=1.5)
    load, at = (
        um.Inertia(mass=3.0, com=(0.1, 0.05, 0), tensor=np.diag([0.1, 0.1, 0.2])),
        um.Pose(xyz=(0.7, 0, 0)),
    )
    plants = []
    for loose in (True, False):
        b = um.SystemBuilder("arm with load")
        arm = b.link("arm", parent="world", joint=hinge, inertia=rod(2.0, 0.7))
        b.frame("hand", parent=arm, at=at)
        if loose:
            b.vehicle("load", um.Planar(), inertia=load)
        else:
            b.link("load", parent=arm, joint=um.Fixed(), at=at, inertia=load)
        grip = [um.Closure("hand", "load", name="grip")] if loose else []
        plants.append(um.Plant(b.build(), EARTH, closures=grip))
    loose, whole = plants
    q = loose.assemble(loose.system.retract(loose.system.neutral(), [0.3, 0.65, 0.2, 0.3])).q
    found, wanted = loose.linearize(0.0, q, np.zeros(4)), whole.linearize(0.0, q[:1], np.zeros(1))
    assert np.abs(found.poles() - wanted.poles()).max() < 1e-9 * np.abs(wanted.poles()).max()
    arm = found.tangents[[0, 4]]  # its angle and speed in the coordinates that were chosen
    assert np.abs(arm @ found.B[:, 0] - wanted.B[:, 0]).max() < 1e-9 * np.abs(wanted.B).max()


def test_derivatives_of_the_acceleration_by_differences(plant: um.Plant) -> None:
    """Along changes that stay on the closures, and of inputs."""
    u, ε = np.array([1.0, -0.5, 0.3]), 2e-5
    q, v = four_bar_state(0.8, 2.0)
    found = plant.forward_dynamics_derivatives(0.0, q, v, u)

    def moved(angle, speed):
        q, v = four_bar_state(0.8 + angle, 2.0 + speed)
        return q, v, plant.forward_dynamics(0.0, q, v, u)

    for da, ds in ((ε, 0.0), (0.0, ε)):
        one, other = moved(da, ds), moved(-da, -ds)
        dq, dv, da_ = ((a - b) / (2 * ε) for a, b in zip(one, other, strict=True))
        assert np.abs(found.dq @ dq + found.dv @ dv - da_).max() < 1e-6
    du = plant.forward_dynamics(0.0, q, v, u + np.array([1.0, 0, 0])) - plant.forward_dynamics(0.0, q, v, u)
    assert np.abs(found.du[:, 0] - du).max() < 1e-10


def test_changes_that_leave_the_loop_are_put_back(plant: um.Plant) -> None:
    """Π, of rank two, keeps tip and end together in place and speed, and is the derivative of `closed_state`."""
    q, v = four_bar_state(0.8, 2.0)
    Π = plant.closure_projection(0.0, q, v)
    assert np.abs(Π @ Π - Π).max() < 1e-12
    for k in range(6):
        δ = 1e-5 * np.eye(6)[k]
        one, other = (plant.closed_state(0.0, q + s * δ[:3], v + s * δ[3:]) for s in (1, -1))
        assert np.abs(np.r_[one.q - other.q, one.v - other.v] / 2e-5 - Π[:, k]).max() < 1e-8
    assert abs(np.trace(Π) - 2.0) < 1e-12
    ε = 1e-6
    for k in range(6):
        δ = Π[:, k]
        ends = [(q + s * ε * δ[:3], v + s * ε * δ[3:]) for s in (1, -1)]
        off = [_gap(plant, *end) for end in ends]
        assert np.abs(off[0] - off[1]).max() / (2 * ε) < 1e-8
    loose = um.Plant(plant.system, EARTH)
    assert np.array_equal(loose.closure_projection(0.0, q, v), np.eye(6))


def test_a_hand_on_a_knob_is_put_back_by_wheels_that_roll() -> None:
    """Beside constraints Π moves along the independent velocities only, as `closed_state` does."""
    b = um.SystemBuilder("rover")
    b.vehicle("base", um.Planar(), inertia=um.Inertia.box(10.0, (0.6, 0.4, 0.2)))
    at, joint = um.Pose(xyz=(0.3, 0, 0)), um.Revolute((0, 0, 1))
    for name, parent in (("upper", "base"), ("lower", "upper")):
        b.link(name, parent=parent, joint=joint, at=at, inertia=rod(1.0, 0.3))
    b.frame("hand", parent="lower", at=at)
    b.frame("knob", parent="world", at=um.Pose(xyz=(0.8, 0.2, 0)))
    pin = um.Closure("knob", "hand", joint=joint)
    plant = um.Plant(b.build(), constraints=[um.DifferentialDrive("base")], closures=[pin])
    system, n = plant.system, plant.nv
    q, v = plant.assemble(system.pack({"upper": 0.5, "lower": -0.6}), [0.2, 0, 0.1, 0.1, 0.2])
    w = plant.independent_velocity(q, v)

    def back(z: np.ndarray) -> np.ndarray:
        moved = system.retract(q, z[:n])
        end = plant.closed_state(0.0, moved, plant.full_velocity(0.0, moved, w + z[n:]))
        return np.r_[system.local(q, end.q), plant.independent_velocity(end.q, end.v)]

    Π, ε = plant.closure_projection(0.0, q, v), 1e-5
    by_differences = [(back(ε * e) - back(-ε * e)) / (2 * ε) for e in np.eye(n + plant.nw)]
    assert np.abs(Π - np.stack(by_differences, axis=-1)).max() < 1e-8


def _gap(plant: um.Plant, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Distance of tip and end (2,), and its rate (2,)."""
    gap = plant.system.pose(q, "tip")[:2, 3] - plant.system.pose(q, "end")[:2, 3]
    rates = [
        plant.system.pose(q, name)[:2, :3] @ plant.system.velocity(q, v, name)[:3] for name in ("tip", "end")
    ]
    return np.r_[gap, rates[0] - rates[1]]


@pytest.mark.long
def test_derivatives_of_implicit_steps_by_differences_along_the_loop(plant: um.Plant) -> None:
    u, h, ε, method = np.array([1.0, -0.5, 0.3]), 0.01, 1e-5, "lie_midpoint"
    q, v = four_bar_state(0.8, 2.0)
    J = plant.step_jacobian(0.0, q, v, u, h, method=method)

    def change(a, b, ε):
        return np.r_[a.q - b.q, a.v - b.v] / (2 * ε)

    for angle, speed in ((1.0, 0.0), (0.0, 1.0)):
        ends = [four_bar_state(0.8 + k * ε * angle, 2.0 + k * ε * speed) for k in (1, -1)]
        along = np.concatenate([ends[0][i] - ends[1][i] for i in (0, 1)]) / (2 * ε)
        expected = change(*(plant.step(0.0, *end, u, h, method=method) for end in ends), ε)
        assert np.abs(J[:, :6] @ along - expected).max() < 1e-8
    δ = np.array([1e-4, 0.0, 0.0])
    ends = [plant.step(0.0, q, v, u + s * δ, h, method=method) for s in (1, -1)]
    assert np.abs(J[:, 6] - change(*ends, 1e-4)).max() < 1e-9


@pytest.mark.parametrize("method", ["heun", pytest.param("lie_midpoint", marks=pytest.mark.long)])
def test_derivatives_by_lengths_and_masses_of_the_loop(method: str) -> None:
    """The step puts the state back on the loop as it is: where its length changes, the state does."""
    plant = closed_four_bar(free=["tip.xyz", "pin.offset", "rocker.mass"])
    q, v = four_bar_state(0.8, 2.0)
    p, u, h, ε = plant.nominal_parameters, np.array([1.0, -0.5, 0.3]), 0.01, 1e-5
    J = plant.step_jacobian(0.0, q, v, u, h, p=p, method=method)
    for name in ("tip.xyz[0]", "tip.xyz[1]", "pin.offset[1]", "rocker.mass"):
        k = plant.parameter_names.index(name)
        δ = ε * np.eye(len(p))[k]
        one, other = (plant.step(0.0, q, v, u, h, p=p + s * δ, method=method) for s in (1, -1))
        change = np.r_[one.q - other.q, one.v - other.v] / (2 * ε)
        assert np.abs(J[:, 9 + k] - change).max() < 1e-7 * max(1.0, np.abs(change).max()), name
        assert np.abs(change).max() > 1e-4
