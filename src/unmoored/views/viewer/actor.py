"""A system in the scene: one node for each body, its shapes below it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lie.conversions import quaternion_wxyz
from ...system import System
from ..shapes import Shape, body_shapes
from .scene_nodes import Rgb, part, place, rgb255
from .shown_instant import Snapshot


class Actor:
    """A system that can be put into any configuration. Its root node may be moved, for views side by side."""

    def __init__(self, server: Any, system: System, name: str, *, tint: Rgb | None = None):
        """tint: one colour for all shapes instead of their own."""
        self._scene = server.scene
        self._atomic = server.atomic
        self.name = name
        self.system = system
        self.root: Any = self._scene.add_frame(f"/system {part(name)}", show_axes=False)
        self.nodes: tuple[Any, ...] = tuple(
            self._scene.add_frame(f"{self.root.name}/body {part(body)}", show_axes=False)
            for body in system.names
        )
        shapes = body_shapes(system.tree)
        self.meshes: tuple[tuple[Any, ...], ...] = tuple(
            tuple(self._mesh(node.name, i, shape, tint) for i, shape in enumerate(own))
            for node, own in zip(self.nodes, shapes, strict=True)
        )

    def show(self, snapshot: Snapshot) -> None:
        """Put the bodies where they are at that snapshot."""
        with self._atomic():
            for node, g in zip(self.nodes, snapshot.poses, strict=True):
                place(node, g)

    def _mesh(self, parent: str, index: int, shape: Shape, tint: Rgb | None) -> Any:
        opacity = shape.rgba[3]
        return self._scene.add_mesh_simple(
            f"{parent}/shape {index}",
            vertices=shape.vertices.astype(np.float32),
            faces=shape.triangles.astype(np.uint32),
            color=tint or rgb255(shape.rgba),
            opacity=None if opacity >= 1.0 else opacity,
            side="double",
        )


class Ghosts:
    """Many copies of a system, pale, drawn in one go for each shape."""

    def __init__(self, server: Any, system: System, count: int, name: str, *, opacity: float = 0.18):
        self._atomic = server.atomic
        self.system = system
        self.root: Any = server.scene.add_frame(f"/{part(name)}", show_axes=False, visible=False)
        still = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.zeros((count, 3))
        self._bodies = [
            [
                server.scene.add_batched_meshes_simple(
                    f"{self.root.name}/{part(body)} {i}",
                    shape.vertices.astype(np.float32),
                    shape.triangles.astype(np.uint32),
                    *still,
                    batched_colors=rgb255(shape.rgba),
                    opacity=opacity * shape.rgba[3],
                    lod="off",
                    cast_shadow=False,
                    receive_shadow=False,
                )
                for i, shape in enumerate(shapes)
            ]
            for body, shapes in zip(system.names, body_shapes(system.tree), strict=True)
        ]

    def show(self, poses: list[np.ndarray]) -> None:
        """Place the copies: for each body its poses (count, 4, 4)."""
        with self._atomic():
            for meshes, g in zip(self._bodies, poses, strict=True):
                wxyz, position = quaternion_wxyz(g[:, :3, :3]), g[:, :3, 3]
                for mesh in meshes:
                    mesh.batched_wxyzs = wxyz.astype(np.float32)
                    mesh.batched_positions = position.astype(np.float32)
