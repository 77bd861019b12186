"""Scenario files: a system in a world, what drives it, how long, and what is kept."""

from .scenario import Scenario
from .scenario_file import json_schema
from .scenario_reader import is_scenario, load_scenario, parse_scenario, scenarios
from .summary import channel_values
from .sweeps import Normal, Range, Uniform, Values

__all__ = [
    "Normal", "Range", "Scenario", "Uniform", "Values", "channel_values", "is_scenario", "json_schema",
    "load_scenario", "parse_scenario", "scenarios",
]  # fmt: skip
