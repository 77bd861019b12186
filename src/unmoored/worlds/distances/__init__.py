"""Signed distances between shapes on frames, once, for tasks, costs and contact (theory.md §30)."""

from .distance import Distance
from .shapes import HalfSpace, Points

__all__ = ["Distance", "HalfSpace", "Points"]
