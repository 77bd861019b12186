"""Articulated inertias, and the two sweeps that solve for accelerations with them (theory.md §12, §18).

A mask says for every DoF whether it is passive (1: force given) or active (0: acceleration given). The masked
forms hold for any mask, so the set of passive DoFs is run-time data, and may split one joint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, mirrored, solved, transpose
from ...model import Link, Tree
from ...trace import LOOPS_BEYOND, is_symbolic
from ...trace import solve_spd as solve
from ..joint_crossing import (
    Crossing,
    columns_inward,
    inertia_inward,
    joint_force,
    joint_twist,
    twist_outward,
    wrench_inward,
)
from ..tree_scans import inward, outward, split_velocity, without_armature


class Hinge(NamedTuple):
    """What a joint makes of the inertia P of all that is outboard of it, its body included.

    P, P⁺ (..., 6, 6): felt by the body, and by the parent through the joint.  G (..., 6, r): gain P S D⁻¹.
    D (..., r, r): inertia along the passive DoFs; identity along the active ones.
    own (..., 6, r): see `_own_directions`.
    """

    inertia: np.ndarray
    released: np.ndarray
    gain: np.ndarray
    along: np.ndarray
    own: np.ndarray


def hinges(tree: Tree, xs: list[Crossing], passive: np.ndarray) -> list[Hinge]:
    """Articulated inertias of all bodies for the mask `passive` (..., nv), inward.

    With the columns of S that are passive: D = SᵀPS + Ia, G = P S D⁻¹, P⁺ = P − G SᵀP.
    """

    def step(link, arriving, x, m):
        P = arriving[0] + link.inertia
        masked = x.basis * m[..., None, :]
        U = P @ masked
        r = link.joint.nv
        D = transpose(masked) @ U + np.eye(r) * (link.armature * m + (1.0 - m))[..., None, :]
        own = _own_directions(link) * m[..., None, :]
        keep = _kept_rows(x, own)
        G = keep[..., None] * transpose(solve(D, transpose(U))) + own
        released = mirrored((P - G @ transpose(U)) * keep[..., None] * keep[..., None, :])
        return (inertia_inward(link, x, released),), Hinge(P, released, G, D, own)

    kept, _ = inward(tree, step, (np.zeros((6, 6)),), xs, split_velocity(tree, passive))
    return kept


def _own_directions(link: Link) -> np.ndarray:
    """The columns of S (6, r) that are unit vectors ±e_k, of DoFs without armature; the others are zero.

    Along such a passive column e_kᵀG is the column's sign, P⁺e_k = 0 and z⁺_k = ±τ: known, not computed.
    """
    joint = link.joint
    if not joint.constant_basis:
        return np.zeros((6, joint.nv))
    basis = joint.basis(joint.neutral())
    size = np.abs(basis)
    unit = (size.sum(axis=0) == 1.0) & (size.max(axis=0, initial=0.0) == 1.0)
    return basis * (unit & without_armature(link))


def _kept_rows(x: Crossing, own: np.ndarray) -> np.ndarray:
    """1 for every row (..., 6) that has to be computed, 0 for those along `own`."""
    return 1.0 - (x.basis * own).sum(axis=-1)


class Residual(NamedTuple):
    """z (..., 6): wrench the body needs at rest.  y (..., r): D⁻¹ε, passive accelerations at A' = 0."""

    wrench: np.ndarray
    acceleration: np.ndarray


def residuals(
    tree: Tree,
    xs: list[Crossing],
    hinged: list[Hinge],
    passive: np.ndarray,
    tau: np.ndarray,
    biases: list[np.ndarray],
    products: list[np.ndarray],
    solve_along: Callable[[np.ndarray, np.ndarray], np.ndarray] = solved,
) -> list[Residual]:
    """Inward sweep: z_i = β_i + Σ X̃ᵀz⁺, ε = τ − Sᵀz on passive DoFs, z⁺ = z + P⁺c + Gε.

    products: c_i (..., 6), with S q̈ of the active DoFs in it.  solve_along: D⁻¹ε from `along` and ε.
    """

    def step(_, arriving, x, hinge, m, τ, β, c):
        z = arriving[0] + β
        ε = m * (τ - joint_force(x, z))
        keep = _kept_rows(x, hinge.own)
        z_plus = keep * (z + apply(hinge.released, c) + apply(hinge.gain, ε)) + apply(hinge.own, τ)
        return (wrench_inward(x, z_plus),), Residual(z, solve_along(hinge.along, ε))

    parts = (split_velocity(tree, passive), split_velocity(tree, tau))
    kept, _ = inward(tree, step, (np.zeros(6),), xs, hinged, *parts, biases, products)
    return kept


class Response(NamedTuple):
    """A (..., 6): acceleration of the body.  passive (..., r): of the passive DoFs, else zero."""

    body: np.ndarray
    passive: np.ndarray


def responses(
    tree: Tree,
    xs: list[Crossing],
    hinged: list[Hinge],
    left: list[Residual],
    products: list[np.ndarray],
    start: np.ndarray,
    at_last: bool = False,
) -> list[Response]:
    """Outward sweep: A' = X̃A + c, q̈_p = y − GᵀA', A = A' + S q̈_p, from the world's A = `start` (..., 6).

    at_last: nothing else is left to do, and every operation of the sweep waits for the one before it. Where A takes
    long to cross a joint, it is q̈_p = (y − Gᵀc) − (X̃ᵀG)ᵀA in traced code: more operations, but both brackets are
    known before.
    """
    ahead = at_last and is_symbolic(xs[0].pose) and len(tree.links) <= LOOPS_BEYOND

    def step(link, parent, x, hinge, residual, c):
        arriving, A, G, y = twist_outward(x, parent.body) + c, parent.body, hinge.gain, residual.acceleration
        if ahead and link.parent >= 0 and link.joint.nv == 1 and _is_tilted(x):
            y, G = y - apply(transpose(G), c), columns_inward(x, G)
        else:
            A = arriving
        # turning arrives before shifting, so it comes first in the sum, which is the longest chain of the sweep
        a = y - apply(transpose(G)[..., ::-1], A[..., ::-1])
        return Response(arriving + joint_twist(x, a), a)

    return outward(tree, step, Response(start, np.zeros(0)), xs, hinged, left, products)


def _is_tilted(x: Crossing) -> bool:
    """Whether the placement of a joint turns by other than right angles, or is a symbol."""
    R = se3.rotation(x.placement)
    return is_symbolic(R) or not np.isin(R, (0.0, 1.0, -1.0)).all()
