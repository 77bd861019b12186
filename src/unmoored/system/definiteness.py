"""A joint with no inertia behind it has no acceleration: such a system is refused, and all such joints are named."""

from __future__ import annotations

import numpy as np

from ..dynamics import configuration
from ..dynamics.joint_crossing import crossings, relative_pose
from ..dynamics.tree_scans import inward
from ..lie import se3
from ..lie.arrays import transpose
from ..model import Link, ModelError, Problem, Tree
from ..model.joints import SubgroupJoint

_RANDOM_CONFIGURATIONS = 3
_SMALLEST = 1e-12
#: what is judged without computing must be this much better
_CLEARLY = 10.0


def check_definite(tree: Tree) -> tuple[str, ...]:
    """Refuse a tree whose mass matrix is not positive definite at the neutral or at random configurations.

    Joints that are always prescribed (`Body.prescribed`) may have no inertia behind them. Returns those that have none.

    The mass matrix is eliminated from its last velocity to the first, which is the inward sweep of the articulated-body
    recursion (theory.md §12): what a joint feels of the bodies outboard, with their joints free, must not vanish beside
    what it feels of them with their joints locked.
    """
    if _surely_definite(tree):
        return ()
    prescribed = {body.name for body in tree.bodies if body.prescribed}
    if faulty := _without_inertia(tree, prescribed):
        expected = "a positive definite mass matrix: mass, inertia or armature on or beyond every joint"
        given = "a singular mass matrix"
        raise ModelError(Problem(name, "no inertia behind the joint", expected, given) for name in faulty)
    return _without_inertia(tree, set()) if prescribed else ()


def _without_inertia(tree: Tree, held: set[str]) -> tuple[str, ...]:
    """Joints that feel no inertia, in the tree's order, while those that are held do not move."""
    faulty: dict[str, None] = {}
    rng = np.random.default_rng(0)
    samples = [configuration.neutral(tree)]
    samples += [configuration.random_configuration(tree, rng) for _ in range(_RANDOM_CONFIGURATIONS)]

    def step(link, arriving, x):
        locked, free = arriving[0] + link.inertia, arriving[1] + link.inertia
        X = se3.Ad(se3.inverse(relative_pose(x)))
        if link.name in held:
            return (transpose(X) @ locked @ X, transpose(X) @ free @ X), None
        S = x.basis
        scale = np.diagonal(transpose(S) @ locked @ S, axis1=-2, axis2=-1)
        free, good = _released(link, S, free, scale)
        if not good:
            faulty[link.name] = None
        return (transpose(X) @ locked @ X, transpose(X) @ free @ X), None

    nothing = np.zeros((len(samples), 6, 6))
    inward(tree, step, (nothing, nothing), crossings(tree, np.stack(samples)))
    return tuple(name for name in tree.names if name in faulty)


def _surely_definite(tree: Tree) -> bool:
    """Whether every joint moves enough inertia of its own body, whatever is outboard: true of most trees, and quick.

    What a joint feels of the bodies outboard with their joints free is no less than what it feels of its own body. What
    it feels of all of them locked is at most the sum of n² |I_b| ((1 + d_b)² + 1), with n the length of its twist,
    |I_b| the trace of a body's inertia and d_b its distance (m). Joints that only turn leave a bound for the distances;
    a tree with others beyond its vehicles is not judged here.
    """
    links, count = tree.links, len(tree.links)
    far, outboard = np.zeros(count), np.zeros(count)
    for link in reversed(links):
        joint, i = link.joint, link.index
        if not isinstance(joint, SubgroupJoint):
            return False
        S, inertia = joint.group.basis, link.inertia
        outboard[i] += inertia.trace()
        if joint.nv:
            if link.parent >= 0 and S[:3].any():
                return False
            own = S.T @ inertia @ S + np.diag(link.armature)
            felt = own[0, 0] if joint.nv == 1 else np.linalg.eigvalsh(own)[0]
            most = (S * S).sum(axis=0).max() * outboard[i] * ((1.0 + far[i]) ** 2 + 1.0) + link.armature.max()
            if not felt > _CLEARLY * _SMALLEST * most:
                return False
        if link.parent >= 0:
            outboard[link.parent] += outboard[i]
            reach = far[i] + np.sqrt((link.placement[:3, 3] ** 2).sum())
            far[link.parent] = max(far[link.parent], reach)
    return True


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
