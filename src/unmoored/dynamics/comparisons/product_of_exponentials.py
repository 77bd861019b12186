"""Kinematics a second way: the product of exponentials of the joint twists at home (theory.md §3).

It shares nothing with the recursion over placements but the home poses, so each checks the other.
"""

from __future__ import annotations

import numpy as np

from ...lie import se3
from ...model import Tree
from ..kinematics import body_poses


def home_twists(tree: Tree) -> list[np.ndarray]:
    """ξ_k (6, nv_k): the twists of every joint in world axes at the world origin, all joints at neutral."""
    return [
        se3.Ad(g) @ link.joint.basis(link.joint.neutral())
        for link, g in zip(tree.links, _home(tree), strict=True)
    ]


def product_pose(tree: Tree, q: np.ndarray, body: str) -> np.ndarray:
    """World pose g_0i = exp(ξ₁x₁) … exp(ξ_i x_i) g_0i(home) (..., 4, 4) of a body, q (..., nq).

    x are exponential coordinates. A joint with a varying twist has none; its factor is G h(q) h(0)⁻¹ G⁻¹.
    """
    index = tree.index(body)
    g = np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))
    for k in tree.ancestors[index]:
        g = g @ _factor(tree, k, q)
    return g @ _home(tree)[index]


def product_jacobian(tree: Tree, q: np.ndarray, body: str) -> np.ndarray:
    """Spatial Jacobian (..., 6, nv) of a body: column block k is Ad of the product of the factors up to k, times ξ_k.

    For a multi-DoF joint the velocity is the moved body's, so its own factor is included.
    """
    blocks = {k: np.zeros((*q.shape[:-1], 6, link.joint.nv)) for k, link in enumerate(tree.links)}
    g, home = np.eye(4), _home(tree)
    for k in tree.ancestors[tree.index(body)]:
        g = g @ _factor(tree, k, q)
        link = tree.links[k]
        blocks[k] = se3.Ad(g @ home[k]) @ link.joint.basis(q[..., link.q])
    return np.concatenate([blocks[k] for k in range(len(tree.links))], axis=-1)


def _home(tree: Tree) -> list[np.ndarray]:
    neutral = np.concatenate([link.joint.neutral() for link in tree.links])
    return body_poses(tree, neutral)


def _factor(tree: Tree, k: int, q: np.ndarray) -> np.ndarray:
    link, G = tree.links[k], _home(tree)[k]
    if link.joint.constant_basis:
        x = link.joint.coordinates(q[..., link.q])
        return se3.exp((home_twists(tree)[k] @ x[..., None])[..., 0])
    at_home = link.joint.transform(link.joint.neutral())
    return G @ se3.inverse(at_home) @ link.joint.transform(q[..., link.q]) @ se3.inverse(G)
