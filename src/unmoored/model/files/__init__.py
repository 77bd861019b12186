"""Model files: YAML system files, read and written; URDF, read and written; MJCF, read."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import ModelError
from ..tree import Tree
from .yaml import format_yaml, json_schema, parse_yaml, read_yaml, write_yaml, yaml_description

_WRITERS = {".yaml": write_yaml, ".yml": write_yaml}


def write(tree: Tree, path: str | os.PathLike[str]) -> None:
    """Save the tree in the format that the path's suffix names."""
    writer = _WRITERS.get(Path(path).suffix.lower())
    if writer is None:
        raise ModelError.single(
            str(path), "file type", expected=f"one of {', '.join(_WRITERS)}", given=Path(path).suffix
        )
    writer(tree, path)


__all__ = ["format_yaml", "json_schema", "parse_yaml", "read_yaml", "write", "write_yaml", "yaml_description"]
