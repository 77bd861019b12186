"""The public `System`, its builder, and the built-in systems."""

from .builder import BodyHandle, SystemBuilder
from .exporting import CFunction, export_c
from .loading import load, systems
from .system import System

__all__ = ["BodyHandle", "CFunction", "System", "SystemBuilder", "export_c", "load", "systems"]
