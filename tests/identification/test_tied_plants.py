"""Numbers of plants whose velocities are tied, from their motions: starts are unknown in place and in their speeds."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.worlds.skating_loop import skating_slider_crank, skating_start
from tests.worlds.test_tied_derivatives import Skate

import unmoored as um
from unmoored.identification.motion_windows import Shooting
from unmoored.identification.outputs import Positions, Velocities
from unmoored.identification.trajectory_fit import TrajectoryOptions, problem_of

FREE = ("arm.mass", "arm.damping")
TRUE = np.array([1.0, 0.3])


def sled(mass: float, damping: float) -> um.Plant:
    """A skate whose direction turns with the arm on it: E depends on q."""
    b = um.SystemBuilder("sled")
    b.vehicle("sled", um.Planar(), inertia=um.Inertia.box(5.0, (1, 0.5, 0.2), com=(0.1, 0.05, 0)))
    arm = um.Inertia(mass, (0.3, 0, 0), np.diag([0.01, 0.02, 0.03]))
    b.link("arm", parent="sled", joint=um.Revolute((0, 0, 1), damping=damping), inertia=arm)
    return um.Plant(b.build(), actuators=[um.JointMotor("arm")], constraints=[Skate("sled")], free=FREE)


class Waving(um.Law):
    def __call__(self, t, q, v):
        return np.array([1.5 * np.sin(4.0 * t) + 0.7 * np.cos(9.0 * t) - 0.5 * q[..., -1]])


@cache
def run_of_the_sled() -> um.Run:
    plant = sled(*TRUE)
    q = plant.system.neutral()
    v = plant.full_velocity(0.0, q, plant.independent_velocity(q, [0.8, 0.2, 0.5, 0.0]))
    return um.simulate(plant, q, v, duration=1.2, step=0.02, controller=Waving(), control_step=0.02)


def seen_with(place: float, speed: float, seed: int = 0) -> um.Recording:
    """The run with noise along the tangent (m, rad) and on the velocities."""
    run, rng, system = run_of_the_sled(), np.random.default_rng(seed), sled(*TRUE).system
    q = system.retract(run.q, place * rng.normal(size=run.v.shape))
    v = run.v + speed * rng.normal(size=run.v.shape)
    return um.Recording(run.t, q, v, u=run.u, q_noise=place, v_noise=speed, between="held")


OUTPUTS = (Positions(), Velocities())


def test_numbers_are_found_again_without_noise() -> None:
    run = run_of_the_sled()
    exact = um.Recording(run.t, run.q, run.v, u=run.u, q_noise=1e-6, v_noise=1e-6, between="held")
    found = um.identify(sled(0.6, 0.05), exact, free=FREE, by="trajectories", window=0.4, outputs=OUTPUTS)
    assert np.abs(found.values - TRUE).max() < 1e-7


@pytest.mark.long
def test_noise_is_within_what_the_fit_says_of_it() -> None:
    """(found − true)ᵀ C⁻¹ (found − true) is χ² of two: its mean over twelve recordings, one in a thousand."""
    spreads, believed = [], sled(0.8, 0.2)
    for seed in range(12):
        noisy = seen_with(3e-3, 2e-2, seed)
        found = um.identify(believed, noisy, free=FREE, by="trajectories", window=0.4, outputs=OUTPUTS)
        off = found.values - TRUE
        spreads.append(off @ np.linalg.solve(found.covariance, off))
    assert 0.72 < np.mean(spreads) < 4.27


@cache
def run_of_the_loop() -> um.Run:
    plant = skating_slider_crank()
    start = skating_start(plant)
    return um.simulate(plant, *start, duration=1.2, step=0.02, controller=Waving(), control_step=0.02)


@pytest.mark.long
def test_numbers_beside_a_loop_are_found_again() -> None:
    """With a closure and a constraint, in two windows whose starts are unknown; noise is within what the fit says."""
    run, believed = run_of_the_loop(), skating_slider_crank(2.0, 1.0)
    exact = um.Recording(run.t, run.q, run.v, u=run.u, q_noise=1e-6, between="held")
    found = um.identify(believed, exact, free=["slider.mass", "slider.damping"], window=0.6)
    assert np.abs(found.values - [1.5, 2.0]).max() < 1e-6
    q = believed.system.retract(run.q, 2e-3 * np.random.default_rng(1).normal(size=run.v.shape))
    noisy = um.Recording(run.t, q, run.v, u=run.u, q_noise=2e-3, between="held")
    found = um.identify(believed, noisy, free=["slider.mass", "slider.damping"], window=0.6)
    off = found.values - [1.5, 2.0]
    assert off @ np.linalg.solve(found.covariance, off) < 13.8  # χ² of two, one in a thousand


@pytest.mark.parametrize("loop", [False, True])
def test_slopes_of_the_differences_are_those_of_motions_from_other_starts(loop: bool) -> None:
    """Gradient of the cost along p, starts held, and along place and speeds of the start, by differences."""
    plant, seen = sled(*TRUE), seen_with(3e-3, 2e-2)
    if loop:
        run, plant = run_of_the_loop(), skating_slider_crank()
        seen = um.Recording(run.t, run.q, run.v, u=run.u, q_noise=3e-3, between="held")
    problem, _ = problem_of(plant, [seen], TrajectoryOptions(outputs=OUTPUTS, window=0.6), "identify")
    assert isinstance(problem, Shooting)
    p, start = np.array([0.8, 0.2]), problem.start()
    motion = problem.motion(p, start)
    r, C = problem.differences(motion, start)
    S = problem.sensitivities(p, motion)
    J = C @ S[..., : plant.nv + plant.nw, :]
    ε, system, many = 1e-6, plant.system, plant.nv + plant.nw

    def moved(z: np.ndarray) -> np.ndarray:
        q = system.retract(start.q, np.broadcast_to(z[: plant.nv], (*start.w.shape[:-1], plant.nv)))
        other = start._replace(q=q, w=start.w + z[plant.nv : many])
        return problem.differences(problem.motion(p + z[many:], other), other)[0]

    for k in range(many + 2):
        z = ε * np.eye(many + 2)[k]
        slope = (moved(z) - moved(-z)) / (2 * ε)
        assert np.abs(slope - J[..., k]).max() < 1e-7 * max(1.0, np.abs(slope).max())
    assert r.shape[-1] == 2 * plant.nv


def test_settled_joints_beside_constraints_are_refused() -> None:
    with pytest.raises(um.ModelError, match="velocity constraints or settled joints, not both"):
        um.identify(sled(*TRUE), seen_with(1e-3, 1e-3), free=FREE, by="trajectories", settled=("arm",))
