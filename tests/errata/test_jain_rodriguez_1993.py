"""Jain & Rodriguez 1993: what is printed fails, what this library has holds (docs/errata.md)."""

import numpy as np
import pytest
from tests.errata.chains import (
    RIGHT,
    WRONG,
    assert_erratum,
    derivative,
    error,
    moving_chain,
    newton_euler_acceleration,
    newton_euler_forces,
    refuses,
)
from tests.errata.spatial_operators import Operators, Passive, articulated, block, operators, shift

from unmoored.dynamics.comparisons.spatial_operators.operator_jacobians import (
    active_inertia,
    active_to_passive,
    passive_mass_matrix_inverse,
    projection,
)
from unmoored.dynamics.comparisons.spatial_operators.passive_arm import passive_arm
from unmoored.dynamics.configuration import retract
from unmoored.dynamics.jacobians import centre_of_mass_jacobian
from unmoored.dynamics.kinematics import body_poses
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.momentum import momentum, momentum_in_frame
from unmoored.dynamics.recursive import hybrid_dynamics, inverse_dynamics
from unmoored.lie import se3

WEIGHTLESS = np.zeros(3)
ARM = ("Revolute", "Prismatic", "Helical", "Revolute", "Prismatic")


def setting(vehicle="Free", passive=(0, 1, 2, 3, 4, 5, 7, 9)):
    """(tree, q, v, operators, articulated quantities, mask): rates passive by velocity index."""
    tree, q, v = moving_chain(40, vehicle, ARM)
    op = operators(tree, q, v)
    mask = np.isin(op.order, passive)
    return tree, q, v, op, articulated(op, mask), mask


def split_mass(op: Operators, ab: Passive):
    M = {}
    for i, left in (("p", ab.H_p), ("a", ab.H_a)):
        for j, right in (("p", ab.H_p), ("a", ab.H_a)):
            M[i + j] = left @ op.phi @ op.M @ op.phi.T @ right.T
    return M


def inverse_of_passive(ab: Passive) -> np.ndarray:
    """Lemma 4.3."""
    L = np.eye(len(ab.H_p)) - ab.H_p @ ab.psi @ ab.K
    return L.T @ np.linalg.inv(ab.D) @ L


def test_J1():
    """f(k) from f(k − 1): the vector goes from frame k to frame k − 1."""
    tree, q, v, op, _, _ = setting()
    β_dot = np.random.default_rng(1).normal(size=tree.nv)
    α = op.phi.T @ (op.H.T @ β_dot[op.order] + op.a)
    own = op.M @ α + op.b

    def hinge_forces(step):
        f = [own[block(0)]]
        for k in range(1, op.n):
            f.append(step(k) @ f[-1] + own[block(k)])
        return op.H @ np.concatenate(f)

    origins = [se3.position(g) for g in body_poses(tree, q)[::-1]] + [np.zeros(3)]
    printed = hinge_forces(lambda k: shift(origins[k] - origins[k + 1]))
    corrected = hinge_forces(lambda k: shift(origins[k - 1] - origins[k]))
    ours = inverse_dynamics(tree, q, v, β_dot, WEIGHTLESS)[op.order]
    true = (mass_matrix(tree, q) @ β_dot + newton_euler_forces(tree, q, v))[op.order]
    assert_erratum(printed, ours, true)
    assert error(corrected, true) < RIGHT


def coriolis_forces(op: Operators, a: np.ndarray) -> np.ndarray:
    return op.H @ op.phi @ (op.M @ op.phi.T @ a + op.b)


def test_J2():
    tree, q, v, op, _, _ = setting()
    printed = op.a.copy()
    for k in range(op.n - 1):
        ω = op.V[block(k + 1)][:3]
        printed[block(k)] = np.kron(np.eye(2), _hat(ω)) @ (op.V[block(k)] - op.V[block(k + 1)])
    true = newton_euler_forces(tree, q, v)[op.order]
    assert_erratum(coriolis_forces(op, printed), coriolis_forces(op, op.a), true)


def _hat(ω):
    return np.cross(np.eye(3), ω) * -1.0


def test_J3():
    """a(n) = 0 needs a constant H*(n); for a twist in the vehicle's own axes it turns."""
    tree, q, v, op, _, _ = setting()
    printed = op.a.copy()
    printed[block(op.n - 1)] = 0.0
    true = newton_euler_forces(tree, q, v)[op.order]
    assert_erratum(coriolis_forces(op, printed), coriolis_forces(op, op.a), true)


def test_J4():
    """V(0) = B*V, with β and not its derivative."""
    tree, q, v, op, _, _ = setting()
    tool = body_poses(tree, q)[-1] @ tree.locate("tool")[1]
    step = shift(se3.position(tool) - se3.position(body_poses(tree, q)[-1]))
    B = np.concatenate([step, np.zeros((6 * (op.n - 1), 6))])
    assert refuses(lambda: B @ op.V)
    end = derivative(lambda t: _tool_position(tree, retract(tree, q, t * v)), step=0.005)
    assert error((B.T @ op.phi.T @ op.H.T @ v[op.order])[3:], end) < RIGHT


def _tool_position(tree, q):
    return se3.position(body_poses(tree, q)[-1] @ tree.locate("tool")[1])


def test_J5():
    """With the branches of (4.6) as printed, the mass matrix of the active arm is inverted."""
    tree, q, v = moving_chain(41, "Revolute", ARM)
    op = operators(tree, q, v)
    passive = np.isin(op.order, (0, 2, 4))
    M = split_mass(op, articulated(op, passive))
    printed, ours = (
        inverse_of_passive(articulated(op, ~passive)),
        inverse_of_passive(articulated(op, passive)),
    )
    assert_erratum(printed, ours, np.linalg.inv(M["pp"]))
    assert error(passive_mass_matrix_inverse(passive_arm(tree, q, (0, 2, 4))), np.linalg.inv(M["pp"])) < RIGHT
    assert error(printed, np.linalg.inv(M["aa"])) < RIGHT


def test_J6():
    """M = P − E_ψ P E_φ*; with E_φ on both sides only the vehicle may be passive."""
    _, _, _, op, ab, _ = setting()
    printed, ours = ab.P - op.E_phi @ ab.P @ op.E_phi.T, ab.P - ab.E_psi @ ab.P @ op.E_phi.T
    assert_erratum(printed, ours, op.M)
    assert error(ab.P - ab.E_psi @ ab.P @ ab.E_psi.T, op.M) < RIGHT
    _, _, _, op, ab, _ = setting(passive=range(6))
    assert error(ab.P - op.E_phi @ ab.P @ op.E_phi.T, op.M) < RIGHT


def printed_sweeps(op, ab, mask, β_dot_a, T_p, start):
    """(5.4a), (5.4b) with the printed start values; hinges with one kind of rates each."""
    z, z_plus, α, α_plus = ({} for _ in range(4))
    for name, index in start:
        {"z": z, "z_plus": z_plus, "alpha": α, "alpha_plus": α_plus}[name][index] = np.zeros(6)
    β_dot = np.zeros(len(mask))
    ν = np.zeros(len(mask))
    β_dot[~mask] = β_dot_a
    for k in range(1, op.n + 1):
        rows, P_k = hinge_rows(op, k), ab.P[block(k - 1), block(k - 1)]
        step = op.E_phi[block(k - 1), block(k - 2)] if k > 1 else np.eye(6)
        H_k, a_k = op.H[rows][:, block(k - 1)], op.a[block(k - 1)]
        active = not mask[rows[0]]
        given = H_k.T @ β_dot[rows] if active else 0.0
        z[k] = step @ z_plus[k - 1] + op.b[block(k - 1)] + P_k @ (given + a_k)
        z_plus[k] = z[k]
        if not active:
            D = H_k @ P_k @ H_k.T
            ε = T_p[np.cumsum(mask)[rows] - 1] - H_k @ z[k]
            ν[rows] = np.linalg.solve(D, ε)
            z_plus[k] = z[k] + P_k @ H_k.T @ ν[rows]
    return outward(op, ab, mask, β_dot, ν, α)


def outward(op, ab, mask, β_dot, ν, α, use_active_rates=True):
    """(5.4b): accelerations of all hinges; printed: without `use_active_rates`."""
    β_dot = β_dot.copy()
    for k in range(op.n, 0, -1):
        rows, P_k = hinge_rows(op, k), ab.P[block(k - 1), block(k - 1)]
        H_k = op.H[rows][:, block(k - 1)]
        α_plus = op.E_phi[block(k), block(k - 1)].T @ α[k + 1] if k < op.n else α[k + 1]
        moves = use_active_rates
        if mask[rows[0]]:
            G = P_k @ H_k.T @ np.linalg.inv(H_k @ P_k @ H_k.T)
            β_dot[rows] = ν[rows] - G.T @ α_plus
            moves = True
        α[k] = α_plus + (H_k.T @ β_dot[rows] if moves else 0.0) + op.a[block(k - 1)]
    return β_dot


def hinge_rows(op, k):
    return np.flatnonzero(np.any(op.H[:, block(k - 1)] != 0, axis=1))


def hybrid_setting():
    tree, q, v, op, ab, mask = setting()
    rng = np.random.default_rng(8)
    β_dot_a, T_p = rng.normal(size=(~mask).sum()), rng.normal(size=mask.sum())
    return tree, q, v, op, ab, mask, β_dot_a, T_p


def test_J7():
    """z(0) and α⁺(n + 1) are set, z⁺(0) and α(n + 1) are read."""
    *_, op, ab, mask, β_dot_a, T_p = hybrid_setting()
    right = [("z_plus", 0), ("alpha", op.n + 1)]
    for start in ([("z", 0), right[1]], [right[0], ("alpha_plus", op.n + 1)]):
        with pytest.raises(KeyError):
            printed_sweeps(op, ab, mask, β_dot_a, T_p, start)
    assert np.all(np.isfinite(printed_sweeps(op, ab, mask, β_dot_a, T_p, right)))


def test_J8():
    """Active hinges move the bodies outboard of them too."""
    tree, q, v, op, ab, mask, β_dot_a, T_p = hybrid_setting()
    z = ab.psi @ (ab.K @ T_p + op.b + ab.P @ (ab.H_a.T @ β_dot_a + op.a))
    ν = np.zeros(len(mask))
    ν[mask] = np.linalg.solve(ab.D, T_p - ab.H_p @ z)
    given = np.zeros(len(mask))
    given[~mask] = β_dot_a
    start = {op.n + 1: np.zeros(6)}
    printed = outward(op, ab, mask, given, ν, dict(start), use_active_rates=False)
    corrected = outward(op, ab, mask, given, ν, dict(start))

    M, C = split_mass(op, ab), newton_euler_forces(tree, q, v)[op.order]
    true = np.linalg.solve(M["pp"], T_p - C[mask] - M["pa"] @ β_dot_a)
    tau, a, passive = (np.zeros(tree.nv) for _ in range(3))
    tau[op.order[mask]], a[op.order[~mask]], passive[op.order[mask]] = T_p, β_dot_a, 1.0
    ours = hybrid_dynamics(tree, q, v, tau, a, passive, WEIGHTLESS)[0][op.order[mask]]
    assert_erratum(printed[mask], ours, true)
    assert error(corrected[mask], true) < RIGHT


def projections(op, ab):
    T = ab.Omega @ op.M
    return T, np.eye(6 * op.n) - T


def test_J9():
    for passive in ((0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5, 7, 9), (7, 9)):
        tree, q, _, op, ab, mask = setting(passive=passive)
        T, T_bar = projections(op, ab)
        assert np.linalg.matrix_rank(projection(passive_arm(tree, q, passive))) == mask.sum()
        N_p, N_a = mask.sum(), (~mask).sum()
        assert np.linalg.matrix_rank(T) == N_p
        assert np.linalg.matrix_rank(T_bar) == 6 * op.n - N_p != N_a
        assert np.linalg.matrix_rank(T_bar @ op.phi.T @ op.H.T) == N_a


def test_J10():
    tree, q, _, op, ab, mask = setting()
    M = split_mass(op, ab)
    S_aa = M["aa"] - M["ap"] @ np.linalg.solve(M["pp"], M["pa"])
    _, T_bar = projections(op, ab)
    inner = op.phi @ T_bar.T @ op.M @ T_bar @ op.phi.T
    second = op.H @ inner @ op.H.T
    assert second.shape != S_aa.shape
    assert error(ab.H_a @ inner @ ab.H_a.T, S_aa) < RIGHT
    assert error(second[np.ix_(~mask, ~mask)], S_aa) < RIGHT
    assert error(active_inertia(passive_arm(tree, q, op.order[mask])), S_aa) < RIGHT
    assert np.max(np.abs(second[mask])) < RIGHT


def test_J11():
    """With the vehicle active and two joints passive n_a = 4 hinges and N_a = 9 rates are active."""
    _, _, _, op, ab, mask = setting(passive=(7, 9))
    J_G = (ab.psi.T - ab.Omega @ ab.P)[:6] @ ab.H_a.T
    hinges = sum(not mask[hinge_rows(op, k)[0]] for k in range(1, op.n + 1))
    assert hinges == 4
    assert J_G.shape == (6, (~mask).sum()) == (6, 9)


def test_J12():
    """ψ*H_p* and [1 − H_pψK_p] have N_p columns and rows: D_p fits between them, D = HPH* does not."""
    tree, q, v, op, ab, mask, β_dot_a, T_p = hybrid_setting()
    D = op.H @ ab.P @ op.H.T
    L = np.eye(len(ab.H_p)) - ab.H_p @ ab.psi @ ab.K
    assert refuses(lambda: ab.psi.T @ ab.H_p.T @ np.linalg.inv(D) @ L)
    α = (
        (ab.psi.T - ab.Omega @ ab.P) @ ab.H_a.T @ β_dot_a
        + ab.psi.T @ ab.H_p.T @ np.linalg.inv(ab.D) @ L @ T_p
        - ab.Omega @ (op.b + ab.P @ op.a)
        + ab.psi.T @ op.a
    )
    tau, a, passive = (np.zeros(tree.nv) for _ in range(3))
    tau[op.order[mask]], a[op.order[~mask]], passive[op.order[mask]] = T_p, β_dot_a, 1.0
    β_dot = hybrid_dynamics(tree, q, v, tau, a, passive, WEIGHTLESS)[0]
    assert error(α, op.phi.T @ (op.H.T @ β_dot[op.order] + op.a)) < RIGHT


def test_J13():
    """[J_G; J_D] has N_a columns: the unknown of (7.1) is the active acceleration."""
    _, _, _, op, ab, mask = setting()
    M = split_mass(op, ab)
    J_D, J_G = -np.linalg.solve(M["pp"], M["pa"]), (ab.psi.T - ab.Omega @ ab.P)[:6] @ ab.H_a.T
    composite = np.concatenate([J_G, J_D])
    assert refuses(lambda: composite @ np.zeros(mask.sum()))
    assert (composite @ np.zeros((~mask).sum())).shape == (6 + mask.sum(),)


def test_J14():
    """The vehicle's rows of the momentum turn with it: they change without any force."""
    tree, q, v, *_ = setting()
    a = newton_euler_acceleration(tree, q, v)

    def rate(p):
        return derivative(lambda t: p(retract(tree, q, t * v + 0.5 * t * t * a), v + t * a), step=1e-3)

    own_axes = rate(lambda q, v: momentum_in_frame(tree, q, v, "b0"))
    P, V = momentum_in_frame(tree, q, v, "b0"), v[:6]
    world = rate(lambda q, v: momentum(tree, q, v))
    assert np.max(np.abs(own_axes)) > WRONG
    assert error(se3.ad(V).T @ P, own_axes) < RIGHT
    assert np.max(np.abs(world)) < 1e-9


def identities():
    _, _, _, op, ab, _ = setting()
    one = np.eye(6 * op.n)
    return op, ab, ab.psi - one, op.phi - one


def test_J15():
    op, ab, ψ_tilde, φ_tilde = identities()
    assert_erratum(ψ_tilde @ ab.P + ab.P @ ab.psi, ψ_tilde @ ab.P + ab.P @ ab.psi.T, ab.psi @ op.M @ ab.psi.T)
    assert_erratum(φ_tilde @ ab.P + ab.P @ ab.psi, φ_tilde @ ab.P + ab.P @ ab.psi.T, op.phi @ op.M @ ab.psi.T)


def test_J16():
    op, ab, _, _ = identities()
    right_side = op.phi - (ab.psi - ab.P @ ab.Omega)
    assert_erratum((ab.psi - ab.P @ ab.Omega) @ op.M @ op.phi.T, op.phi @ op.M @ ab.Omega, right_side)


def test_J17():
    tree, q, v, op, ab, mask, β_dot_a, T_p = hybrid_setting()
    inner = ab.H_a.T @ β_dot_a + op.a
    z = ab.psi @ (ab.K @ T_p + op.b + ab.P @ inner)
    ν = np.linalg.solve(ab.D, T_p - ab.H_p @ z)
    L = np.eye(len(ab.H_p)) - ab.H_p @ ab.psi @ ab.K
    M, C = split_mass(op, ab), newton_euler_forces(tree, q, v)[op.order]
    true = np.linalg.solve(M["pp"], T_p - C[mask] - M["pa"] @ β_dot_a)
    assert_erratum(L @ ν - ab.K.T @ ab.psi.T @ inner, L.T @ ν - ab.K.T @ ab.psi.T @ inner, true)


def test_J18():
    op, ab, _, _ = identities()
    T, T_bar = projections(op, ab)
    true = op.phi @ op.M @ T_bar @ op.phi.T
    half = op.phi @ op.M @ ab.psi.T
    assert_erratum(half - op.phi @ T_bar.T @ ab.P, half - op.phi @ T.T @ ab.P, true)


def test_J19():
    """Pψ*H_a*D_p⁻¹ has no sense when N_a ≠ N_p; H_p* is meant."""
    tree, q, _, op, ab, _ = setting(passive=range(6))
    D_inv = np.linalg.inv(ab.D)
    assert refuses(lambda: ab.P @ ab.psi.T @ ab.H_a.T @ D_inv)
    M = split_mass(op, ab)
    S_ap = ab.H_a @ ((ab.psi - ab.P @ ab.Omega) @ ab.K + ab.P @ ab.psi.T @ ab.H_p.T @ D_inv)
    true = M["ap"] @ np.linalg.inv(M["pp"])
    assert error(S_ap, true) < RIGHT
    assert error(active_to_passive(passive_arm(tree, q, range(6))), true) < RIGHT


def test_J20():
    """Conserved linear momentum moves the centre of mass evenly; it stands still only if that momentum is zero."""
    tree, q, v, *_ = setting()
    a = newton_euler_acceleration(tree, q, v)

    def velocity(t):
        moved = retract(tree, q, t * v + 0.5 * t * t * a)
        return centre_of_mass_jacobian(tree, moved) @ (v + t * a)

    true = velocity(0.0)
    assert_erratum(np.zeros(3), momentum(tree, q, v)[:3] / tree.mass, true)
    assert np.max(np.abs(derivative(velocity, step=1e-3))) < 1e-9


def test_J21():
    """In the proof of (5.1c) Pψ*H*D_p⁻¹ has no sense, as in J19: H_p* is meant."""
    _, _, _, op, ab, _ = setting()
    D_inv = np.linalg.inv(ab.D)
    assert refuses(lambda: ab.P @ ab.psi.T @ op.H.T @ D_inv)
    inner = ab.psi - ab.P @ ab.psi.T @ ab.H_p.T @ D_inv @ ab.H_p @ ab.psi
    M = split_mass(op, ab)
    true = M["aa"] - M["ap"] @ np.linalg.solve(M["pp"], M["pa"])
    assert error(ab.H_a @ inner @ op.M @ op.phi.T @ ab.H_a.T, true) < RIGHT
