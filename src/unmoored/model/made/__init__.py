"""Systems that formulas make, to be mounted: flexible beams, and liquids that slosh."""

from .beam import beam_tree
from .slosh import slosh_tree
from .tanks import TANKS, BoxTank, CylinderTank, SphereTank, Tank

__all__ = ["TANKS", "BoxTank", "CylinderTank", "SphereTank", "Tank", "beam_tree", "slosh_tree"]
