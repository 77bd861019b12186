"""The energy of the error falls exactly as the law says; errors settle from everywhere; what survives a real loop."""

import numpy as np
import pytest
from tests.control.tracked_plants import (
    DAMPING,
    STIFFNESS,
    ball_arm,
    moving_targets,
    off_state,
    plant_of,
    rate_along_motion,
)

import unmoored as um
from unmoored.control import potentials
from unmoored.dynamics.recursive.reference_forces import reference_forces
from unmoored.lie import se3, so3


def energy_of(plant, law):
    def energy(t, q, v):
        off = law.errors(law.potential, t, q, v, law.stiffness)
        s = off.velocity - v
        return 0.5 * s @ (plant.mass_matrix(q) @ s) + off.energy

    return energy


def identity(plant, law, t, q, v):
    """(Ė + ν̃ᵀK_Dν̃, size of its terms)."""
    s = law.errors(law.potential, t, q, v, law.stiffness).velocity - v
    lost = s @ (law.damping * s)
    return rate_along_motion(plant, energy_of(plant, law), law, t, q, v) + lost, lost


@pytest.mark.parametrize("wet", [False, True])
@pytest.mark.parametrize("potential", ["matrix", "log"])
def test_the_energy_of_the_error_falls_by_the_damping_alone(wet, potential):
    """At random states far off turning references, with ball joint, distinct stiffnesses, weight, drag and current."""
    plant = plant_of(wet)
    law = um.Tracking(plant, moving_targets(), STIFFNESS, DAMPING, potential=potential)
    for seed in (1, 2):
        q, v = off_state(plant.system, seed)
        left, size = identity(plant, law, 1.3, q, v)
        assert abs(left) < 1e-10 * size


def test_every_term_of_the_law_is_needed(monkeypatch):
    plant = plant_of()
    q, v = off_state(plant.system)

    def off(potential="matrix"):
        left, size = identity(
            plant, um.Tracking(plant, moving_targets(), STIFFNESS, DAMPING, potential=potential), 1.3, q, v
        )
        return abs(left) / size

    assert off() < 1e-10
    with monkeypatch.context() as m:  # ν̇_r without −ad_ν ν_r
        m.setattr("unmoored.lie.subgroups.subgroup.Subgroup.bracket", lambda self, x, y: 0.0 * y)
        assert off() > 1e-3
    with monkeypatch.context() as m:  # K e in place of the gradient of the log potential
        real = potentials.log_potential
        m.setattr(
            potentials, "log_potential", lambda g, h, k, r: real(g, h, k, r)._replace(force=k * g.log(h))
        )
        assert off("log") > 1e-3
    with monkeypatch.context() as m:  # the moment of the pull on the origin
        m.setattr(potentials.so3, "cross", lambda a, b: 0.0 * b)
        assert off() > 1e-3
    with monkeypatch.context() as m:  # the arguments of C swapped
        m.setattr(
            "unmoored.control.tree_law.reference_forces",
            lambda tree, q, v, s, a: reference_forces(tree, q, s, v, a),
        )
        assert off() > 1e-3


def test_reference_forces_are_those_of_the_skew_coriolis_matrix():
    """M a + C w for any w: linear in w with the plant's own C v at w = v, and Ṁ − 2C skew."""
    system = ball_arm()
    q, v = off_state(system)
    a, w = np.random.default_rng(0).normal(size=(2, system.nv))
    tree = system.tree
    assert np.abs(reference_forces(tree, q, v, v, a) - system.inverse_dynamics(q, v, a)).max() < 1e-12
    C = np.stack([reference_forces(tree, q, v, e, np.zeros(system.nv)) for e in np.eye(system.nv)], axis=-1)
    M_dot = np.einsum("k,kij->ij", v, system.mass_matrix_derivatives(q))
    assert np.abs((M_dot - 2 * C) + (M_dot - 2 * C).T).max() < 1e-12
    assert np.abs(reference_forces(tree, q, v, w, a) - system.mass_matrix(q) @ a - C @ w).max() < 1e-12


def test_the_reference_is_followed_to_rounding_and_reached_from_elsewhere():
    plant = plant_of(wet=True)
    system, targets = plant.system, moving_targets()
    law = um.Tracking(plant, targets, STIFFNESS, DAMPING)
    start = [
        targets[name].motion(np.asarray(0.5), system.tree.link(name).joint) for name in ("bus", "ball", "arm")
    ]
    q, v = (np.concatenate([part[k] for part in start]) for k in (0, 1))
    on = um.simulate(plant, q, v, t0=0.5, duration=2.0, step=2e-3, controller=law, record_every=100)
    goal = targets["bus"].at(2.5).pose
    assert on.provenance["controller_in"] == "kernel"
    assert np.abs(system.pose(on.q[-1], "bus") - goal).max() < 1e-10  # of the integrator
    moved = system.retract(q, 0.5 * np.random.default_rng(0).normal(size=system.nv))
    far = um.simulate(plant, moved, v, t0=0.5, duration=20.0, step=5e-3, controller=law, record_every=1000)
    assert np.abs(system.pose(far.q[-1], "bus") - targets["bus"].poses[-1]).max() < 1e-6


def body():
    builder = um.SystemBuilder("body")
    builder.vehicle("body", um.Free(), inertia=um.Inertia(10.0, (0.02, 0, 0), (1.0, 1.4, 2.0)))
    return um.Plant(builder.build())


def settled(samples, seed=0, potential="matrix", duration=60.0):
    """Final distance from the target of random attitudes and rates, and the nearest that each was to a half turn."""
    plant = body()
    rng = np.random.default_rng(seed)
    rotations = np.linalg.qr(rng.normal(size=(samples, 3, 3)))[0]
    rotations *= np.linalg.det(rotations)[:, None, None]
    q = np.concatenate([rotations.reshape(samples, 9), rng.normal(size=(samples, 3))], axis=1)
    v = rng.normal(size=(samples, 6)) * [0.5, 0.5, 0.5, 2, 2, 2]
    law = um.Tracking(
        plant, {"body": np.eye(4)}, [20, 20, 20, 4, 5, 6], [15, 15, 15, 5, 6, 7], potential=potential
    )
    run = um.simulate(
        plant, q, v, duration=duration, step=0.02, controller=law, record_every=round(duration / 0.04)
    )
    return np.abs(run.q[:, -1] - plant.system.neutral()).max(axis=-1)


@pytest.mark.long
def test_random_attitudes_and_rates_settle():
    """A slice; 10,000 in tests/long."""
    off = settled(200)
    assert np.mean(off < 1e-6) == 1.0


def test_gains_vary_over_a_batch_and_numbers_take_batches():
    plant = body()
    K, D = np.array([[20.0, 20, 20, 4, 5, 6], [40.0, 40, 40, 8, 9, 10]]), np.array([[15.0] * 6, [9.0] * 6])
    q, v = plant.system.retract(plant.system.neutral(), 0.3 * np.arange(6.0)), 0.1 * np.ones(6)
    go = {"duration": 0.1, "step": 0.01}
    both = um.simulate(plant, q, v, controller=um.Tracking(plant, {"body": np.eye(4)}, K, D), **go)
    for i in range(2):
        law = um.Tracking(plant, {"body": np.eye(4)}, K[i], D[i])
        assert np.array_equal(both.q[i], um.simulate(plant, q, v, controller=law, **go).q)
    many = law(0.3, both.q[0], both.v[0])
    assert np.abs(many[4] - law(0.3, both.q[0, 4], both.v[0, 4])).max() < 1e-13


def test_the_matrix_potential_is_smooth_at_half_a_turn_and_the_log_jumps():
    plant = body()
    axis = np.array([0.6, -0.48, 0.64])

    def moment(potential, angle):
        law = um.Tracking(plant, {"body": np.eye(4)}, [20, 20, 20, 4, 5, 6], 10.0, potential=potential)
        q = np.concatenate([so3.exp(angle * axis).ravel(), np.zeros(3)])
        return law(0.0, q, np.zeros(6))[3:]

    ε = 1e-6
    for potential, jump in (("matrix", 1e-4), ("log", None)):
        before, after = moment(potential, np.pi - ε), moment(potential, np.pi + ε)
        difference = np.linalg.norm(before - after)
        assert difference < jump if jump else difference > 1.9 * np.linalg.norm(before) > 10


def test_vehicles_follow_frames_and_prescribed_joints_are_fed_forward():
    """An arm that is moved shakes its vehicle not at all: what it takes is known."""
    system = ball_arm()
    plant = um.Plant(system, prescribed={"ball": moving_targets()["ball"], "arm": um.Sine(0.7, 1.0)})
    law = um.Tracking(plant, {"bus": um.Pose(xyz=(1, 0, 0))}, STIFFNESS[:6], DAMPING[:6])
    q = plant.configuration(0.0, system.pack({"bus": um.Pose(xyz=(1, 0, 0)).matrix}))
    v = plant.full_velocity(0.0, q, np.zeros(plant.nw))
    run = um.simulate(plant, q, v, duration=2.0, step=5e-3, controller=law, record_every=100)
    assert np.abs(run.q[-1, :12] - q[:12]).max() < 1e-9
    with pytest.raises(
        um.ModelError, match="exactly the joints that move, neither prescribed nor passive: bus"
    ):
        um.Tracking(plant, {"bus": np.eye(4), "arm": 0.0}, 1.0, 1.0)
    with pytest.raises(um.ModelError, match="below the sum of the other two"):
        um.Tracking(plant, {"bus": np.eye(4)}, [1, 1, 1, 1, 1, 2], 1.0)
    with pytest.raises(um.ModelError, match="potential"):
        um.Tracking(plant, {"bus": np.eye(4)}, 1.0, 1.0, potential="euler")
    with pytest.raises(um.ModelError, match="a frame of another vehicle"):
        um.Tracking(plant, {"bus": um.FollowedFrame("arm")}, 1.0, 1.0)


POSED = [g.conjugated(se3.exp(0.4 * np.arange(6.0))) for g in um.lie.CATALOGUE if g.dim > 1]


@pytest.mark.parametrize("kind", ["matrix", "log"])
@pytest.mark.parametrize("group", POSED, ids=lambda group: group.name)
@pytest.mark.whole
def test_forces_are_gradients_on_every_group(group, kind):
    """Φ̇ = fᵀν̃ and the pull's rate, where ġ_e = hat(ν̃) g_e; differentiated exactly."""
    from unmoored.trace import evaluate, jvp, trace

    rng = np.random.default_rng(4)
    g_e, k = group.exp(0.7 * rng.normal(size=group.dim)), 2.0 + 0.3 * rng.random(group.dim)
    potential = potentials.matrix_potential if kind == "matrix" else potentials.log_potential
    rate = rng.normal(size=group.dim)
    found = potential(group, g_e, k, rate)
    for name, expected in (("energy", found.force @ rate), ("pull", found.pull_rate)):
        traced = trace(
            lambda x, name=name: np.asarray(getattr(potential(group, group.exp(x) @ g_e, k, rate), name)),
            (group.dim,),
        )
        slope = evaluate(jvp(traced), np.zeros(group.dim), rate)
        assert np.abs(slope - expected).max() < 1e-11
    assert found.force @ found.pull > 0


class TestThingsThatTheLawLeavesAlone:
    """A law for a vehicle beside a valve gives what it gives without the valve, and nothing along the valve's joint."""

    @staticmethod
    def systems():
        b = um.SystemBuilder("hull")
        hull = b.vehicle("hull", um.Free(), inertia=um.Inertia.box(8.0, (0.5, 0.4, 0.3)))
        b.link(
            "arm",
            parent=hull,
            joint=um.Revolute((0, 1, 0)),
            inertia=um.Inertia(1.0, (0.2, 0, 0), 0.01 * np.eye(3)),
        )
        alone = b.build()
        b.link(
            "handle",
            parent="world",
            joint=um.Revolute((1, 0, 0)),
            inertia=um.Inertia.box(0.8, (0.1, 0.2, 0.1)),
        )
        return alone, b.build()

    @pytest.mark.parametrize("law", [um.Tracking, um.ComputedTorque, um.PassivityTracking])
    def test_the_forces_are_those_without_it(self, law):
        targets = {"hull": um.Pose(xyz=(0.3, 0, 0), rpy=(0.1, 0.2, 0.3)), "arm": 0.4}
        gains = {"damping": 3.0} | ({"rate": 1.0} if law is um.PassivityTracking else {"stiffness": 5.0})
        alone, both = (um.Plant(system, um.Earth()) for system in self.systems())
        rng = np.random.default_rng(4)
        q, v = both.system.random_configuration(rng), rng.normal(size=8)
        given = law(both, targets, passive=["handle"], **gains)(0.0, q, v)
        np.testing.assert_allclose(given[:7], law(alone, targets, **gains)(0.0, q[:13], v[:7]), atol=1e-12)
        assert given[7] == 0.0

    def test_what_the_law_carries_cannot_be_left_alone(self):
        _, both = (um.Plant(system) for system in self.systems())
        with pytest.raises(um.ModelError, match="neither prescribed nor passive: hull, arm, handle"):
            um.Tracking(both, {"hull": um.Pose(), "arm": 0.0}, stiffness=1.0, damping=1.0)
        with pytest.raises(um.ModelError, match="joints of things that no driven joint carries"):
            um.Tracking(both, {"hull": um.Pose(), "handle": 0.0}, passive=["arm"], stiffness=1.0, damping=1.0)
        with pytest.raises(um.ModelError, match="a list of joints"):
            um.Tracking(both, {"hull": um.Pose(), "arm": 0.0}, passive="handle", stiffness=1.0, damping=1.0)
