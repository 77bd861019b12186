"""M⁻¹ as a function, for many forces at one configuration, in O(N) (theory.md §12)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...lie.arrays import apply, join
from ...model import Tree
from ...trace import inverse_spd
from ..economy.cheap_frames import in_cheap_frames
from ..economy.light_bodies import with_light_bodies
from ..joint_crossing import crossings
from ..tree_scans import each
from .articulated_bodies import hinges, residuals, responses


def inverse_mass(tree: Tree, q: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The function p (..., nv) ↦ M(q)⁻¹ p (..., nv) at q (..., nq), armature in: velocities of momenta.

    Articulated inertias are found once, here; what is left for every p are two sweeps without a division.
    """
    tree, _ = in_cheap_frames(tree, q)
    xs, passive = crossings(tree, q), np.ones(tree.nv)
    found = hinges(with_light_bodies(tree, q), xs, passive)
    hinged = each(tree, lambda _, hinge: hinge._replace(along=inverse_spd(hinge.along)), found)
    nothing = [np.zeros(6)] * len(tree.links)

    def velocities(p: np.ndarray) -> np.ndarray:
        left = residuals(tree, xs, hinged, passive, p, nothing, nothing, solve_along=apply)
        return join(moved.passive for moved in responses(tree, xs, hinged, left, nothing, np.zeros(6)))

    return velocities
