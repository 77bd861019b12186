"""A system in the scene: one node for each body, its shapes below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...lie import se3
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
        self._tint = tint
        self.meshes: tuple[tuple[Any, ...], ...] = self._drawn(system)

    def become(self, system: System) -> None:
        """Look like another system with the same bodies, such as that of another sample."""
        if system is not self.system:
            for mesh in (mesh for meshes in self.meshes for mesh in meshes):
                mesh.remove()
            self.system, self.meshes = system, self._drawn(system)

    def _drawn(self, system: System) -> tuple[tuple[Any, ...], ...]:
        return tuple(
            tuple(self._mesh(node.name, i, shape) for i, shape in enumerate(own))
            for node, own in zip(self.nodes, body_shapes(system.tree), strict=True)
        )

    def show(self, snapshot: Snapshot) -> None:
        """Put the bodies where they are at that snapshot."""
        with self._atomic():
            for node, g in zip(self.nodes, snapshot.poses, strict=True):
                place(node, g)

    def _mesh(self, parent: str, index: int, shape: Shape) -> Any:
        opacity = shape.rgba[3]
        return self._scene.add_mesh_simple(
            f"{parent}/shape {index}",
            vertices=shape.vertices.astype(np.float32),
            faces=shape.triangles.astype(np.uint32),
            color=self._tint or rgb255(shape.rgba),
            opacity=None if opacity >= 1.0 else opacity,
            side="double",
        )


class Ghosts:
    """The systems of several samples, pale; bodies that look alike are drawn in one go."""

    def __init__(self, server: Any, systems: Sequence[System], name: str, *, opacity: float = 0.18):
        """systems: one for each sample, with the same bodies."""
        self._scene, self._atomic = server.scene, server.atomic
        self.root: Any = self._scene.add_frame(f"/{part(name)}", show_axes=False, visible=False)
        looks = {id(system): body_shapes(system.tree) for system in systems}
        #: for each body: samples that look alike there, and their meshes
        self._bodies: list[list[tuple[list[int], list[Any]]]] = []
        for k, body in enumerate(systems[0].names):
            groups = _alike([looks[id(system)][k] for system in systems])
            self._bodies.append(
                [
                    (
                        samples,
                        self._meshes(f"{self.root.name}/{part(body)} {j}", shapes, len(samples), opacity),
                    )
                    for j, (samples, shapes) in enumerate(groups)
                ]
            )

    def show(self, poses: list[np.ndarray]) -> None:
        """Place the samples: for each body its poses (count, 4, 4)."""
        with self._atomic():
            for groups, g in zip(self._bodies, poses, strict=True):
                wxyz, position = quaternion_wxyz(se3.rotation(g)), se3.position(g)
                for samples, meshes in groups:
                    for mesh in meshes:
                        mesh.batched_wxyzs = wxyz[samples].astype(np.float32)
                        mesh.batched_positions = position[samples].astype(np.float32)

    def _meshes(self, name: str, shapes: Sequence[Shape], count: int, opacity: float) -> list[Any]:
        still = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.zeros((count, 3))
        return [
            self._scene.add_batched_meshes_simple(
                f"{name} {i}",
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


def _alike(looks: Sequence[Sequence[Shape]]) -> list[tuple[list[int], Sequence[Shape]]]:
    """(samples, shapes) of those samples of a body that have the same shapes."""
    groups: dict[tuple[bytes, ...], tuple[list[int], Sequence[Shape]]] = {}
    for i, shapes in enumerate(looks):
        groups.setdefault(tuple(shape.vertices.tobytes() for shape in shapes), ([], shapes))[0].append(i)
    return list(groups.values())
