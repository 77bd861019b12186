"""The public `System`, its builder, and the built-in systems."""

from .builder import BodyHandle, SystemBuilder
from .loading import load, systems
from .system import System

__all__ = ["BodyHandle", "System", "SystemBuilder", "load", "systems"]
