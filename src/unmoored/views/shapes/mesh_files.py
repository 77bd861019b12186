"""Mesh files as shapes, read by trimesh, which comes with the extra `views`."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from ...model import Mesh, ModelWarning
from .shape import Rgba, Shape


def mesh_shape(mesh: Mesh, rgba: Rgba) -> Shape | None:
    """The surface of a mesh file, scaled, in the visual's own frame; None, with a warning, if it cannot be read."""
    try:
        loaded = _loaded(Path(mesh.path))
    except (
        Exception
    ) as error:  # readers of many formats fail in many ways; the rest of the robot is still worth seeing
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        warnings.warn(f"mesh {mesh.path!r} is not shown: {reason}", ModelWarning, stacklevel=2)
        return None
    vertices = np.asarray(loaded.vertices, dtype=float) * np.asarray(mesh.scale)
    triangles = np.asarray(loaded.faces, dtype=int)
    mirrored = np.prod(mesh.scale) < 0
    return Shape(vertices, triangles[:, ::-1] if mirrored else triangles, rgba)


def _loaded(path: Path):
    import trimesh

    if not path.is_file():
        raise FileNotFoundError("no such file")
    mesh = trimesh.load(path, force="mesh", process=False)
    if not isinstance(mesh, trimesh.Trimesh) or not len(mesh.faces):
        raise ValueError("no surface in it")
    return mesh
