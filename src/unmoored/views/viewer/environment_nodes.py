"""The pieces of scenery: each is switched on and off as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shapes.primitives import box
from .scene_nodes import SKY

_DEEP = (38, 110, 160)
_STEEL = (96, 104, 112)
_NIGHT = np.full((2, 2, 3), (8, 10, 18), dtype=np.uint8)
_UNDER_WATER = np.linspace((222, 239, 247), (158, 196, 219), 64).astype(np.uint8)[:, None].repeat(2, axis=1)
_SIDE = 24  # cells along the water's edge


class Ground:
    """A grid on the ground."""

    def __init__(self, server: Any, centre: np.ndarray, size: float, height: float):
        cell = round_length(0.15 * size)
        self._node = server.scene.add_grid(
            "/ground",
            width=40 * cell,
            height=40 * cell,
            cell_size=cell,
            section_size=5 * cell,
            cell_color=(208, 212, 218),
            section_color=(150, 158, 168),
            plane_color=(244, 245, 247),
            plane_opacity=0.6,
            fade_distance=12.0 * size,
            position=(cell * round(centre[0] / cell), cell * round(centre[1] / cell), height - 1e-3 * size),
            visible=False,
        )

    def switch(self, on: bool) -> None:
        """Show or hide it."""
        self._node.visible = on


class Water:
    """The water's surface, level or with waves, and arrows that show the current."""

    def __init__(
        self, server: Any, centre: np.ndarray, size: float, height: float, flow: Any, elevation: Any
    ):
        """flow: object with velocity(t, x) ↦ (3,), or None. elevation: (t, x (n, 2)) ↦ (n,) in metres, or None."""
        self._flow, self._elevation, self._height, self._size = flow, elevation, height, size
        ticks = np.linspace(-3.0 * size, 3.0 * size, _SIDE + 1)
        x, y = np.meshgrid(ticks + centre[0], ticks + centre[1], indexing="ij")
        self._xy = np.stack([x.ravel(), y.ravel()], axis=1)
        self._scene = server.scene
        self._root = server.scene.add_frame("/water", show_axes=False, visible=False)
        self._surface = server.scene.add_mesh_simple(
            "/water/surface",
            self._vertices(0.0),
            _cells(_SIDE),
            color=_DEEP,
            opacity=0.35,
            side="double",
            cast_shadow=False,
            receive_shadow=False,
        )
        self._points = centre + 0.75 * size * np.array(
            [(a, b, c) for a in (-1, 0, 1) for b in (-1, 1) for c in (-0.5, 0.5)]
        )
        self._arrows = server.scene.add_arrows(
            "/water/current",
            np.stack([self._points, self._points + np.array([0.0, 0.0, size])], axis=1),
            SKY,
            shaft_radius=0.004 * size,
            head_radius=0.012 * size,
            head_length=0.035 * size,
            visible=False,
        )

    def switch(self, on: bool) -> None:
        """Show or hide it."""
        self.show(0.0)
        if on or self._root.visible:
            self._scene.set_background_image(_UNDER_WATER if on else None)
        self._root.visible = on

    def show(self, t: float) -> None:
        """The surface and the current at time t (s)."""
        if self._elevation is not None:
            self._surface.vertices = self._vertices(t)
        if self._flow is None:
            return
        v = np.array([self._flow.velocity(np.asarray(t), x) for x in self._points])
        fastest = np.linalg.norm(v, axis=1).max()
        self._arrows.visible = bool(fastest > 1e-9)
        if self._arrows.visible:
            ends = self._points + 0.3 * self._size * v / fastest
            self._arrows.points = np.stack([self._points, ends], axis=1).astype(np.float32)

    def _vertices(self, t: float) -> np.ndarray:
        heights = (
            np.zeros(len(self._xy)) if self._elevation is None else np.asarray(self._elevation(t, self._xy))
        )
        return np.concatenate([self._xy, self._height + heights[:, None]], axis=1).astype(np.float32)


class Deck:
    """A ship's deck, fixed to the vehicle whose node is `parent`."""

    def __init__(self, server: Any, parent: str, size: float):
        plate = box((4.0 * size, 2.0 * size, 0.04 * size), (0.0, 0.0, 0.0, 1.0))
        self._node = server.scene.add_mesh_simple(
            f"{parent}/deck",
            plate.vertices.astype(np.float32),
            plate.triangles.astype(np.uint32),
            color=_STEEL,
            position=(0.0, 0.0, -0.02 * size),
            visible=False,
        )

    def switch(self, on: bool) -> None:
        """Show or hide it."""
        self._node.visible = on


class Stars:
    """Stars far away on a dark sky."""

    def __init__(self, server: Any, centre: np.ndarray, size: float):
        rng = np.random.default_rng(1)
        directions = rng.normal(size=(1500, 3))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        self._server = server
        self._node = server.scene.add_point_cloud(
            "/stars",
            (centre + 60.0 * size * directions).astype(np.float32),
            np.full((1500, 3), 235, dtype=np.uint8),
            point_size=0.12 * size,
            point_shape="circle",
            visible=False,
        )

    def switch(self, on: bool) -> None:
        """Show or hide them, and the dark."""
        self._node.visible = on
        self._server.scene.set_background_image(_NIGHT if on else None)


def round_length(x: float) -> float:
    """1, 2 or 5 times a power of ten, near x (m)."""
    power = 10.0 ** np.floor(np.log10(max(x, 1e-9)))
    return float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda step: abs(np.log(step * power / x))))


def _cells(n: int) -> np.ndarray:
    """Triangles of a grid of n × n cells."""
    i, j = (a.ravel() for a in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    a = i * (n + 1) + j
    b, c, d = a + n + 1, a + n + 2, a + 1
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]).astype(np.uint32)
