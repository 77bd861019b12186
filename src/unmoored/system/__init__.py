"""The public `System`, its builder, and the built-in systems."""

from .builder import BodyHandle, SystemBuilder
from .c_export import CFunction, export_c
from .compiled_method import MethodKernel, compile_method
from .loading import load, systems
from .system import System

__all__ = [
    "BodyHandle",
    "CFunction",
    "MethodKernel",
    "System",
    "SystemBuilder",
    "compile_method",
    "export_c",
    "load",
    "systems",
]
