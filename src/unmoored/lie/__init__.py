"""SO(3), SE(3) and every connected subgroup of SE(3). The only room that knows small angles."""

from . import se3, so3
from .checked_frames import axis_rotation
from .subgroup_catalogue import (
    CATALOGUE,
    cylindrical,
    planar,
    planar_screw,
    rotation,
    schoenflies,
    screw,
    special_euclidean,
    spherical,
    translation_1,
    translation_2,
    translation_3,
    trivial,
)
from .subgroups import Subgroup

__all__ = [
    "CATALOGUE",
    "Subgroup",
    "axis_rotation",
    "cylindrical",
    "planar",
    "planar_screw",
    "rotation",
    "schoenflies",
    "screw",
    "se3",
    "so3",
    "special_euclidean",
    "spherical",
    "translation_1",
    "translation_2",
    "translation_3",
    "trivial",
]
