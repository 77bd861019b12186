"""Computed torque is linear to rounding; passivity and adaptation lose energy exactly as they say."""

from functools import partial

import numpy as np
import pytest
from scipy.linalg import expm
from tests.control.tracked_plants import DAMPING, moving_targets, off_state, plant_of, rate_along_motion

import unmoored as um
from unmoored.trace import evaluate, jvp, trace
from unmoored.worlds import Seen
from unmoored.worlds.plants.reference_regressor import reference_regressor

K_P = np.array([4.0, 5.0, 6.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])
K_D = np.array([3.0, 4.0, 5.0, 4.0, 3.0, 4.0, 5.0, 6.0, 5.0, 6.0])


def start_near(plant, t, size):
    """A state off the references by e = size, and e, ė there."""
    rng = np.random.default_rng(6)
    targets, tree = moving_targets(), plant.system.tree
    motions = [targets[link.name].motion(np.asarray(t), link.joint) for link in tree.links]
    q_d = np.concatenate([m.configuration for m in motions])
    q = plant.system.retract(q_d, size * rng.normal(size=plant.nv))
    return q, rng.normal(size=plant.nv)


@pytest.mark.parametrize("wet", [True])
def test_errors_are_those_of_a_linear_system(wet):
    """e(t) against the matrix exponential, with turning references and errors of a radian."""
    plant = plant_of(wet)
    law = um.ComputedTorque(plant, moving_targets(), K_P, K_D)
    q, v = start_near(plant, 0.7, 0.5)
    run = um.simulate(plant, q, v, t0=0.7, duration=1.0, step=1e-3, controller=law, record_every=250)
    assert run.provenance["controller_in"] == "kernel"

    def error(t, q, v):
        off = law.errors("log", t, q, v, law.stiffness)
        return np.concatenate([off.pull, off.pull_rate])

    n = plant.nv
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.diag(K_P), -np.diag(K_D)]])
    first = error(0.7, q, v)
    assert np.abs(first[3:6]).max() > 0.3
    for t, q, v in zip(run.t, run.q, run.v, strict=True):
        assert np.abs(error(t, q, v) - expm(A * (t - 0.7)) @ first).max() < 1e-9


def test_joints_that_rest_and_joints_that_move_have_their_own_targets():
    """In a row: two numbers and a pose that rest, and a reference between them."""
    builder, link = um.SystemBuilder("row"), um.Inertia(1.0, (0.1, 0.2, 0.3), np.diag([0.3, 0.3, 0.2]))
    joints = {
        "a": um.Revolute((0, 1, 0)),
        "b": um.Spherical(),
        "c": um.Revolute((1, 0, 0)),
        "d": um.Prismatic((0, 0, 1)),
    }
    parent = "world"
    for name, joint in joints.items():
        add = builder.vehicle if parent == "world" else partial(builder.link, parent=parent)
        add(name, joint=joint, inertia=link, at=um.Pose(xyz=(0.1, 0.0, 0.5)))
        parent = name
    plant, rest = um.Plant(builder.build()), um.Pose(rpy=(0.2, -0.3, 0.4))
    targets = {"a": 0.3, "b": rest, "c": um.Sine(0.4, 2.0), "d": -0.2}
    law = um.ComputedTorque(plant, targets, 3.0, 2.0)
    rng, t = np.random.default_rng(1), 0.7
    q = plant.system.retract(plant.system.neutral(), 0.4 * rng.normal(size=plant.nv))
    off = law.errors("log", t, q, rng.normal(size=plant.nv), law.stiffness)
    wanted = plant.system.pack({"a": 0.3, "b": rest.matrix, "c": 0.4 * np.sin(np.pi * t), "d": -0.2})
    assert np.abs(off.pull - plant.system.local(q, wanted)).max() < 1e-12


def test_the_simple_form_is_linear_near_the_reference_only():
    plant = plant_of()
    q, v = start_near(plant, 0.7, 0.5)
    off = um.ComputedTorque(plant, moving_targets(), K_P, K_D, linear=False)
    e = off.errors("log", 0.7, q, v, off.stiffness)
    a = plant.forward_dynamics(0.7, q, v, off(0.7, q, v))
    assert (
        np.abs(e.acceleration - a + K_D * (e.velocity - v) + K_P * e.pull).max() < 1e-11
    )  # ν̃̇ = −K_D ν̃ − K_P e
    assert (
        np.abs(off(0.7, q, v) - um.ComputedTorque(plant, moving_targets(), K_P, K_D)(0.7, q, v)).max() > 0.1
    )


@pytest.mark.parametrize("wet", [False, True])
def test_the_sliding_energy_falls_by_the_damping_alone(wet):
    plant = plant_of(wet)
    law = um.PassivityTracking(plant, moving_targets(), DAMPING, rate=[0.8, 1.2, 2.0])
    q, v = off_state(plant.system)

    def energy(t, q, v):
        s = law.sliding(t, q, v)[1]
        return 0.5 * s @ (plant.mass_matrix(q) @ s)

    s = law.sliding(1.3, q, v)[1]
    lost = s @ (DAMPING * s)
    assert abs(rate_along_motion(plant, energy, law, 1.3, q, v) + lost) < 1e-10 * lost


def test_errors_shrink_at_the_rate_where_the_sliding_variable_is_zero():
    """On s = 0 it stays there, ṡ = 0, and ė = −rate e: so e(t) = e(0) exp(−rate t); with a ball joint, exactly."""
    plant = plant_of()
    law = um.PassivityTracking(plant, moving_targets(), DAMPING, rate=[0.8, 1.2, 2.0])
    q, v = start_near(plant, 0.7, 0.5)
    v = v + law.sliding(0.7, q, v)[1]  # ν = ν_R
    s_dot = rate_along_motion(plant, lambda t, q, v: law.sliding(t, q, v)[1], law, 0.7, q, v)
    e_dot = rate_along_motion(
        plant, lambda t, q, v: law.errors("log", t, q, v, np.ones(10)).pull, law, 0.7, q, v
    )
    assert np.abs(s_dot).max() < 1e-10
    assert (
        np.abs(
            e_dot + np.repeat([0.8, 1.2, 2.0], [6, 3, 1]) * law.errors("log", 0.7, q, v, np.ones(10)).pull
        ).max()
        < 1e-12
    )


@pytest.mark.parametrize("wet", [False, True])
def test_the_regressor_of_a_reference_is_linear_in_all_numbers(wet):
    plant = plant_of(wet)
    q, v = off_state(plant.system)
    s, a = np.random.default_rng(3).normal(size=(2, plant.nv))
    law = um.PassivityTracking(plant, moving_targets(), DAMPING)
    Y = reference_regressor(plant, 0.0, q, v, s, a, plant.nominal_parameters)
    found = plant.regressor(0.0, q, v, a)
    assert np.abs(Y @ found.values + found.rest - law.forces_for(0.0, q, v, a, s)).max() < 1e-10
    assert np.abs(Y - found.matrix).max() > 0.1


@pytest.mark.parametrize("wet", [False, True])
def test_the_energy_with_what_is_not_known_falls_by_the_damping_alone(wet):
    """ϑ of the plant is true, ϑ̂ is wrong by half; exactly, at a random state."""
    plant = plant_of(wet)
    adapted = ["bus.m", "ball.*", "arm.*", *(["bus.linear_drag.*", "bus.added_mass.*"] if wet else [])]
    law = um.AdaptiveTracking(plant, moving_targets(), DAMPING, rate=1.5, adapted=adapted, adaptation=2.0)
    q, v = off_state(plant.system)
    n, nv = len(law.adapted), plant.nv
    ϑ = law.known * (1 + 0.5 * np.random.default_rng(1).uniform(-1, 1, n)) + 0.1
    u, new = law(Seen(1.3, q, v, period=1.0), {"parameters": ϑ})
    a = plant.forward_dynamics(1.3, q, v, u)

    def energy(t, dq, v, ϑ):
        at = plant.system.retract(q, dq)
        s = law.sliding(t[0], at, v)[1]
        return np.asarray(
            0.5 * s @ (plant.mass_matrix(at) @ s) + ((ϑ - law.known) ** 2 / law.adaptation).sum() / 2
        )

    traced = trace(energy, (1,), (nv,), (nv,), (n,))
    rate = evaluate(jvp(traced), np.array([1.3]), np.zeros(nv), v, ϑ, np.ones(1), v, a, new["parameters"] - ϑ)
    s = law.sliding(1.3, q, v)[1]
    lost = s @ (DAMPING * s)
    assert abs(rate + lost) < 1e-10 * lost


@pytest.mark.long
def test_a_wrong_payload_is_adapted_to_at_100_hz():
    """The last link has twice the mass that the law knows: the error that it leaves falls several times."""
    system = plant_of().system
    plant = um.Plant(system, um.Earth(), free=["arm.mass"])
    targets = {"bus": np.eye(4), "ball": um.Sine([0.4, 0.3, 0.2], [3.0, 4.0, 5.0]), "arm": um.Sine(0.7, 3.0)}
    joints = [targets[name].motion(np.asarray(0.0), system.tree.link(name).joint) for name in ("ball", "arm")]
    q = np.concatenate([system.neutral()[:12], joints[0].configuration, joints[1].configuration])
    v = np.concatenate([np.zeros(6), joints[0].velocity, joints[1].velocity])
    off = {}
    for Γ in (0.0, 3.0):
        law = um.AdaptiveTracking(plant, targets, DAMPING, rate=2.0, adapted=["arm.m*"], adaptation=Γ)
        run = um.simulate(
            plant, q, v, duration=12.0, step=0.01, control_step=0.01, controller=law, parameters={"arm.mass": 4.0},
            record_every=10,
        )  # fmt: skip
        assert run.provenance["controller_in"] == "kernel"
        late = run.t > 9.0
        off[Γ] = max(
            np.abs(law.errors("log", t, q, v, np.ones(10)).pull).max()
            for t, q, v in zip(run.t[late], run.q[late], run.v[late], strict=True)
        )
    assert off[3.0] < 0.3 * off[0.0]


def test_refusals():
    plant = plant_of()
    with pytest.raises(um.ModelError, match="rate: expected > 0"):
        um.PassivityTracking(plant, moving_targets(), DAMPING, rate=0.0)
    with pytest.raises(um.ModelError, match="adapted"):
        um.AdaptiveTracking(plant, moving_targets(), DAMPING, adapted=())
    with pytest.raises(um.ModelError, match="unknown adapted number"):
        um.AdaptiveTracking(plant, moving_targets(), DAMPING, adapted=["elbow.m"])
    with pytest.raises(um.ModelError, match="exactly the joints"):
        um.ComputedTorque(plant, {"bus": np.eye(4)}, 1.0, 1.0)
