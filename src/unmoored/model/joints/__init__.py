"""Joints: Lie subgroups of SE(3), and joints with a configuration-dependent twist."""

from .coordinate_joint import CoordinateJoint, Universal
from .custom_joint import CustomJoint
from .joint import Joint
from .joint_catalogue import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Planar,
    PlanarHelical,
    Prismatic,
    Revolute,
    Schoenflies,
    Spherical,
    Translation,
)
from .subgroup_joint import SubgroupJoint, numbers_from_pose, pose_from_numbers

#: Every joint that a file can name, by its class name.
JOINTS: dict[str, type[Joint]] = {
    joint.__name__: joint
    for joint in (
        Fixed, Revolute, Prismatic, Helical, Cylindrical, Planar, Spherical, Translation, Schoenflies,
        PlanarHelical, Free, Universal,
    )
}  # fmt: skip

__all__ = [
    "JOINTS", "CoordinateJoint", "CustomJoint", "Cylindrical", "Fixed", "Free", "Helical", "Joint", "Planar",
    "PlanarHelical", "Prismatic", "Revolute", "Schoenflies", "Spherical", "SubgroupJoint", "Translation",
    "Universal", "numbers_from_pose", "pose_from_numbers",
]  # fmt: skip
