"""MJCF files."""

from .reader import read_mjcf

__all__ = ["read_mjcf"]
