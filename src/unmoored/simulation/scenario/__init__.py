"""Scenario files: a system in a world, what drives it, how long, and what is kept."""

from .entries import json_schema
from .scenario import Scenario
from .scenario_reader import is_scenario, load_scenario, parse_scenario, scenarios
from .summary import channel_values

__all__ = [
    "Scenario", "channel_values", "is_scenario", "json_schema", "load_scenario", "parse_scenario", "scenarios",
]  # fmt: skip
