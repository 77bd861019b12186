"""Shapes for bodies that have none: their mass as an equal box, their joints and the ways between them as bones."""

from __future__ import annotations

import numpy as np

from ...lie import se3
from ...lie.checked_frames import axis_frame, axis_rotation
from ...model import WORLD, Inertia, Joint, Tree
from .primitives import box, capsule, cylinder, ellipsoid, sphere
from .shape import Rgba, Shape, right_handed

VEHICLE: Rgba = (0.72, 0.74, 0.78, 1.0)
LINK: Rgba = (0.35, 0.56, 0.78, 1.0)
JOINT: Rgba = (0.20, 0.21, 0.23, 1.0)
_WATER = 1000.0  # kg/m³: how big a mass without size is drawn


def typical_length(tree: Tree) -> float:
    """A length (m) by which sizes are chosen: the longest way between joints, or the biggest equal box."""
    ways = [np.linalg.norm(body.at.xyz) for body in tree.bodies if body.parent != WORLD]
    ways += [np.linalg.norm(frame.at.xyz) for frame in tree.frames if frame.parent != WORLD]
    sizes = [equal_box(body.inertia)[0].max() for body in tree.bodies if body.inertia.mass > 0]
    return float(max([*ways, *sizes], default=0.0)) or 1.0


def invented_shapes(tree: Tree, index: int, L: float) -> list[Shape]:
    """Shapes of one body in its own frame; L: the system's typical length (m). A body with nothing to it has none."""
    body = tree.bodies[index]
    ways = _ways(tree, body.name)
    shapes = [_bone(way, L) for way in ways if np.linalg.norm(way) > 1e-3 * L]
    if body.inertia.mass > 0:
        shapes.append(_mass(body.inertia, vehicle=body.parent == WORLD, slim=bool(shapes), L=L))
    if shapes and body.parent != WORLD:
        shapes += _joint(body.joint, 0.05 * L)
    return shapes


def equal_box(inertia: Inertia) -> tuple[np.ndarray, np.ndarray]:
    """Edges (3,) in metres and axes (3, 3, columns) of the uniform box with this mass and tensor.

    A mass without size is a cube of water.
    """
    moments, axes = np.linalg.eigh(inertia.tensor)
    squares = 6.0 * (moments.sum() - 2 * moments) / inertia.mass
    size = np.sqrt(squares.clip(0.0))
    if size.max() < 1e-9:
        size = np.full(3, np.cbrt(inertia.mass / _WATER))
    return size.clip(0.05 * size.max()), right_handed(axes)


def _ways(tree: Tree, name: str) -> list[np.ndarray]:
    """From the body's origin to the joints and frames that it carries."""
    joints = [np.asarray(body.at.xyz) for body in tree.bodies if body.parent == name]
    return joints + [np.asarray(frame.at.xyz) for frame in tree.frames if frame.parent == name]


def _bone(way: np.ndarray, L: float) -> Shape:
    length = float(np.linalg.norm(way))
    g = se3.pose(axis_rotation(way), way / 2)
    return capsule(min(0.035 * L, 0.2 * length), length, LINK).moved(g)


def _mass(inertia: Inertia, *, vehicle: bool, slim: bool, L: float) -> Shape:
    size, axes = equal_box(inertia)
    g = se3.pose(axes, inertia.com)
    if vehicle:
        return box(size, VEHICLE).moved(g)
    # beside bones the mass is a hint only, so that a heavy link does not hide the arm
    return ellipsoid((size / 2).clip(max=0.08 * L) if slim else size / 2, LINK).moved(g)


def _joint(joint: Joint, r: float) -> list[Shape]:
    axis = getattr(joint, "axis", None)
    if joint.nv == 1 and axis is not None:
        g = axis_frame(axis)
        turns = joint.dof_names[0].startswith("w")
        return [(cylinder(r, 2.4 * r, JOINT) if turns else box((r, r, 4 * r), JOINT)).moved(g)]
    return [sphere(1.2 * r, JOINT)] if joint.nv > 1 else []
