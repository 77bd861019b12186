"""Mass matrix from twists and composite inertias in the vehicle's frame (theory.md §4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie.arrays import apply, diagonal, join, mirrored, stacked_rows
from ...model import Tree
from ..economy.cheap_frames import in_cheap_frames
from .body_inertias import body_inertias, outboard
from .moving_bodies import Moving, moving
from .velocity_pairs import for_each_velocity, on_or_inboard, products_of_rows


class Composites(NamedTuple):
    """A tree at rest, for each velocity: twists b (..., nv, 6), inertia Y (..., nv, 6, 6) on and beyond its joint."""

    bodies: list[Moving]
    twists: np.ndarray
    inertia: np.ndarray


def composites(tree: Tree, q: np.ndarray) -> Composites:
    """The tree at q (..., nq)."""
    bodies = moving(tree, q, np.zeros(tree.nv), np.zeros(3))
    Y = [x.inertia for x in outboard(tree, body_inertias(tree, bodies))]
    return Composites(bodies, stacked_rows([body.twists for body in bodies]), for_each_velocity(tree, Y))


def mass_matrix(tree: Tree, q: np.ndarray) -> np.ndarray:
    """Mass matrix M (..., nv, nv) at q (..., nq), armature in: what `composite.mass_matrix` gives, by other means."""
    tree, _ = in_cheap_frames(tree, q)
    at_rest = composites(tree, q)
    return mass_matrix_of(tree, at_rest.twists, apply(at_rest.inertia, at_rest.twists))


def mass_matrix_of(tree: Tree, b: np.ndarray, Yb: np.ndarray) -> np.ndarray:
    """M_jk = b_jᵀ Y_k b_k (..., nv, nv) for j on or inboard of k, the rest by symmetry; armature is in.

    b: twists (..., nv, 6), a row for each velocity.  Yb: Y_k b_k (..., nv, 6).
    """
    armature = join(link.armature for link in tree.links)
    return mirrored(on_or_inboard(tree) * products_of_rows(b, Yb)) + diagonal(armature)
