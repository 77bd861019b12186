"""Optimal motions with closures: the same as those of a tree without loops, least by differences, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from tests.worlds.closed_systems import arm_with_load, closed_four_bar, four_bar_angles, with_load_in_hand

import unmoored as um
from unmoored import planning


def held(angles) -> np.ndarray:
    """The state with a load in the hand at two joint angles."""
    return with_load_in_hand(arm_with_load(True), *angles)


def end(t, q, v):
    return np.array([10 * (q[0] - 1.0), 10 * (q[1] + 0.5), v[0], v[1]])


def solved(plant: um.Plant, q0, **options) -> um.Optimum:
    return um.optimize(
        plant, q0, duration=0.4, control_step=0.1, step=0.01, running=[planning.Effort(plant, 0.01)], final=end,
        u=np.array([40.0, 15.0]), tolerance=1e-13, **options,
    )  # fmt: skip


@pytest.mark.long
def test_a_held_load_is_carried_as_a_part_of_the_arm() -> None:
    """Inputs, motion and cost are those without loops, but for the steps' error; all nodes are on the closure."""
    loose, whole = arm_with_load(True), arm_with_load(False)
    start = np.array([0.3, 0.5])
    found, wanted = solved(loose, held(start)), solved(whole, start)
    assert found.converged
    assert found.gap < 1e-12
    assert abs(found.cost - wanted.cost) < 1e-7 * wanted.cost
    assert np.abs(found.u - wanted.u).max() < 2e-5 * np.abs(wanted.u).max()
    assert np.abs(found.q[:, :2] - wanted.q).max() < 3e-6
    hand, load = (loose.system.pose(found.q, name) for name in ("hand", "load"))
    assert np.abs(hand - load).max() < 1e-12
    # no inputs beside these cost less, by the steps themselves
    rollout = um.Rollout(loose, steps=40, step=0.01)

    def cost(u):
        q, v = rollout(held(start), np.zeros(5), np.repeat(u, 10, axis=0))[:2]
        r = end(0.4, q[-1], v[-1])
        return 0.5 * 0.1 * 0.01 * np.sum(u * u) + 0.5 * r @ r

    assert abs(cost(found.u) - found.cost) < 1e-10 * found.cost
    for k, i in ((0, 0), (2, 1)):
        δ = np.zeros_like(found.u)
        δ[k, i] = 1e-2
        slope = (cost(found.u + δ) - cost(found.u - δ)) / 2e-2
        assert abs(slope) < 1e-5 * found.cost


def test_guesses_that_do_not_fit_close_on_the_way() -> None:
    """Nodes on the closures with gaps between them: the gaps close, and all stay on the closures."""
    start = np.array([0.3, 0.5])
    way = start + np.linspace(0, 1, 5)[:, None] * (np.array([1.0, -0.5]) - start)
    guess = np.stack([held(angles) for angles in way])
    loose = arm_with_load(True)
    found = solved(loose, guess[0], q=guess, v=np.zeros((5, 5)))
    assert found.converged
    assert abs(found.cost - solved(loose, guess[0]).cost) < 1e-9 * found.cost
    assert np.abs(loose.system.pose(found.q, "hand") - loose.system.pose(found.q, "load")).max() < 1e-12


def test_states_off_the_closures_are_refused() -> None:
    plant = closed_four_bar()
    q = plant.assemble([0.7, *four_bar_angles(0.7)]).q
    options = {"duration": 0.2, "control_step": 0.1, "final": lambda t, q, v: q}
    beside = q + np.array([0.0, 0.1, 0.0])
    with pytest.raises(um.ModelError, match="pin: q0"):
        um.optimize(plant, beside, **options)
    with pytest.raises(um.ModelError, match="pin: v0"):
        um.optimize(plant, q, [1.0, 0, 0], **options)
    off = np.stack([q, q, beside])
    with pytest.raises(um.ModelError, match=r"pin: q\b"):
        um.optimize(plant, q, q=off, **options)


@pytest.mark.long
def test_a_predictive_law_drives_a_loop() -> None:
    """The crank of a four-bar is brought to an angle, with noise in what the law sees of the velocities."""
    plant = closed_four_bar(actuators=[um.JointMotor("crank")])
    q, _ = plant.assemble([0.7, *four_bar_angles(0.7)])
    law = um.ModelPredictive(
        plant, periods=10, steps=2, iterations=3,
        running=[
            planning.Effort(plant, 1e-3),
            planning.Residual(lambda t, q, v, u: np.array([5 * (q[0] - 1.2), 0.1 * v[0]])),
        ],
        final=[planning.Residual(lambda t, q, v: np.array([10 * (q[0] - 1.2), v[0]]))],
    )  # fmt: skip
    run = um.simulate(
        plant,
        q,
        controller=law,
        duration=2.0,
        step=0.01,
        control_step=0.05,
        noise=um.Noise(velocity=1e-3),
        seed=1,
    )
    assert abs(run.q[-1, 0] - 1.2) < 2e-3  # the effort costs something
