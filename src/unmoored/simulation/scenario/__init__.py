"""Scenario files: a system in a world, what drives it, how long, and what is kept.

What reads them is loaded when it is first used: it brings pydantic, a YAML parser and an entry for every public class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..measured import channel_values
from .random_poses import NormalPose, NormalRotation, UniformRotation
from .random_values import (
    Correlated,
    Discrete,
    InBall,
    Integers,
    LogNormal,
    Normal,
    TruncatedNormal,
    Uniform,
)
from .scenario import Scenario
from .sweeps import Range, Values

if TYPE_CHECKING:
    from .scenario_file import json_schema
    from .scenario_reader import is_scenario, load_scenario, parse_scenario, scenarios

__all__ = [
    "Correlated", "Discrete", "InBall", "Integers", "LogNormal", "Normal", "NormalPose", "NormalRotation", "Range",
    "Scenario", "TruncatedNormal", "Uniform", "UniformRotation", "Values", "channel_values", "is_scenario",
    "json_schema", "load_scenario", "parse_scenario", "scenarios",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import scenario_file, scenario_reader

    return getattr(scenario_file if name == "json_schema" else scenario_reader, name)
