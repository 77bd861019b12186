"""A body with the joint that moves it, and a named frame on a body."""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import ModelError
from .fluid import Fluid
from .inertia import Inertia
from .joints import Joint
from .names import check_name
from .pose import Pose
from .type_checks import check_type
from .value import Value, replace_arrays
from .visual import Visual


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Body(Value):
    """A rigid body (or one with a full 6×6 inertia), moved by `joint`, which sits at `at` on `parent`.

    The joint carries the body's name; `joint_name` keeps the name it has in a URDF or MJCF file, as a second name.
    prescribed: the joint always moves as it is told (`Plant(prescribed=…)`), so that no inertia need lie behind it.
    """

    name: str
    parent: str
    joint: Joint
    inertia: Inertia
    at: Pose = field(default_factory=Pose)
    visuals: tuple[Visual, ...] = ()
    fluid: Fluid | None = None
    joint_name: str | None = None
    prescribed: bool = False

    def __post_init__(self) -> None:
        check_name("body", self.name)
        if self.joint_name is not None:
            check_name("joint", self.joint_name)
        check_type(self.name, "joint", self.joint, Joint)
        check_type(self.name, "inertia", self.inertia, Inertia)
        check_type(self.name, "at", self.at, Pose)
        check_type(self.name, "prescribed", self.prescribed, bool)
        if self.fluid is not None:
            check_type(self.name, "fluid", self.fluid, Fluid)
        replace_arrays(self, visuals=tuple(self.visuals))
        for visual in self.visuals:
            check_type(self.name, "visuals", visual, Visual)
        if self.prescribed and not self.joint.nv:
            raise ModelError.single(
                self.name, "prescribed", expected="a joint that moves", given=self.joint.kind
            )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Frame(Value):
    """A named frame fixed at `at` on the body (or the world) `parent`."""

    name: str
    parent: str
    at: Pose = field(default_factory=Pose)

    def __post_init__(self) -> None:
        check_name("frame", self.name)
        check_type(self.name, "at", self.at, Pose)
