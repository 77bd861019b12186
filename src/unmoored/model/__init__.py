"""Bodies, joints, inertias and frames: pure data, validated when it is made."""

from . import conventions
from .body import Body, Frame
from .errors import DataError, ModelError, ModelWarning, Problem
from .flow_parts import BoxDrag, FlowPart, Lift, SphereDrag, StripDrag
from .fluid import Fluid
from .hull import Hull
from .inertia import Inertia
from .joints import (
    JOINTS,
    CustomJoint,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Joint,
    Planar,
    PlanarHelical,
    Prismatic,
    Revolute,
    Schoenflies,
    Spherical,
    Translation,
    Universal,
)
from .limits import Limits, limits
from .mimic import Mimic
from .names import WORLD
from .part import Part
from .pose import Pose
from .tree import Link, Tree
from .visual import Box, Capsule, Cylinder, Mesh, Sphere, Visual

__all__ = [
    "JOINTS", "WORLD", "Body", "Box", "BoxDrag", "Capsule", "CustomJoint", "Cylinder", "Cylindrical",
    "DataError", "Fixed", "FlowPart", "Fluid", "Frame", "Free", "Helical", "Hull", "Inertia", "Joint", "Lift",
    "Limits", "Link", "Mesh", "Mimic", "ModelError", "ModelWarning", "Part", "Planar", "PlanarHelical", "Pose",
    "Prismatic", "Problem", "Revolute", "Schoenflies", "Sphere", "SphereDrag", "Spherical", "StripDrag",
    "Translation", "Tree", "Universal", "Visual", "conventions", "limits",
]  # fmt: skip
