"""Simple shapes that show a body. They carry no mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import ModelError
from .field_types import Vector
from .pose import Pose
from .value import Value, frozen_array, replace_arrays


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Visual(Value):
    """Base of the shapes: placed at `at` on the body, coloured `rgba` (0…1) or None for the viewer's choice."""

    at: Pose = field(default_factory=Pose)
    rgba: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if self.rgba is not None:
            rgba = frozen_array(self.rgba, (4,), where=self.kind, what="rgba")
            if rgba.min() < 0 or rgba.max() > 1:
                raise ModelError.single(
                    self.kind, "rgba", expected="four numbers in 0…1", given=repr(self.rgba)
                )
            replace_arrays(self, rgba=tuple(rgba.tolist()))

    @property
    def kind(self) -> str:
        """Name of the shape: "Box", "Cylinder", "Sphere", "Capsule" or "Mesh"."""
        return type(self).__name__

    def _length(self, name: str, shape: tuple[int, ...] = ()) -> Any:
        array = frozen_array(getattr(self, name), shape, where=self.kind, what=name)
        if not (array > 0).all():
            raise ModelError.single(self.kind, name, expected="> 0 (m)", given=repr(getattr(self, name)))
        return tuple(array.tolist()) if shape else float(array)


@dataclass(frozen=True, eq=False, repr=False)
class Box(Visual):
    """Box with edges `size` (x, y, z) in metres, centred at `at`."""

    size: Vector

    def __post_init__(self) -> None:
        super().__post_init__()
        replace_arrays(self, size=self._length("size", (3,)))


@dataclass(frozen=True, eq=False, repr=False)
class Sphere(Visual):
    """Sphere of `radius` metres, centred at `at`."""

    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        replace_arrays(self, radius=self._length("radius"))


@dataclass(frozen=True, eq=False, repr=False)
class Cylinder(Visual):
    """Cylinder along z of `radius` and `length` metres, centred at `at`."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        super().__post_init__()
        replace_arrays(self, radius=self._length("radius"), length=self._length("length"))


@dataclass(frozen=True, eq=False, repr=False)
class Capsule(Cylinder):
    """Cylinder along z with half spheres on both ends; `length` (m) is that of the cylindrical part."""


@dataclass(frozen=True, eq=False, repr=False)
class Mesh(Visual):
    """Mesh from the file `path`, scaled by `scale` along its axes."""

    path: str
    scale: Sequence[float] = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.path, str) or not self.path:
            raise ModelError.single(self.kind, "path", expected="a file path", given=repr(self.path))
        scale = frozen_array(self.scale, (3,), where=self.kind, what="scale")
        if not (scale != 0).all():
            raise ModelError.single(
                self.kind, "scale", expected="non-zero (a mirror is negative)", given=repr(self.scale)
            )
        replace_arrays(self, scale=tuple(scale.tolist()))
