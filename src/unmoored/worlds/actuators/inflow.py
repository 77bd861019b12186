"""The water that an actuator meets: its own velocity through it, and its density."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import apply, transpose
from ...model import ModelError
from ..scene import Scene


def velocity_through_water(scene: Scene, frame: str, at: np.ndarray, density: Any) -> tuple[np.ndarray, Any]:
    """Velocity (..., 3) of the point `at` of a frame relative to the water, in the frame's axes, and the density (...).

    density: that of the plant's water if None.
    """
    index, pose = scene.dry.locate(frame)
    V = se3.Ad_inv_apply(pose, scene.twists[index])
    u = V[..., :3] + so3.cross(V[..., 3:], at)
    for world in scene.worlds:
        if hasattr(world, "water_velocity"):
            r = se3.position(pose) + se3.rotation(pose) @ at
            u = u - apply(transpose(se3.rotation(pose)), world.water_velocity(scene, index, r))
            density = world.density if density is None else density
    return u, density


def check_water(label: str, density: Any, worlds: tuple[Any, ...]) -> None:
    """Some world must have water, unless the actuator brings its own density."""
    if density is None and not any(hasattr(world, "water_velocity") for world in worlds):
        raise ModelError.single(label, "density", expected="a density (kg/m³), or an Ocean", given="neither")
