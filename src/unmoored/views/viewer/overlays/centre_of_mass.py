"""Centre of mass and momentum."""

from __future__ import annotations

import numpy as np

from ..scene_nodes import BLACK, BLUE, ORANGE
from ..shown_instant import Snapshot
from .overlay import Arrows, Overlay, Scale


class CentreOfMass(Overlay):
    """A ball at the centre of mass of the whole system, seen through everything."""

    label = "centre of mass"

    def build(self) -> None:
        scene, L = self.setting.server.scene, self.setting.size
        self._ball = scene.add_icosphere(f"{self.root.name}/ball", radius=0.018 * L, color=BLACK)
        lines = [[[-1, 0, 0], [1, 0, 0]], [[0, -1, 0], [0, 1, 0]], [[0, 0, -1], [0, 0, 1]]]
        cross = 0.07 * L * np.array(lines, dtype=np.float32)
        scene.add_line_segments(
            f"{self.root.name}/ball/cross", cross, BLACK, thickness=2.0, thickness_units="screen"
        )

    def show(self, snapshot: Snapshot) -> None:
        self._ball.position = snapshot.centre_of_mass


class Momentum(Overlay):
    """Linear and angular momentum about the centre of mass, as arrows from it."""

    label = "momentum"
    hint = "blue: linear, orange: angular about the centre of mass; longest = 0.4 of the size; runs: wet, with wheels"

    def build(self) -> None:
        self._arrows = Arrows(self, "linear", BLUE), Arrows(self, "angular", ORANGE)
        self._scales = Scale(0.4 * self.setting.size), Scale(0.4 * self.setting.size)

    def show(self, snapshot: Snapshot) -> None:
        for k, part in enumerate(np.split(snapshot.momentum, 2)):
            self._arrows[k].show(snapshot.centre_of_mass, self._scales[k](part))
