"""System files in YAML. What reads them is loaded when it is first used: it brings pydantic and a YAML parser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .writer import format_yaml, write_yaml

if TYPE_CHECKING:
    from .reader import parse_kept_yaml, parse_yaml, read_yaml, yaml_description
    from .schema import json_schema

__all__ = [
    "format_yaml",
    "json_schema",
    "parse_kept_yaml",
    "parse_yaml",
    "read_yaml",
    "write_yaml",
    "yaml_description",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import reader, schema

    return getattr(schema if name == "json_schema" else reader, name)
