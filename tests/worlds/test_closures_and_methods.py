"""Closures with steps of the method's own, and in equilibria: against the four-bar by its crank angle alone."""

from __future__ import annotations

import numpy as np
import pytest
from tests.worlds.closed_systems import BARS, MASSES, closed_four_bar, four_bar_angles

import unmoored as um


def four_bar_state(crank: float, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """(q, v) at a crank angle and speed: the law of cosines, and a e^iθ + b e^iφ = ground + c e^iψ differentiated."""
    _, a, b, c = BARS
    q = np.array([crank, *four_bar_angles(crank)])
    φ, ψ = q[0] + q[1], q[2]
    A = np.array([[-b * np.sin(φ), c * np.sin(ψ)], [b * np.cos(φ), -c * np.cos(ψ)]])
    rates = np.linalg.solve(A, [a * np.sin(crank), -a * np.cos(crank)])
    return q, speed * np.array([1.0, rates[0] - 1.0, rates[1]])


def energy_at(crank: float, speed: float) -> tuple[float, float]:
    """(inertia felt at the crank, potential energy) of the four-bar with one coordinate, from its rods alone."""
    _, a, b, c = BARS
    q, v = four_bar_state(crank, 1.0)
    angles = np.array([q[0], q[0] + q[1], q[2]])
    rates = np.array([v[0], v[0] + v[1], v[2]])
    starts = [np.zeros(2), a * np.array([np.cos(q[0]), np.sin(q[0])]), np.array([BARS[0], 0.0])]
    moves = [np.zeros(2), a * v[0] * np.array([-np.sin(q[0]), np.cos(q[0])]), np.zeros(2)]
    inertia, height = 0.0, 0.0
    for m, L, angle, rate, start, move in zip(MASSES, (a, b, c), angles, rates, starts, moves, strict=True):
        centre = start + 0.5 * L * np.array([np.cos(angle), np.sin(angle)])
        velocity = move + 0.5 * L * rate * np.array([-np.sin(angle), np.cos(angle)])
        inertia += m * (velocity @ velocity) + m * L**2 / 12 * rate**2
        height += m * 9.81 * centre[1]
    return inertia, height


def crank_motion(crank: float, speed: float, duration: float, steps: int) -> float:
    """The crank angle after a while, by RK4 on one coordinate: ½I(θ)θ̇² + U(θ) constant, I θ̈ = −½I′θ̇² − U′."""
    ε, h = 1e-3, duration / steps

    def rate(y):
        far, near = (
            np.subtract(energy_at(y[0] + k * ε, 0), energy_at(y[0] - k * ε, 0)) / (2 * k * ε) for k in (2, 1)
        )
        slope_I, slope_U = (4 * near - far) / 3
        return np.array([y[1], -(0.5 * slope_I * y[1] ** 2 + slope_U) / energy_at(y[0], 0)[0]])

    y = np.array([crank, speed])
    for _ in range(steps):
        k1 = rate(y)
        k2 = rate(y + 0.5 * h * k1)
        k3 = rate(y + 0.5 * h * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
    return float(y[0])


@pytest.fixture(scope="module")
def plant() -> um.Plant:
    return closed_four_bar()


@pytest.fixture(scope="module")
def swung(plant: um.Plant) -> um.Run:
    q, v = four_bar_state(0.8, 2.0)
    return um.simulate(
        plant, *plant.assemble(q, v), duration=1.0, step=0.01, method="dopri5", tolerance=1e-10
    )


def test_own_steps_keep_loops_closed_and_follow_the_reduced_motion(plant: um.Plant, swung: um.Run) -> None:
    """Rows by dense output are on the closure too; the crank is where one coordinate says."""
    gaps = plant.system.pose(swung.q, "tip")[:, :3, 3] - plant.system.pose(swung.q, "end")[:, :3, 3]
    assert np.abs(gaps).max() < 1e-12
    v = plant.system.velocity(swung.q, swung.v, "tip"), plant.system.velocity(swung.q, swung.v, "end")
    turned = [
        np.einsum("tij,tj->ti", plant.system.pose(swung.q, name)[:, :3, :3], own[:, :3])
        for name, own in zip(("tip", "end"), v, strict=True)
    ]
    assert np.abs(turned[0] - turned[1]).max() < 1e-11
    assert abs(swung.q[-1, 0] - crank_motion(0.8, 2.0, 1.0, 400)) < 1e-8
    energy = swung.energy().total
    assert np.ptp(energy) < 1e-6 * np.abs(energy).max()


@pytest.mark.long
def test_tighter_tolerances_are_nearer(plant: um.Plant, swung: um.Run) -> None:
    q, v = four_bar_state(0.8, 2.0)
    start = plant.assemble(q, v)
    ends = [
        um.simulate(plant, *start, duration=1.0, step=0.01, method="dopri5", tolerance=t, record_every=100).q[
            -1, 0
        ]
        for t in (1e-5, 1e-7)
    ]
    off = np.abs(np.array(ends) - swung.q[-1, 0])
    assert off[1] < 0.1 * off[0]
    assert off[1] < 1e-5


@pytest.mark.long
def test_events_close_and_open_loops_with_own_steps() -> None:
    """The pin opens when the crank falls through 0.2 rad: from there on the rocker falls alone."""
    plant = closed_four_bar()
    q, v = four_bar_state(0.8, 2.0)
    event = um.Event(lambda t, q, v: q[0] - 0.2, name="open", then=[um.Open("pin")])
    runs = [
        um.simulate(plant, *plant.assemble(q, v), duration=0.6, step=0.005, events=[event], method=method)
        for method in ("rkmk4", "dopri5")
    ]
    times = [run.events[0].time for run in runs]
    assert abs(times[0] - times[1]) < 1e-7
    assert np.abs(runs[0].q[-1] - runs[1].q[-1]).max() < 1e-6


def test_equilibria_with_loops(plant: um.Plant) -> None:
    """Hanging: the potential energy of the one coordinate is least there. Held at an angle: the torque is its slope."""
    q0 = plant.assemble(four_bar_state(-1.2, 0.0)[0]).q
    hanging = plant.trim(q0, free=["q.crank", "q.coupler", "q.rocker"], zero=["crank", "coupler", "rocker"])
    assert hanging.solved
    gap = plant.system.pose(hanging.q, "tip") - plant.system.pose(hanging.q, "end")
    assert np.abs(gap[:3, 3]).max() < 1e-9
    ε, θ = 1e-5, float(hanging.q[0])
    slope = (energy_at(θ + ε, 0)[1] - energy_at(θ - ε, 0)[1]) / (2 * ε)
    assert abs(slope) < 1e-5
    q = plant.assemble(four_bar_state(0.5, 0.0)[0]).q
    held = plant.trim(q, free=["u.crank"], zero=["crank", "coupler", "rocker"])
    θ = float(held.q[0])
    slope = (energy_at(θ + ε, 0)[1] - energy_at(θ - ε, 0)[1]) / (2 * ε)
    assert held.solved
    assert abs(held.u[0] - slope) < 1e-6 * abs(slope)


def test_a_loop_that_cannot_close_is_told(plant: um.Plant) -> None:
    q = plant.assemble(four_bar_state(0.5, 0.0)[0]).q
    q[2] += 0.1
    found = plant.trim(q, free=["q.crank"], zero=["crank"])
    assert not found.solved
    assert any(name.startswith("pin.gap") for name in found.residual)


def test_derivatives_of_steps_by_differences_along_the_loop(plant: um.Plant) -> None:
    """States beside it are those of other crank angles and speeds; inputs of all three joints."""
    u, h, ε = np.array([1.0, -0.5, 0.3]), 0.01, 1e-5
    q, v = four_bar_state(0.8, 2.0)
    J = plant.step_jacobian(0.0, q, v, u, h)

    def change(a, b, ε):
        return np.r_[a.q - b.q, a.v - b.v] / (2 * ε)

    for angle, speed in ((1.0, 0.0), (0.0, 1.0)):
        ends = [four_bar_state(0.8 + k * ε * angle, 2.0 + k * ε * speed) for k in (1, -1)]
        along = np.concatenate([ends[0][i] - ends[1][i] for i in (0, 1)]) / (2 * ε)
        expected = change(*(plant.step(0.0, *end, u, h) for end in ends), ε)
        assert np.abs(J[:, :6] @ along - expected).max() < 1e-8
    for k in range(3):
        δ = 1e-4 * np.eye(3)[k]
        expected = change(plant.step(0.0, q, v, u + δ, h), plant.step(0.0, q, v, u - δ, h), 1e-4)
        assert np.abs(J[:, 6 + k] - expected).max() < 1e-9
    two = plant.step_jacobian(0.0, np.stack([q, q]), np.stack([v, v]), u, h, backend="numpy")
    assert np.abs(two - J).max() < 1e-11


@pytest.mark.long
def test_gradients_of_rollouts_by_differences(plant: um.Plant) -> None:
    """Of a weight on the last crank angle, by inputs and by the start along the loop."""
    q, v = four_bar_state(0.8, 2.0)
    rollout = um.Rollout(plant, steps=4, step=0.01)
    u = np.random.default_rng(0).normal(size=(4, 3))
    dq = np.zeros((5, 3))
    dq[-1, 0] = 1.0
    found = rollout.vjp(q, v, u, dq=dq)

    def end(u, angle=0.8, speed=2.0):
        return rollout(*four_bar_state(angle, speed), u)[0][-1, 0]

    ε = 1e-4
    for k, i in ((0, 0), (3, 2)):
        δ = np.zeros_like(u)
        δ[k, i] = ε
        assert abs(found.u[k, i] - (end(u + δ) - end(u - δ)) / (2 * ε)) < 1e-8
    by_speed = (end(u, speed=2.0 + ε) - end(u, speed=2.0 - ε)) / (2 * ε)
    assert abs(found.v0 @ four_bar_state(0.8, 1.0)[1] - by_speed) < 1e-8
