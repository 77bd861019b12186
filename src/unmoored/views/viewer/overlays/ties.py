"""Springs, bushings, lines and closures of a plant, as lines between their frames; what touches is in touching.py."""

from __future__ import annotations

import numpy as np

from ...tied_frames import closes, drawn_as_lines
from ..scene_nodes import ORANGE, PURPLE, Rgb
from ..shown_instant import Snapshot
from .overlay import Overlay


class Ties(Overlay):
    """A line between the two frames of every element (orange) and closure (purple) that acts, but for contacts."""

    label = "elements and closures"
    hint = "orange: springs, bushings, lines; purple: joints that close loops"
    first_on = True

    def build(self) -> None:
        ties = drawn_as_lines(self.setting.ties)
        self._lines = [
            self._line("elements", ORANGE, [tie for tie in ties if not closes(tie)]),
            self._line("closures", PURPLE, [tie for tie in ties if closes(tie)]),
        ]

    def show(self, snapshot: Snapshot) -> None:
        for node, ties in self._lines:
            acting = [tie for tie in ties if self.setting.is_on(tie, snapshot.t)]
            node.visible = bool(acting)
            if acting:
                ends = [[snapshot.pose(name)[:3, 3] for name in (tie.frame_a, tie.frame_b)] for tie in acting]
                node.points = np.asarray(ends, dtype=np.float32)

    def _line(self, name: str, colour: Rgb, ties: list) -> tuple:
        node = self.setting.server.scene.add_line_segments(
            f"{self.root.name}/{name}",
            np.zeros((1, 2, 3)),
            colour,
            thickness=4.0,
            thickness_units="screen",
            visible=False,
        )
        return node, ties
