"""MuJoCo geoms → visuals."""

from __future__ import annotations

import os
from typing import Any

from ...pose import Pose
from ...visual import Box, Capsule, Cylinder, Mesh, Sphere, Visual


def visual_of(m: Any, geom: int, folder: str) -> Visual | None:
    """The geom with this index, None for a shape that the model has no word for (plane, ellipsoid, …)."""
    at = Pose(m.geom_pos[geom], quaternion_wxyz=m.geom_quat[geom])
    material = m.geom_matid[geom]
    rgba = (m.mat_rgba[material] if material >= 0 else m.geom_rgba[geom]).astype(float).clip(0, 1)
    a, b, c = m.geom_size[geom].tolist()
    match int(m.geom_type[geom]):  # the values of mjtGeom
        case 2:
            return Sphere(a, at=at, rgba=rgba)
        case 3:
            return Capsule(a, 2 * b, at=at, rgba=rgba)
        case 5:
            return Cylinder(a, 2 * b, at=at, rgba=rgba)
        case 6:
            return Box((2 * a, 2 * b, 2 * c), at=at, rgba=rgba)
        case 7:
            return _mesh(m, int(m.geom_dataid[geom]), at, rgba, folder)
    return None


def _mesh(m: Any, mesh: int, at: Pose, rgba: Any, folder: str) -> Mesh | None:
    """MuJoCo moves a mesh to its own inertial frame; its file still has it where it was."""
    address = m.mesh_pathadr[mesh]
    if address < 0:
        return None
    path = m.paths[address:].split(b"\0", 1)[0].decode()
    moved = Pose(m.mesh_pos[mesh], quaternion_wxyz=m.mesh_quat[mesh])
    file = os.path.realpath(os.path.join(folder, path))
    return Mesh(file, m.mesh_scale[mesh], at=at @ moved.inverse(), rgba=rgba)
