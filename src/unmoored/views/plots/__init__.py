"""Figures of runs and plans, drawn without a screen."""

from .campaign_figures import campaign_figure
from .palette import OKABE_ITO
from .planning_figures import plan_figure
from .plotting import plot, told_figures
from .residual_figures import residual_figure

__all__ = ["OKABE_ITO", "campaign_figure", "plan_figure", "plot", "residual_figure", "told_figures"]
