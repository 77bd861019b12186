"""A run, or a campaign, as one HTML file that opens offline."""

from .campaign_page import campaign_report
from .page import report

__all__ = ["campaign_report", "report"]
