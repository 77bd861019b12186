"""Momentum of the whole system: in world axes, in a frame, about the centre of mass, conjugate to v.

Momenta are (linear, angular) covectors and go between frames like wrenches, F_a = Ad_{g_ab⁻¹}ᵀ F_b. The
inertia of drives (armature) is not part of a body and has no momentum here (theory.md §12).
"""

from __future__ import annotations

import numpy as np

from ..lie import se3, so3
from ..model import Tree
from ..model.errors import unknown_name
from .jacobians import body_jacobians
from .joint_crossing import crossings
from .kinematics import body_poses, body_velocities, centre_of_mass, pose
from .tree_scans import total
from .wrenches import forces_across

POINTS = ("world", "com")


def momentum(tree: Tree, q: np.ndarray, v: np.ndarray, about: str = "world") -> np.ndarray:
    """Spatial momentum (..., 6) in world axes, linear part first, [kg m/s, kg m²/s].

    about: the point of reference of the angular part, "world" (its origin) or "com" (the centre of mass).
    """
    momenta = [
        se3.Ad_inv_transpose_apply(g, p)
        for g, p in zip(body_poses(tree, q), body_momenta(tree, q, v), strict=True)
    ]
    return _about(tree, q, total(momenta), about)


def momentum_matrix(tree: Tree, q: np.ndarray, about: str = "world") -> np.ndarray:
    """A (..., 6, nv) with momentum = A v, in world axes; about="com" gives the centroidal momentum matrix."""
    columns = [
        se3.Ad_inv_transpose_apply(g[..., None, :, :], np.swapaxes(link.inertia @ B, -1, -2))
        for link, g, B in zip(
            tree.links, body_poses(tree, q), body_jacobians(tree, crossings(tree, q)), strict=True
        )
    ]
    return np.swapaxes(_about(tree, q, total(columns), about, (np.newaxis,)), -1, -2)


def momentum_in_frame(tree: Tree, q: np.ndarray, v: np.ndarray, frame: str) -> np.ndarray:
    """Momentum (..., 6) of the whole system at a frame's origin in its axes: P of §8 for a free vehicle."""
    return se3.Ad_transpose_apply(pose(tree, q, frame), momentum(tree, q, v))


def generalized_momentum(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """p = Σ B_iᵀ I_i V_i (..., nv): M v without armature. The rows of a vehicle are its momentum P."""
    return forces_across(tree, crossings(tree, q), body_momenta(tree, q, v))


def body_momenta(tree: Tree, q: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    """I_i V_i (..., 6) of every body, at its origin in its axes."""
    Vs = body_velocities(tree, q, v)
    return [(link.inertia @ V[..., None])[..., 0] for link, V in zip(tree.links, Vs, strict=True)]


def _about(tree: Tree, q: np.ndarray, μ: np.ndarray, about: str, extra: tuple = ()) -> np.ndarray:
    """Momentum μ (..., *extra, 6) about the world origin, taken about another point."""
    if about not in POINTS:
        raise unknown_name("momentum", "point (about=…)", about, POINTS)
    if about == "world":
        return μ
    r = centre_of_mass(tree, q)[(..., *extra, slice(None))]
    return np.concatenate([μ[..., :3], μ[..., 3:] - so3.cross(r, μ[..., :3])], axis=-1)
