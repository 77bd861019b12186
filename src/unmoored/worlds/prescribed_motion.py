"""Motions that are given: a joint's configuration, velocity and acceleration as functions of time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dynamics.forced_base import PrescribedMotion
from ..lie import se3
from ..lie.arrays import apply
from ..model import Joint, ModelError
from ..model.identity_of_code import traced_pure
from ..model.joints import SubgroupJoint, numbers_from_pose
from ..model.value import Value, frozen_array, replace_arrays
from ..trace import Traced, evaluate, fingerprint, is_symbolic, jacobian
from ..trace.outline import call_traced
from ..trace.span_table import no_tables

_ON_GROUP = 1e-9
_CHECKED_TIMES = (0.0, 0.37, 1.9, 11.3)


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Value, ABC):
    """A joint's motion over time, in traceable NumPy."""

    @abstractmethod
    def motion(self, t: np.ndarray, joint: Joint) -> PrescribedMotion:
        """(configuration (..., nq_i), u (..., nv_i), u̇ (..., nv_i)) of the joint at time t (...) [s]."""

    def check(self, name: str, joint: Joint) -> None:
        """Refuse a joint that cannot move so."""


@dataclass(frozen=True, eq=False, repr=False)
class Motion(Trajectory):
    """A trajectory from a function of time in traceable NumPy, which is differentiated exactly.

    function: t (s) ↦ the joint's pose (4, 4) in its placement, or its coordinates (nv,) (rad, m) if it has one DoF
    (then one number will do) or true coordinates.
    """

    function: Callable[[Any], Any]

    def __post_init__(self) -> None:
        replace_arrays(self, _known=(None, ()))
        self._slopes  # noqa: B018 (an error in the function shows here)

    @property
    def _slopes(self) -> tuple[Traced, Traced, Traced]:
        """The function and its two derivatives, traced again if what it depends on has changed."""
        seen = fingerprint(self.function)
        digest, slopes = self._known  # type: ignore[attr-defined]
        if digest != seen.digest or seen.unseen:
            slopes = _slopes(self.function)
            replace_arrays(self, _known=(seen.digest, slopes))
        return slopes

    def motion(self, t: np.ndarray, joint: Joint) -> PrescribedMotion:
        slopes = self._slopes
        h, h_dot, h_ddot = (_at(part, t) for part in slopes)
        h_dot, h_ddot = h_dot[..., 0], h_ddot[..., 0, 0]
        if slopes[0].output_shapes != ((4, 4),):
            return PrescribedMotion(h, h_dot, h_ddot)
        return on_group(joint, h, h_dot, h_ddot)

    def check(self, name: str, joint: Joint) -> None:
        """The function must give poses in the joint's group, or as many coordinates as the joint has."""
        stored_as_pose = isinstance(joint, SubgroupJoint) and joint.nv > 1
        (shape,) = self._slopes[0].output_shapes
        fitting = shape == (4, 4) if stored_as_pose else shape == (joint.nv,)
        if not fitting and not (shape == (4, 4) and isinstance(joint, SubgroupJoint) and joint.nv == 1):
            expected = "poses (4, 4)" if stored_as_pose else f"coordinates ({joint.nv},)"
            raise ModelError.single(name, "prescribed motion", expected=expected, given=f"shape {shape}")
        if not self._is_pose:
            return
        for t in _CHECKED_TIMES:
            h = _at(self._slopes[0], np.asarray(t))
            if not np.all(joint.group.contains(h, _ON_GROUP)):  # type: ignore[attr-defined]
                expected = f"poses in {joint.group.name}"  # type: ignore[attr-defined]
                raise ModelError.single(
                    name, "prescribed motion", expected=expected, given=f"{h.tolist()} at t = {t}"
                )

    @property
    def _is_pose(self) -> bool:
        return self._slopes[0].output_shapes == ((4, 4),)


@dataclass(frozen=True, eq=False, repr=False)
class UntilFailure(Trajectory):
    """A motion that is prescribed up to the time `fails_at` (s); from then on the joint is passive."""

    trajectory: Trajectory
    fails_at: float

    def __post_init__(self) -> None:
        trajectory = as_trajectory("UntilFailure", self.trajectory)
        fails_at = float(frozen_array(self.fails_at, (), where="UntilFailure", what="fails_at"))
        replace_arrays(self, trajectory=trajectory, fails_at=fails_at)

    def motion(self, t: np.ndarray, joint: Joint) -> PrescribedMotion:
        return self.trajectory.motion(t, joint)

    def check(self, name: str, joint: Joint) -> None:
        """As for the trajectory itself."""
        self.trajectory.check(name, joint)


def on_group(joint: Joint, h: np.ndarray, h_dot: np.ndarray, h_ddot: np.ndarray) -> PrescribedMotion:
    """The motion of a joint from its pose h (..., 4, 4) and two derivatives, as matrices: V = h⁻¹ḣ, V̇ = h⁻¹ḧ − V V."""
    assert isinstance(joint, SubgroupJoint)
    V = se3.inverse(h) @ h_dot
    V_dot = se3.inverse(h) @ h_ddot - V @ V
    L = joint.group.coordinates
    configuration = joint.group.log(h) if joint.nv == 1 else numbers_from_pose(h)
    return PrescribedMotion(configuration, apply(L, se3.vee(V)), apply(L, se3.vee(V_dot)))


def as_trajectory(where: str, given: Any) -> Trajectory:
    """A trajectory from one or from a function of time."""
    if isinstance(given, Trajectory):
        return given
    if not callable(given):
        expected = "a Trajectory, or a function of time"
        raise ModelError.single(where, "prescribed", expected=expected, given=repr(given))
    return Motion(given)


def _slopes(function: Callable[[Any], Any]) -> tuple[Traced, Traced, Traced]:
    with no_tables():
        return _traced_slopes(function)


def _traced_slopes(function: Callable[[Any], Any]) -> tuple[Traced, Traced, Traced]:
    h = traced_pure(
        f"Motion {getattr(function, '__qualname__', type(function).__qualname__)}",
        lambda t: np.atleast_1d(np.asarray(function(t[0]))),
        (1,),
        name="prescribed motion",
        around=function,
        exact_zeros=True,
    )
    h_dot = jacobian(h)
    return h, h_dot, jacobian(h_dot)


def _at(function: Traced, t: Any) -> np.ndarray:
    t = np.asarray(t)[..., None]
    return call_traced(function, t) if is_symbolic(t) else evaluate(function, t.astype(float))
