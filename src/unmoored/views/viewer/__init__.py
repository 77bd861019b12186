"""The web viewer: systems to pose and drive, runs to play, in a browser on this machine."""

from .server import PublicViewerWarning
from .viewer import Viewer, view

__all__ = ["PublicViewerWarning", "Viewer", "view"]
