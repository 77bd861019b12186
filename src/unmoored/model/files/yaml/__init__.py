"""System files in YAML."""

from .reader import parse_kept_yaml, parse_yaml, read_yaml, yaml_description
from .schema import json_schema
from .writer import format_yaml, write_yaml

__all__ = [
    "format_yaml",
    "json_schema",
    "parse_kept_yaml",
    "parse_yaml",
    "read_yaml",
    "write_yaml",
    "yaml_description",
]
