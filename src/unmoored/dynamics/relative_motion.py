"""Motion of one frame seen from another, over the joints between them alone (theory.md §28).

    g_ab = g_a⁻¹ g_b ,    V_ab = V_b − Ad(g_ab⁻¹) V_a = J v ,    V̇_ab = J v̇ + J̇ v

in the axes of b. One walk from b to the last body that carries both frames, and on to a, has it all: joints that
carry both drop out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..lie import se3
from ..lie.arrays import apply
from ..model import Tree
from .joint_crossing import Crossing
from .kinematics import AT_REST, basis_rate_twist


class Place(NamedTuple):
    """A frame on a body: the body's index (−1: the world) and the frame's pose (..., 4, 4) on it."""

    index: int
    at: np.ndarray


class Between(NamedTuple):
    """The joints between two frames, as indices of links: inward from b, then outward to a."""

    a: Place
    b: Place
    from_b: tuple[int, ...]
    to_a: tuple[int, ...]


def between(tree: Tree, a: Place, b: Place) -> Between:
    """The way from one frame to the other."""
    up_a, up_b = _ancestors(tree, a.index), _ancestors(tree, b.index)
    common = set(up_a) & set(up_b)
    return Between(
        a,
        b,
        tuple(i for i in up_b if i not in common),
        tuple(i for i in reversed(up_a) if i not in common),
    )


def _ancestors(tree: Tree, index: int) -> list[int]:
    """The body and all bodies that carry it, itself first."""
    found = []
    while index >= 0:
        found.append(index)
        index = tree.links[index].parent
    return found


class Walk(NamedTuple):
    """g_ab (..., 4, 4), and of every joint on the way, by index, ±Ad_g S (..., 6, nv_i), g its body's pose seen from b.

    The sign is that in V_ab: + from b inward, − outward to a.
    """

    way: Between
    pose: np.ndarray
    columns: dict[int, np.ndarray]
    #: g (..., 4, 4) of every joint's body
    bodies: dict[int, np.ndarray]


def walk(way: Between, xs: list[Crossing]) -> Walk:
    """The way between two frames at the crossings xs of all joints."""
    columns: dict[int, np.ndarray] = {}
    bodies: dict[int, np.ndarray] = {}
    g = se3.inverse(way.b.at)
    for i in way.from_b:
        bodies[i], columns[i] = g, se3.Ad(g) @ xs[i].basis
        g = g @ se3.inverse(xs[i].pose) @ se3.inverse(xs[i].placement)
    for i in way.to_a:
        g = g @ xs[i].placement @ xs[i].pose
        bodies[i], columns[i] = g, -(se3.Ad(g) @ xs[i].basis)
    return Walk(way, se3.inverse(g @ way.a.at), columns, bodies)


def jacobian_between(tree: Tree, walked: Walk) -> np.ndarray:
    """J (..., 6, nv) with V_ab = J v."""
    columns = walked.columns
    batch = np.broadcast_shapes(walked.pose.shape[:-2], *(c.shape[:-2] for c in columns.values()))
    shapes = [(*batch, 6, link.joint.nv) for link in tree.links]
    found = [np.broadcast_to(columns.get(k, 0.0), shape) for k, shape in enumerate(shapes)]
    return np.concatenate(found, axis=-1) if found else np.zeros((*batch, 6, 0))


def twist_between(walked: Walk, us: list[np.ndarray]) -> Any:
    """V_ab (..., 6) in the axes of b at the joints' velocities us, (..., nv_i) of every link."""
    return sum((apply(column, us[i]) for i, column in walked.columns.items()), AT_REST)


def acceleration_between(
    tree: Tree, walked: Walk, qs: list[np.ndarray], us: list[np.ndarray], accelerations: list[np.ndarray]
) -> Any:
    """V̇_ab (..., 6) at the joints' configurations qs, velocities us and accelerations.

    A column turns with its body, whose twist seen from b is T (..., 6): d/dt(C u) = C u̇ + ad_T C u + Ad_g Ṡ u.
    """
    total, T = AT_REST, AT_REST
    inward = set(walked.way.from_b)
    for i, column in walked.columns.items():
        own = apply(column, us[i])
        total = total + apply(column, accelerations[i]) + se3.ad_apply(T, own)
        if tree.links[i].joint.basis_derivatives(qs[i]) is not None:
            total = total + _turned_rate(tree, walked, i, qs[i], us[i], 1.0 if i in inward else -1.0)
        T = T - own
    return total


def acceleration_by_ends(
    walked: Walk, twists: list[np.ndarray], accelerations: list[np.ndarray], world: Any
) -> Any:
    """V̇_ab (..., 6) from the twists and accelerations of all bodies, where something else has found them already:

        V̇_ab = V̇_b − Ad(g_ab⁻¹) V̇_a + ad(V_ab) Ad(g_ab⁻¹) V_a .

    world: the acceleration (..., 6) of the world that those of the bodies started from; it drops out.
    """
    a, b = walked.way.a, walked.way.b

    def at(end: Place, bodies: list[np.ndarray], start: Any) -> Any:
        return se3.Ad_inv_apply(end.at, start if end.index < 0 else bodies[end.index])

    V_a, A_a = (
        se3.Ad_inv_apply(walked.pose, at(a, x, start))
        for x, start in ((twists, AT_REST), (accelerations, world))
    )
    V_b, A_b = at(b, twists, AT_REST), at(b, accelerations, world)
    return A_b - A_a + se3.ad_apply(V_b - V_a, V_a)


def _turned_rate(tree: Tree, walked: Walk, i: int, q: np.ndarray, u: np.ndarray, sign: float) -> np.ndarray:
    """±Ad_g Ṡ u (..., 6) of a joint whose basis varies."""
    return sign * se3.Ad_apply(walked.bodies[i], basis_rate_twist(tree.links[i].joint, q, u))
