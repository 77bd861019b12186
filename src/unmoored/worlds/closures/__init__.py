"""Joints that close loops (theory.md §29)."""

from .closed_loops import Closing
from .closure import Closure
from .rolling_disc import RollingDisc

__all__ = ["Closing", "Closure", "RollingDisc"]
