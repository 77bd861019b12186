"""Pictures of systems and runs. Needs the extra `views`."""

from .picture import save_picture
from .plots import campaign_figure, plan_figure, plot, residual_figure
from .render import render
from .report import campaign_report, report
from .viewer import PublicViewerWarning, Viewer, view

__all__ = [
    "PublicViewerWarning", "Viewer", "campaign_figure", "campaign_report", "plan_figure", "plot", "render", "report",
    "residual_figure", "save_picture", "view",
]  # fmt: skip
