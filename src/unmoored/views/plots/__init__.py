"""Figures of runs, drawn without a screen. Needs the extra `views`."""

from .catalogue import PLOTS, plot
from .palette import OKABE_ITO

__all__ = ["OKABE_ITO", "PLOTS", "plot"]
