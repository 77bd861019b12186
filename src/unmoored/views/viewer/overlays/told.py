"""What a run's law tells: its targets as frames with their ways, and its filter's belief as an ellipsoid."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....lie import se3
from ...shapes.primitives import sphere
from ...shapes.shape import right_handed
from ...shown_rows import spread_rows
from ..scene_nodes import PURPLE, SKY, part, place
from ..shown_instant import Snapshot
from .overlay import Overlay

_SIGMAS = 2.0
_MOST = 1500  # points of a path


class Targets(Overlay):
    """Every pose that the law wants as axes, every point as a ball, and the ways that moving ones take."""

    label = "targets"
    hint = "axes and lines: where the law wants frames to be"
    first_on = True

    def build(self) -> None:
        scene, L = self.setting.server.scene, self.setting.size
        self._shown: Any = None
        self._nodes = []
        for k, track in enumerate(self.setting.told().targets):
            name = f"{self.root.name}/{k} {part(track.name)}"
            if track.turns:
                node = scene.add_frame(
                    name,
                    axes_length=0.16 * L,
                    axes_radius=0.004 * L,
                    origin_radius=0.01 * L,
                    origin_color=PURPLE,
                )
            else:
                node = scene.add_icosphere(name, radius=0.015 * L, color=PURPLE, opacity=0.7)
            scene.add_label(f"{name}/label", track.name)
            line = scene.add_line_segments(
                f"{self.root.name}/{k} path", np.zeros((1, 2, 3)), PURPLE, thickness=2.0, thickness_units="screen",
                visible=False,
            )  # fmt: skip
            self._nodes.append((node, line))

    def show(self, snapshot: Snapshot) -> None:
        told = self.setting.told()
        with self.setting.server.atomic():
            for (node, line), track in zip(self._nodes, told.targets, strict=True):
                if told is not self._shown:
                    _draw_path(line, track.path)
                g = track.at(told.row(snapshot.t))
                node.visible = g is not None
                if g is not None:
                    place(node, g)
        self._shown = told


class EstimatedPlace(Overlay):
    """Where the filter believes its frame to be: the ellipsoid of two standard deviations of its position."""

    label = "estimate"
    hint = f"ellipsoid of {_SIGMAS:g}σ about the estimated position, at least a pixel or two large"
    first_on = True

    def build(self) -> None:
        self._mesh: Any = None
        if self.setting.told().estimate is not None:
            ball = sphere(1.0, (0.0, 0.0, 0.0, 1.0))
            self._mesh = self.setting.server.scene.add_mesh_simple(
                f"{self.root.name}/ellipsoid",
                ball.vertices.astype(np.float32),
                ball.triangles.astype(np.uint32),
                color=SKY,
                opacity=0.45,
                cast_shadow=False,
            )

    def show(self, snapshot: Snapshot) -> None:
        told = self.setting.told()
        if self._mesh is None or told.estimate is None:
            return
        row = told.row(snapshot.t)
        λ, U = np.linalg.eigh(told.estimate.covariance[row])
        g = se3.pose(right_handed(U), told.estimate.position[row])
        semi_axes = _SIGMAS * np.sqrt(λ.clip(0.0))
        self._mesh.scale = tuple(semi_axes.clip(2e-3 * self.setting.size).tolist())
        place(self._mesh, g)


def _draw_path(node: Any, points: np.ndarray) -> None:
    """A target's way through points (n, 3); none for one that stands still."""
    node.visible = len(points) > 1
    if len(points) > 1:
        thin = points[spread_rows(len(points), _MOST)]
        node.points = np.stack([thin[:-1], thin[1:]], axis=1).astype(np.float32)
