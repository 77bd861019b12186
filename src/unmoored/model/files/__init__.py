"""Model files: YAML system files, read and written; URDF, read and written; MJCF, read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..tree import Tree
from . import yaml
from .mjcf import read_mjcf
from .urdf import format_urdf, parse_urdf, read_urdf, write_urdf
from .yaml import format_yaml, write_yaml

if TYPE_CHECKING:
    from .yaml import json_schema, parse_yaml, read_yaml, yaml_description

_WRITERS = {".yaml": write_yaml, ".yml": write_yaml, ".urdf": write_urdf}


def write(tree: Tree, path: str | os.PathLike[str]) -> None:
    """Save the tree in the format that the path's suffix names."""
    writer = _WRITERS.get(Path(path).suffix.lower())
    if writer is None:
        raise ModelError.single(
            str(path), "file type", expected=f"one of {', '.join(_WRITERS)}", given=Path(path).suffix
        )
    writer(tree, path)


__all__ = [
    "format_urdf", "format_yaml", "json_schema", "parse_urdf", "parse_yaml", "read_mjcf", "read_urdf",
    "read_yaml", "write", "write_urdf", "write_yaml", "yaml_description",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """What reads YAML, loaded when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(yaml, name)
