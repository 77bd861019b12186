"""A joint with no inertia behind it has no acceleration: such a system is refused, and all such joints are named."""

from __future__ import annotations

import numpy as np

from ..dynamics import configuration
from ..dynamics.joint_crossing import crossings, relative_pose
from ..dynamics.tree_scans import inward
from ..lie import se3
from ..lie.arrays import transpose
from ..model import Link, ModelError, Problem, Tree

_RANDOM_CONFIGURATIONS = 3
_SMALLEST = 1e-12


def check_definite(tree: Tree) -> None:
    """Refuse a tree whose mass matrix is not positive definite at the neutral or at random configurations.

    The mass matrix is eliminated from its last velocity to the first, which is the inward sweep of the articulated-body
    recursion (theory.md §12): what a joint feels of the bodies outboard, with their joints free, must not vanish beside
    what it feels of them with their joints locked.
    """
    faulty: dict[str, None] = {}
    rng = np.random.default_rng(0)
    samples = [configuration.neutral(tree)]
    samples += [configuration.random_configuration(tree, rng) for _ in range(_RANDOM_CONFIGURATIONS)]

    def step(link, arriving, x):
        locked, free = arriving[0] + link.inertia, arriving[1] + link.inertia
        S, Ia = x.basis, np.diag(link.armature)
        scale = np.diagonal(transpose(S) @ locked @ S + Ia, axis1=-2, axis2=-1)
        free, good = _released(link, S, free, scale)
        if not good:
            faulty[link.name] = None
        X = se3.Ad(se3.inverse(relative_pose(x)))
        return (transpose(X) @ locked @ X, transpose(X) @ free @ X), None

    nothing = np.zeros((len(samples), 6, 6))
    inward(tree, step, (nothing, nothing), crossings(tree, np.stack(samples)))
    expected = "a positive definite mass matrix: mass, inertia or armature on or beyond every joint"
    given = "a singular mass matrix"
    if faulty:
        names = [name for name in tree.names if name in faulty]
        raise ModelError(Problem(name, "no inertia behind the joint", expected, given) for name in names)


def _released(link: Link, S: np.ndarray, P: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, bool]:
    """The inertia P (..., 6, 6) as felt through the joint with all its DoFs free, and whether there is any to feel.

    P S D⁻¹ is eliminated column by column, from the last DoF on; S (..., 6, r) are the joint's twists, scale (..., r)
    the inertias along them with everything outboard locked.
    """
    D, U = transpose(S) @ P @ S + np.diag(link.armature), P @ S
    for i in reversed(range(link.joint.nv)):
        pivot = D[..., i, i]
        if not np.all((pivot > _SMALLEST * scale[..., i]) & np.isfinite(pivot)):
            return P, False
        row, column = D[..., i, :] / pivot[..., None], U[..., i] / pivot[..., None]
        P = P - column[..., :, None] * U[..., None, :, i]
        U = U - U[..., i, None] * row[..., None, :]
        D = D - D[..., :, i, None] * row[..., None, :]
    return P, True
