"""The worked rover of Moghaddam & Chhabra (examples 1–3), from the paper's own formulas, misprints put right.

Written out with 3-vectors and 6×6 matrices; the toolkit only appears in the model, `rover`. Errata are named
as in docs/errata.md.
"""

from types import SimpleNamespace

import numpy as np

from unmoored.model import Body, Frame, Inertia, Planar, Pose, Revolute, Tree

L0, L1, L2 = 0.6, 0.8, 0.5
L01 = L0 + L1
M_0, M_1, M_2 = 40.0, 6.0, 3.0
J_0, J_1, J_2 = np.diag([2.1, 2.9, 3.3]), np.diag([0.02, 0.31, 0.32]), np.diag([0.01, 0.07, 0.075])
Q1, Q2 = 0.7, -1.1
GRAVITY = np.array([1.3, -0.4, -9.6])  # the rover stands on a slope

I3, O3 = np.eye(3), np.zeros((3, 3))
ROTATION_1 = np.array([[0, 0, 1], [0, -1, 0], [1, 0, 0.0]])  # of (22)
ROTATION_2 = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0.0]])  # of (25)


def rover() -> Tree:
    """The system of example 1: frames as in (20)–(26), centres of mass in the middle of the links (L2)."""
    bodies = (
        Body(
            name="rover",
            parent="world",
            joint=Planar(),
            inertia=Inertia(M_0, (0, 0, 0), J_0),
            at=Pose((0, 0, L0)),
        ),
        Body(
            name="arm1",
            parent="rover",
            joint=Revolute((0, 0, 1)),
            inertia=Inertia(M_1, (L1 / 2, 0, 0), J_1),
            at=Pose((0, 0, L0), rotation=ROTATION_1),
        ),
        Body(
            name="arm2",
            parent="arm1",
            joint=Revolute((0, 0, 1)),
            inertia=Inertia(M_2, (L2 / 2, 0, 0), J_2),
            at=Pose((L1, 0, 0), rotation=ROTATION_2),
        ),
    )
    return Tree(name="rover", bodies=bodies, frames=(Frame(name="tip", parent="arm2", at=Pose((L2, 0, 0))),))


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def Ad(R, p):
    return np.block([[R, hat(p) @ R], [O3, R]])


def ad(ξ):
    return np.block([[hat(ξ[3:]), hat(ξ[:3])], [O3, hat(ξ[3:])]])


def close(a, b, scale=1.0):
    assert np.abs(np.asarray(a) - b).max() < 1e-13 * max(1.0, scale, np.abs(b).max())


ξ_1 = np.array([0, L0, 0, 1, 0, 0])  # (23)
ξ_2 = np.array([-L01, 0, 0, 0, 1, 0])  # (24)
ι_0 = np.eye(6)[:, [0, 1, 5]]  # (39)
C1, S1, C2, S2 = np.cos(Q1), np.sin(Q1), np.cos(Q2), np.sin(Q2)


def exp_1(q):
    """(23)"""
    c, s = np.cos(q), np.sin(q)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), np.array([0, L0 * s, L0 * (1 - c)])


def exp_2(q):
    """(24)"""
    c, s = np.cos(q), np.sin(q)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]), np.array([-L01 * s, 0, L01 * (1 - c)])


def compose(*poses):
    R, p = I3, np.zeros(3)
    for R_i, p_i in poses:
        R, p = R @ R_i, p + R @ p_i
    return R, p


HOME_1 = (ROTATION_1, np.array([0, 0, L0]))
HOME_2 = compose(HOME_1, (ROTATION_2, np.array([L1, 0, 0])))


def body_inertias():
    """(123), and (124), (125) with the offset of the centre of mass along x (L15)."""

    def link(m, l, J):
        coupling = np.array([[0, 0, 0], [0, 0, m * l / 2], [0, -m * l / 2, 0]])
        return np.block([[m * I3, coupling], [coupling.T, J + m * l**2 / 4 * np.diag([0, 1, 1])]])

    return np.block([[M_0 * I3, O3], [O3, J_0]]), link(M_1, L1, J_1), link(M_2, L2, J_2)


def inertias_at_base():
    """𝔐_i of (55), with the adjoint maps (126) of the home poses."""
    Ad_1 = np.array(
        [
            [0, 0, 1, 0, L0, 0],
            [0, -1, 0, 0, 0, L0],
            [1, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 1],
            [0, 0, 0, 0, -1, 0],
            [0, 0, 0, 1, 0, 0],
        ]
    )
    Ad_2 = np.array(
        [
            [0, 1, 0, 0, 0, -L01],
            [0, 0, 1, 0, L01, 0],
            [1, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 1, 0],
            [0, 0, 0, 0, 0, 1],
            [0, 0, 0, 1, 0, 0],
        ]
    )
    close(Ad(*HOME_1), Ad_1)
    close(Ad(*HOME_2), Ad_2)
    _, I_1, I_2 = body_inertias()
    back_1, back_2 = np.linalg.inv(Ad_1), np.linalg.inv(Ad_2)
    return back_1.T @ I_1 @ back_1, back_2.T @ I_2 @ back_2


def stacked():
    """𝔏_m0, 𝔏_m, Ξ_m and 𝔐 of (127)–(129)."""
    A_11 = np.linalg.inv(Ad(*exp_1(Q1)))
    A_22 = np.linalg.inv(Ad(*exp_2(Q2)))
    A_21 = A_22 @ A_11
    L_m0 = np.vstack([A_11, A_21])
    L_m = np.block([[np.eye(6), np.zeros((6, 6))], [A_22, np.eye(6)]])
    Ξ = np.zeros((12, 2))
    Ξ[:6, 0], Ξ[6:, 1] = ξ_1, ξ_2
    weights = np.zeros((12, 12))
    weights[:6, :6], weights[6:, 6:] = inertias_at_base()
    return SimpleNamespace(
        a11=A_11, a22=A_22, a21=A_21, to_base=L_m0, between=L_m, twists=Ξ, inertias=weights
    )


def blocks():
    """M₀, M₀ₘ, Mₘ of (65)–(67)."""
    s, I_0 = stacked(), body_inertias()[0]
    L0H, LΞ = s.to_base @ ι_0, s.between @ s.twists
    return ι_0.T @ I_0 @ ι_0 + L0H.T @ s.inertias @ L0H, L0H.T @ s.inertias @ LΞ, LΞ.T @ s.inertias @ LΞ


def block_derivatives():
    """(117)–(120), brackets closed at the end (L12, L13), ∂𝔏 of (138), (139) (L11 and the lost minus)."""
    s = stacked()
    O6 = np.zeros((6, 6))
    d_to_base = (
        -np.vstack([ad(ξ_1) @ s.a11, s.a22 @ ad(ξ_1) @ s.a11]),
        -np.vstack([O6, ad(ξ_2) @ s.a21]),
    )
    d_between = np.zeros((12, 12)), np.block([[O6, O6], [-ad(ξ_2) @ s.a22, O6]])
    L0H, LΞ = s.to_base @ ι_0, s.between @ s.twists
    result = []
    for d0, dm in zip(d_to_base, d_between, strict=True):
        d0H, dmΞ = d0 @ ι_0, dm @ s.twists
        half0, half = d0H.T @ s.inertias @ L0H, dmΞ.T @ s.inertias @ LΞ
        result.append((half0 + half0.T, d0H.T @ s.inertias @ LΞ + L0H.T @ s.inertias @ dmΞ, half + half.T))
    return d_to_base, d_between, result


def reduced():
    """A, M̂ of (69), (75) and their derivatives (119), (121), (122) with the minus sign (L14)."""
    M0, M0m, Mm = blocks()
    A = np.linalg.solve(M0, M0m)
    M_hat = Mm - A.T @ M0 @ A
    dM0s, dAs, dM_hats = [], [], []
    for dM0, dM0m, dMm in block_derivatives()[2]:
        dA = np.linalg.solve(M0, dM0m - dM0 @ A)
        dM0s.append(dM0)
        dAs.append(dA)
        dM_hats.append(dMm - (dA.T @ M0 @ A + A.T @ dM0 @ A + A.T @ M0 @ dA))
    return M0, A, M_hat, dM0s, dAs, dM_hats


def momentum(case):
    M0, A, *_ = reduced()
    return M0 @ (case.u + A @ case.w)


def ad_se2(u):
    """(136), entry (2, 3) with v_x (L20)."""
    return np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [0, 0, 0]])


def coriolis_and_momentum_forces(case):
    """(141), and (100) with its bracket and signs put right (L9)."""
    M0, A, _, dM0s, dAs, dM_hats = reduced()
    P, w, inverse = momentum(case), case.w, np.linalg.inv(M0)
    C = sum(d * w[k] for k, d in enumerate(dM_hats)) - 0.5 * np.array([w @ d for d in dM_hats])
    A_dot = sum(d * w[k] for k, d in enumerate(dAs))
    N = A.T @ ad_se2(case.u).T @ P + A_dot.T @ P - np.array([w @ d.T @ P for d in dAs])
    return C, N + 0.5 * np.array([P @ (-inverse @ d @ inverse) @ P for d in dM0s])


def potential_terms(case):
    """f_u of (131) with Γ_i, and ∂u/∂q_m of (132), (133); home poses of centres (L16), u = −m⟨γ, p⟩ (L17)."""

    def centre(R, p, c):
        return p + R @ c

    com_1 = centre(*HOME_1, np.array([L1 / 2, 0, 0]))
    com_2 = centre(*HOME_2, np.array([L2 / 2, 0, 0]))
    moved_1 = centre(*exp_1(Q1), com_1)
    moved_2 = centre(*compose(exp_1(Q1), exp_2(Q2)), com_2)
    centres = ((M_0, np.zeros(3)), (M_1, moved_1), (M_2, moved_2))
    directions = [lambda x: case.R[:, 0], lambda x: case.R[:, 1], lambda x: case.R @ np.cross([0, 0, 1], x)]
    f_u = np.array([-sum(m * GRAVITY @ Γ(x) for m, x in centres) for Γ in directions])

    def pushed(ξ, x):
        return ξ[:3] + np.cross(ξ[3:], x)

    def along_1(x):
        return case.R @ pushed(ξ_1, x)

    along_2 = case.R @ exp_1(Q1)[0] @ pushed(ξ_2, centre(*exp_2(Q2), com_2))
    dq = [-M_1 * GRAVITY @ along_1(moved_1) - M_2 * GRAVITY @ along_1(moved_2), -M_2 * GRAVITY @ along_2]
    u = -sum(m * GRAVITY @ (case.R @ x + case.p + [0, 0, L0]) for m, x in centres)
    return u, f_u, np.array(dq)


def tip_jacobians():
    """J_ε,0 of (137) and J_ε,m of (93), Ad_{ḡ_ε}⁻¹ on the left (L6)."""
    g_2 = compose(exp_1(Q1), exp_2(Q2), HOME_2)
    back = np.linalg.inv(Ad(I3, np.array([L2, 0, 0]))) @ np.linalg.inv(Ad(*g_2))
    return back @ ι_0, back @ np.column_stack([ξ_1, Ad(*exp_1(Q1)) @ ξ_2])
