"""The filter of a plant with wheels: errors of the independent velocities are as large as it says."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.worlds.skating_loop import skating_slider_crank, skating_start

import unmoored as um

SAMPLES, DEVIATIONS = 60, (0.05, 0.2)


@cache
def rover() -> um.Plant:
    """A cart with two driven wheels that are bodies, its centre of mass ahead of their axle."""
    b = um.SystemBuilder("rover")
    hull = um.Inertia(10.0, (0.1, 0.0, 0.1), np.diag([0.2, 0.3, 0.4]))
    b.vehicle("base", um.Planar(), inertia=hull)
    for name, y in (("left", 0.2), ("right", -0.2)):
        wheel = um.Inertia.cylinder(0.5, 0.1, 0.03, axis=(0, 1, 0))
        b.link(
            name,
            parent="base",
            joint=um.Revolute((0, 1, 0), damping=0.02),
            at=um.Pose(xyz=(0, y, 0)),
            inertia=wheel,
        )
    drive = um.DifferentialDrive("base", wheels=("left", "right"), radius=0.1)
    return um.Plant(
        b.build(), constraints=[drive], actuators=[um.JointMotor("left", lag=0.05), um.JointMotor("right")]
    )


class Swaying(um.Law):
    """Torques that come and go, and damping by what is seen."""

    def __call__(self, t, q, v):
        return np.array([0.3 * np.sin(3.0 * t), 0.2 * np.cos(2.0 * t)]) - 0.02 * v[3:]


class Idle(um.Law):
    def __call__(self, t, q, v):
        return np.zeros(2)


@cache
def watched(scale: float = 1.0) -> tuple[um.PlantFilter, um.Run]:
    """Rovers with encoders and a position, which begin beside what their filters believe."""
    plant, rng = rover(), np.random.default_rng(2)
    q, w = plant.system.neutral(), np.array([0.5, 0.3])
    off = np.repeat(DEVIATIONS, (5, 2)) * rng.standard_normal((SAMPLES, 7))
    believed = plant.system.retract(q, off[:, :5])
    speeds = plant.full_velocity(0.0, believed, w + off[:, 5:])
    start = [np.tile(x, (SAMPLES, 1)) for x in (q, plant.full_velocity(0.0, q, w))]
    sensors = [
        [
            um.Encoder("turns", joints=("left", "right"), noise=0.02 * k),
            um.Usbl(
                "fix", "base", transponder=(3.0, 1.0, -2.0), distance=0.03 * k, angle=0.01 * k, rate=25.0
            ),
        ]
        for k in (1.0, scale)
    ]
    filter_ = um.PlantFilter(plant, tuple(sensors[1]), believed, speeds, *DEVIATIONS, input_deviation=0.2)
    run = um.simulate(
        plant, *start, duration=0.6, step=0.02, control_step=0.02, sensors=sensors[0], record_every=5,
        controller=um.Estimated(filter_, Swaying()), noise=um.Noise(input=0.2), seed=4,
    )  # fmt: skip
    return filter_, run


def test_errors_are_as_large_as_the_filter_says() -> None:
    """Five entries of δq, two of δw, one of a lag: eᵀP⁻¹e is χ² with eight degrees of freedom."""
    filter_, run = watched()
    assert filter_.error_names == rover().tangent_names
    assert len(filter_.error_names) == 8
    e, P = filter_.errors(run)[:, 1:-1], run.estimate.covariance[:, 1:-1]
    squares = um.nees(e, P).mean(axis=0)
    low, high = um.consistency_bounds(8, SAMPLES, 0.999)
    assert np.all((low < squares) & (squares < high)), squares
    # wheels roll in what is believed, too
    v = rover().full_velocity(
        0.0, run.estimate.q, rover().independent_velocity(run.estimate.q, run.estimate.v)
    )
    assert np.abs(v - run.estimate.v).max() < 1e-13


@pytest.mark.long
def test_a_filter_that_believes_too_much_is_found_out() -> None:
    filter_, run = watched(0.3)
    squares = um.nees(filter_.errors(run)[:, -2], run.estimate.covariance[:, -2]).mean()
    assert squares > um.consistency_bounds(8, SAMPLES, 0.999)[1]


def test_what_the_wheels_do_not_allow_is_refused() -> None:
    plant, turns = rover(), um.Encoder("turns", joints=("left", "right"), noise=0.02)
    for sideways in ([0.0, 1.0, 0.0, 0.0, 0.0], 1.0):
        with pytest.raises(um.ModelError, match="velocity: expected one that the constraints allow"):
            um.PlantFilter(plant, (turns,), plant.system.neutral(), sideways)
    assert not um.PlantFilter(plant, (turns,), plant.system.neutral(), 0.0).velocity.any()
    b = um.SystemBuilder("pair")
    for name in ("one", "two"):
        b.vehicle(name, um.Revolute((0, 0, 1)), inertia=um.Inertia.sphere(1.0, 0.1))
    b.mimic("two", "one", 2.0)
    with pytest.raises(um.ModelError, match="without couplings and prescribed joints"):
        um.PlantFilter(um.Plant(b.build()), (um.Encoder("turns", joints=("one",), noise=0.02),))


@pytest.mark.long
def test_a_disturbance_moves_along_the_wheels() -> None:
    """With no readings the variance along the free speeds grows by the density times time, sideways not at all."""
    plant = rover()
    blind = um.Encoder("turns", joints=("left",), noise=1e6)
    filter_ = um.PlantFilter(
        plant, (blind,), configuration_deviation=1e-9, velocity_deviation=1e-9, disturbance=(0.3, 0.1)
    )
    run = um.simulate(
        plant, plant.system.neutral(), np.zeros(5), duration=0.1, step=0.02, control_step=0.02, sensors=[blind],
        controller=um.Estimated(filter_, Idle()),
    )  # fmt: skip
    P = run.estimate.covariance[-2]
    names = list(filter_.error_names)
    assert P[1, 1] < 1e-12, names[1]
    t = run.t[-2]
    assert P[0, 0] == pytest.approx(0.3**2 * t**3 / 3, rel=0.1)
    # through the wheels' damping, 4 N s/m at 12 kg, 2.5 % less
    assert np.diag(P)[5:7] == pytest.approx(np.array([0.3, 0.1]) ** 2 * t, rel=0.04)


@pytest.mark.long
def test_errors_beside_a_loop_are_as_large_as_the_filter_says() -> None:
    """A skate with a slider-crank: of six entries of δq and five of δw the loop leaves four and three."""
    plant, rng = skating_slider_crank(), np.random.default_rng(2)
    q, v = skating_start(plant)
    n, free = plant.nv + plant.nw, len(plant.linearize(0.0, q, v, np.zeros(1)).names)
    assert (n, free) == (11, 7)
    spread = np.repeat((0.02, 0.05), (6, 5))
    off = spread * rng.standard_normal((SAMPLES, n)) @ plant.closure_projection(0.0, q, v).T
    believed = plant.system.retract(q, off[:, :6])
    speeds = plant.full_velocity(0.0, believed, plant.independent_velocity(q, v) + off[:, 6:])
    believed, speeds = plant.closed_state(0.0, believed, speeds)
    sensors = (
        um.Encoder("slide", joints=("slider",), noise=2e-3),
        um.MotionUnit("seen", "sled", place_noise=0.02, turn_noise=0.02, speed_noise=0.05, rate_noise=0.05),
    )
    filter_ = um.PlantFilter(plant, sensors, believed, speeds, 0.02, 0.05, input_deviation=0.2)
    run = um.simulate(
        plant, np.tile(q, (SAMPLES, 1)), np.tile(v, (SAMPLES, 1)), duration=0.6, step=0.02, control_step=0.02,
        sensors=sensors, controller=um.Estimated(filter_, Cranking()), noise=um.Noise(input=0.2), seed=4,
        record_every=5,
    )  # fmt: skip
    e, P = filter_.errors(run)[:, 1:-1], run.estimate.covariance[:, 1:-1]
    squares = um.nees(e, P, free).mean(axis=0)
    low, high = um.consistency_bounds(free, SAMPLES, 0.999)
    assert np.all((low < squares) & (squares < high)), squares
    assert np.abs(np.linalg.eigvalsh(P)[..., : n - free]).max() < 1e-14
    at = run.estimate.q[:, 1:-1]
    gap = plant.system.pose(at, "end") - plant.system.pose(at, "slider")
    assert np.abs(gap[..., :3, 3]).max() < 1e-12


class Cranking(um.Law):
    def __call__(self, t, q, v):
        return np.array([0.8 * np.sin(4.0 * t) - 0.1 * v[3]])
