"""Laws for arms and cranes on bases that move (docs/moving-bases.md)."""

from .input_shaping import Shaped
from .ship_prediction import residual_ratio
from .world_fixed_tool import WorldFixedTool

__all__ = ["Shaped", "WorldFixedTool", "residual_ratio"]
