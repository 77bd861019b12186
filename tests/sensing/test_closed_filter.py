"""The filter of a plant with closures: errors are as large as it says, and it is that of a tree without the loop."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.worlds.closed_systems import arm_with_load, closed_four_bar, four_bar_angles, with_load_in_hand

import unmoored as um

SAMPLES, DEVIATIONS = 100, (0.05, 0.3)


class Swaying(um.Law):
    """A torque that comes and goes, and damping by what is seen."""

    def __call__(self, t, q, v):
        return np.array([6.0 + 4.0 * np.sin(3.0 * t) - 0.5 * v[0]])


@cache
def driven_four_bar() -> um.Plant:
    return closed_four_bar(actuators=[um.JointMotor("crank")])


@cache
def watched(scale: float = 1.0) -> tuple[um.PlantFilter, um.Run]:
    """Four-bars with an encoder at the rocker, which begin beside what their filters believe."""
    plant, rng = driven_four_bar(), np.random.default_rng(2)
    q, v = plant.assemble([0.7, *four_bar_angles(0.7)], [1.0, 0, 0])
    Π = plant.closure_projection(0.0, q, v)
    spread = np.repeat(DEVIATIONS, 3)
    off = (spread * rng.standard_normal((SAMPLES, 6))) @ Π.T
    believed = plant.closed_state(0.0, q + off[:, :3], v + off[:, 3:])
    scales = [um.Encoder("scale", joints=("rocker",), noise=0.02 * k, rate=50.0) for k in (1.0, scale)]
    filter_ = um.PlantFilter(plant, (scales[1],), *believed, *DEVIATIONS, input_deviation=1.0)
    run = um.simulate(
        plant, *(np.tile(x, (SAMPLES, 1)) for x in (q, v)), duration=1.0, step=0.01, control_step=0.01,
        sensors=[scales[0]], controller=um.Estimated(filter_, Swaying()), noise=um.Noise(input=1.0), seed=4,
        record_every=10,
    )  # fmt: skip
    return filter_, run


@pytest.mark.long
def test_errors_are_as_large_as_the_filter_says() -> None:
    """Two of six entries are independent: eᵀP⁻¹e along them is χ² with two degrees of freedom."""
    filter_, run = watched()
    squares = um.nees(filter_.errors(run), run.estimate.covariance, 2)[:, 1:-1].mean(axis=0)
    low, high = um.consistency_bounds(2, SAMPLES, 0.999)
    assert np.all((low < squares) & (squares < high)), squares
    values = np.linalg.eigvalsh(run.estimate.covariance[:, 1:-1])
    assert np.abs(values[..., :4]).max() < 1e-14
    assert values[..., 4:].min() > 1e-7
    system = driven_four_bar().system
    gap = system.pose(run.estimate.q[:, 1:-1], "tip") - system.pose(run.estimate.q[:, 1:-1], "end")
    assert np.abs(gap[..., :3, 3]).max() < 1e-12


@pytest.mark.long
def test_a_filter_that_believes_too_much_is_found_out() -> None:
    filter_, run = watched(0.2)
    squares = um.nees(filter_.errors(run), run.estimate.covariance, 2)[:, -2].mean()
    assert squares > 1.5 * um.consistency_bounds(2, SAMPLES, 0.999)[1]


class Lifting(um.Law):
    def __call__(self, t, q, v):
        return np.array([25.0 + 5.0 * np.sin(4.0 * t) - 2.0 * v[0]])


@pytest.mark.long
def test_a_held_load_is_estimated_as_a_part_of_the_arm() -> None:
    """Angle and speed of the arm, and their covariances, with a load of three DoFs that a closure welds to it."""
    found = []
    for loose in (True, False):
        plant = arm_with_load(loose, 1)
        believed_q, q = (with_load_in_hand(plant, angle) for angle in (0.25, 0.3))
        deviations = [0.1, 0.4]
        if loose:
            Π = plant.closure_projection(0.0, believed_q, np.zeros(4))
            size = np.sqrt(np.sum(Π[0, :4] ** 2)), np.sqrt(np.sum(Π[4, 4:] ** 2))
        else:
            deviations = [x * y for x, y in zip(deviations, size, strict=True)]
        believed, real = (um.Encoder("scale", joints=("arm",), noise=x) for x in (0.02, 1e-9))
        filter_ = um.PlantFilter(plant, (believed,), believed_q, 0.0, *deviations, input_deviation=1.0)
        run = um.simulate(
            plant, q, duration=0.5, step=5e-3, control_step=0.01, sensors=[real],
            controller=um.Estimated(filter_, Lifting()), seed=1,
        )  # fmt: skip
        n = plant.nv
        P = run.estimate.covariance[:, [0, 0, n], [0, n, n]]
        found.append(np.column_stack([run.estimate.q[:, 0], run.estimate.v[:, 0], P])[:-1])
    assert np.abs(found[0] - found[1]).max() < 1e-6


def test_a_first_estimate_off_the_closures_is_refused() -> None:
    plant = driven_four_bar()
    scale = um.Encoder("scale", joints=("rocker",), noise=0.02)
    with pytest.raises(um.ModelError, match=r"configuration.*closures"):
        um.PlantFilter(plant, (scale,), [0.1, 0.2, 0.3])
    with pytest.raises(um.ModelError, match="degrees"):
        um.nees(np.zeros(3), np.eye(3), 4)
