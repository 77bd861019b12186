"""The public `System`, its builder, and the built-in systems."""

from .builder import BodyHandle, SystemBuilder
from .exporting import CFunction, export_c
from .loading import load, systems
from .method_kernel import MethodKernel, compile_method
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
