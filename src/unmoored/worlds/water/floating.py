"""Bodies at the surface: buoyancy by the part of the hull that is under water (docs/theory.md §31)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import apply, join, scale_vector, transpose
from ...model import Fluid
from ...trace import is_zero
from ..scene import Scene
from .immersion import Immersion, ellipsoid, ellipsoid_slopes, immersion, share_slopes


class Floating(NamedTuple):
    """Wrench (..., 6) of buoyancy in body axes, its energy (...) [J], the share (...) of the volume under water."""

    wrench: np.ndarray
    energy: np.ndarray
    share: np.ndarray


def floating_bodies(
    scene: Scene, fluids: Mapping[int, Fluid], density: Any, surface: Any
) -> dict[int, Floating]:
    """Of the bodies that displace water, by their index; surface: its height (...) [m]."""
    weight = -density * scene.gravity[..., 2]
    return {
        i: _floating(scene, i, fluid, weight, surface)
        for i, fluid in fluids.items()
        if not is_zero(fluid.volume)
    }


def displaced_volume(fluid: Fluid, g: np.ndarray, surface: float | None) -> float:
    """Volume (m³) under water of a body at the pose g (4, 4), with the surface at that height; whole if None."""
    if surface is None or not fluid.volume:
        return fluid.volume
    z = (se3.position(g) + se3.rotation(g) @ fluid.centre_of_buoyancy)[2] - surface
    return fluid.volume * float(_immersion(fluid, z, se3.rotation(g)[2]).share)


def _floating(scene: Scene, index: int, fluid: Fluid, weight: Any, surface: Any) -> Floating:
    """weight: ρg (...) of the water [N/m³]."""
    r = fluid.centre_of_buoyancy
    z = scene.point(index, r)[..., 2] - surface
    up = se3.rotation(scene.poses[index])[..., 2, :]
    depth, share, turning = _immersion(fluid, z, up)
    whole = weight * fluid.volume
    f = scale_vector(whole * share, up)
    moment = so3.cross(r, f) + scale_vector(whole, so3.cross(up, turning))
    return Floating(join([f, moment]), whole * depth, share)


def share_gradient(scene: Scene, index: int, fluid: Fluid, surface: Any) -> np.ndarray:
    """g (..., 6): the share of a body's volume under water changes by gᵀξ along a small twist ξ in its axes."""
    r = fluid.centre_of_buoyancy
    z = scene.point(index, r)[..., 2] - surface
    up = se3.rotation(scene.poses[index])[..., 2, :]
    if fluid.hull is None:
        by_z, by_n = ellipsoid_slopes(_ball(fluid), z, up)
    else:
        R = fluid.hull.at.rotation
        by_z, by_n = share_slopes(fluid.hull, z, apply(transpose(R), up))
        by_n = apply(R, by_n)
    lifting = scale_vector(by_z, up)
    return join([lifting, so3.cross(r, lifting) + so3.cross(by_n, up)])


def _ball(fluid: Fluid) -> np.ndarray:
    """Semi-axes (..., 3) [m] of a sphere with the body's volume."""
    radius = np.asarray(0.75 / np.pi * fluid.volume) ** (1.0 / 3.0)
    return np.asarray(radius)[..., None] * np.ones(3)


def _immersion(fluid: Fluid, z: np.ndarray, up: np.ndarray) -> Immersion:
    """Of the body's hull, slopes in body axes; of a sphere with the body's volume if it has none."""
    if fluid.hull is None:
        return ellipsoid(_ball(fluid), z, up)
    R = fluid.hull.at.rotation
    depth, share, turning = immersion(fluid.hull, z, apply(transpose(R), up))
    return Immersion(depth, share, apply(R, turning))
