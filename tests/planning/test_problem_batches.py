"""Many problems at once: the numbers of each alone; and what is refused."""

import numpy as np
import pytest

import unmoored as um
from unmoored import planning

from .planning_plants import cart, turner

PLANT = turner()
GIVEN = {"duration": 0.4, "control_step": 0.05}


def starts(count):
    rng = np.random.default_rng(1)
    q = np.stack(
        [PLANT.system.retract(PLANT.system.neutral(), 0.4 * rng.normal(size=4)) for _ in range(count)]
    )
    goals = np.stack([PLANT.system.retract(x, 0.5 * rng.normal(size=4)) for x in q])
    return q, 0.2 * rng.normal(size=(count, 4)), goals


def terms(goals, weights):
    final = [planning.Posture(PLANT, goals, 20.0), planning.Speed(PLANT, weights)]
    return {
        "running": planning.Effort(PLANT, 0.02),
        "final": final,
        "limits": planning.SpeedLimits(PLANT, ("arm",), 1.5),
    }


@pytest.mark.parametrize("bounds", [None, (-2.0, 2.0)])
def test_a_batch_has_the_numbers_of_its_problems_alone(bounds):
    q, v, goals = starts(3)
    weights = np.array([[0.5], [1.0], [2.0]]) * np.ones(4)
    t0 = np.array([0.0, 0.3, 0.7])
    many = um.optimize(PLANT, q, v, t0=t0, input_limits=bounds, **terms(goals, weights), **GIVEN)
    assert many.converged.all()
    assert many.u.shape == (3, 8, PLANT.nu)
    for i in range(3):
        one = um.optimize(
            PLANT, q[i], v[i], t0=t0[i], input_limits=bounds, **terms(goals[i], weights[i]), **GIVEN
        )
        for name in ("t", "q", "v", "x", "u", "K", "cost", "gap", "kkt", "multipliers", "gradient"):
            a, b = getattr(one, name), getattr(many, name)[i]
            assert a.shape == b.shape
            assert np.allclose(a, b, rtol=1e-11, atol=1e-11), name
        assert one.iterations == many.iterations[i]
        assert one.status == many.status[i] == "converged"


def test_problems_in_several_pieces(monkeypatch):
    q, v, goals = starts(5)
    given = terms(goals, 1.0) | GIVEN
    whole = um.optimize(PLANT, q, v, **given)
    monkeypatch.setattr("unmoored.planning.trajectory_optimization._MOST", 1)
    assert np.array_equal(um.optimize(PLANT, q, v, **given).u, whole.u)


def test_a_plant_that_rolls():
    b = um.SystemBuilder("rover")
    b.vehicle("rover", um.Planar(), inertia=um.Inertia(5.0, (0.1, 0, 0), np.diag([0.3, 0.3, 0.4])))
    plant = um.Plant(b.build(), constraints=[um.DifferentialDrive("rover")])
    q0 = plant.system.neutral()
    goal = um.Pose(xyz=(0.4, 0.3, 0.0), rpy=(0, 0, 0.6)).matrix
    final = [planning.ToolPose(plant, "rover", goal, 30.0), planning.Speed(plant, 1.0)]
    found = um.optimize(
        plant, q0, duration=2.0, control_step=0.1, running=planning.Effort(plant, 0.01), final=final
    )
    assert found.converged
    assert np.abs(found.v[:, 1]).max() < 1e-12  # never sideways
    assert np.abs(plant.system.pose(found.q[-1], "rover") - goal).max() < 0.02


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"duration": 0.43}, "multiple of 0.1"),
        ({"running": [], "final": []}, "running or final terms"),
        ({"running": 3.0}, "um.Cost objects"),
        ({"final": planning.Effort(cart(), 1.0)}, "a running term"),
        ({"q0": [np.nan]}, "finite"),
        ({"u": np.zeros((3, 1))}, r"shape \(5, 1\)"),
        ({"input_limits": (1.0, -1.0)}, "lowest ≤ highest"),
        ({"method": "magic"}, "method"),
        ({"iterations": -1}, "whole number"),
        ({"q0": np.zeros((2, 1)), "v0": np.zeros((3, 1))}, "same number"),
        ({"running": lambda t, q, v, u: np.zeros((2, 2))}, r"a vector \(k,\)"),
    ],
)
def test_refused(change, words):
    plant = change.pop("plant", cart())
    given = {
        "q0": [0.0],
        "duration": 0.5,
        "control_step": 0.1,
        "running": planning.Effort(cart(), 1.0),
    } | change
    with pytest.raises(um.ModelError, match=words):
        um.optimize(plant, **given)


def test_weights_below_zero_and_unknown_frames_are_refused():
    for make in (
        lambda: planning.Effort(PLANT, -1.0),
        lambda: planning.Effort(PLANT, "1"),
        lambda: planning.Effort(PLANT, 1.0, around="0"),
        lambda: planning.Effort(PLANT, 1.0, around=None),
        lambda: planning.Posture(PLANT, "home"),
        lambda: planning.ToolPose(PLANT, "tool", "here"),
        lambda: planning.SpeedLimits(PLANT, PLANT.system.names[1:2], highest="1"),
        lambda: planning.ToolPose(PLANT, "hand", np.eye(4)),
        lambda: planning.ToolPose(PLANT, "tool", 2 * np.eye(4)),
        lambda: planning.JointLimits(PLANT),
        lambda: planning.SpeedLimits(PLANT),
        lambda: planning.BaseDisturbance(PLANT, vehicle="arm"),
    ):
        with pytest.raises(um.ModelError):
            make()


def test_a_guess_that_is_not_finite_is_told():
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia(2.0, (0, 0, 0), np.eye(3)))
    plant = um.Plant(b.build())
    with pytest.warns(um.NotConvergedWarning, match="not finite"):
        found = um.optimize(
            plant, [-1.0], duration=0.5, control_step=0.1, running=lambda t, q, v, u: np.sqrt(q) + u
        )
    assert not found.converged


def test_terms_that_change_from_call_to_call_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(um.ModelError, match="pure function"):
        um.optimize(
            cart(), [0.0], duration=0.5, control_step=0.1, running=lambda t, q, v, u: u * rng.normal()
        )


def test_other_numbers_that_a_function_captures_are_seen():
    weight = {"effort": 1.0}
    given = {"duration": 0.5, "control_step": 0.1, "final": planning.Posture(cart(), [1.0], 5.0)}

    def effort(t, q, v, u):
        return weight["effort"] * u

    first = um.optimize(cart(), [0.0], running=effort, **given)
    weight["effort"] = 3.0
    assert np.abs(um.optimize(cart(), [0.0], running=effort, **given).u).max() < 0.9 * np.abs(first.u).max()
