"""The forces of a plant as a linear function of its numbers (theory.md §24).

ζ stacks ten inertial parameters of every body as in `dynamics.regressors`; then, of every body in water, added mass
(21), volume and its moment (4), linear and quadratic drag (6 each); then damping, friction and armature of every DoF.
What is not linear in them is not in it: springs and stops, actuators, and what a reaction wheel takes out of its body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dynamics.jacobians import body_jacobians
from ...dynamics.kinematics import body_accelerations
from ...dynamics.regressors import PARAMETER_NAMES, inertial_parameters, momentum_columns
from ...lie import se3
from ...lie.arrays import blocks, diagonal, join, transpose
from ...model import ModelError
from ...trace import is_zero
from ..loads import Setting, scene_at, setting
from ..regressor_columns import Columns
from ..scene import Scene

if TYPE_CHECKING:
    from .plant import Plant


class PlantRegressor(NamedTuple):
    """matrix (..., nv, n) @ values (n,) + rest (..., nv) = inverse dynamics; names (n) of the values."""

    matrix: np.ndarray
    names: tuple[str, ...]
    values: np.ndarray
    rest: np.ndarray


def regressor_matrix(
    plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Y (..., nv, n) of `regressor` with the drag matrices' diagonals."""
    return regressor(plant, t, q, v, a, p)


def regressor(
    plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray, p: np.ndarray, full_drag: bool = False
) -> np.ndarray:
    """Y (..., nv, n) with Y ζ = the plant's inverse dynamics at t (...), q (..., nq), v and a (..., nv), parameters p.

    Springs, stops, actuators and reaction wheels are not in it. full_drag: all 36 entries of the drag matrices count.
    """
    now = setting(plant, p)
    coupled = now.velocities.joints
    q, v, a = coupled.configuration(q), coupled.velocity(v), coupled.velocity(a)
    scene = scene_at(now, t, q, v)
    A = body_accelerations(now.tree, q, v, a)
    Bs = [transpose(B) for B in body_jacobians(now.tree, scene.crossings)]
    rigid = [B @ W for B, W in zip(Bs, _rigid_columns(now, scene, A), strict=True)]
    wet = [Bs[i] @ part.columns for i, part in fluid_columns_of(now, scene, A, full_drag)]
    friction = np.tanh(v / plant.joints.friction_speed)
    return coupled.columns(blocks([[*rigid, *wet, *(diagonal(x) for x in (v, friction, a))]]))


def parameters(plant: Plant, full_drag: bool = False) -> np.ndarray:
    """ζ (n,) of the plant as built: with them Y ζ is its inverse dynamics."""
    joints = [body.joint for body in plant.system.tree.bodies]
    own = [
        np.concatenate([getattr(joint, name) for joint in joints])
        for name in ("damping", "friction", "armature")
    ]
    used = [own[0] * plant.joints.damping, own[1] * plant.joints.friction, own[2]]
    wet = [part.values for _, part in _as_built(plant, full_drag)]
    return np.concatenate([inertial_parameters(plant.system.tree), *wet, *used])


def parameter_names(plant: Plant, full_drag: bool = False) -> tuple[str, ...]:
    """Names (n) of the entries of ζ: "arm3.m", "hull.added_mass.x_x", "arm3.damping", …"""
    tree = plant.system.tree
    rigid = [f"{name}.{entry}" for name in tree.names for entry in PARAMETER_NAMES]
    wet = [f"{tree.names[i]}.{entry}" for i, part in _as_built(plant, full_drag) for entry in part.names]
    joints = [f"{dof}.{kind}" for kind in ("damping", "friction", "armature") for dof in tree.dof_names]
    return (*rigid, *wet, *joints)


def _rigid_columns(now: Setting, scene: Scene, accelerations: list[np.ndarray]) -> list[np.ndarray]:
    """L(V̇ − Γ) − ad_Vᵀ L(V) (..., 6, 10) of all bodies, and what worlds add that is linear in the inertias."""
    fields = [join([γ, np.zeros(3)]) for γ in scene.turned(now.gravity)]
    columns = [
        momentum_columns(A - Γ) - transpose(se3.ad(V)) @ momentum_columns(V)
        for A, Γ, V in zip(accelerations, fields, scene.twists, strict=True)
    ]
    for world in now.worlds:
        for i, more in world.inertial_columns(scene).items():
            columns[i] = columns[i] + more
    return columns


def fluid_columns_of(
    now: Setting, scene: Scene, accelerations: list[np.ndarray], full_drag: bool
) -> list[tuple[int, Columns]]:
    """Columns of what is linear in the fluid, with the link that each belongs to, by world and link."""
    found = [world.fluid_columns(scene, accelerations, full_drag) for world in now.worlds]
    return [(i, part) for parts in found for i, part in sorted(parts.items())]


def _as_built(plant: Plant, full_drag: bool) -> list[tuple[int, Columns]]:
    """The columns at rest, for their names and values; refuses drag that the diagonals do not tell."""
    tree = plant.system.tree
    for body in tree.bodies:
        for kind in ("linear_drag", "quadratic_drag") if body.fluid is not None and not full_drag else ():
            D = getattr(body.fluid, kind)
            if not is_zero(D - np.diag(np.diag(D))):
                expected = "a diagonal, or full_drag=True"
                raise ModelError.single(body.name, kind, expected=expected, given="entries off the diagonal")
    still, q = np.zeros(tree.nv), np.concatenate([link.joint.neutral() for link in tree.links])
    now = setting(plant, np.concatenate([np.zeros(0), *(x.nominal for x in plant._declared)]))
    scene = scene_at(now, np.zeros(()), q, still)
    return fluid_columns_of(now, scene, [np.zeros(6)] * len(tree.links), full_drag)
