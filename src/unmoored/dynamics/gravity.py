"""Uniform gravity: every body's dry mass pulls at its centre of mass, whatever its 6×6 (theory.md §6)."""

from __future__ import annotations

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import apply, join, scale_vector
from ..model import Tree
from .joint_crossing import crossings
from .kinematics import body_poses
from .tree_scans import total
from .wrenches import forces_across


def gravity_wrenches(tree: Tree, poses: list[np.ndarray], gravity: np.ndarray) -> list[np.ndarray]:
    """Weight (m Rᵀγ ; c × m Rᵀγ) (..., 6) of every body, at its origin in its axes.

    poses: g_0i (..., 4, 4) of all bodies.  gravity: γ (..., 3), world axes (m/s²).
    """
    γ = np.asarray(gravity)[..., None]
    weights = []
    for link, g in zip(tree.links, poses, strict=True):
        f = scale_vector(link.mass, (np.swapaxes(se3.rotation(g), -1, -2) @ γ)[..., 0])
        weights.append(join([f, so3.cross(link.com, f)]))
    return weights


def gravity_forces(tree: Tree, q: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """n = +∂U = −Σ B_iᵀ F_grav,i (..., nv), on the left side: M a + C v + n = τ.

    gravity: γ (..., 3), world axes (m/s²).
    """
    return -forces_across(tree, crossings(tree, q), gravity_wrenches(tree, body_poses(tree, q), gravity))


def potential_energy(tree: Tree, q: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """U = −Σ m_i γᵀ p_cm,i (...) [J], zero at the world origin. gravity: γ (..., 3), world axes."""
    moments = [
        scale_vector(link.mass, se3.position(g)) + apply(se3.rotation(g), scale_vector(link.mass, link.com))
        for link, g in zip(tree.links, body_poses(tree, q), strict=True)
    ]
    return 0.0 - (np.asarray(gravity) * total(moments)).sum(axis=-1)  # not −0.0 without gravity
