"""Steps, rollouts and steppers of plants whose joints follow others, and their derivatives by differences."""

import numpy as np
import pytest
from tests.support.thinning import one_in

import unmoored as um

H = 0.01


def linked():
    """A sliding base with an arm of two joints, of which one follows, and a rack that follows the follower."""
    b = um.SystemBuilder("linked")
    body = um.Inertia(2.0, (0.1, 0.05, 0.0), np.diag([0.2, 0.3, 0.25]))
    base = b.vehicle("base", um.Planar(), inertia=um.Inertia.box(mass=5.0, size=(1, 1, 1)))
    upper = b.link("upper", parent=base, joint=um.Revolute(axis=(0, 0, 1), stiffness=3.0), inertia=body)
    at = um.Pose(xyz=(0.4, 0, 0))
    b.link("lower", parent=upper, joint=um.Revolute(axis=(0, 0, 1), damping=0.4), at=at, inertia=body)
    b.link("rack", parent=base, joint=um.Prismatic(axis=(1, 0, 0)), inertia=body)
    b.mimic("lower", "upper", -1.6, 0.2)
    b.mimic("rack", "lower", 0.3, -0.1)
    return b.build()


PLANT = um.Plant(linked(), um.Space(), free=["lower.mimic.multiplier", "lower.mimic.offset", "upper.mass"])


#: without a free mass, which the variational method does not know
KEPT = um.Plant(linked(), um.Space(), free=["lower.mimic.multiplier", "lower.mimic.offset"])


def start(seed=0, p=None, plant=None):
    rng = np.random.default_rng(seed)
    plant = PLANT if plant is None else plant
    p = plant.nominal_parameters if p is None else p
    q = np.asarray(plant.configuration(0.0, plant.system.random_configuration(rng), p), dtype=float)
    v = np.asarray(plant.full_velocity(0.0, q, rng.normal(size=plant.nw), p), dtype=float)
    return q, v, rng.normal(size=plant.nu)


@pytest.mark.parametrize("method", one_in(2, ["lie_midpoint", "heun", "variational"], first=1))
def test_a_step_is_that_of_simulate_and_its_derivatives_are_differences(method):
    plant = KEPT if method == "variational" else PLANT
    q, v, u = start(plant=plant)
    law = um.Inputs(plant, u)
    run = um.simulate(plant, q, v, duration=3 * H, step=H, method=method, controller=law, control_step=3 * H)
    after = plant.step(0.0, q, v, u, H, method=method, steps=3)
    assert np.abs(after.q - run.q[-1]).max() < 1e-14
    assert np.abs(after.v - run.v[-1]).max() < 1e-14
    p, system, nv, nw = plant.nominal_parameters, plant.system, plant.nv, plant.nw
    w = plant.independent_velocity(q, v)
    for steps in (1, 3):
        D = plant.step_derivatives(0.0, q, v, u, H, method=method, steps=steps)
        J = np.concatenate([D.state, D.input, D.parameter], axis=1)
        ends = plant.step(0.0, q, v, u, H, method=method, steps=steps)

        def moved(z, steps=steps, ends=ends):
            δq, δw, δu, δp = np.split(z, np.cumsum([nv, nw, plant.nu]))
            q_, p_ = system.retract(q, δq), p + δp
            v_ = plant.full_velocity(0.0, q_, w + δw, p_)
            found = plant.step(0.0, q_, v_, u + δu, H, method=method, p=p_, steps=steps)
            return np.concatenate(
                [system.local(ends.q, found.q), plant.independent_velocity(found.q, found.v)]
            )

        ε = 1e-5
        differences = [(moved(ε * e) - moved(-ε * e)) / (2 * ε) for e in np.eye(J.shape[1])]
        assert np.abs(J - np.stack(differences, axis=1)).max() < 1e-8 * max(1.0, np.abs(J).max())
        lower = plant.tree.link("lower").v.start
        assert not J[:, lower].any()  # where a follower is said to be does not count


@pytest.mark.parametrize("method", one_in(2, ["rkmk4", "variational"]))
def test_rollouts_of_coupled_joints_have_the_gradient_of_differences(method):
    plant = KEPT if method == "variational" else PLANT
    q, v, _ = start(1, plant=plant)
    rng = np.random.default_rng(2)
    rollout = um.Rollout(plant, steps=4, step=H, method=method)
    u, p = rng.normal(size=(4, plant.nu)), plant.nominal_parameters
    q_found, _ = rollout(q, v, u, p)
    system = plant.system
    lower, upper = (plant.tree.link(name).q.start for name in ("lower", "upper"))
    assert np.abs(q_found[:, lower] + 1.6 * q_found[:, upper] - 0.2).max() < 1e-14
    dq, dv = rng.normal(size=(5, plant.nv)), rng.normal(size=(5, plant.nv))
    g = rollout.vjp(q, v, u, p, dq, dv)

    def cost(q_, v_, u_, p_):
        qs, vs = rollout(q_, v_, u_, p_)
        return (dq * system.local(q_found, qs)).sum() + (dv * vs).sum()

    ε = 1e-6
    for k in range(u.size):
        e = np.eye(u.size)[k].reshape(u.shape)
        slope = (cost(q, v, u + ε * e, p) - cost(q, v, u - ε * e, p)) / (2 * ε)
        assert g.u.reshape(-1)[k] == pytest.approx(slope, abs=2e-7)
    leaders = [plant.tree.link(name).v.start for name in ("base", "upper")]
    for k in leaders:
        e = np.eye(plant.nv)[k]

        def at(s, e=e):
            q_ = np.asarray(plant.configuration(0.0, system.retract(q, s * e)), dtype=float)
            return cost(q_, v, u, p)

        assert g.q0[k] == pytest.approx((at(ε) - at(-ε)) / (2 * ε), abs=1e-6)

    def with_p(s, e):
        p_ = p + s * e
        q_ = np.asarray(plant.configuration(0.0, q, p_), dtype=float)
        return cost(
            q_, np.asarray(plant.full_velocity(0.0, q_, plant.independent_velocity(q_, v), p_)), u, p_
        )

    for k, e in enumerate(np.eye(len(p))):
        assert g.p[k] == pytest.approx((with_p(ε, e) - with_p(-ε, e)) / (2 * ε), abs=1e-6)


def test_a_stepper_keeps_couplings():
    q, v, u = start(3)
    stepper = um.Stepper(PLANT, samples=2, step=H, control_step=2 * H)
    assert np.abs(stepper.state.q[:, PLANT.tree.link("lower").q.start] - 0.2).max() == 0.0  # neutral, placed
    with pytest.raises(um.ModelError, match="where upper puts it"):
        stepper.reset(q=PLANT.system.neutral())
    stepper.reset(q=q, v=v)
    state = stepper.step(np.stack([u, 0 * u]))
    expected = PLANT.step(0.0, q, v, u, H, steps=2)
    assert np.abs(state.q[0] - expected.q).max() < 1e-13
    assert np.abs(state.v[0] - expected.v).max() < 1e-13
