"""Plants with joints that follow others or are moved by a trajectory: the reduced plant's optimum, and differences."""

import numpy as np
import pytest

import unmoored as um
from unmoored import planning

from .planning_plants import differences, rolled

PERIOD, N = 0.05, 8


def motor(name):
    return um.JointMotor(name, name=f"{name}_motor")


def swing(kept_upright):
    """An arm that carries a body at its end; the body keeps its orientation as it follows the arm, or is a point."""
    b = um.SystemBuilder("swing")
    arm = um.Inertia(1.5, (0, 0, -0.3), np.diag([0.2, 0.3, 0.1]))
    if not kept_upright:  # the point adds mass, its part of the com, and m l² about x and y
        m, l = 0.8, 0.7
        total = 1.5 + m
        com = np.array([0, 0, (1.5 * -0.3 - m * l) / total])
        about_origin = (
            np.diag([0.2, 0.3, 0.1]) + 1.5 * 0.09 * np.diag([1.0, 1, 0]) + m * l**2 * np.diag([1.0, 1, 0])
        )
        arm = um.Inertia(total, tuple(com), about_origin - total * com[2] ** 2 * np.diag([1.0, 1, 0]))
    b.vehicle("arm", um.Revolute((0, 1, 0)), inertia=arm)
    b.frame("tool", parent="arm", at=um.Pose(xyz=(0.1, 0, -0.7)))
    if kept_upright:
        # its centre of mass is off the joint: without turning, that adds a constant to the energy only
        load = um.Inertia(0.8, (0.2, 0.1, -0.1), np.diag([0.05, 0.02, 0.03]))
        b.link("load", parent="arm", joint=um.Revolute((0, 1, 0)), at=um.Pose(xyz=(0, 0, -0.7)), inertia=load)
        b.mimic("load", "arm", -1.0, 0.0)
    return um.Plant(b.build(), um.Earth(), actuators=[motor("arm")])


@pytest.mark.parametrize("method", ["rkmk4", "variational"])
def test_a_joint_that_follows_gives_the_optimum_of_the_reduced_plant(method):
    found = {}
    for coupled in (True, False):
        plant = swing(coupled)
        q0, v0 = np.array([0.4, -0.4])[: plant.nq], np.array([0.5, -0.5])[: plant.nv]
        target = um.Pose(xyz=(0.5, 0, -0.4), rpy=(0, -0.8, 0)).matrix
        weight = np.array([1.0, 0.0])[: plant.nv]
        found[coupled] = um.optimize(
            plant, q0, v0, duration=N * PERIOD, control_step=PERIOD, method=method, input_limits=(-6.0, 6.0),
            running=[planning.Effort(plant, 0.05), planning.Speed(plant, 0.1 * weight)],
            final=[planning.ToolPose(plant, "tool", target, 10.0), planning.Speed(plant, weight)],
        )  # fmt: skip
        assert found[coupled].converged
    one, other = found[True], found[False]
    assert one.iterations == other.iterations
    assert np.isclose(one.cost, other.cost, rtol=1e-11)
    assert np.abs(one.u - other.u).max() < 1e-8
    assert np.abs(one.u).max() > 1.0
    assert np.abs(one.q[:, 0] - other.q[:, 0]).max() < 1e-9
    assert np.array_equal(one.q[:, 1], -one.q[:, 0])
    assert np.abs(one.v[:, 1] + one.v[:, 0]).max() < 1e-15
    # the policy of the reduced plant: what is said of the follower is said of the leader
    reduced = one.K[..., 0] - one.K[..., 1]
    assert np.abs(reduced - other.K[..., 0]).max() < 1e-7 * np.abs(other.K).max()
    assert np.abs(one.K[..., 2] - other.K[..., 1]).max() < 1e-7 * np.abs(other.K).max()


def carried():
    """A slider that a trajectory moves, an arm on it, and a wrist that follows the arm by a free ratio."""
    b = um.SystemBuilder("carried")
    box = um.Inertia.box(mass=1.0, size=(0.2, 0.3, 0.1))
    b.vehicle("slider", um.Prismatic((1, 0, 0)), inertia=box)
    at = um.Pose(xyz=(0, 0, -0.5), rpy=(0.2, 0, 0.1))
    off = um.Inertia(1.0, (0.05, 0.1, -0.3), np.diag([0.1, 0.2, 0.15]))
    b.link("arm", parent="slider", joint=um.Revolute((0, 1, 0)), inertia=off)
    b.link("wrist", parent="arm", joint=um.Revolute((1, 0, 0)), at=at, inertia=off)
    b.frame("tool", parent="wrist", at=um.Pose(xyz=(0, 0.2, -0.4)))
    b.mimic("wrist", "arm", 0.7, 0.1)
    return um.Plant(
        b.build(), um.Earth(), actuators=[motor("arm")], prescribed={"slider": um.Sine(0.2, 0.7)},
        free=["wrist.mimic.multiplier", "arm.mass"],
    )  # fmt: skip


def test_with_a_trajectory_and_a_follower_the_gradient_is_that_of_the_rolled_out_cost():
    plant, t0, p = carried(), 0.13, np.array([0.6, 1.2])
    q0 = np.asarray(plant.configuration(t0, np.array([9.0, 0.3, 9.0]), p))
    v0 = np.asarray(plant.full_velocity(t0, q0, np.array([0.4]), p))
    target = np.array([0.4, 0.1, -0.8])

    def reach(t, q, v):
        return plant.system.pose(q, "tool")[:3, 3] - target

    def moving(t, q, v, u):
        return v

    given = {"running": [planning.Effort(plant, 0.02), planning.Residual(moving, 0.1)]}
    given |= {"final": planning.Residual(reach, 40.0), "duration": N * PERIOD, "control_step": PERIOD}

    def cost(u):
        q, v, _ = rolled(plant, q0, v0, u, PERIOD, t0=t0, p=p)
        running = sum(0.02 * u[k] @ u[k] + 0.1 * v[k] @ v[k] for k in range(N))
        return 0.5 * PERIOD * running + 20.0 * (reach(0, q[-1], v[-1]) ** 2).sum()

    u = np.random.default_rng(0).normal(size=(N, 1))
    with pytest.warns(um.NotConvergedWarning):
        first = um.optimize(plant, q0, v0, t0=t0, p=p, u=u, iterations=1, **given)
    assert first.gap < 1e-14
    assert np.isclose(first.cost, cost(first.u), rtol=1e-12)
    assert np.allclose(first.gradient, differences(cost, first.u), atol=1e-7)
    found = um.optimize(plant, q0, v0, t0=t0, p=p, u=u, **given)
    assert found.converged
    assert np.abs(differences(cost, found.u)).max() < 1e-4
    q, v, _ = rolled(plant, q0, v0, found.u, PERIOD, t0=t0, p=p)
    assert np.abs(q - found.q).max() < 1e-13
    assert np.abs(v - found.v).max() < 1e-13
    assert np.abs(found.q[:, 2] - (0.6 * found.q[:, 1] + 0.1)).max() < 1e-14
    slider = um.Sine(0.2, 0.7)(found.t)[:, 0]
    assert np.abs(found.q[:, 0] - slider).max() < 1e-13


def test_followers_out_of_place_are_refused():
    plant = swing(True)
    given = {"duration": 0.1, "control_step": 0.05, "running": planning.Effort(plant, 1.0)}
    with pytest.raises(um.ModelError, match="where its leader puts it"):
        um.optimize(plant, [0.4, 0.4], **given)
    with pytest.raises(um.ModelError, match="keep the constraints and couplings"):
        um.optimize(plant, [0.4, -0.4], [0.1, 0.1], **given)
