"""What every joint offers: its sizes, its pose map, its twist basis, and the group operations on its configuration."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np

from ..errors import ModelError
from ..value import Value, content, frozen_array, replace_arrays, shape_of


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Joint(Value, ABC):
    """A joint between a parent body and the body it moves.

    The joint frame is the moved body's frame: g_parent,body(q) = at · transform(q). Velocities are the moved body's,
    in its own frame: V_rel = basis(q) v. The options hold one number for all DoFs or one per DoF, in velocity order:

    limits: (lower, upper) of the coordinates (rad, m); exponential coordinates for a joint stored as a pose.
    damping: viscous (N s/m, N m s/rad).  friction: Coulomb level (N, N m).
    stiffness, rest: spring (N/m, N m/rad) and the coordinate (m, rad) at which it is relaxed.
    armature: inertia of the drive seen at the joint (kg, kg m²); it adds to the diagonal of the mass matrix.
    effort, velocity: largest magnitude a drive gives (N, N m) and allows (m/s, rad/s).
    """

    limits: Any = None
    damping: Any = 0.0
    friction: Any = 0.0
    stiffness: Any = 0.0
    rest: Any = 0.0
    armature: Any = 0.0
    effort: Any = None
    velocity: Any = None

    constant_basis: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("damping", "friction", "stiffness", "armature"):
            replace_arrays(self, **{name: self._per_dof(name, getattr(self, name), smallest=0.0)})
        replace_arrays(self, rest=self._per_dof("rest", self.rest))
        for name in ("effort", "velocity"):
            if getattr(self, name) is not None:
                replace_arrays(self, **{name: self._per_dof(name, getattr(self, name), smallest=0.0)})
        if self.limits is not None:
            replace_arrays(self, limits=self._checked_limits())

    @cached_property
    def form(self) -> tuple[Any, ...]:
        """What tells the joint's motion: its class and its own parameters, such as the axis, without the options."""
        options = {field.name for field in fields(Joint)}
        own = [getattr(self, field.name) for field in fields(self) if field.name not in options]
        return (type(self), *(content(x) for x in own))

    @property
    def kind(self) -> str:
        """Name of the joint class, as in files: "Revolute", "Free", …"""
        return type(self).__name__

    @property
    @abstractmethod
    def nq(self) -> int:
        """How many numbers store the configuration."""

    @property
    @abstractmethod
    def nv(self) -> int:
        """How many degrees of freedom the joint has."""

    @property
    @abstractmethod
    def dof_names(self) -> tuple[str, ...]:
        """Names of the degrees of freedom in velocity order, such as ("vx", "vy", "wz")."""

    @abstractmethod
    def neutral(self) -> np.ndarray:
        """Configuration (nq,) with identity pose."""

    @abstractmethod
    def random(self, rng: np.random.Generator) -> np.ndarray:
        """Random configuration (nq,): inside the limits where there are some, else up to π rad and 1 m."""

    @abstractmethod
    def transform(self, q: np.ndarray) -> np.ndarray:
        """Pose (..., 4, 4) of the moved body in the joint's placement, from the configuration q (..., nq)."""

    @abstractmethod
    def basis(self, q: np.ndarray) -> np.ndarray:
        """Twist basis S (..., 6, nv) in the moved body's frame: V_rel = S v (theory.md §18)."""

    @abstractmethod
    def basis_derivatives(self, q: np.ndarray) -> np.ndarray | None:
        """∂S/∂q_a as (..., nv, 6, nv) for a basis that varies, None for a constant one."""

    @abstractmethod
    def momentum_bracket(self, p: np.ndarray) -> np.ndarray:
        """K(p) (..., nv, nv) with K(p) v = −ad_vᵀ p on the joint's own algebra (theory.md §2)."""

    @abstractmethod
    def retract(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """Configuration (..., nq) reached from q along the tangent dq (..., nv) in the moved body's frame."""

    @abstractmethod
    def local(self, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
        """Tangent (..., nv) that retracts q0 to q1."""

    @abstractmethod
    def coordinates(self, q: np.ndarray) -> np.ndarray:
        """Coordinates (..., nv) that limits and springs are measured in."""

    @abstractmethod
    def from_coordinates(self, x: np.ndarray) -> np.ndarray:
        """Configuration (..., nq) with these coordinates (..., nv)."""

    def _per_dof(self, name: str, x: Any, smallest: float = -np.inf) -> np.ndarray:
        if type(x) is float and x == 0.0:
            return _no_option(self.nv)
        array = frozen_array(x, (self.nv,) if np.ndim(x) else (), where=self.kind, what=name)
        if np.any(array < smallest):
            raise ModelError.single(self.kind, name, expected=f"≥ {smallest:g}", given=repr(x))
        return (
            array if array.shape else frozen_array([array] * self.nv, (self.nv,), where=self.kind, what=name)
        )

    def _checked_limits(self) -> np.ndarray:
        if shape_of(self.limits, where=self.kind, what="limits")[:1] != (2,):
            raise ModelError.single(self.kind, "limits", expected="(lower, upper)", given=repr(self.limits))
        lower, upper = (self._per_dof("limits", x) for x in self.limits)
        if np.any(lower > upper):
            raise ModelError.single(self.kind, "limits", expected="lower ≤ upper", given=repr(self.limits))
        return frozen_array([lower, upper], (2, self.nv), where=self.kind, what="limits")

    def _random_coordinates(self, rng: np.random.Generator, reach: np.ndarray) -> np.ndarray:
        lower, upper = (-reach, reach) if self.limits is None else (self.limits[0], self.limits[1])
        return rng.uniform(lower, upper)


@cache
def _no_option(nv: int) -> np.ndarray:
    """What most options of most joints are: zeros (nv,), which joints share."""
    return frozen_array(np.zeros(nv), (nv,), where="joint", what="option")
