"""Limits on states by multipliers: kept, complementary, and stationary with them."""

import numpy as np
import pytest

import unmoored as um
from unmoored import planning

from .planning_plants import cart, differences, rolled, turner

N, PERIOD = 15, 0.1
PLANT = cart()


def test_a_speed_limit_is_kept_and_its_multipliers_make_the_optimum_stationary():
    most, effort = 0.7, 0.05
    final = [planning.Posture(PLANT, [1.0], 50.0), planning.Speed(PLANT, 20.0)]
    given = {"duration": N * PERIOD, "control_step": PERIOD, "running": planning.Effort(PLANT, effort)}
    free = um.optimize(PLANT, [0.0], final=final, **given)
    limits = planning.SpeedLimits(PLANT, ("cart",), most)
    found = um.optimize(PLANT, [0.0], final=final, limits=limits, **given)
    assert free.v.max() > 1.1 * most
    assert found.converged
    assert found.violation < 1e-6
    assert found.cost > free.cost
    λ = found.multipliers
    assert λ.shape == (N + 1, 2)
    assert np.all(λ >= 0)
    c = np.stack([found.v[:, 0] - most, -found.v[:, 0] - most], axis=-1)
    assert np.abs(λ[1:] * c[1:]).max() < 1e-5 * λ.max()
    assert np.sum(λ[:, 0] > 1e-3) >= 3  # the plateau

    def lagrangian(u):
        q, v, _ = rolled(PLANT, [0.0], [0.0], u, PERIOD)
        cost = PERIOD * 0.5 * effort * (u**2).sum() + 25.0 * (q[-1, 0] - 1.0) ** 2 + 10.0 * v[-1, 0] ** 2
        return cost + (λ[1:, 0] * (v[1:, 0] - most)).sum() + (λ[1:, 1] * (-v[1:, 0] - most)).sum()

    slope = differences(lagrangian, found.u)
    assert np.allclose(slope, found.gradient, atol=1e-8)
    assert np.abs(slope).max() < 1e-4 * λ.max()
    assert np.allclose(found.v[np.flatnonzero(λ[:, 0] > 1e-2), 0], most, atol=1e-6)


def test_spheres_stay_clear_of_each_other():
    plant = turner()
    q0 = plant.system.neutral()
    goal = plant.system.retract(q0, np.array([0.0, 1.2, 0.0, 0.0]))
    tool = lambda q: plant.system.pose(q, "tool")[..., :3, 3]  # noqa: E731
    centre = tool(plant.system.retract(q0, np.array([0.0, 0.6, 0.0, 0.0])))
    limit = planning.Clearance(plant, "tool", 0.1, centre, 0.15)
    given = {
        "duration": 0.8, "control_step": 0.05, "running": planning.Effort(plant, 1e-3),
        "final": [planning.Posture(plant, goal, 200.0), planning.Speed(plant, 5.0)],
    }  # fmt: skip
    near = lambda r: np.linalg.norm(tool(r.q) - centre, axis=-1).min()  # noqa: E731
    rng = np.random.default_rng(0)
    u = 0.3 * rng.normal(size=plant.nu)  # off the plane of symmetry, where there is no way around
    free = um.optimize(plant, q0, u=u, **given)
    found = um.optimize(plant, q0, u=u, limits=limit, **given)
    assert near(free) < 0.2
    assert found.converged
    assert near(found) > 0.25 - 1e-6
    assert found.violation <= 1e-6


def test_joint_limits_and_functions():
    b = um.SystemBuilder("railed")
    rail = um.Prismatic((1, 0, 0), limits=(-0.2, 0.6), velocity=2.0)
    b.vehicle("cart", rail, inertia=um.Inertia(2.0, (0, 0, 0), np.eye(3)))
    plant = um.Plant(b.build(), joints=um.JointEffects(stops=False))
    given = {
        "duration": N * PERIOD, "control_step": PERIOD, "running": planning.Effort(plant, 0.01),
        "final": planning.Posture(plant, [1.0], 5.0),
    }  # fmt: skip
    found = um.optimize(plant, [0.0], limits=[planning.JointLimits(plant, margin=0.1)], **given)
    assert found.converged
    assert np.isclose(found.q.max(), 0.5, atol=1e-6)
    same = um.optimize(plant, [0.0], limits=[lambda t, q, v: q - 0.5], **given)
    assert np.allclose(same.u, found.u, atol=1e-4)


def test_limits_that_nothing_can_keep_are_told():
    given = {"duration": 0.2, "control_step": 0.1, "running": planning.Effort(PLANT, 1.0)}
    with pytest.warns(um.NotConvergedWarning, match="limits on states are broken|ran out of iterations"):
        found = um.optimize(PLANT, [0.0], limits=lambda t, q, v: 1.0 + 0.0 * q, **given)
    assert not found.converged
    assert found.violation > 0.9
