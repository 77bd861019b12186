"""URDF files."""

from .reader import parse_urdf, read_urdf
from .writer import format_urdf, write_urdf

__all__ = ["format_urdf", "parse_urdf", "read_urdf", "write_urdf"]
