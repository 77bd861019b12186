"""Mesh files as shapes, read by trimesh, which comes with the extra `views`.

A file is read by us, up to a bound, and given to trimesh as bytes: no other file (materials, textures, buffers) is
opened for it, and archives are not unpacked.
"""

from __future__ import annotations

import io
import logging
import warnings
from pathlib import Path

import numpy as np

from ...model import Mesh, ModelError, ModelWarning, limits
from ...model.files.file_text import read_file
from .shape import Rgba, Shape

FORMATS = (".stl", ".obj", ".ply", ".off", ".dae", ".glb")
_QUIET = (
    logging.NullHandler()
)  # what trimesh logs of a broken file, tracebacks included, is our warning's to say
_FARTHEST = 1e6  # m: nothing that is drawn is larger


def mesh_shape(mesh: Mesh, rgba: Rgba) -> Shape | None:
    """The surface of a mesh file, scaled, in the visual's own frame; None, with a warning, if it cannot be read."""
    try:
        return _shape(mesh, rgba)
    except (
        Exception
    ) as error:  # readers of many formats fail in many ways; the rest of the robot is still worth seeing
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        warnings.warn(f"mesh {mesh.path!r} is not shown: {reason}", ModelWarning, stacklevel=2)
        return None


def _shape(mesh: Mesh, rgba: Rgba) -> Shape:
    with np.errstate(all="ignore"):  # what is not finite is refused below
        vertices, triangles = _surface(Path(mesh.path))
        vertices = vertices * np.asarray(mesh.scale)
    if not np.all(np.abs(vertices) <= _FARTHEST):
        raise ModelError.single(
            "mesh", "vertices", expected=f"finite, within {_FARTHEST:g} m", given="others"
        )
    mirrored = np.prod(mesh.scale) < 0
    return Shape(vertices, triangles[:, ::-1] if mirrored else triangles, rgba)


def _surface(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (m, 3) of a file."""
    import trimesh

    logging.getLogger("trimesh").addHandler(_QUIET)
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise ModelError.single("mesh", "format", expected=f"one of {', '.join(FORMATS)}", given=repr(kind))
    content = io.BytesIO(read_file(path, bound="mesh_bytes"))
    loaded = trimesh.load(content, file_type=kind[1:], force="mesh", process=False)
    if not isinstance(loaded, trimesh.Trimesh) or not len(loaded.faces):
        raise ModelError.single("mesh", "content", expected="a surface", given="none")
    limits.check("mesh_triangles", len(loaded.faces), "mesh", "triangles")
    vertices, triangles = np.asarray(loaded.vertices), np.asarray(loaded.faces)
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        raise ModelError.single(
            "mesh", "triangles", expected=f"between 0 and {len(vertices) - 1}", given="others"
        )
    return vertices, triangles
