"""Figures of runs, drawn without a screen."""

from .palette import OKABE_ITO
from .plotting import plot

__all__ = ["OKABE_ITO", "plot"]
