"""The figures by name. Imports matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import balances, motion
from .fans import fan
from .overview import overview

PLOTS: dict[str, Callable[..., Any]] = {
    "overview": overview,
    "states": motion.states,
    "base_attitude": motion.base_attitude,
    "energy": balances.energy,
    "momentum": balances.momentum,
    "forces": balances.forces,
    "path": motion.path,
    "phase": motion.phase,
    "fan": fan,
}
