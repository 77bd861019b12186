"""Joints that close loops (theory.md §29)."""

from .closure import Closure

__all__ = ["Closure"]
