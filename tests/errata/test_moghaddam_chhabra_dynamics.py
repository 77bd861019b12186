"""Moghaddam & Chhabra, the Lagrange–Poincaré equations: printed against ours (docs/errata.md)."""

import numpy as np
from tests.errata.chains import (
    assert_erratum,
    blocks,
    derivative,
    error,
    moving_chain,
    newton_euler_acceleration,
    refuses,
)

from unmoored.dynamics.closed_form.coriolis import mass_matrix_rate
from unmoored.dynamics.configuration import retract
from unmoored.dynamics.gravity import gravity_forces
from unmoored.dynamics.lagrange_poincare.connection import locked_inertia
from unmoored.dynamics.lagrange_poincare.reduced_motion import reduced_forward_dynamics, reduced_state
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.wrenches import wrench_forces
from unmoored.lie import se3

VEHICLES = ("Free", "Planar")
TILTED = np.array([2.0, -3.0, -9.0])
NONE = np.zeros(3)


class Case:
    """One random state of a chain: blocks, momentum P, forces, and the terms of N̂."""

    def __init__(self, vehicle, seed=60, gravity=NONE, forced=False):
        self.tree, self.q, self.v = moving_chain(seed, vehicle)
        self.b = b = blocks(self.tree, self.q)
        rng = np.random.default_rng(seed)
        self.tau = rng.normal(size=self.tree.nv) if forced else np.zeros(self.tree.nv)
        self.wrench = {"tool": rng.normal(size=6)} if forced else None
        self.gravity = gravity
        self.u, self.qd = self.v[: b.m], self.v[b.m :]
        self.P = (b.M @ self.v)[: b.m]
        self.joint = self.tree.links[0].joint
        self.ad = self.joint.group.ad(self.u)

    def ours(self):
        """(Ṗ, q̈) from the library."""
        y = reduced_state(self.tree, self.q, self.v, "b0")
        y_dot = reduced_forward_dynamics(self.tree, self.q, y, self.tau, self.gravity, self.wrench, "b0")
        return y_dot[: self.b.m], y_dot[self.b.m :]

    def true(self):
        """(Ṗ, q̈) by Newton-Euler for each body."""
        external = self.tau + self.applied() - gravity_forces(self.tree, self.q, self.gravity)
        a = newton_euler_acceleration(self.tree, self.q, self.v, external)
        P_dot = mass_matrix_rate(self.tree, self.q, self.v) @ self.v + mass_matrix(self.tree, self.q) @ a
        return P_dot[: self.b.m], a[self.b.m :]

    def applied(self):
        return wrench_forces(self.tree, self.q, self.wrench) if self.wrench else np.zeros(self.tree.nv)

    def inverse_derivatives(self):
        """∂(M₀⁻¹)/∂q_k (n, m, m)."""
        inverse = np.linalg.inv(self.b.M0)
        return -inverse @ self.b.dM0 @ inverse

    def momentum_terms(self, ad=None):
        """The four summands of N̂ as arrays (n,): 𝒜ᵀadᵀP, 𝒜̇ᵀP, [q̇ᵀ(∂𝒜)ᵀP], ½[Pᵀ∂(M₀⁻¹)P]."""
        b, P = self.b, self.P
        turning = b.A.T @ (self.ad if ad is None else ad).T @ P
        moving = np.tensordot(self.qd, b.dA, 1).T @ P
        swept = (b.dA @ self.qd) @ P
        return turning, moving, swept, 0.5 * np.einsum("i,kij,j->k", P, self.inverse_derivatives(), P)

    def joint_acceleration(self, N, force=0.0):
        """q̈ from M̂ q̈ + Ĉ q̇ + N = force."""
        b, qd = self.b, self.qd
        C = np.tensordot(qd, b.dM_hat, 1) - 0.5 * b.dM_hat @ qd
        return np.linalg.solve(b.M_hat, force - C @ qd - N)


def test_L5():
    """Forces accelerate along themselves: −Ṗ + ad_Vᵀ P = −F."""
    for vehicle in VEHICLES:
        case = Case(vehicle, forced=True)
        F = (case.tau + case.applied())[: case.b.m]
        printed = case.ad.T @ case.P - F
        assert_erratum(printed, case.ours()[0], case.true()[0])


def test_L9():
    """No place for the missing bracket of (100) makes it right."""
    for vehicle in VEHICLES:
        case = Case(vehicle)
        turning, moving, swept, locked = case.momentum_terms()
        readings = (
            turning - moving + swept + locked,
            turning - (moving + swept) + locked,
            turning - (moving + swept + locked),
        )
        true = case.true()[1]
        for printed in readings:
            assert_erratum(case.joint_acceleration(printed), case.ours()[1], true)
        corrected = turning + moving - swept + locked
        assert error(case.joint_acceleration(corrected), true) < 1e-10


def test_L10():
    """∂k/∂q at fixed Ω: M₀ and its inverse change in opposite senses."""
    case = Case("Free")
    Ω = np.linalg.solve(case.b.M0, case.P)

    def energy(k):
        e = np.eye(case.tree.nv)[case.b.m + k]
        return lambda ε: 0.5 * Ω @ locked_inertia(case.tree, retract(case.tree, case.q, ε * e), "b0") @ Ω

    true = np.array([derivative(energy(k)) for k in range(case.b.n)])
    *_, locked = case.momentum_terms()
    assert_erratum(locked, -locked, true)


def test_L18():
    """A potential that breaks the symmetry pushes like any force: +𝒜ᵀf_u on the right side."""
    for vehicle in VEHICLES:
        case = Case(vehicle, gravity=TILTED)
        b = case.b
        turning, moving, swept, locked = case.momentum_terms()
        N = turning + moving - swept + locked
        gradient = gravity_forces(case.tree, case.q, TILTED)
        f_u, slope = gradient[: b.m], gradient[b.m :]
        printed = case.joint_acceleration(N, -slope - b.A.T @ f_u)
        corrected = case.joint_acceleration(N, -slope + b.A.T @ f_u)
        assert_erratum(printed, case.ours()[1], case.true()[1])
        assert error(corrected, case.true()[1]) < 1e-10


def test_L19():
    """(135) has every external effect reversed."""
    for vehicle in VEHICLES:
        case = Case(vehicle, gravity=TILTED, forced=True)
        m = case.b.m
        f_u = gravity_forces(case.tree, case.q, TILTED)[:m]
        printed = case.ad.T @ case.P - case.tau[:m] - case.applied()[:m] + f_u
        assert_erratum(printed, case.ours()[0], case.true()[0])


def test_L20():
    """ad of se(2) has −v_x in row 2, column 3; −v_z is zero there."""
    case = Case("Planar")
    ad = case.ad.copy()
    assert ad[1, 2] == -case.u[0]
    ad[1, 2] = 0.0
    turning, moving, swept, locked = case.momentum_terms(ad)
    P_dot, qdd = case.true()
    assert_erratum(ad.T @ case.P, case.ours()[0], P_dot)
    assert_erratum(case.joint_acceleration(turning + moving - swept + locked), case.ours()[1], qdd)


def test_L21():
    """δV = η̇ + ad_V η along h exp(ε η): the bracket is with η, not with η̇. (86) itself has it right."""
    rng = np.random.default_rng(61)
    ξ, V, η, η_dot = rng.normal(size=(4, 6))

    def h(t, ε):
        return se3.exp(ξ) @ se3.exp(t * V) @ se3.exp(ε * (η + t * η_dot))

    def velocity(ε):
        return se3.vee(se3.inverse(h(0.0, ε)) @ derivative(lambda t: h(t, ε)))

    true = derivative(velocity)
    assert_erratum(η_dot + se3.ad(V) @ η_dot, η_dot + se3.ad(V) @ η, true, right=1e-8)


def test_L22():
    """The force that (109) leaves for the joints is 𝒜ᵀF_η: 𝒜ᵀ acts on wrenches of the vehicle, not on F_m."""
    case = Case("Free", forced=True)
    F = case.tau + case.applied()
    F_η, F_m = F[: case.b.m], F[case.b.m :]
    assert refuses(lambda: case.b.A.T @ F_m)
    assert (case.b.A.T @ F_η).shape == F_m.shape
