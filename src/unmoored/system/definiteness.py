"""A joint with no inertia behind it has no acceleration: such a system is refused, and the joint is named."""

from __future__ import annotations

import numpy as np

from ..dynamics import configuration
from ..dynamics.composite import mass_matrix
from ..model import ModelError, Problem, Tree

_RANDOM_CONFIGURATIONS = 3
_SMALLEST = 1e-12


def check_definite(tree: Tree) -> None:
    """Refuse a tree whose mass matrix is not positive definite at the neutral or at random configurations."""
    rng = np.random.default_rng(0)
    samples = [configuration.neutral(tree)]
    samples += [configuration.random_configuration(tree, rng) for _ in range(_RANDOM_CONFIGURATIONS)]
    for q in samples:
        if name := _joint_without_inertia(tree, mass_matrix(tree, q)):
            expected = "a positive definite mass matrix: mass, inertia or armature on or beyond every joint"
            raise ModelError(
                [Problem(name, "no inertia behind the joint", expected, "a singular mass matrix")]
            )


def _joint_without_inertia(tree: Tree, M: np.ndarray) -> str | None:
    """Name of the joint whose own inertia, with all joints outboard of it free, is not positive.

    Eliminating from the last velocity to the first is the inward sweep of the articulated-body recursion.
    """
    scale = np.diag(M).copy()
    M = M.copy()
    for i in reversed(range(tree.nv)):
        if not M[i, i] > _SMALLEST * scale[i] or not np.isfinite(M[i, i]):
            return next(link.name for link in tree.links if link.v.start <= i < link.v.stop)
        M[:i, :i] -= np.outer(M[:i, i], M[i, :i]) / M[i, i]
    return None
