"""Scenario files: a system in a world, what drives it, how long, and what is kept."""

from .entries import json_schema
from .reader import is_scenario, load_scenario, parse_scenario, scenarios
from .scenario import Scenario

__all__ = ["Scenario", "is_scenario", "json_schema", "load_scenario", "parse_scenario", "scenarios"]
