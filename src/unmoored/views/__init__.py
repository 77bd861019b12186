"""Pictures of systems and runs. Needs the extra `views`."""

from .picture import save_picture
from .plots import plan_figure, plot
from .render import render
from .report import report
from .viewer import PublicViewerWarning, Viewer, view

__all__ = ["PublicViewerWarning", "Viewer", "plan_figure", "plot", "render", "report", "save_picture", "view"]
