"""The shape of what displaces water, for a body at the surface."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from .errors import ModelError
from .pose import Pose
from .type_checks import check_type
from .value import Value, frozen_array, replace_arrays

FORMS = ("ellipsoid", "cylinder", "capsule", "box")


@dataclass(frozen=True, eq=False, repr=False)
class Hull(Value):
    """A shape with its middle at the body's centre of buoyancy, which tells how much of the body is under water.

    form: "ellipsoid" (a sphere too), "cylinder" and "capsule" along their z axis, or "box".
    size: extents (3,) along the shape's own axes (m), of a cylinder or capsule (2r, 2r, length over all).
    at: turns the shape in body axes; it has no place of its own (xyz is zero).
    """

    form: Literal["ellipsoid", "cylinder", "capsule", "box"]
    size: Any
    at: Pose = field(default_factory=Pose)

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ModelError.single(
                "Hull", "form", expected=f"one of {', '.join(FORMS)}", given=repr(self.form)
            )
        size = frozen_array(self.size, (3,), where="Hull", what="size")
        if not np.all(size > 0):
            raise ModelError.single(
                "Hull", "size", expected="three lengths > 0 (m)", given=str(size.tolist())
            )
        if self.form in ("cylinder", "capsule") and size[0] != size[1]:
            expected = "the same diameter along x and y"
            raise ModelError.single("Hull", "size", expected=expected, given=str(size.tolist()))
        if self.form == "capsule" and size[2] < size[0]:
            expected = "a length over all of at least the diameter"
            raise ModelError.single("Hull", "size", expected=expected, given=str(size.tolist()))
        check_type("Hull", "at", self.at, Pose)
        if self.at.xyz.any():
            expected = "no place of its own: the middle is the centre of buoyancy"
            raise ModelError.single("Hull", "at", expected=expected, given=str(self.at.xyz.tolist()))
        replace_arrays(self, size=size)
