"""Forces on the vehicle: thrusters, and weight against buoyancy."""

from __future__ import annotations

import numpy as np

from ....worlds.water.floating import displaced_volume
from ..environment import surface_of
from ..scene_nodes import BLACK, GREEN, SKY
from ..shown_instant import Snapshot
from .overlay import Arrows, Overlay, Scale

_THRUSTER_WORDS = ("thruster", "rotor", "propeller")
_SEA_WATER = 1026.0  # kg/m³, where the world does not say


class Thrusters(Overlay):
    """Force of each thruster along the x axis of its frame; without inputs, the direction in which it pushes."""

    label = "thruster forces"
    hint = "along the x axis of frames called thruster…, rotor…, propeller…"

    def build(self) -> None:
        frames = self.setting.actor.system.frames
        inputs = self.setting.input_names
        self._frames = [name for name in frames if name.lower().startswith(_THRUSTER_WORDS) or name in inputs]
        self._arrows = Arrows(self, "forces", GREEN)
        self._scale = Scale(0.35 * self.setting.size)

    def show(self, snapshot: Snapshot) -> None:
        poses = np.array([snapshot.pose(name) for name in self._frames]).reshape(-1, 4, 4)
        forces = self._forces(snapshot.u)
        self._arrows.show(poses[:, :3, 3], self._scale(forces[:, None] * poses[:, :3, 0]))

    def _forces(self, u: np.ndarray | None) -> np.ndarray:
        """Force (n,) of every thruster frame: the input with its name, 1 without any inputs."""
        if u is None:
            return np.ones(len(self._frames))
        names = list(self.setting.input_names)
        return np.array([u[names.index(name)] if name in names else 0.0 for name in self._frames])


class Buoyancy(Overlay):
    """Buoyancy of every body with a volume, and weight of every body: where water lifts and gravity pulls."""

    label = "buoyancy and weight"
    hint = "light blue: buoyancy at the centre of buoyancy, black: weight at the centre of mass"

    def build(self) -> None:
        self._up, self._down = Arrows(self, "buoyancy", SKY), Arrows(self, "weight", BLACK)
        self._scale = Scale(0.35 * self.setting.size)
        densities = [getattr(world, "density", None) for world in self.setting.worlds]
        self._density = next((float(ρ) for ρ in densities if ρ is not None), _SEA_WATER)
        self._surface = surface_of(self.setting.worlds)

    def show(self, snapshot: Snapshot) -> None:
        heavy, wet = [], []
        for k, body in enumerate(snapshot.system.tree.bodies):
            g = snapshot.poses[k]
            heavy.append((-body.inertia.mass, _point(g, body.inertia.com)))
            if body.fluid is not None:
                lifted = self._density * displaced_volume(body.fluid, g, self._surface)
                wet.append((lifted, _point(g, body.fluid.centre_of_buoyancy)))
        masses = np.array([m for m, _ in heavy + wet])
        lengths = self._scale(masses[:, None] * np.array([0.0, 0.0, 1.0]))
        self._down.show(np.array([p for _, p in heavy]), lengths[: len(heavy)])
        self._up.show(np.array([p for _, p in wet]), lengths[len(heavy) :])


def _point(g: np.ndarray, r: np.ndarray) -> np.ndarray:
    return g[:3, :3] @ r + g[:3, 3]
