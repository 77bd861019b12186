"""The shapes of every body of a tree, in its own frame: the one place that decides how a body looks."""

from __future__ import annotations

import numpy as np

from ...dynamics.kinematics import body_poses
from ...model import WORLD, Body, Box, Capsule, Cylinder, Mesh, Sphere, Tree, Visual
from . import primitives
from .invented_shapes import LINK, VEHICLE, invented_shapes, typical_length
from .mesh_files import mesh_shape
from .shape import Rgba, Shape, merged


def body_shapes(tree: Tree) -> tuple[tuple[Shape, ...], ...]:
    """For each body its shapes in the body frame (m), one for each colour.

    From its visuals if there are some; otherwise from its inertia and the joints and frames on it, so that every
    system can be seen. A massless body gets an invented shape only in a system without any visuals.
    """
    drawn = [_from_visuals(body) for body in tree.bodies]
    bare = not any(drawn)
    L = typical_length(tree)
    shapes = []
    for index, own in enumerate(drawn):
        invent = not own and (bare or tree.bodies[index].inertia.mass > 0)
        shapes.append(merged(invented_shapes(tree, index, L) if invent else own))
    return tuple(shapes)


def extent(tree: Tree, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner (3,) of the box in world axes (m) that holds all shapes and frames at q (nq,)."""
    poses = body_poses(tree, q)
    points = [g[:3, 3][None] for g in poses]
    for index, shapes in enumerate(body_shapes(tree)):
        points += [shape.moved(poses[index]).vertices for shape in shapes]
    for frame in tree.frames:
        on_world = frame.parent == WORLD
        g = np.eye(4) if on_world else poses[tree.index(frame.parent)]
        points.append((g @ frame.at.matrix)[:3, 3][None])
    cloud = np.concatenate(points)
    return cloud.min(axis=0), cloud.max(axis=0)


def _from_visuals(body: Body) -> list[Shape]:
    plain = VEHICLE if body.parent == WORLD else LINK
    found = ((visual, surface(visual, _colour(visual, plain))) for visual in body.visuals)
    return [shape.moved(visual.at.matrix) for visual, shape in found if shape is not None]


def _colour(visual: Visual, plain: Rgba) -> Rgba:
    if visual.rgba is None:
        return plain
    r, g, b, opacity = visual.rgba
    return (r, g, b, opacity)


def surface(visual: Visual, rgba: Rgba) -> Shape | None:
    """The shape of a visual centred at its own frame; None for a mesh file that cannot be read."""
    match visual:
        case Mesh():
            return mesh_shape(visual, rgba)
        case Box():
            return primitives.box(visual.size, rgba)
        case Sphere():
            return primitives.sphere(visual.radius, rgba)
        case Capsule():
            return primitives.capsule(visual.radius, visual.length, rgba)
        case Cylinder():
            return primitives.cylinder(visual.radius, visual.length, rgba)
    raise TypeError(f"no surface for {visual!r}")
