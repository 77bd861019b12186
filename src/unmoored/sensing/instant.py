"""The plant at one instant, as a sensor on it finds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..dynamics import kinematics
from ..dynamics.recursive.transmitted_wrench import transmitted_wrench
from ..lie import se3, so3
from ..lie.arrays import Array, apply, transpose
from ..model import Tree
from ..model.short_text import short_repr
from ..worlds.loads import Loads, Setting, at_place, loads, scene_at, setting
from ..worlds.plants.plant_equations import rates
from ..worlds.scene import Scene


@dataclass(frozen=True, eq=False)
class Instant:
    """Time t (...) [s], q (..., nq), v (..., nv), states x (..., nx) of a plant with parameters p (..., n).

    w: independent velocities.  u (..., nu): the inputs that have been held until now; those of the period that begins
    here depend on what is sensed.
    """

    __repr__ = short_repr

    plant: Any
    t: Array
    q: Array
    w: Array
    v: Array
    x: Array
    u: Array
    p: Array

    @cached_property
    def setting(self) -> Setting:
        """The plant with its free parameters put in."""
        return at_place(setting(self.plant, self.p, self.x), self.t, self.q)

    @cached_property
    def scene(self) -> Scene:
        """Bodies and water."""
        return scene_at(self.setting, self.t, self.q, self.v)

    @property
    def tree(self) -> Tree:
        """The bodies and frames."""
        return self.setting.dry

    @cached_property
    def loads(self) -> Loads:
        """Everything that acts."""
        return loads(self.plant, self.setting, self.scene, self.x, self.u)

    @cached_property
    def acceleration(self) -> Array:
        """v̇ (..., nv), under the inputs that have been held until now."""
        return rates(self.plant, self.t, self.q, self.w, self.x, self.u, self.p).acceleration

    def pose(self, frame: str) -> Array:
        """World pose (..., 4, 4) of a frame."""
        return kinematics.pose(self.tree, self.q, frame)

    def twist(self, frame: str) -> Array:
        """Twist (..., 6) of a frame, in its own axes."""
        return kinematics.velocity(self.tree, self.q, self.v, frame)

    def gravity(self, point: Array) -> Array:
        """Gravity (..., 3) at a point (..., 3), in world axes: what an accelerometer does not feel."""
        total = self.setting.gravity
        for world in self.setting.worlds:
            tide = getattr(world, "tide", None)
            total = total if tide is None else total + tide(self.t, point)
        return total

    def specific_force(self, frame: str) -> Array:
        """v̇_s + ω_s × v_s − R_0sᵀγ (..., 3) at the origin of a frame s, in its axes (sensors.md)."""
        g, V = self.pose(frame), self.twist(frame)
        V_dot = kinematics.acceleration(self.tree, self.q, self.v, self.acceleration, frame)
        γ = apply(transpose(se3.rotation(g)), self.gravity(se3.position(g)))
        return V_dot[..., :3] + so3.cross(V[..., 3:], V[..., :3]) - γ

    def water_velocity(self, point: Array) -> Array:
        """Velocity (..., 3) of the water at a point (..., 3), in world axes."""
        return water_velocity(self.setting.worlds, self.t, point)

    def cut_wrench(self, frame: str) -> Array:
        """Wrench (..., 6) of the inboard on the outboard side of the joint of the body that a frame is on, in the
        frame's axes and about its origin."""
        tree, acting = self.setting.tree, self.loads
        index, on_body = self.tree.locate(frame)
        F = transmitted_wrench(
            tree, self.q, self.v, self.acceleration, acting.gravity, index, acting.named(tree)
        )
        return se3.Ad_transpose_apply(on_body, F)


def water_velocity(worlds: Sequence[Any], t: Array, point: Array) -> Array:
    """Velocity (..., 3) of the water at time t (...) and a point (..., 3), in world axes."""
    total = np.zeros(3)
    for world in worlds:
        flow = getattr(world, "flow", None)
        total = total if flow is None else total + flow.velocity(t, point)
    return total
