"""Position, velocity and acceleration of the centre of mass of all bodies, in world axes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import apply, scale_vector
from ..model import Tree
from .kinematics import body_accelerations, body_poses, body_velocities
from .tree_scans import total


class PointMotion(NamedTuple):
    """position (m), velocity, acceleration, each (..., 3) in world axes."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


def centre_of_mass_motion(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> PointMotion:
    """Of all bodies, without added mass, at q (..., nq), v and a (..., nv)."""
    parts = []
    moving = zip(
        tree.links,
        body_poses(tree, q),
        body_velocities(tree, q, v),
        body_accelerations(tree, q, v, a),
        strict=True,
    )
    for link, g, V, V_dot in moving:
        ω, R = V[..., 3:], se3.rotation(g)
        speed = V[..., :3] + so3.cross(ω, link.com)
        rate = V_dot[..., :3] + so3.cross(V_dot[..., 3:], link.com) + so3.cross(ω, speed)
        motion = (se3.position(g) + apply(R, link.com), apply(R, speed), apply(R, rate))
        parts.append([scale_vector(link.mass, x) for x in motion])
    mass = np.asarray(tree.mass)[..., None]
    p, p_dot, p_ddot = (total(column) / mass for column in zip(*parts, strict=True))
    return PointMotion(p, p_dot, p_ddot)
