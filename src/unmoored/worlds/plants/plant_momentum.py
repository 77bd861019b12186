"""Momentum of a plant: of the bodies with their added mass, and of wheels (theory.md §7, §21)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics.kinematics import centre_of_mass
from ...dynamics.momentum import momentum as momentum_of_bodies
from ...lie import se3, so3
from ...lie.arrays import join
from ..loads import at_place, scene_at, setting, split_states

if TYPE_CHECKING:
    from .plant import Plant


def momentum(
    plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, p: np.ndarray, about: str
) -> np.ndarray:
    """(linear, angular) (..., 6) in world axes; in water it is the impulse, conserved in ideal fluid.

    x: (..., nx) states of the actuators.  about: "world" (its origin) or "com" (the centre of the bodies' own mass).
    """
    now = setting(plant, p, x)
    q, v = now.velocities.joints.configuration(q), now.velocities.joints.velocity(v)
    now = at_place(now, t, q)
    μ = momentum_of_bodies(now.tree, q, v)
    scene = scene_at(now, t, q, v)
    for actuator, own in split_states(plant, now, x):
        for index, h in actuator.momentum(now.dry, own).items():
            μ = μ + se3.Ad_inv_transpose_apply(scene.poses[index], h)
    if about == "world":
        return μ
    r = centre_of_mass(now.tree, q)
    return join([μ[..., :3], μ[..., 3:] - so3.cross(r, μ[..., :3])])
