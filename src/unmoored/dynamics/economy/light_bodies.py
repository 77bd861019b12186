"""The same system with inertia given to parents, as far as no joint feels it.

Let ΔI have ΔI S = 0 and Ad_hᵀ ΔI Ad_h = ΔI for every pose h of a body's joint. With V = Ad_h⁻¹ Ad_A⁻¹ V_parent + S u
the energy Vᵀ ΔI V is that of Ad_A⁻¹ᵀ ΔI Ad_A⁻¹ on the parent, and so is the work of gravity: it may as well belong
there (on the world: be left out). On a joint that turns about z that is mass at its origin, a first moment along z,
and the same moment of inertia about x and y; on one that slides along z all moments of inertia; on a weld everything.
What is left are base parameters: seven numbers of a body on a revolute joint, not ten.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import blocks
from ...model import Fixed, Link, Tree
from ...trace import LOOPS_BEYOND, is_symbolic, is_zero

_TURNS, _SLIDES = np.eye(6)[:, 5:], np.eye(6)[:, 2:3]


def with_light_bodies(tree: Tree, q: np.ndarray) -> Tree:
    """The tree for a recursion of forces or accelerations at q: with light bodies while it is traced.

    Not if it becomes a loop: a loop does not fold zeros, and in long chains what is given away adds up to much more
    than what a body has.
    Masses and centres of mass of its links stay what they were, so that they no longer belong to the 6×6 inertias.
    """
    if not is_symbolic(q) or tree.has_own_links or len(tree.links) > LOOPS_BEYOND:
        return tree
    return _lightened(tree)


@lru_cache(maxsize=64)
def _lightened(tree: Tree) -> Tree:
    inertias = [link.inertia for link in tree.links]
    for link in reversed(tree.links):
        given = _unfelt(link, inertias[link.index])
        inertias[link.index] = inertias[link.index] - given
        if link.parent >= 0:
            inertias[link.parent] = inertias[link.parent] + _carried(link.placement, given)
    return tree.with_links([replace(link, inertia=I) for link, I in zip(tree.links, inertias, strict=True)])


def _unfelt(link: Link, I: np.ndarray) -> np.ndarray:
    """ΔI (6, 6): what a joint does not feel of an inertia. About z: so that equal moments about x and z are left."""
    if isinstance(link.joint, Fixed):
        return I
    basis = link.joint.basis(link.joint.neutral()) if link.joint.constant_basis else np.zeros((6, 0))
    if np.array_equal(basis, _TURNS):
        across = I[3, 3] - I[5, 5]
        return _rigid(I[0, 0], np.array([0.0, 0.0, I[4, 0]]), np.diag([across, across, 0.0]))
    if np.array_equal(basis, _SLIDES):
        return _rigid(0.0, np.zeros(3), I[3:, 3:])
    return np.zeros((6, 6))


def _rigid(mass: float, moment: np.ndarray, J: np.ndarray) -> np.ndarray:
    return blocks([[mass * np.eye(3), -so3.hat(moment)], [so3.hat(moment), J]])


def _carried(g: np.ndarray, I: np.ndarray) -> np.ndarray:
    """Ad_g⁻¹ᵀ I Ad_g⁻¹ (6, 6); of a rigid body's inertia one to the last bit, so that its structure folds."""
    mass, moment = I[0, 0], np.array([I[5, 1], I[3, 2], I[4, 0]])
    rest = I - _rigid(mass, moment, I[3:, 3:])
    if not is_zero(rest):
        X = se3.Ad(se3.inverse(g))
        return X.T @ I @ X
    R, p = se3.rotation(g), se3.position(g)
    turned, p_hat = so3.hat(R @ moment), so3.hat(p)
    J = R @ I[3:, 3:] @ R.T - turned @ p_hat - p_hat @ turned - mass * p_hat @ p_hat
    return _rigid(mass, R @ moment + mass * p, 0.5 * (J + J.T))
