"""What a plant's force elements do: wrenches on bodies, energy, power, damping matrix (theory.md §28)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.kinematics import AT_REST
from ..dynamics.relative_motion import Between, Place, Walk, between, jacobian_between, twist_between, walk
from ..dynamics.tree_scans import split_velocity
from ..lie import se3
from ..lie.arrays import scale, scale_vector, transpose
from ..model import Tree
from .elements import Element
from .elements.element import Tie
from .scene import BodyWrenches, Scene, combined


class Spanned(NamedTuple):
    """An element with the walk between its frames and V_ab (..., 6) in the axes of b."""

    element: Element
    walked: Walk
    twist: np.ndarray

    @property
    def way(self) -> Between:
        """The joints between its frames."""
        return self.walked.way

    @property
    def pose(self) -> np.ndarray:
        """g_ab (..., 4, 4)."""
        return self.walked.pose

    @property
    def elastic(self) -> np.ndarray:
        """Wrench (..., 6) on b of the potential."""
        return scale_vector(self.element.active, self.element.elastic(self.pose))

    @property
    def dissipative(self) -> np.ndarray:
        """Wrench (..., 6) on b of the damping."""
        return scale_vector(self.element.active, self.element.dissipative(self.pose, self.twist))

    @property
    def damping_matrix(self) -> np.ndarray:
        """D (..., 6, 6)."""
        return scale(self.element.active, self.element.damping_matrix(self.pose, self.twist))


def way_of(tree: Tree, tie: Tie) -> Between:
    """The way between the frames of an element or closure, on a tree that has the frames."""
    return between(tree, Place(*tree.locate(tie.frame_a)), Place(*tree.locate(tie.frame_b)))


def spanned(elements: Sequence[Element], scene: Scene) -> list[Spanned]:
    """All elements at one instant."""
    us, found = split_velocity(scene.tree, scene.v), []
    for element in elements:
        walked = walk(way_of(scene.dry, element), scene.crossings)
        # a world that has looked at the twists of all bodies has them at hand
        known = "twists" in vars(scene)
        V = _twist_at_hand(scene, walked) if known else twist_between(walked, us)
        found.append(Spanned(element, walked, V))
    return found


def _twist_at_hand(scene: Scene, walked: Walk) -> Any:
    """V_ab (..., 6) from the twists of the two bodies."""
    a, b = walked.way.a, walked.way.b
    V_a, V_b = (
        AT_REST if end.index < 0 else se3.Ad_inv_apply(end.at, scene.twists[end.index]) for end in (a, b)
    )
    return V_b if a.index < 0 else V_b - se3.Ad_inv_apply(walked.pose, V_a)


def element_wrenches(elements: Sequence[Element], scene: Scene) -> BodyWrenches:
    """Wrenches (..., 6) of all elements on the bodies, at their origins in their axes."""
    return combined(
        *(on_bodies(at.way, at.pose, at.elastic + at.dissipative) for at in spanned(elements, scene))
    )


def elastic_wrenches(elements: Sequence[Element], scene: Scene) -> BodyWrenches:
    """Of them the part that comes from potentials."""
    return combined(*(on_bodies(at.way, at.pose, at.elastic) for at in spanned(elements, scene)))


def on_bodies(way: Between, g_ab: np.ndarray, F: np.ndarray) -> dict[int, np.ndarray]:
    """The wrench F (..., 6) on frame b, and its opposite on frame a, at the bodies' origins in their axes."""
    found = {}
    if way.b.index >= 0:
        found[way.b.index] = se3.Ad_inv_transpose_apply(way.b.at, F)
    if way.a.index >= 0:
        found[way.a.index] = -se3.Ad_inv_transpose_apply(way.a.at, se3.Ad_inv_transpose_apply(g_ab, F))
    return found


def element_potential(elements: Sequence[Element], scene: Scene) -> Any:
    """Energy (...) [J] of all elements that are on."""
    return sum(at.element.active * at.element.potential(at.pose) for at in spanned(elements, scene))


def element_power(elements: Sequence[Element], scene: Scene) -> Any:
    """Power (...) [W] of the elements' damping: never positive."""
    return sum((at.dissipative * at.twist).sum(axis=-1) for at in spanned(elements, scene))


def element_damping(elements: Sequence[Element], scene: Scene) -> Any:
    """Σ JᵀDJ (..., nv, nv), J of the relative twists."""
    parts = []
    for at in spanned(elements, scene):
        J = jacobian_between(scene.tree, at.walked)
        parts.append(transpose(J) @ at.damping_matrix @ J)
    return sum(parts)
