"""Scenario files: a system in a world, what drives it, how long, and what is kept."""

from .entries import json_schema
from .reader import is_scenario, load_scenario, parse_scenario, scenarios
from .results import channel_values
from .scenario import Scenario

__all__ = [
    "Scenario", "channel_values", "is_scenario", "json_schema", "load_scenario", "parse_scenario", "scenarios",
]  # fmt: skip
