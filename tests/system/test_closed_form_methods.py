"""The methods of `System` for the closed form, balances and properties: arguments checked, batches, names."""

import numpy as np
import pytest
from tests.support.random_trees import random_state, random_tree

from unmoored import System, load
from unmoored.model import ModelError

SYSTEM = System(random_tree(1, ["Free", "Revolute", "Universal"], armature=True))
TWO = System(random_tree(2, ["Free", "Planar", "Revolute"], vehicles=2))
Q, V, A = random_state(SYSTEM.tree, 0, (3,))


def test_equations_of_motion_from_their_parts():
    gravity, wrenches = (0.1, 0.2, -9.0), {"tool": np.arange(6.0)}
    M, C = SYSTEM.mass_matrix(Q), SYSTEM.coriolis_matrix(Q, V)
    n, f = SYSTEM.gravity_forces(Q, gravity=gravity), SYSTEM.wrench_forces(Q, wrenches)
    expected = ((M @ A[..., None]) + C @ V[..., None])[..., 0] + n - f
    τ = SYSTEM.inverse_dynamics(Q, V, A, gravity=gravity, wrenches=wrenches)
    assert np.abs(τ - expected).max() <= 1e-12 * np.abs(τ).max()
    M_dot = SYSTEM.mass_matrix_rate(Q, V)
    dM = SYSTEM.mass_matrix_derivatives(Q)
    assert np.abs(np.einsum("bkij,bk->bij", dM, V) - M_dot).max() <= 1e-13 * np.abs(M_dot).max()


def test_blocks_energies_momenta_and_reports_have_their_shapes():
    blocks = SYSTEM.block_form(Q, V, gravity=(0, 0, -9.81), form="papers")
    assert blocks.coupling_inertia.shape == (3, 6, SYSTEM.nv - 6)
    assert SYSTEM.energy(Q, V, gravity=(0, 0, -9.81)).potential.shape == (3,)
    assert np.array_equal(SYSTEM.energy(Q, V).potential, np.zeros(3))
    assert SYSTEM.momentum(Q, V, about="com").shape == (3, 6)
    assert SYSTEM.momentum_matrix(Q).shape == (3, 6, SYSTEM.nv)
    assert np.allclose(
        SYSTEM.momentum_in_frame(Q, V, "b0"), SYSTEM.generalized_momentum(Q, V)[:, :6], atol=1e-12
    )
    assert np.abs(SYSTEM.power_balance(Q, V, A)).max() <= 1e-11
    assert SYSTEM.skew_symmetry_defect(Q, V).max() <= 1e-13
    assert SYSTEM.inertia_bounds(Q).smallest > 0
    assert SYSTEM.conditioning(Q).shape == (3,)
    plain = np.linalg.cond(SYSTEM.mass_matrix(Q))
    assert np.allclose(SYSTEM.conditioning(Q, scaled=False), plain, rtol=1e-9, atol=0)
    assert SYSTEM.coupling(Q).disturbance.shape == (3, 6, SYSTEM.nv - 6)
    assert SYSTEM.dynamic_singularity(Q, "tool", passive=["b0"]).smallest.shape == (3,)
    t = np.arange(3.0)
    assert SYSTEM.energy_balance(t, Q, V, tau=A).residual.shape == (3,)
    assert SYSTEM.momentum_balance(t, Q, V, wrench=np.zeros((3, 6))).residual.shape == (3, 6)
    papers = SYSTEM.coriolis_matrix(Q, V, form="papers")
    assert np.allclose(SYSTEM.local_coriolis_matrix(Q, 0 * V, V, backend="numpy"), papers, atol=1e-12)
    assert np.array_equal(SYSTEM.local_velocity_map(np.zeros(SYSTEM.nv)), np.eye(SYSTEM.nv))


def test_the_momentum_of_a_free_floating_vehicle_may_be_given_in_place_of_its_velocity():
    free, rng = load("free_flyer_arm7"), np.random.default_rng(4)
    q = np.stack([free.random_configuration(rng) for _ in range(3)])
    v, tau = rng.normal(size=(2, 3, free.nv))
    other = np.concatenate([rng.normal(size=(3, 6)), v[:, 6:]], axis=1)
    expected = free.free_floating(q, v, tau, backend="numpy")
    found = free.free_floating(q, other, tau, momentum=free.momentum(q, v), backend="numpy")
    for name, x, y in zip(expected._fields, found, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-10 * np.abs(y).max(), err_msg=name)


def test_balances_are_of_at_least_two_samples_with_a_time_for_each():
    t = np.array([0.0, 0.5, 0.7])
    for balance in (SYSTEM.energy_balance, SYSTEM.momentum_balance):
        assert len(balance(t[:2], Q[:2], V[:2]).residual) == 2
        for motion in ((t[:1], Q[:1], V[:1]), (t, Q[:2], V), (t, Q, V[:2]), (t[:2], Q, V), (0.1, Q[0], V[0]),
                       (t[None], Q[None], V[None]), (t, Q[:, None], V[:, None])):  # fmt: skip
            with pytest.raises(ModelError, match="one time, q and v for each of at least two samples"):
                balance(*motion)
    with pytest.raises(ModelError, match=r"gravity: expected shape \(\.\.\., 3\)"):
        SYSTEM.energy_balance(t, Q, V, gravity=(0.0, 0.0))
    with pytest.raises(ModelError, match=r"wrench: expected shape \(\.\.\., 6\)"):
        SYSTEM.momentum_balance(t, Q, V, wrench=np.zeros((3, 3)))
    with pytest.raises(ModelError, match="tau: expected shape"):
        SYSTEM.energy_balance(t, Q, V, tau=np.zeros((3, 2)))


def test_nothing_is_damped_unless_it_is_asked_for():
    """The tool does exactly what it should; what is damped on request is something else."""
    wanted, rows = np.ones((3, 6)), (0, 1, 2)
    for plan in (SYSTEM.plan_task, SYSTEM.plan_least_disturbance):
        for damping, close in (({}, True), ({"damping": 0.1}, False)):
            a, _ = plan(Q, V, wanted, "tool", passive=["b0"], rows=rows, backend="numpy", **damping)
            found = SYSTEM.acceleration(Q, V, a, "tool", backend="numpy")[:, rows]
            assert np.allclose(found, 1.0, rtol=0, atol=1e-9) == close
    M, J = SYSTEM.mass_matrix(Q), SYSTEM.jacobian(Q, "tool")[:, rows]
    Λ = SYSTEM.operational_space(Q, V, "tool", rows=rows, backend="numpy").inertia
    assert np.allclose(Λ @ J @ np.linalg.solve(M, np.swapaxes(J, 1, 2)), np.eye(3), rtol=0, atol=1e-9)
    quiet = SYSTEM.reaction_null_space(Q, passive=["b0"], at_rest=["b0.wx", "b0.wy"], backend="numpy")
    assert np.abs(quiet.jacobian @ quiet.projector).max() <= 1e-12


def test_potential_of_gravity_by_name_and_by_function():
    def weight(q):
        return 9.81 * SYSTEM.mass * com_height(q)

    def com_height(q):
        from unmoored.dynamics.kinematics import centre_of_mass

        return centre_of_mass(SYSTEM.tree, q)[..., 2]

    n = SYSTEM.gravity_forces(Q, gravity=(0, 0, -9.81))
    assert np.abs(SYSTEM.potential_forces(Q, weight) - n).max() <= 1e-12 * np.abs(n).max()
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'gravity'"):
        SYSTEM.gravity_forces(Q)  # which gravity is never guessed


def test_bad_arguments_are_refused_with_their_names():
    with pytest.raises(ModelError, match=r"gravity: expected shape \(\.\.\., 3\), given shape \(2,\)"):
        SYSTEM.gravity_forces(Q, gravity=(0, 1))
    with pytest.raises(
        ModelError, match=r"wrench on 'tool': expected shape \(\.\.\., 6\), given shape \(3,\)"
    ):
        SYSTEM.wrench_forces(Q, {"tool": np.zeros(3)})
    with pytest.raises(ModelError, match=r"wrenches: expected \{frame: wrench"):
        SYSTEM.wrench_forces(Q, np.zeros(6))
    with pytest.raises(ModelError, match="unknown form"):
        SYSTEM.coriolis_matrix(Q, V, form="christoffel")
    q, v, _ = random_state(TWO.tree, 0)
    with pytest.raises(ModelError, match="expected one of b0, b1"):
        TWO.block_form(q, v)
    assert TWO.block_form(q, v, vehicle="b1").vehicle_inertia.shape == (3, 3)
