"""Dynamics under velocity constraints, by reduction to the independent velocities (theory.md §13).

v = P(q) s. Projecting the equations of the unconstrained system with Pᵀ removes the constraint forces:

    PᵀMP ṡ + Pᵀ(C P + M Ṗ) s + Pᵀn = Pᵀτ.

Putting P into the mass matrix alone would lose the bracket with the momentum along the forbidden directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...lie.arrays import apply, solved, transpose
from ...model import ModelError, Tree
from ..closed_form.coriolis import coriolis_matrix
from ..mass_matrix import mass_matrix
from ..recursive import inverse_dynamics
from ..wrenches import Wrenches
from .constraint import VelocityConstraint

Constraints = Sequence[VelocityConstraint]


class ConstrainedMotion(NamedTuple):
    """acceleration (..., nv), speed_rates ṡ (..., r), reaction (..., nv): the workless constraint forces."""

    acceleration: np.ndarray
    speed_rates: np.ndarray
    reaction: np.ndarray


def check_constraints(tree: Tree, q: np.ndarray, constraints: Constraints) -> None:
    """Refuse constraints that do not fit the tree, by their matrices at one configuration q (nq,): L P = 1."""
    _untied(tree, constraints)
    for c in constraints:
        dofs, r = c.dofs(tree).tolist(), len(c.speeds)
        P, L = np.asarray(c.embedding(tree, q)), np.asarray(c.coordinates(tree, q))
        rate = np.asarray(c.embedding_rate(tree, q, np.zeros(tree.nv)))
        if len(set(dofs)) < len(dofs):
            given = f"{tree.dof_names[next(i for i in dofs if dofs.count(i) > 1)]} twice"
            raise ModelError.single(c.vehicle, "constraint", expected="each velocity tied once", given=given)
        for name, matrix, shape in (
            ("embedding", P, (len(dofs), r)),
            ("embedding_rate", rate, (len(dofs), r)),
            ("coordinates", L, (r, len(dofs))),
        ):
            if matrix.shape != shape:
                raise ModelError.single(c.vehicle, name, expected=f"shape {shape}", given=str(matrix.shape))
        if not np.abs(L @ P - np.eye(r)).max(initial=0.0) < 1e-9:
            given = f"L P = {(L @ P).round(6).tolist()}"
            raise ModelError.single(c.vehicle, "coordinates", expected="L with L P = 1", given=given)


def speed_names(tree: Tree, constraints: Constraints) -> tuple[str, ...]:
    """Names of the independent velocities s, in order: those of the constraints, then the untied ones."""
    tied = [f"{c.vehicle}.{name}" for c in constraints for name in c.speeds]
    return (*tied, *(tree.dof_names[i] for i in _untied(tree, constraints)))


def embedding(tree: Tree, q: np.ndarray, constraints: Constraints) -> np.ndarray:
    """P (..., nv, r) with v = P s at q (..., nq)."""
    free = _untied(tree, constraints)
    P = np.eye(tree.nv)[:, free] @ _places(tree, constraints)[-1]
    for c, place in zip(constraints, _places(tree, constraints), strict=False):
        P = P + np.eye(tree.nv)[:, c.dofs(tree)] @ c.embedding(tree, q) @ place
    return np.broadcast_to(P, (*q.shape[:-1], *P.shape[-2:]))  # constant ones too have one for each sample


def embedding_rate(tree: Tree, q: np.ndarray, v: np.ndarray, constraints: Constraints) -> np.ndarray:
    """Ṗ (..., nv, r) at q (..., nq), v (..., nv)."""
    rate = np.zeros((tree.nv, len(speed_names(tree, constraints))))
    for c, place in zip(constraints, _places(tree, constraints), strict=False):
        rate = rate + np.eye(tree.nv)[:, c.dofs(tree)] @ c.embedding_rate(tree, q, v) @ place
    return rate


def independent_speeds(tree: Tree, q: np.ndarray, v: np.ndarray, constraints: Constraints) -> np.ndarray:
    """s (..., r) of a velocity v (..., nv) that keeps the constraints, at q (..., nq)."""
    free = _untied(tree, constraints)
    L = _places(tree, constraints)[-1].T @ np.eye(tree.nv)[free]
    for c, place in zip(constraints, _places(tree, constraints), strict=False):
        L = L + place.T @ c.coordinates(tree, q) @ np.eye(tree.nv)[c.dofs(tree)]
    return apply(L, v)


def constrained_velocity(tree: Tree, q: np.ndarray, s: np.ndarray, constraints: Constraints) -> np.ndarray:
    """v = P s (..., nv) of independent velocities s (..., r) at q (..., nq)."""
    return apply(embedding(tree, q, constraints), s)


def constrained_mass_matrix(tree: Tree, q: np.ndarray, constraints: Constraints) -> np.ndarray:
    """PᵀMP (..., r, r) at q (..., nq)."""
    P = embedding(tree, q, constraints)
    return transpose(P) @ mass_matrix(tree, q) @ P


def constrained_coriolis_matrix(
    tree: Tree, q: np.ndarray, v: np.ndarray, constraints: Constraints
) -> np.ndarray:
    """Pᵀ(C P + M Ṗ) (..., r, r) at q (..., nq), v (..., nv); d/dt(PᵀMP) − 2× it is skew."""
    P, P_dot = embedding(tree, q, constraints), embedding_rate(tree, q, v, constraints)
    return transpose(P) @ (coriolis_matrix(tree, q, v) @ P + mass_matrix(tree, q) @ P_dot)


def constrained_forward_dynamics(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None,
    constraints: Constraints,
) -> ConstrainedMotion:
    """The motion at q (..., nq) under the forces tau (..., nv).

    v: (..., nv), of which only the independent velocities count.  gravity: γ (..., 3), world axes (m/s²).
    wrenches: {frame: (..., 6) in its own axes}.
    """
    P = embedding(tree, q, constraints)
    s = independent_speeds(tree, q, v, constraints)
    v = apply(P, s)
    drift = apply(embedding_rate(tree, q, v, constraints), s)
    M = mass_matrix(tree, q)
    missing = tau - inverse_dynamics(tree, q, v, drift, gravity, wrenches)
    s_dot = solved(transpose(P) @ M @ P, apply(transpose(P), missing))
    gained = apply(P, s_dot)
    return ConstrainedMotion(gained + drift, s_dot, apply(M, gained) - missing)


def _untied(tree: Tree, constraints: Constraints) -> np.ndarray:
    """Velocity indices that no constraint ties. Two constraints must not tie the same velocity."""
    seen: set[int] = set()
    for c in constraints:
        dofs = set(c.dofs(tree).tolist())
        if twice := seen & dofs:
            given = f"{tree.dof_names[min(twice)]} in two of them"
            raise ModelError.single(c.vehicle, "constraints", expected="each velocity tied once", given=given)
        seen |= dofs
    return np.array([i for i in range(tree.nv) if i not in seen], dtype=int)


def _places(tree: Tree, constraints: Constraints) -> list[np.ndarray]:
    """Constant matrices that pick each constraint's speeds, and last the untied velocities, out of s."""
    sizes = [*(len(c.speeds) for c in constraints), len(_untied(tree, constraints))]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return [np.eye(starts[-1])[a:b] for a, b in pairwise(starts)]
