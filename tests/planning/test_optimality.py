"""First-order conditions of optima on the manifold, against finite differences of the rolled-out cost."""

import numpy as np
import pytest

import unmoored as um
from unmoored import lie, planning

from .planning_plants import differences, rolled, turner

PERIOD, N, STEPS = 0.05, 8, 2
W_POSE, W_EFFORT, W_SPEED = np.array([20.0, 30.0, 10.0, 2.0, 3.0, 1.0]), 0.02, 0.1
RNG = np.random.default_rng(3)
PLANT = turner()
Q0 = PLANT.system.retract(PLANT.system.neutral(), np.array([0.5, -0.4, 0.7, 0.3]))
V0 = np.array([0.3, -0.2, 0.5, 0.4])
TARGET = PLANT.system.pose(PLANT.system.retract(Q0, np.array([0.3, 0.2, -0.4, 0.5])), "tool")


def own(t, q, v, u):
    """A residual of the user's: the tool's height times an input, and a speed."""
    return np.array([PLANT.system.pose(q, "tool")[2, 3] * u[3], 0.3 * v[1] * np.sin(t)])


def terms():
    effort = planning.Effort(PLANT, W_EFFORT, around=np.linspace(-0.1, 0.1, PLANT.nu))
    running = [effort, planning.Speed(PLANT, W_SPEED), planning.Residual(own, 0.4)]
    final = [planning.ToolPose(PLANT, "tool", TARGET, W_POSE), planning.ToolTwist(PLANT, "tool", 0.2)]
    return {"running": running, "final": final}


def solved(**options):
    given = (
        {"duration": N * PERIOD, "control_step": PERIOD, "step": PERIOD / STEPS, "t0": 0.3}
        | terms()
        | options
    )
    return um.optimize(PLANT, Q0, V0, x0=np.array([0.2]), **given)


def cost(u):
    """The cost of a motion, by the methods of the system."""
    q, v, _ = rolled(PLANT, Q0, V0, u, PERIOD, STEPS, np.array([0.2]), 0.3)
    total, around = 0.0, np.linspace(-0.1, 0.1, PLANT.nu)
    for k in range(N):
        total += PERIOD * 0.5 * (W_EFFORT * ((u[k] - around) ** 2).sum() + W_SPEED * (v[k] ** 2).sum())
        total += PERIOD * 0.5 * 0.4 * (own(0.3 + k * PERIOD, q[k], v[k], u[k]) ** 2).sum()
    e = lie.se3.log(np.linalg.inv(PLANT.system.pose(q[-1], "tool")) @ TARGET)
    twist = PLANT.system.velocity(q[-1], v[-1], "tool")
    return total + 0.5 * (W_POSE * e**2).sum() + 0.1 * (twist**2).sum()


def test_the_gradient_is_that_of_the_rolled_out_cost():
    u = RNG.normal(size=(N, PLANT.nu))
    q, v, _ = rolled(PLANT, Q0, V0, u, PERIOD, STEPS, np.array([0.2]), 0.3)
    with pytest.warns(um.NotConvergedWarning, match="out of iterations"):
        found = solved(u=u, q=q, v=v, iterations=0)
    # the actuator's state is not guessed: its gaps must be closed before the gradient is that of the motion
    with pytest.warns(um.NotConvergedWarning):
        found = solved(u=found.u, iterations=1)
    assert found.gap < 1e-13
    assert not found.converged
    expected = differences(cost, found.u)
    assert np.isclose(found.cost, cost(found.u), rtol=1e-12)
    assert np.allclose(found.gradient, expected, atol=2e-8 * np.abs(expected).max())


def test_the_optimum_is_stationary_and_a_least():
    found = solved()
    assert found.converged
    assert found.gap < 1e-12
    assert "converged" in repr(found)
    slope = differences(cost, found.u)
    assert np.abs(slope).max() < 1e-4 * np.abs(differences(cost, 0 * found.u)).max()
    assert np.allclose(slope, found.gradient, atol=1e-7)
    for _ in range(5):
        assert cost(found.u + 1e-2 * RNG.normal(size=found.u.shape)) > found.cost


def test_the_policy_is_the_derivative_of_optimal_inputs():
    """K of the first node against optima from neighbouring starts, where residuals vanish and K is exact."""
    plant = um.Plant(PLANT.system, actuators=PLANT.actuators)
    final = [planning.Posture(plant, Q0, 5.0), planning.Speed(plant, 1.0)]
    ε = 1e-3
    starts = np.stack([Q0, *(plant.system.retract(Q0, ε * e) for e in np.eye(4))])
    found = um.optimize(
        plant, starts, duration=N * PERIOD, control_step=PERIOD, running=planning.Effort(plant, 0.1), final=final,
    )  # fmt: skip
    assert found.converged.all()
    assert np.abs(found.u[0]).max() < 1e-12
    K = found.K[0, 0]
    assert np.allclose(found.u[1:, 0].T / ε, -K[:, :4], atol=3e-3 * np.abs(K).max())


@pytest.mark.long
def test_a_turned_world_gives_the_same_inputs():
    """Start and target turned about the vertical by the same rotation: inputs are in body axes."""
    found = solved(running=terms()["running"][:2])
    turn = np.eye(4)
    turn[:3, :3] = lie.so3.exp(np.array([0.0, 0.0, 1.1]))
    g = np.concatenate([Q0[:9].reshape(3, 3), Q0[9:12, None]], axis=1)
    moved = Q0.copy()
    moved[:9] = (turn[:3, :3] @ g[:, :3]).reshape(-1)
    final = [planning.ToolPose(PLANT, "tool", turn @ TARGET, W_POSE), planning.ToolTwist(PLANT, "tool", 0.2)]
    other = um.optimize(
        PLANT, moved, V0, x0=np.array([0.2]), duration=N * PERIOD, control_step=PERIOD, step=PERIOD / STEPS, t0=0.3,
        running=terms()["running"][:2], final=final,
    )  # fmt: skip
    assert other.converged
    assert np.allclose(other.u, found.u, atol=1e-9)


def test_gaps_close_along_the_search():
    rng = np.random.default_rng(5)
    q = np.stack([PLANT.system.retract(Q0, 0.3 * rng.normal(size=4)) for _ in range(N + 1)])
    found, other = solved(), solved(q=q, v=rng.normal(size=(N + 1, 4)), u=rng.normal(size=(N, PLANT.nu)))
    gaps = [row[1] for row in other.history]
    taken = [row[2] for row in other.history]
    assert gaps[0] > 0.1
    assert other.gap < 1e-12
    for before, after, ε in zip(gaps, gaps[1:], taken, strict=False):
        assert np.isclose(after, (1 - ε) * before, atol=1e-12 + 1e-10 * before)
    assert other.converged
    assert np.isclose(other.cost, found.cost, rtol=1e-7)
