"""Joints that follow others in a plant, its equations: against Lagrange multipliers and Pinocchio."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from tests.support.random_trees import random_tree
from tests.worlds.coupled_systems import (
    COUPLINGS,
    FOLLOWERS,
    SLOW,
    constraint,
    coupled_tree,
    random_kept_state,
    without,
)

import unmoored as um
from unmoored.model import Mimic, ModelError
from unmoored.model.files import format_urdf


@pytest.mark.parametrize("seed", range(5))
def test_motion_is_that_of_lagrange_multipliers(seed):
    """M a + h = u + Aᵀλ, A a = 0, solved densely with the matrices of the same plant without couplings."""
    system = um.System(coupled_tree(seed))
    plant, free = um.Plant(system, um.Earth()), um.Plant(without(system), um.Earth())
    q, v, u = random_kept_state(plant, seed)
    A, M = constraint(plant.tree), free.mass_matrix(q, **SLOW)
    assert np.abs(A @ v).max() < 1e-14
    h = free.inverse_dynamics(0.0, q, v, np.zeros(plant.nv), **SLOW)
    n, m = plant.nv, len(A)
    left = np.block([[M, -A.T], [A, np.zeros((m, m))]])
    a, λ = np.split(np.linalg.solve(left, np.concatenate([u - h, np.zeros(m)])), [n])
    for backend in ("cpu", "numpy")[seed > 0 :]:
        found = plant.forward_dynamics(0.0, q, v, u, backend=backend)
        assert np.abs(found - a).max() <= 1e-12 * np.abs(a).max()
        reaction = plant.reactions(0.0, q, v, u, backend=backend)
        assert np.abs(reaction - A.T @ λ).max() <= 1e-12 * np.abs(h).max()
    # only the independent part counts, of q too
    off_q, off_v = q.copy(), v.copy()
    for name in FOLLOWERS:
        off_q[plant.tree.link(name).q] += 0.7
        off_v[plant.tree.link(name).v] -= 3.0
    same = plant.forward_dynamics(0.0, off_q, off_v, u, **SLOW)
    assert np.array_equal(same, plant.forward_dynamics(0.0, q, v, u, **SLOW))
    placed = plant.configuration(0.0, off_q, **SLOW)
    assert np.array_equal(placed[plant.tree.link("b4").q], q[plant.tree.link("b4").q])
    # forces by the chain rule: those that the acceleration takes are at the leaders
    tau = plant.inverse_dynamics(0.0, q, v, a, **SLOW)
    assert all(tau[plant.tree.link(name).v] == 0.0 for name in FOLLOWERS)
    assert np.abs(plant.forward_dynamics(0.0, q, v, tau, **SLOW) - a).max() <= 1e-11 * np.abs(a).max()
    kept = np.linalg.svd(A)[2][m:]  # directions along which the plant can move
    assert np.abs(kept @ (tau - u)).max() <= 1e-12 * np.abs(h).max()


@pytest.mark.parametrize("seed", range(2))
def test_matrices_energy_and_regressor_are_those_of_the_independent_velocities(seed):
    tree = coupled_tree(seed)
    rng = np.random.default_rng(seed)
    fluid = um.Fluid(
        added_mass=rng.uniform(1, 3, 6), linear_drag=rng.uniform(1, 3, 6), quadratic_drag=rng.uniform(1, 3, 6),
        volume=0.002, centre_of_buoyancy=(0.01, 0.02, 0.0),
    )  # fmt: skip
    tree = replace(tree, bodies=tuple(replace(body, fluid=fluid) for body in tree.bodies))
    system = um.System(tree)
    world = um.Ocean(current=(0.3, -0.2, 0.1))
    plant, free = um.Plant(system, world), um.Plant(without(system), world)
    q, v, a = random_kept_state(plant, seed)
    a = plant.velocities.joints.velocity(a)
    P = np.linalg.svd(constraint(plant.tree))[2][len(COUPLINGS) :].T
    pairs = {
        "M": (plant.mass_matrix(q, **SLOW), free.mass_matrix(q, **SLOW)),
        "C": (plant.coriolis_matrix(q, v, **SLOW), free.coriolis_matrix(q, v, **SLOW)),
        "D": (plant.damping_matrix(0.0, q, v, **SLOW), free.damping_matrix(0.0, q, v, **SLOW)),
    }
    for ours, theirs in pairs.values():
        assert np.abs(P.T @ (ours - theirs) @ P).max() <= 1e-12 * np.abs(theirs).max()
        for name in FOLLOWERS:
            assert not ours[tree.link(name).v].any()
    n, current = plant.restoring_forces(0.0, q, **SLOW), plant.current_forces(0.0, q, v, **SLOW)
    total = pairs["M"][0] @ a + (pairs["C"][0] + pairs["D"][0]) @ v + n + current
    expected = plant.inverse_dynamics(0.0, q, v, a, **SLOW)
    assert np.abs(total - expected).max() <= 1e-12 * np.abs(expected).max()
    assert (
        np.abs(P.T @ (free.inverse_dynamics(0.0, q, v, a, **SLOW) - expected)).max()
        <= 1e-12 * np.abs(expected).max()
    )
    Y = plant.regressor_matrix(0.0, q, v, a, **SLOW)
    theirs = free.regressor_matrix(0.0, q, v, a, **SLOW)
    assert np.abs(P.T @ (Y - theirs)).max() <= 1e-12 * np.abs(theirs).max()
    assert np.allclose(
        plant.energy(0.0, q, v, **SLOW).total, free.energy(0.0, q, v, **SLOW).total, rtol=1e-13
    )
    assert 0.5 * v @ pairs["M"][0] @ v == pytest.approx(plant.energy(0.0, q, v, **SLOW).kinetic, rel=1e-12)
    assert np.allclose(
        plant.momentum(0.0, q, v, **SLOW), free.momentum(0.0, q, v, **SLOW), rtol=1e-12, atol=1e-12
    )
    rate = plant.power(0.0, q, v, v, **SLOW).total
    moved = system.retract(q, 1e-6 * v), system.retract(q, -1e-6 * v)
    acc = plant.forward_dynamics(0.0, q, v, v, **SLOW)
    E = [plant.energy(0.0, g, v + s * 1e-6 * acc, **SLOW).total for g, s in zip(moved, (1, -1), strict=True)]
    assert (E[0] - E[1]) / 2e-6 == pytest.approx(rate, rel=1e-5)


@pytest.mark.long
def test_hybrid_dynamics_and_jacobians_keep_couplings():
    plant = um.Plant(um.System(coupled_tree(4)), um.Earth())
    q, v, _ = random_kept_state(plant, 4)
    rng = np.random.default_rng(4)
    wanted = plant.velocities.joints.velocity(rng.normal(size=plant.nv))
    tau_given = rng.normal(size=plant.nv)
    for passive in (["b0"], ["b0", "b1"], ["b5", "b2"]):
        a, tau = plant.hybrid_dynamics(0.0, q, v, tau=tau_given, acceleration=wanted, passive=passive, **SLOW)
        is_passive = np.isin(np.arange(plant.nv), plant.tree.dofs(passive))
        led = np.isin(np.arange(plant.nv), plant.tree.dofs(list(FOLLOWERS)))
        assert np.abs(constraint(plant.tree) @ a).max() < 1e-12
        assert np.abs(a - wanted)[~is_passive & ~led].max() < 1e-12
        assert np.abs(tau - tau_given)[is_passive & ~led].max() < 1e-11
        assert np.abs(plant.inverse_dynamics(0.0, q, v, a, **SLOW) - tau).max() < 1e-11 * np.abs(tau).max()
    kernel = plant.hybrid_dynamics(0.0, q, v, tau=tau_given, acceleration=wanted, passive=passive)
    assert np.abs(kernel[0] - a).max() < 1e-11
    # the generalized Jacobian: accelerations of the frame at rest, without weight
    drifting = um.Plant(plant.system, joints=um.JointEffects(springs=False))
    still, z = np.zeros(plant.nv), np.zeros(plant.nv)
    active = np.setdiff1d(np.arange(plant.nv), plant.tree.dofs("b0"))
    a, _ = drifting.hybrid_dynamics(0.0, q, still, tau=z, acceleration=wanted, passive=["b0"], **SLOW)
    J_D = drifting.disturbance_jacobian(q, passive=["b0"], **SLOW)
    assert np.abs(J_D @ wanted[active] - a[:6]).max() < 1e-11
    J_G = drifting.generalized_jacobian(q, "tool", passive=["b0"])
    expected = plant.system.acceleration(q, still, a, "tool", **SLOW)
    assert np.abs(J_G @ wanted[active] - expected).max() < 1e-11
    assert not J_G[:, plant.tree.dofs("b3") - 6].any()
    for passive in (["b0", "b3"], ["b0", "b1"]):
        with pytest.raises(ModelError, match="follows the other"):
            drifting.generalized_jacobian(q, "tool", passive=passive)


def test_what_has_no_form_for_couplings_is_refused():
    plant = um.Plant(um.System(coupled_tree(0)))
    q, v, _ = random_kept_state(plant, 0)
    with pytest.raises(ModelError, match=r"operational_space.*b3 follows b1"):
        plant.operational_space(0.0, q, v, "tool")
    with pytest.raises(ModelError, match=r"lagrange_poincare.*b3 follows b1"):
        plant.lagrange_poincare(q, v)
    with pytest.raises(ModelError, match="b1 leads it"):
        um.Plant(plant.system, prescribed={"b3": lambda t: 0.1 * t})
    with pytest.raises(ModelError, match="'b1', which leads it"):
        plant.trim(q, free=["q.b3"], zero=["b1"])


def test_derivatives_and_the_linear_system_move_leader_and_follower_together():
    tree = random_tree(5, ("Planar", "Revolute", "Prismatic", "Revolute", "Revolute"))
    couplings = (Mimic("b3", "b1", -1.7, 0.3), Mimic("b4", "b3", 0.6, -0.2))
    plant = um.Plant(um.System(replace(tree, couplings=couplings)), um.Earth(), free=["b3.mimic.*"])
    rng = np.random.default_rng(5)
    q = np.asarray(plant.configuration(0.0, plant.system.random_configuration(rng)), dtype=float)
    v, u = plant.velocities.joints.velocity(rng.normal(size=plant.nv)), rng.normal(size=plant.nv)
    J = plant.forward_dynamics_derivatives(0.0, q, v, u)
    ε, p = 1e-5, plant.nominal_parameters

    def slope(move):
        return (move(ε) - move(-ε)) / (2 * ε)

    for k in range(plant.nv):
        e = np.eye(plant.nv)[k]
        by_q = slope(lambda s, e=e: plant.forward_dynamics(0.0, plant.system.retract(q, s * e), v, u, **SLOW))
        by_v = slope(lambda s, e=e: plant.forward_dynamics(0.0, q, v + s * e, u, **SLOW))
        assert np.abs(J.dq[:, k] - by_q).max() < 1e-7 * max(1.0, np.abs(J.dq).max())
        assert np.abs(J.dv[:, k] - by_v).max() < 1e-7 * max(1.0, np.abs(J.dv).max())
    for k, e in enumerate(np.eye(len(p))):
        by_p = slope(lambda s, e=e: plant.forward_dynamics(0.0, q, v, u, p=p + s * e, **SLOW))
        assert np.abs(J.dp[:, k] - by_p).max() < 1e-7 * max(1.0, np.abs(J.dp).max())
    n, leader, follower = plant.nv, plant.tree.link("b1").v.start, plant.tree.link("b4").v.start
    assert not J.dq[:, follower].any()
    assert np.abs(J.dq[follower] - 0.6 * -1.7 * J.dq[leader]).max() < 1e-12 * np.abs(J.dq).max()
    found = plant.linearize(0.0, q, v, u)
    row = plant.speed_names.index("b1")
    assert np.abs(found.A[n + row, :n] - J.dq[leader]).max() < 1e-9 * np.abs(J.dq).max()
    assert found.A[follower, n + row] == pytest.approx(0.6 * -1.7)


@pytest.mark.long
def test_free_multipliers_and_offsets_are_those_of_a_plant_built_so():
    system = um.System(coupled_tree(1))
    names = ["b3.mimic.multiplier", "b3.mimic.offset", "b6.mimic.multiplier"]
    plant = um.Plant(system, um.Earth(), free=names)
    q, v, u = random_kept_state(plant, 1)
    values = np.array([0.8, -0.5, -1.1])
    others = (Mimic("b3", "b1", 0.8, -0.5), COUPLINGS[1], Mimic("b6", "b2", -1.1, 0.1))
    built = um.Plant(um.System(replace(system.tree, couplings=others)), um.Earth())
    expected = built.forward_dynamics(0.0, q, v, u, **SLOW)
    found = plant.forward_dynamics(0.0, q, v, u, p=values, **SLOW)
    assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()
    assert plant.system_at(values).couplings == others
    # a run with a sample of each, in one kernel
    p = np.stack([plant.nominal_parameters, values])
    q0 = np.asarray(plant.configuration(0.0, np.stack([q, q]), p), dtype=float)
    w0 = plant.independent_velocity(q, v)
    v0 = np.asarray(plant.full_velocity(0.0, q0, np.stack([w0, w0]), p), dtype=float)
    given = {name: p[:, k] for k, name in enumerate(names)}
    both = um.simulate(plant, q0, v0, duration=0.05, step=1e-3, parameters=given)
    alone = um.simulate(built, q0[1], v0[1], duration=0.05, step=1e-3)
    assert np.abs(both.q[1] - alone.q).max() < 1e-12
    assert np.abs(both.sample(1).energy().total - alone.energy().total).max() < 1e-10
    with pytest.raises(ModelError, match="where b1 puts it"):
        um.simulate(plant, q, v, duration=0.01, parameters={"b3.mimic.offset": 0.31})


def test_constraints_prescribed_leaders_and_couplings_together():
    """Against multipliers: a row for each forbidden velocity, each prescribed joint and each coupling."""
    system = um.load("rover_arm6")
    arm = [name for name in system.names if system.tree.link(name).joint.nv == 1]
    drive = um.DifferentialDrive("rover")
    couplings = (
        Mimic(arm[2], arm[0], 0.7, 0.1),
        Mimic(arm[4], arm[1], -1.3, 0.2),
        Mimic(arm[5], arm[4], 2.0),
    )
    coupled = um.System(replace(system.tree, couplings=couplings))
    moved = {arm[1]: lambda t: 0.4 * np.sin(2 * t)}
    plant = um.Plant(coupled, um.Ground(), constraints=[drive], prescribed=moved)
    free = um.Plant(system, um.Ground())
    t, rng = 0.7, np.random.default_rng(7)
    w, u = rng.normal(size=plant.nw), rng.normal(size=plant.nv)
    q = np.asarray(plant.configuration(t, system.random_configuration(rng)), dtype=float)
    v = np.asarray(plant.full_velocity(t, q, w), dtype=float)
    dofs = [system.tree.link(name).v.start for name in arm]
    assert v[dofs[1]] == pytest.approx(0.8 * np.cos(1.4))
    assert v[dofs[5]] == pytest.approx(-2.6 * v[dofs[1]])
    assert v[dofs[2]] == pytest.approx(0.7 * v[dofs[0]])
    E = system.embedding(q, [drive])  # constant in the vehicle's axes: no rate
    forbidden = np.linalg.svd(E.T)[2][E.shape[1] :]
    rows = np.zeros((4, plant.nv))
    for row, (f, leader, k) in zip(rows, ((2, 0, 0.7), (4, 1, -1.3), (5, 4, 2.0)), strict=False):
        row[dofs[f]], row[dofs[leader]] = 1.0, -k
    rows[3, dofs[1]] = 1.0
    A = np.concatenate([forbidden, rows])
    given = np.zeros(len(A))
    given[-1] = -1.6 * np.sin(1.4)
    assert np.abs((A @ v)[:-1]).max() < 1e-13
    h = free.inverse_dynamics(t, q, v, np.zeros(plant.nv), **SLOW)
    left = np.block([[free.mass_matrix(q, **SLOW), -A.T], [A, np.zeros((len(A), len(A)))]])
    a = np.linalg.solve(left, np.concatenate([u - h, given]))[: plant.nv]
    found = plant.forward_dynamics(t, q, v, u, **SLOW)
    assert np.abs(found - a).max() <= 1e-11 * np.abs(a).max()
    with pytest.raises(ModelError, match="prescribed joint that fails"):
        um.Plant(coupled, um.Ground(), prescribed={arm[1]: um.UntilFailure(um.Motion(moved[arm[1]]), 1.0)})


@pytest.mark.filterwarnings("ignore::unmoored.ModelWarning")
@pytest.mark.parametrize("seed", range(3))
def test_pinocchio_agrees_on_mimic_joints(seed, tmp_path):
    """Its reduced mass matrix and inverse dynamics, from the same URDF."""
    kinds = ("Fixed", "Revolute", "Prismatic", "Revolute", "Revolute", "Prismatic")
    tree = random_tree(seed, kinds, branching=False)
    bodies = tuple(
        replace(body, joint=replace(body.joint, limits=(-9.0, 9.0))) if body.joint.nv else body
        for body in tree.bodies
    )
    couplings = (Mimic("b3", "b1", -1.7, 0.3), Mimic("b5", "b2", 0.4, 0.1))
    tree = replace(tree, bodies=bodies, couplings=couplings)
    path = tmp_path / "robot.urdf"
    path.write_text(format_urdf(tree), encoding="utf-8")
    plant = um.Plant(um.load(path, mimic="coupled"), um.Earth())
    model = pin.buildModelFromXML(path.read_text(encoding="utf-8"), mimic=True)
    model.gravity.linear = plant.gravity
    data = model.createData()
    assert model.nv == plant.nw == 3
    joints = {body.joint_name or body.name: body.name for body in plant.tree.bodies}
    leaders = [joints[name] for name in model.names if joints.get(name) in plant.speed_names]
    rng = np.random.default_rng(seed)
    x, s, b = rng.normal(size=(3, 3))
    q, v, a = (np.zeros(plant.nv) for _ in range(3))
    for k, name in enumerate(leaders):
        link = plant.tree.link(name)
        q[link.q], v[link.v], a[link.v] = x[k], s[k], b[k]
    q = plant.configuration(0.0, q)
    pick = [plant.tree.link(name).v.start for name in leaders]
    M = pin.crba(model, data, x)
    M = np.triu(M) + np.triu(M, 1).T
    found = plant.mass_matrix(q)[np.ix_(pick, pick)]
    assert np.abs(found - M).max() <= 1e-12 * np.abs(M).max()
    tau = plant.inverse_dynamics(0.0, q, v, a)[pick]
    expected = pin.rnea(model, data, x, s, b)
    assert np.abs(tau - expected).max() <= 1e-12 * np.abs(expected).max()
