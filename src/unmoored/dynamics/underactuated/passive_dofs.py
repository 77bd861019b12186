"""Passive and active DoFs of a tree: a static set of velocity indices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model import Tree


def passive_mask(tree: Tree, passive: Sequence[int]) -> np.ndarray:
    """1 (nv,) for the DoFs whose force is given, 0 for those whose acceleration is."""
    mask = np.zeros(tree.nv)
    mask[list(passive)] = 1.0
    return mask


def active_dofs(tree: Tree, passive: Sequence[int]) -> np.ndarray:
    """Indices (n_active,) of the DoFs that are not passive, in velocity order."""
    return np.flatnonzero(passive_mask(tree, passive) == 0.0)


def passive_dofs(tree: Tree, passive: Sequence[int]) -> np.ndarray:
    """Indices (n_passive,) of the passive DoFs, in velocity order."""
    return np.flatnonzero(passive_mask(tree, passive))
