"""Melts bodies on fixed joints into their parents; their frames survive as named frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...body import Body, Frame
from ...errors import ModelError
from ...inertia import Inertia
from ...joints import Fixed
from ...names import WORLD
from ...pose import Pose
from ...tree import Tree


def merge_fixed_bodies(tree: Tree) -> Tree:
    """The tree without bodies that are welded to another body; one welded to the world stays a body.

    Mass and visuals go to the parent, and a frame with the body's name marks where it was.
    """
    carriers: dict[str, tuple[str, Pose]] = {WORLD: (WORLD, Pose())}
    kept: dict[str, Body] = {}
    frames: list[Frame] = []
    for body in tree.bodies:
        carrier, placed = carriers[body.parent]
        at = placed @ body.at
        if isinstance(body.joint, Fixed) and carrier != WORLD:
            kept[carrier] = _with_welded(kept[carrier], body, at)
            frames.append(Frame(name=body.name, parent=carrier, at=at))
            carriers[body.name] = (carrier, at)
        else:
            kept[body.name] = replace(body, parent=carrier, at=at)
            carriers[body.name] = (body.name, Pose())
    for frame in tree.frames:
        carrier, placed = carriers[frame.parent]
        frames.append(Frame(name=frame.name, parent=carrier, at=placed @ frame.at))
    return replace(tree, bodies=tuple(kept.values()), frames=tuple(frames))


def _with_welded(body: Body, welded: Body, at: Pose) -> Body:
    for part in (body, welded):
        if part.inertia.full is not None or part.fluid is not None:
            expected = "rigid bodies without fluid properties"
            given = "a full 6×6 inertia or fluid properties"
            raise ModelError.single(part.name, "merging", expected=expected, given=given)
    visuals = tuple(replace(visual, at=at @ visual.at) for visual in welded.visuals)
    inertia = _sum(body.inertia, _moved(welded.inertia, at))
    return replace(body, inertia=inertia, visuals=(*body.visuals, *visuals))


def _moved(inertia: Inertia, g: Pose) -> Inertia:
    """The same rigid inertia seen from a frame in which its own frame has pose g."""
    R = g.rotation
    return Inertia(inertia.mass, R @ inertia.com + g.xyz, R @ inertia.tensor @ R.T)


def _sum(a: Inertia, b: Inertia) -> Inertia:
    """Inertia of two rigid bodies welded together, both in the same frame."""
    mass = a.mass + b.mass
    com = (a.mass * a.com + b.mass * b.com) / mass if mass else np.zeros(3)
    tensor = sum(part.tensor + part.mass * _steiner(part.com - com) for part in (a, b))
    return Inertia(mass, com, tensor)


def _steiner(d: np.ndarray) -> np.ndarray:
    """Tensor of a unit mass at d (3,) about the origin."""
    return d @ d * np.eye(3) - np.outer(d, d)
