"""Figures of runs and plans, drawn without a screen."""

from .palette import OKABE_ITO
from .planning_figures import plan_figure
from .plotting import plot

__all__ = ["OKABE_ITO", "plan_figure", "plot"]
