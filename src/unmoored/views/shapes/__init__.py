"""Bodies as shapes: from their visuals, or invented from inertia and joints where a system has none."""

from .bodies import body_shapes, extent, surface
from .shape import Shape, merged

__all__ = ["Shape", "body_shapes", "extent", "merged", "surface"]
