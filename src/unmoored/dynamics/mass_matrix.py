"""Mass matrix by composite inertias (theory.md §12, §18), and its inverse."""

from __future__ import annotations

import numpy as np

from ..lie.arrays import mirrored, stacked_rows
from ..model import Tree
from ..trace import inverse_spd
from .economy.cheap_frames import in_cheap_frames
from .economy.light_bodies import with_light_bodies
from .jacobians import selector
from .joint_crossing import columns_inward, crossings, inertia_inward
from .tree_scans import inward


def mass_matrix(tree: Tree, q: np.ndarray) -> np.ndarray:
    """Mass matrix M (..., nv, nv) at q (..., nq): ½ vᵀ M v is the kinetic energy; armature is in.

    `composite` is the inertia of everything outboard, as if welded. `F` holds in column j the wrench on the body when
    joint j alone, outboard or here, accelerates by one; the joint's own part Sᵀ F is a row block of the upper triangle.
    """
    tree, _ = in_cheap_frames(tree, q)
    xs = crossings(tree, q)

    def step(link, arriving, x):
        composite, F = arriving[0] + link.inertia, arriving[1]
        own = selector(tree, link)
        F = F + composite @ x.basis @ own
        rows = np.swapaxes(x.basis, -1, -2) @ F + link.armature[..., :, None] * own
        return (inertia_inward(link, x, composite), columns_inward(x, F)), rows

    rows, _ = inward(
        with_light_bodies(tree, q), step, (np.zeros((6, 6)), np.zeros((6, tree.nv))), xs, unrolled=True
    )
    return mirrored(stacked_rows(rows))


def inverse_mass_matrix(tree: Tree, q: np.ndarray) -> np.ndarray:
    """M⁻¹ (..., nv, nv) at q (..., nq): accelerations per generalised force, armature is in."""
    return inverse_tips_first(mass_matrix(tree, q))


def inverse_tips_first(M: np.ndarray) -> np.ndarray:
    """M⁻¹ (..., nv, nv), eliminating tips before vehicles: branches that do not couple then stay uncoupled."""
    return inverse_spd(M[..., ::-1, ::-1])[..., ::-1, ::-1]
