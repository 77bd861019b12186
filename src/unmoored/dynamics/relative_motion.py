"""Motion of one frame seen from another, over the joints between them alone (theory.md §28).

    g_ab = g_a⁻¹ g_b ,    V_ab = V_b − Ad(g_ab⁻¹) V_a = J v ,    V̇_ab = J v̇ + (what is left at v̇ = 0)

in the axes of b. Joints that carry both frames drop out, so the last body that carries both may stand still here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..lie import se3
from ..model import Tree
from .joint_crossing import Crossing, joint_twist, relative_pose, twist_outward
from .kinematics import AT_REST, ORIGIN, basis_rate_twist


class Place(NamedTuple):
    """A frame on a body: the body's index (−1: the world) and the frame's pose (..., 4, 4) on it."""

    index: int
    at: np.ndarray


class Between(NamedTuple):
    """The joints between two frames, as indices of links from the last common body outward to a and to b."""

    a: Place
    b: Place
    to_a: tuple[int, ...]
    to_b: tuple[int, ...]


def between(tree: Tree, a: Place, b: Place) -> Between:
    """The way from one frame to the other."""
    up_a, up_b = _ancestors(tree, a.index), _ancestors(tree, b.index)
    common = set(up_a) & set(up_b)
    chains = (tuple(i for i in reversed(up) if i not in common) for up in (up_a, up_b))
    return Between(a, b, *chains)


def _ancestors(tree: Tree, index: int) -> list[int]:
    """The body and all bodies that carry it, itself first."""
    found = []
    while index >= 0:
        found.append(index)
        index = tree.links[index].parent
    return found


def pose_between(way: Between, xs: list[Crossing]) -> np.ndarray:
    """g_ab (..., 4, 4)."""
    g_a, g_b = _outward(way.to_a, way.a, xs), _outward(way.to_b, way.b, xs)
    return se3.inverse(g_a) @ g_b


def _outward(chain: tuple[int, ...], end: Place, xs: list[Crossing]) -> np.ndarray:
    g = ORIGIN
    for i in chain:
        g = g @ relative_pose(xs[i])
    return g @ end.at


def twist_between(way: Between, xs: list[Crossing], g_ab: np.ndarray, us: list[np.ndarray]) -> np.ndarray:
    """V_ab (..., 6) in the axes of b at the joints' velocities us, (..., nv_i) of every link."""
    V_a, V_b = _twist(way.to_a, way.a, xs, us), _twist(way.to_b, way.b, xs, us)
    return V_b - se3.Ad_inv_apply(g_ab, V_a)


def _twist(chain: tuple[int, ...], end: Place, xs: list[Crossing], us: list[np.ndarray]) -> np.ndarray:
    V = AT_REST
    for i in chain:
        V = twist_outward(xs[i], V) + joint_twist(xs[i], us[i])
    return se3.Ad_inv_apply(end.at, V)


def acceleration_between(
    tree: Tree,
    way: Between,
    xs: list[Crossing],
    g_ab: np.ndarray,
    qs: list[np.ndarray],
    us: list[np.ndarray],
    accelerations: list[np.ndarray],
) -> np.ndarray:
    """V̇_ab (..., 6) at the joints' configurations qs, velocities us and accelerations."""
    V_a, A_a = _acceleration(tree, way.to_a, way.a, xs, qs, us, accelerations)
    V_b, A_b = _acceleration(tree, way.to_b, way.b, xs, qs, us, accelerations)
    carried = se3.Ad_inv_apply(g_ab, V_a)
    V_ab = V_b - carried
    return A_b - se3.Ad_inv_apply(g_ab, A_a) + se3.ad_apply(V_ab, carried)


def _acceleration(
    tree: Tree,
    chain: tuple[int, ...],
    end: Place,
    xs: list[Crossing],
    qs: list[np.ndarray],
    us: list[np.ndarray],
    accelerations: list[np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    V, A = AT_REST, AT_REST
    for i in chain:
        x, own = xs[i], joint_twist(xs[i], us[i])
        V = twist_outward(x, V) + own
        A = twist_outward(x, A) + joint_twist(x, accelerations[i]) + se3.ad_apply(V, own)
        A = A + basis_rate_twist(tree.links[i].joint, qs[i], us[i])
    return se3.Ad_inv_apply(end.at, V), se3.Ad_inv_apply(end.at, A)


def jacobian_between(tree: Tree, way: Between, xs: list[Crossing], g_ab: np.ndarray) -> np.ndarray:
    """J (..., 6, nv) with V_ab = J v: the columns of a joint are ±Ad_g S, g its body's pose seen from b."""
    columns: dict[int, np.ndarray] = {}
    for chain, end, start, sign in (
        (way.to_b, way.b, ORIGIN, 1.0),
        (way.to_a, way.a, se3.inverse(g_ab), -1.0),
    ):
        g = start @ se3.inverse(end.at)
        for i in reversed(chain):
            columns[i] = sign * (se3.Ad(g) @ xs[i].basis)
            g = g @ se3.inverse(xs[i].pose) @ se3.inverse(xs[i].placement)
    batch = np.broadcast_shapes(g_ab.shape[:-2], *(c.shape[:-2] for c in columns.values()))
    shapes = [(*batch, 6, link.joint.nv) for link in tree.links]
    found = [np.broadcast_to(columns.get(k, 0.0), shape) for k, shape in enumerate(shapes)]
    return np.concatenate(found, axis=-1) if found else np.zeros((*batch, 6, 0))
