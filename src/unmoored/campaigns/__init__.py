"""Many runs of one thing, on one computer or many: designs, shards, summaries, statistics."""

from .campaign import Campaign
from .campaign_file import load_campaign
from .kept import Keep
from .results import CampaignResults, Extreme, Failure
from .statistics import Interval, Moments, Statistics

__all__ = [
    "Campaign", "CampaignResults", "Extreme", "Failure", "Interval", "Keep", "Moments", "Statistics", "load_campaign",
]  # fmt: skip
