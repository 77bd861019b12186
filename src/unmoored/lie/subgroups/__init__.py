"""The connected subgroups of SE(3), one class per conjugacy class, in the order of docs/theory.md §2."""

from .cylindrical import Cylindrical
from .planar import Planar
from .planar_screw import PlanarScrew
from .rotation import Rotation
from .schoenflies import Schoenflies
from .screw import Screw
from .special_euclidean import SpecialEuclidean
from .spherical import Spherical
from .subgroup import Subgroup
from .translations import Translation1, Translation2, Translation3
from .trivial import Trivial

__all__ = [
    "Cylindrical",
    "Planar",
    "PlanarScrew",
    "Rotation",
    "Schoenflies",
    "Screw",
    "SpecialEuclidean",
    "Spherical",
    "Subgroup",
    "Translation1",
    "Translation2",
    "Translation3",
    "Trivial",
]
