"""Numbers of plants with closures from their motions: found again, and as those of a tree without the loop."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.worlds.closed_systems import (
    arm_with_load,
    closed_four_bar,
    four_bar_angles,
    with_load_in_hand,
)

import unmoored as um


class Swaying(um.Law):
    def __call__(self, t, q, v):
        return np.array([6.0 + 6.0 * np.sin(3.0 * t) + 3.0 * np.sin(7.0 * t) - 0.5 * v[0]])


@cache
def driven_four_bar() -> um.Plant:
    return closed_four_bar(actuators=[um.JointMotor("crank")])


@cache
def swayed() -> um.Run:
    plant = driven_four_bar()
    start = plant.assemble([0.7, *four_bar_angles(0.7)], [1.0, 0, 0])
    return um.simulate(
        plant, *start, duration=1.0, step=0.005, record_every=4, controller=Swaying(), control_step=0.02
    )


def other(plant: um.Plant, **masses: float) -> um.Plant:
    """The plant with other masses of bodies."""
    names = tuple(f"{name}.mass" for name in masses)
    free = um.Plant(plant.system, plant.worlds, plant.actuators, closures=plant.closures, free=names)
    return um.Plant(
        free.system_at(list(masses.values())), plant.worlds, plant.actuators, closures=plant.closures
    )


@pytest.mark.long
def test_masses_of_a_four_bar_are_found_again() -> None:
    """Two of them, from readings of the angles without noise, in two windows whose starts are unknown, too."""
    run, believed = swayed(), other(driven_four_bar(), coupler=1.0, rocker=1.6)
    assert believed.system.mass != driven_four_bar().system.mass
    seen = um.Recording(run.t, run.q, run.v, u=run.u, q_noise=1e-6, between="held")
    found = um.identify(believed, seen, free=["coupler.mass", "rocker.mass"], window=0.5, step=0.005)
    assert np.abs(found.values - [1.5, 1.2]).max() < 1e-6
    off = run.q + 2e-3 * np.random.default_rng(1).normal(size=run.q.shape)
    noisy = um.Recording(run.t, off, run.v, u=run.u, q_noise=2e-3, between="held")
    found = um.identify(believed, noisy, free=["coupler.mass", "rocker.mass"], window=0.5, step=0.005)
    spread = np.linalg.solve(found.covariance, found.values - [1.5, 1.2]) @ (found.values - [1.5, 1.2])
    assert spread < 13.8  # χ² of two, one in a thousand


class Lifting(um.Law):
    def __call__(self, t, q, v):
        return np.array([25.0 + 15.0 * np.sin(4.0 * t) - 2.0 * v[0]])


@pytest.mark.long
def test_a_held_load_is_found_as_a_part_of_the_arm() -> None:
    """The same mass, with the same deviation, from the same noisy readings of the arm's angle."""
    noise, found = 5e-3 * np.random.default_rng(3).normal(size=51), []
    for loose in (True, False):
        plant = arm_with_load(loose, 1)
        q = with_load_in_hand(plant, 0.3)
        run = um.simulate(plant, q, duration=1.0, step=0.02, controller=Lifting(), control_step=0.02)
        off = run.q.copy()
        off[:, 0] += noise
        q_noise, v_noise = (
            np.r_[σ, np.full(plant.nv - 1, 1e3)] for σ in (5e-3, 0.1)
        )  # the load is not looked at
        seen = um.Recording(run.t, off, run.v, u=run.u, q_noise=q_noise, v_noise=v_noise, between="held")
        believed = other(plant, load=2.0)
        found.append(
            um.identify(
                believed,
                seen,
                free=["load.mass"],
                outputs=[um.identification.Positions(joints=["arm"])],
                step=0.01,
            )
        )
    assert abs(found[0].values[0] - found[1].values[0]) < 0.02 * np.sqrt(found[1].covariance[0, 0])
    assert abs(found[0].covariance[0, 0] / found[1].covariance[0, 0] - 1.0) < 0.05


def test_what_has_no_form_with_closures_is_refused() -> None:
    run, plant = swayed(), driven_four_bar()
    seen = um.Recording(run.t, run.q, run.v, u=run.u, a=0.0 * run.v, between="held")
    with pytest.raises(um.ModelError, match="no closures"):
        um.identify(
            plant,
            replace(seen, a_noise=0.1, v_noise=0.1, q_noise=0.1),
            free=["rocker.mass"],
            by="accelerations",
        )
    with pytest.raises(um.ModelError, match="not both"):
        um.identify(plant, seen, free=["rocker.mass"], settled=["crank"])
