"""The state that integrators move, and how it moves along tangents, joint by joint."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..dynamics.tree_scans import split_configuration, split_velocity
from ..lie import se3, so3
from ..lie.arrays import join
from ..model import Link, Tree
from ..model.joints import SubgroupJoint, numbers_from_pose, pose_from_numbers
from ..trace import is_zero


class State(NamedTuple):
    """q (..., nq) on the group; w (..., nw) independent velocities; x (..., nx) states of actuators and controllers."""

    q: np.ndarray
    w: np.ndarray
    x: np.ndarray


class Rate(NamedTuple):
    """v (..., nv) moves q; w_dot (..., nw) and x_dot (..., nx) are ordinary derivatives."""

    v: np.ndarray
    w_dot: np.ndarray
    x_dot: np.ndarray


#: f(t, state) → rate
RightHandSide = Callable[[np.ndarray, State], Rate]


def pull_back(tree: Tree, θ: np.ndarray, v: np.ndarray) -> np.ndarray:
    """θ̇ = dexp⁻¹(θ) v (..., nv) joint by joint, for q exp(θ) (theory.md §16): 1 + ½ad + ¹⁄₁₂ad².

    The series may stop there up to order 5, since its third-order term is zero.
    """
    parts = zip(tree.links, split_velocity(tree, θ), split_velocity(tree, v), strict=True)
    return join([_pulled_back(link, θ_i, v_i) for link, θ_i, v_i in parts])


def _pulled_back(link: Link, θ: np.ndarray, v: np.ndarray) -> np.ndarray:
    if not isinstance(link.joint, SubgroupJoint) or is_zero(link.joint.group.structure_constants):
        return v
    bracket = link.joint.group.bracket(θ, v)
    return v + 0.5 * bracket + (1.0 / 12.0) * link.joint.group.bracket(θ, bracket)


def renormalised(tree: Tree, q: np.ndarray) -> np.ndarray:
    """q (..., nq) with one Newton step of the polar projection on every stored rotation (theory.md §16).

    Products of rotations drift off the group by rounding; this keeps them on it to the last digit.
    """
    parts = zip(tree.links, split_configuration(tree, q), strict=True)
    return join([_renormalised(link, q_i) for link, q_i in parts])


def _renormalised(link: Link, q: np.ndarray) -> np.ndarray:
    if not isinstance(link.joint, SubgroupJoint) or link.joint.nv < 2:
        return q
    if not any(name.startswith("w") for name in link.joint.dof_names):
        return q
    g = pose_from_numbers(q)
    return numbers_from_pose(se3.pose(so3.renormalise(se3.rotation(g)), se3.position(g)))
