"""A thing kept in a camera's view."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

import numpy as np

from ...lie import so3
from ...lie.arrays import apply, transpose
from ...model import ModelError
from ...model.field_types import Number, Vector
from ...model.inertia import unit_axis
from ...model.value import replace_arrays
from ..law_parts import gain
from .frame_motion import FixedPoint, FrameMotion, dot
from .task_interface import Bounded, Task, check_frame

_TINY = 1e-30


class FieldOfViewTask(Task):
    """Keeps a frame or point within an angle of an axis of a camera's frame, seen from its origin.

    frame: the camera.  axis: of its view, in its own axes.  other: the frame to see, or point: (3,) of the world.
    half_angle: (rad), below π; what is bounded is its cosine.
    """

    frame: str
    axis: Vector
    half_angle: Number
    other: Annotated[Any, str] = None
    point: Vector = None

    keeps: ClassVar[bool] = True

    static: ClassVar[tuple[str, ...]] = ("axis",)

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = "FieldOfViewTask"
        if (self.other is None) == (self.point is None):
            raise ModelError.single(kind, "other, point", expected="one of them", given="both or none")
        half = gain(kind, "half_angle", self.half_angle, ())
        if np.any(half <= 0) or np.any(half >= np.pi):
            raise ModelError.single(
                kind, "half_angle", expected="between 0 and π (rad)", given=repr(self.half_angle)
            )
        point = None if self.point is None else gain(kind, "point", self.point, (3,))
        replace_arrays(self, half_angle=half, point=point, axis=unit_axis(self.axis, where=f"{kind}: axis"))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | {"half_angle": ()} | ({} if self.point is None else {"point": (3,)})

    def on(self, plant: Any) -> Self:
        check_frame("FieldOfViewTask", plant, self.frame)
        if self.other is not None:
            check_frame("FieldOfViewTask", plant, self.other)
        return self

    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Bounded:
        """y = a·u with the view a and the direction u to what is seen; ẏ = ȧ·u + a·u̇, ÿ the same once more."""
        camera = FrameMotion(plant, q, v, self.frame)
        seen = (
            FixedPoint(self.point, plant.nv) if self.other is None else FrameMotion(plant, q, v, self.other)
        )
        R, ω = camera.rotation, camera.twist[..., 3:]
        r = seen.position - camera.position
        ρ = np.sqrt(dot(r, r) + _TINY)
        u = r / ρ
        axis: Any = self.axis
        a, a_dot = apply(R, axis), apply(R, so3.cross(ω, axis))
        spin = so3.cross(camera.bias[..., 3:], axis) + so3.cross(ω, so3.cross(ω, axis))
        r_dot, r_ddot = seen.velocity - camera.velocity, seen.position_bias - camera.position_bias
        ρ_dot = dot(u, r_dot)
        u_dot = (r_dot - ρ_dot * u) / ρ
        u_ddot = (r_ddot - dot(u, r_ddot) * u - ρ * dot(u_dot, u_dot) * u - 2.0 * ρ_dot * u_dot) / ρ
        bias = dot(apply(R, spin), u) + 2.0 * dot(a_dot, u_dot) + dot(a, u_ddot)
        turning = so3.cross(axis, apply(transpose(R), u))  # a·(ω × u) and its kin: (axis × Rᵀu)·ω
        J = turning[..., None, :] @ camera.J[..., 3:, :]
        across = ((a - dot(a, u) * u) / ρ)[..., None, :]
        J = J + across @ (seen.J_position - camera.J_position)
        low = np.cos(np.asarray(self.half_angle))[..., None]
        return Bounded(J, dot(a, u), bias, low, np.full(1, 1e30))
