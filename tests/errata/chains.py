"""What the errata tests share: serial systems, accurate numerical derivatives, Newton-Euler as the judge."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from tests.support.random_trees import random_state, random_tree

from unmoored.dynamics.configuration import retract
from unmoored.dynamics.jacobians import body_jacobian_rates, body_jacobians
from unmoored.dynamics.joint_crossing import crossings
from unmoored.dynamics.kinematics import body_poses
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.lie import se3
from unmoored.model import Tree

#: A printed form counts as wrong beyond this relative error, a correct one as right below that.
WRONG, RIGHT = 1e-3, 1e-10
MIXED_ARM = ("Revolute", "Prismatic", "Helical", "Revolute", "Helical")


def chain(seed: int, vehicle: str = "Free", arm: tuple[str, ...] = MIXED_ARM) -> Tree:
    """A vehicle and a serial arm with random frames, off every centre of mass."""
    return random_tree(seed, (vehicle, *arm), branching=False)


def moving_chain(seed: int, vehicle: str = "Free", arm: tuple[str, ...] = MIXED_ARM):
    """(tree, q, v) of a random chain."""
    tree = chain(seed, vehicle, arm)
    q, v, _ = random_state(tree, seed + 1000)
    return tree, q, v


def error(given: np.ndarray, true: np.ndarray) -> float:
    """Largest difference, relative to the largest entry of the truth."""
    return float(np.max(np.abs(np.asarray(given) - true)) / np.max(np.abs(true)))


def assert_erratum(printed: np.ndarray, ours: np.ndarray, true: np.ndarray, *, right: float = RIGHT) -> None:
    """The printed form is clearly wrong, ours is right."""
    assert error(printed, true) > WRONG
    assert error(ours, true) < right


def derivative(f: Callable[[float], np.ndarray], step: float = 0.02) -> np.ndarray:
    """df/dε at 0 by the central difference of order eight."""
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w * (f(k * step) - f(-k * step)) for k, w in enumerate(weights, 1)) / step


def gradient(tree: Tree, q: np.ndarray, f: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Derivatives of f along every velocity direction, stacked first: along retract(q, ε e_k)."""
    return np.stack([derivative(lambda ε, e=e: f(retract(tree, q, ε * e))) for e in np.eye(tree.nv)])


def newton_euler_forces(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Coriolis forces (nv,) by Newton-Euler for each body alone: Σ Bᵀ(I Ḃ v + K6(I V) V)."""
    total = np.zeros(tree.nv)
    for link, B, B_dot in zip(tree.links, *body_jacobian_rates(tree, q, v), strict=True):
        V = B @ v
        total += B.T @ (link.inertia @ B_dot @ v - se3.ad(V).T @ link.inertia @ V)
    return total


def newton_euler_acceleration(
    tree: Tree, q: np.ndarray, v: np.ndarray, tau: np.ndarray | float = 0.0
) -> np.ndarray:
    """Acceleration (nv,) under the forces tau, by Newton-Euler for each body."""
    return np.linalg.solve(mass_matrix(tree, q), tau - newton_euler_forces(tree, q, v))


class Blocks(NamedTuple):
    """A mass matrix and its derivatives, split into vehicle (first m) and arm (last n).

    dM[k] = ∂M/∂q_k of arm joint k; A the connection, M_hat the reduced inertia; dM0, dA, dM_hat derivatives.
    """

    m: int
    n: int
    M: np.ndarray
    dM: np.ndarray
    M0: np.ndarray
    M0m: np.ndarray
    Mm: np.ndarray
    A: np.ndarray
    M_hat: np.ndarray
    dM0: np.ndarray
    dA: np.ndarray
    dM_hat: np.ndarray


def blocks(tree: Tree, q: np.ndarray) -> Blocks:
    """The blocks of theory.md §8, with their derivatives by the product rule."""
    m = tree.links[0].joint.nv
    M, dM = mass_matrix(tree, q), arm_derivatives(tree, q)
    M0, M0m, Mm = M[:m, :m], M[:m, m:], M[m:, m:]
    dM0, dM0m, dMm = dM[:, :m, :m], dM[:, :m, m:], dM[:, m:, m:]
    A = np.linalg.solve(M0, M0m)
    dA = np.linalg.solve(M0, dM0m - dM0 @ A)
    dM_hat = dMm - (np.swapaxes(dA, 1, 2) @ M0 @ A + A.T @ dM0 @ A + A.T @ M0 @ dA)
    return Blocks(m, tree.nv - m, M, dM, M0, M0m, Mm, A, Mm - A.T @ M0 @ A, dM0, dA, dM_hat)


def arm_derivatives(tree: Tree, q: np.ndarray) -> np.ndarray:
    """∂M/∂q_k (n, nv, nv) of the arm joints, from ∂_k b_c = −ad_{b_k} b_c for the columns inboard of k."""
    Bs, m = body_jacobians(tree, crossings(tree, q)), tree.links[0].joint.nv
    return np.stack(
        [
            sum(_one_derivative(link, B, k) for link, B in zip(tree.links, Bs, strict=True))
            for k in range(m, tree.nv)
        ]
    )


def _one_derivative(link, B: np.ndarray, k: int) -> np.ndarray:
    D = np.zeros_like(B)
    D[:, :k] = -se3.ad(B[:, k]) @ B[:, :k]
    half = D.T @ link.inertia @ B
    return half + half.T


def coriolis(b: Blocks, v: np.ndarray, bracket: np.ndarray) -> np.ndarray:
    """From's C = Ṁ − ½Wᵀ with a given block C_uu − Ṁ_uu, the bracket (m, m)."""
    C = np.tensordot(v[b.m :], b.dM, 1)
    C[b.m :] -= 0.5 * b.dM @ v
    C[: b.m, : b.m] += bracket
    return C


class Kinematics(NamedTuple):
    """Poses g[i] of the links in the vehicle's frame, g[0] = 1; twists S[k] in link k, X[k] in k − 1."""

    g: list[np.ndarray]
    S: list[np.ndarray]
    X: list[np.ndarray]


def kinematics(tree: Tree, q: np.ndarray) -> Kinematics:
    """Link poses and twists; index 0 is the vehicle, whose own twist is left out (None)."""
    world = body_poses(tree, q)
    g = [se3.inverse(world[0]) @ pose for pose in world]
    S = [None, *(link.joint.basis(q[link.q])[:, 0] for link in tree.links[1:])]
    X = [None, *(se3.Ad(se3.inverse(g[k - 1]) @ g[k]) @ S[k] for k in range(1, len(g)))]
    return Kinematics(g, S, X)


def arm_jacobian(kin: Kinematics, i: int) -> np.ndarray:
    """J_i (6, n) in base axes: columns Ad_{g_b(k−1)} X_k for k ≤ i, zero beyond."""
    n = len(kin.g) - 1
    columns = [se3.Ad(kin.g[k - 1]) @ kin.X[k] if k <= i else np.zeros(6) for k in range(1, n + 1)]
    return np.stack(columns, axis=1)


def refuses(f: Callable[[], object]) -> bool:
    """Whether NumPy refuses f because the sizes clash."""
    try:
        f()
    except (ValueError, IndexError):
        return True
    return False
