"""The equations of a plant as matrices, M a + C v + D v + n + current = τ (theory.md §7; From et al. 2010 (57), (58)).

M and C are those of the system with added mass (`dynamics`). Here are the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics import recursive
from ...dynamics.jacobians import body_jacobians
from ...dynamics.wrenches import forces_across
from ...lie.arrays import apply, transpose
from ...model import Tree
from ..element_loads import elastic_wrenches, element_damping
from ..loads import Setting, scene_at, setting, weighs_by_recursion, weights
from ..scene import BodyWrenches, Scene, combined
from ..world import NO_GRAVITY
from ..world_wrenches import wrenches_of

if TYPE_CHECKING:
    from .plant import Plant

#: kinds of wrenches that are in neither D v nor n
_LEFT = ("lift", "current", "immersion")


def damping_matrix(plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> np.ndarray:
    """D = Σ B_iᵀ D_i B_i + D_joints + D_elements (..., nv, nv), D_i = D₁ + D₂ diag|V_r| of every body in its water."""
    now = setting(plant, p)
    coupled = now.velocities.joints
    q, v = coupled.configuration(q), coupled.velocity(v)
    scene = scene_at(now, t, q, v)
    joints = plant.joints.damping_matrix(now.dry, q, v, plant.stop_stiffness)
    Bs = body_jacobians(now.tree, scene.crossings)
    parts = [transpose(Bs[i]) @ D @ Bs[i] for i, D in _drag_matrices(now, scene).items()]
    return coupled.square(sum(parts, joints) + element_damping(now.elements, scene))


def restoring_forces(plant: Plant, t: Any, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """n = +∂U (..., nv): weight less buoyancy, the worlds' potentials, springs, stops and elements."""
    now, still = setting(plant, p), np.zeros(plant.nv)
    coupled = now.velocities.joints
    q = coupled.configuration(q)
    scene = scene_at(now, t, q, still)
    pulled = [wrenches_of(world, scene).get("potential", {}) for world in now.worlds]
    pulled.append(elastic_wrenches(now.elements, scene))
    by_recursion = weighs_by_recursion(plant)
    wrenches = combined(*pulled) if by_recursion else combined(weights(now, scene), *pulled)
    gravity = now.gravity if by_recursion else NO_GRAVITY
    named = {now.tree.names[i]: F for i, F in wrenches.items()}
    elastic = plant.joints.conservative_forces(now.dry, q, plant.stop_stiffness)
    return coupled.forces(recursive.inverse_dynamics(now.tree, q, still, still, gravity, named) - elastic)


def current_forces(plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> np.ndarray:
    """−Σ B_iᵀ(F_drag + D_i V_i + F_current) (..., nv): what is left of the water's forces beside −D v, lift
    included.
    """
    now = setting(plant, p)
    coupled = now.velocities.joints
    scene = scene_at(now, t, coupled.configuration(q), coupled.velocity(v))
    kinds = [wrenches_of(world, scene) for world in now.worlds]
    matrices = _drag_matrices(now, scene)
    felt = {i for kind in kinds for i in kind.get("drag", {})}
    if not any(kind.get(name) for kind in kinds for name in _LEFT) and felt <= matrices.keys():
        return np.zeros((*np.broadcast_shapes(np.shape(t), q.shape[:-1], v.shape[:-1]), plant.nv))
    damped = {i: apply(D, scene.twists[i]) for i, D in matrices.items()}
    left = combined(*(kind.get(name, {}) for kind in kinds for name in ("drag", *_LEFT)), damped)
    return -coupled.forces(_along_dofs(now.tree, scene, left))


def _drag_matrices(now: Setting, scene: Scene) -> dict[int, np.ndarray]:
    """D_i (..., 6, 6) of the bodies that feel drag."""
    found: dict[int, np.ndarray] = {}
    for world in now.worlds:
        for i, D in world.drag_matrices(scene).items():
            found[i] = found[i] + D if i in found else D
    return found


def _along_dofs(tree: Tree, scene: Scene, wrenches: BodyWrenches) -> np.ndarray:
    Fs = [wrenches.get(link.index, np.zeros(6)) for link in tree.links]
    return forces_across(tree, scene.crossings, Fs)
