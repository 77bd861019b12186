"""The joints of an arm as an encoder reads them, for filters of the vehicle alone: coordinates and differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..trace import maximum
from ..worlds.law import Seen
from .encoder import Encoder


def joint_memory(encoder: Encoder | None) -> dict[str, Any]:
    """What a filter remembers of them."""
    if encoder is None:
        return {}
    return {"joints": encoder.shape, "joint_rates": encoder.shape, "joints_read": 0.0}


def read_joints(encoder: Encoder, seen: Seen, memory: Mapping[str, Any]) -> dict[str, Any]:
    """The last coordinates, and their differences by time: zero until there are two readings."""
    y = seen.y[encoder.name]
    Δ = seen.period if encoder.rate is None else 1.0 / encoder.rate
    last, rates = memory["joints"], memory["joint_rates"]
    new = memory["joints_read"] * (y.value - last) / Δ
    return {
        "joints": last + y.fresh * (y.value - last),
        "joint_rates": rates + y.fresh * (new - rates),
        "joints_read": maximum(memory["joints_read"], y.fresh),
    }
