"""Wrenches on bodies and frames, and the generalised forces that they amount to (theory.md §6)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..lie import se3
from ..lie.arrays import join
from ..model import ModelError, Tree
from .joint_crossing import Crossing, crossings, joint_force, wrench_inward
from .tree_scans import inward

Wrenches = Mapping[str, np.ndarray]


def body_wrenches(tree: Tree, wrenches: Wrenches | None) -> list[np.ndarray]:
    """Wrench F_i (..., 6) on every body, at its origin in its axes, from {frame: wrench in its own axes}."""
    totals = [np.zeros(6) for _ in tree.links]
    for frame, F in (wrenches or {}).items():
        index, on_body = tree.locate(frame)
        if index < 0:
            raise ModelError.single(
                tree.name, "wrench", expected="a frame on a body", given=f"{frame!r} on the world"
            )
        totals[index] = totals[index] + se3.Ad_inv_transpose_apply(on_body, F)
    return totals


def wrench_forces(tree: Tree, q: np.ndarray, wrenches: Wrenches | None) -> np.ndarray:
    """Generalised forces Σ J_fᵀ F_f (..., nv) of {frame: wrench (..., 6) in that frame's axes}."""
    return forces_across(tree, crossings(tree, q), body_wrenches(tree, wrenches))


def forces_across(tree: Tree, xs: list[Crossing], Fs: list[np.ndarray]) -> np.ndarray:
    """Σ_i B_iᵀ F_i (..., nv) of one wrench F_i (..., 6) per body, inward, from crossings already at hand."""

    def step(_, arriving, x, F):
        total = arriving[0] + F
        return (wrench_inward(x, total),), joint_force(x, total)

    forces, _ = inward(tree, step, (np.zeros(6),), xs, Fs)
    return join(forces)
