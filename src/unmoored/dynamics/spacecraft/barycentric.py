"""Barycentric vectors, and the virtual manipulator that they are the links of (theory.md §10).

A point x on body k lies, seen from the centre of mass of all bodies, at Σ_i R_i b_i with

    b_i = Σ_{l child of i} (δ_{l on the way to k} − M_l/M_t) a_l − (m_i/M_t) c_i + δ_ik x:

one vector in the axes of every body. a_l is the origin of body l in the axes of i, M_l the mass of l and of all beyond
it, c_i the centre of mass of body i. Where joints only turn about the origins of their bodies a_l, and with them all
b_i, are constant; displacements of sliding joints are in a_l.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, scale_vector
from ...model import ModelError, Tree
from ..joint_crossing import crossings, relative_pose
from ..kinematics import body_poses, centre_of_mass
from .conditions import rigid_bodies

_FORM = "barycentric vectors"


class VirtualManipulator(NamedTuple):
    """The chain of virtual links from the centre of mass to a frame, at a configuration.

    ground: the virtual ground (..., 3), which is the centre of mass, world axes (m): at rest or in uniform motion.
    vectors: links (..., N, 3), each in the axes of its body: the barycentric vectors.
    joints: (..., N + 1, 3) in world axes: from the ground, through the ends of the links, to the frame.
    """

    ground: np.ndarray
    vectors: np.ndarray
    joints: np.ndarray


def barycentric_vectors(tree: Tree, q: np.ndarray, frame: str) -> np.ndarray:
    """b_i (..., N, 3) [m] of all N bodies, each in its own axes, to the origin of a frame or body, at q (..., nq)."""
    return np.stack(_vectors(tree, q, frame), axis=-2)


def virtual_manipulator(tree: Tree, q: np.ndarray, frame: str) -> VirtualManipulator:
    """The virtual manipulator that ends at a frame or body, at q (..., nq)."""
    vectors, ground = _vectors(tree, q, frame), centre_of_mass(tree, q)
    places = [ground]
    for g, b in zip(body_poses(tree, q), vectors, strict=True):
        places.append(places[-1] + apply(se3.rotation(g), b))
    return VirtualManipulator(ground, np.stack(vectors, axis=-2), np.stack(places, axis=-2))


def pose_from_centre_of_mass(tree: Tree, q: np.ndarray, frame: str) -> np.ndarray:
    """Pose (..., 4, 4) of a frame or body in world axes with the centre of mass as origin, at q (..., nq).

    Where the vehicle is does not count: q may be that of the dynamically equivalent manipulator.
    """
    index, on_body = tree.locate(frame)
    gs = body_poses(tree, q)
    place = sum(
        (apply(se3.rotation(g), b) for g, b in zip(gs, _vectors(tree, q, frame), strict=True)), np.zeros(3)
    )
    return se3.pose(se3.rotation(gs[index] @ on_body), place)


def _vectors(tree: Tree, q: np.ndarray, frame: str) -> list[np.ndarray]:
    """The barycentric vectors (..., 3), of one body after the other."""
    _check(tree, frame)
    index, on_body = tree.locate(frame)
    way, beyond = {index}, [link.mass for link in tree.links]
    for link in reversed(tree.links):
        if link.parent >= 0:
            beyond[link.parent] = beyond[link.parent] + beyond[link.index]
            way |= {link.parent} if link.index in way else set()
    total, like = tree.mass, 0.0 * q[..., :3]
    found = [like - scale_vector(link.mass / total, link.com) for link in tree.links]
    for link, x in zip(tree.links, crossings(tree, q), strict=True):
        if link.parent >= 0:
            share = (1.0 if link.index in way else 0.0) - beyond[link.index] / total
            found[link.parent] = found[link.parent] + scale_vector(share, se3.position(relative_pose(x)))
    found[index] = found[index] + se3.position(on_body)
    return found


def _check(tree: Tree, frame: str) -> None:
    rigid_bodies(tree, _FORM)
    if len(tree.vehicles) != 1:
        raise ModelError.single(tree.name, _FORM, expected="one vehicle", given=", ".join(tree.vehicles))
    if tree.locate(frame)[0] < 0:
        raise ModelError.single(frame, _FORM, expected="a frame on a body", given="a frame of the world")
