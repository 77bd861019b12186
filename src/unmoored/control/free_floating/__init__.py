"""Laws for free-floating systems: tools, wheels, tumbling targets (docs/free-floating.md)."""

from .detumbling import Detumbling, DetumblingFigures, detumbling_figures
from .floating_tool import FloatingTool
from .rank_damping import least_square_bound, rank_damping
from .unloading import Unloading

__all__ = [
    "Detumbling",
    "DetumblingFigures",
    "FloatingTool",
    "Unloading",
    "detumbling_figures",
    "least_square_bound",
    "rank_damping",
]
