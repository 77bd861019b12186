"""The public `System`, its builder, and the built-in systems."""

from .builder import BodyHandle, SystemBuilder
from .c_export import CFunction, export_c
from .compiled_method import MethodKernel, compile_method
from .fluid_from_visuals import FluidFromVisuals, fluid_from_visuals
from .loading import load, systems
from .made_parts import flexible_beam, slosh
from .system import System

__all__ = [
    "BodyHandle",
    "CFunction",
    "FluidFromVisuals",
    "MethodKernel",
    "System",
    "SystemBuilder",
    "compile_method",
    "export_c",
    "flexible_beam",
    "fluid_from_visuals",
    "load",
    "slosh",
    "systems",
]
