"""Jain & Rodriguez's spatial operators as plain matrices, for a serial chain.

Their notation: bodies are numbered from the tip (1) to the vehicle (n), spatial vectors are (ω, v) and (N, F)
at the body frames' origins in inertial axes, x* is the transpose of x. Rates β are this library's v.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unmoored.dynamics.kinematics import body_poses, body_velocities
from unmoored.lie import se3, so3
from unmoored.model import Tree

SWAP = np.roll(np.eye(6), 3, axis=0)  # (v, ω) to (ω, v)


class Operators(NamedTuple):
    """Stacked tip to base: E_φ, φ, M (6n, 6n), H (N, 6n), V, a, b (6n,); order: velocity of H's rows."""

    n: int
    E_phi: np.ndarray
    phi: np.ndarray
    M: np.ndarray
    H: np.ndarray
    V: np.ndarray
    a: np.ndarray
    b: np.ndarray
    order: np.ndarray


class Passive(NamedTuple):
    """The articulated quantities of eqs. (4.6)–(4.9), (5.2) for a set of passive rates."""

    P: np.ndarray
    tau_bar: np.ndarray
    D: np.ndarray
    G: np.ndarray
    K: np.ndarray
    E_psi: np.ndarray
    psi: np.ndarray
    H_p: np.ndarray
    H_a: np.ndarray
    Omega: np.ndarray


def turned(g: np.ndarray) -> np.ndarray:
    """Body (v, ω) components to inertial (ω, v) components: (6, 6)."""
    R = se3.rotation(g)
    return SWAP @ np.kron(np.eye(2), R)


def shift(l: np.ndarray) -> np.ndarray:
    """φ (6, 6) = [[1, l̃], [0, 1]]: a force moved inboard by the vector l."""
    return np.block([[np.eye(3), so3.hat(l)], [np.zeros((3, 3)), np.eye(3)]])


def operators(tree: Tree, q: np.ndarray, v: np.ndarray) -> Operators:
    """The operators of a serial chain at a state; a and b are the correct velocity terms."""
    n = len(tree.links)
    g = body_poses(tree, q)[::-1]
    V = [turned(pose) @ twist for pose, twist in zip(g, body_velocities(tree, q, v)[::-1], strict=True)]
    links = tree.links[::-1]
    E = np.zeros((6 * n, 6 * n))
    for k in range(1, n):
        E[block(k), block(k - 1)] = shift(se3.position(g[k - 1]) - se3.position(g[k]))
    H_T = [turned(pose) @ link.joint.basis(q[link.q]) for pose, link in zip(g, links, strict=True)]
    inertias = [turned(pose) @ link.inertia @ turned(pose).T for pose, link in zip(g, links, strict=True)]
    a = [coriolis_term(k, n, V, H_T[k] @ v[links[k].v]) for k in range(n)]
    b = [gyroscopic_force(inertias[k], V[k][:3]) for k in range(n)]
    order = np.concatenate([np.arange(link.v.start, link.v.stop) for link in links])
    phi = np.linalg.inv(np.eye(6 * n) - E)
    return Operators(n, E, phi, diagonal(inertias), diagonal(H_T).T, *map(np.concatenate, (V, a, b)), order)


def block(k: int) -> slice:
    """Rows of body k (counted from 0 at the tip) in a stacked vector."""
    return slice(6 * k, 6 * k + 6)


def diagonal(blocks: list[np.ndarray]) -> np.ndarray:
    """Block-diagonal matrix."""
    rows, columns = (np.cumsum([0, *(x.shape[i] for x in blocks)]) for i in (0, 1))
    total = np.zeros((rows[-1], columns[-1]))
    for k, x in enumerate(blocks):
        total[rows[k] : rows[k + 1], columns[k] : columns[k + 1]] = x
    return total


def coriolis_term(k: int, n: int, V: list[np.ndarray], hinge: np.ndarray) -> np.ndarray:
    """a(k) of body k: (ω₊×ω_rel ; ω₊×(v − v₊) + ω₊×v_rel); (0 ; ω×v) for a free vehicle with body rates."""
    if k == n - 1:
        return np.concatenate([np.zeros(3), np.cross(V[k][:3], V[k][3:])])
    ω = V[k + 1][:3]
    linear = np.cross(ω, V[k][3:] - V[k + 1][3:]) + np.cross(ω, hinge[3:])
    return np.concatenate([np.cross(ω, hinge[:3]), linear])


def gyroscopic_force(inertia: np.ndarray, ω: np.ndarray) -> np.ndarray:
    """b(k) = (ω×Jω ; m ω×(ω×p)), from the inertia (6, 6) in (ω, v) order."""
    p = so3.vee(inertia[:3, 3:])  # m p̃
    return np.concatenate([np.cross(ω, inertia[:3, :3] @ ω), np.cross(ω, np.cross(ω, p))])


def articulated(op: Operators, passive: np.ndarray) -> Passive:
    """The recursion (4.6), branches right: articulated where the hinge is passive (bool per row of H)."""
    P, P_plus = [], np.zeros((6, 6))
    tau_bars = []
    for k in range(op.n):
        step = op.E_phi[block(k), block(k - 1)] if k else np.zeros((6, 6))
        P_k = step @ P_plus @ step.T + op.M[block(k), block(k)]
        H_k = op.H[passive][:, block(k)]
        H_k = H_k[np.any(H_k != 0, axis=1)]
        G_k = P_k @ H_k.T @ np.linalg.inv(H_k @ P_k @ H_k.T)
        tau_bars.append(np.eye(6) - G_k @ H_k)
        P_plus = tau_bars[-1] @ P_k
        P.append(P_k)
    return _operators_of(op, passive, diagonal(P), diagonal(tau_bars))


def _operators_of(op: Operators, passive: np.ndarray, P: np.ndarray, tau_bar: np.ndarray) -> Passive:
    H_p, H_a = op.H[passive], op.H[~passive]
    D = H_p @ P @ H_p.T
    G = P @ H_p.T @ np.linalg.inv(D)
    E_psi = op.E_phi @ tau_bar
    psi = np.linalg.inv(np.eye(6 * op.n) - E_psi)
    Omega = psi.T @ H_p.T @ np.linalg.inv(D) @ H_p @ psi
    return Passive(P, tau_bar, D, G, op.E_phi @ G, E_psi, psi, H_p, H_a, Omega)
