"""Pictures and films of runs, drawn without a screen."""

from .export import FORMATS, render
from .filming import Film, Look

__all__ = ["FORMATS", "Film", "Look", "render"]
