"""How the velocities jump when two systems are joined: by an impulse between them (theory.md §23).

    M⁺ ν⁺ = Pᵀ M ν⁻ ,    M = diag(M_host, M_guest),  M⁺ of the joined system,  P: velocities of both from joined ones

Momentum is conserved along every direction that the joined system can still move. Where ν⁺ = E w + b is bound by
velocity constraints and prescribed motions, along the directions in E.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..lie.arrays import apply, join, solved, stacked_rows, transpose
from ..model import Tree
from .jacobians import jacobian
from .mass_matrix import mass_matrix


class Jump(NamedTuple):
    """v (..., nv) just after.  impulse: (..., 6) on the guest's vehicle, at its origin in its axes (N s, N m s).

    energy_lost: (...) J of kinetic energy; never negative unless prescribed motions do work.
    """

    v: np.ndarray
    impulse: np.ndarray
    energy_lost: np.ndarray


def jump(
    host: Tree,
    state: tuple[np.ndarray, np.ndarray],
    guest: Tree,
    state_guest: tuple[np.ndarray, np.ndarray],
    joined: Tree,
    q_joined: np.ndarray,
    vehicle: str,
    bound: tuple[np.ndarray, np.ndarray] | None = None,
) -> Jump:
    """The jump from the states (q (..., nq), v (..., nv)) of both to the joined tree at q_joined (..., nq).

    The inertias of all three trees are those that count in an impulse: with added mass, without what wheels take out.
    vehicle: the guest's, in the joined tree.  bound: E (..., nv, nw) and b (..., nv) of the joined velocities; all are
    free if None.
    """
    (q, v), (q_guest, v_guest) = state, state_guest
    P = _embedding(joined, q_joined, host.nv, guest.nv, vehicle)
    M, M_guest = mass_matrix(joined, q_joined), mass_matrix(guest, q_guest)
    before = join([v, v_guest])
    momentum = join([apply(mass_matrix(host, q), v), apply(M_guest, v_guest)])
    along = apply(transpose(P), momentum)
    if bound is None:
        after = solved(M, along)
    else:
        E, b = bound
        after = b + apply(E, solved(transpose(E) @ M @ E, apply(transpose(E), along - apply(M, b))))
    change = apply(P, after) - before
    lost = 0.5 * ((before * momentum).sum(axis=-1) - (after * apply(M, after)).sum(axis=-1))
    return Jump(after, apply(M_guest, change[..., host.nv :])[..., :6], lost)


def _embedding(tree: Tree, q: np.ndarray, n_host: int, n_guest: int, vehicle: str) -> np.ndarray:
    """P (..., n_host + n_guest, nv): velocities of both before, from those of the joined tree."""
    kept = np.eye(tree.nv)
    arm = kept[tree.nv - (n_guest - 6) :]
    return stacked_rows([kept[:n_host], jacobian(tree, q, vehicle), arm])
