"""Forces shared out among actuators: limits, rates, curves, azimuths, pulses, failures, weights and priorities."""

from .allocated import Allocated

__all__ = ["Allocated"]
