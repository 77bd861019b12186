"""Coordinates as functions of time, as data: quintic moves between points, splines through samples, oscillations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...lie import se3
from ...lie.arrays import apply
from ...model import ModelError
from ...model.joints import Joint, SubgroupJoint
from ...model.value import Value, frozen_array, replace_arrays
from ...trace import clip
from ...worlds import Motion, Trajectory, UntilFailure


class TimeFunction(Value, ABC):
    """x(t), traceable and twice differentiable: coordinates of a joint (rad, m)."""

    @abstractmethod
    def __call__(self, t: Any) -> np.ndarray:
        """Coordinates (n,) at time t () [s]."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of coordinates n."""


@dataclass(frozen=True, eq=False, repr=False)
class Constant(TimeFunction):
    """Always the same value (n,)."""

    value: Any

    def __post_init__(self):
        replace_arrays(self, value=_row(self.value, "Constant", "value"))

    @property
    def size(self) -> int:
        return len(self.value)

    def __call__(self, t: Any) -> np.ndarray:
        return self.value + 0.0 * t


@dataclass(frozen=True, eq=False, repr=False)
class Quintic(TimeFunction):
    """From rest to rest through `values` (k, n) at increasing `times` (k,), with continuous acceleration."""

    times: Any
    values: Any

    def __post_init__(self):
        times, values = _table(self.times, self.values, "Quintic")
        replace_arrays(self, times=times, values=values)

    @property
    def size(self) -> int:
        return self.values.shape[1]

    def __call__(self, t: Any) -> np.ndarray:
        x = self.values[0] + 0.0 * t
        for start, stop, change in zip(
            self.times[:-1], self.times[1:], np.diff(self.values, axis=0), strict=True
        ):
            s = clip((t - start) / (stop - start), 0.0, 1.0)
            x = x + change * (s * s * s * (10.0 + s * (6.0 * s - 15.0)))
        return x


@dataclass(frozen=True, eq=False, repr=False)
class Sampled(TimeFunction):
    """A cubic spline through `values` (k, n) at increasing `times` (k,), at rest at both ends and outside."""

    times: Any
    values: Any

    def __post_init__(self):
        times, values = _table(self.times, self.values, "Sampled")
        replace_arrays(self, times=times, values=values)

    @property
    def size(self) -> int:
        return self.values.shape[1]

    def __call__(self, t: Any) -> np.ndarray:
        slopes, x = _spline_slopes(self.times, self.values), self.values[0] + 0.0 * t
        for k, h in enumerate(np.diff(self.times)):
            m, change = slopes[k] * h, self.values[k + 1] - self.values[k]
            s = clip((t - self.times[k]) / h, 0.0, 1.0)
            curve = 3.0 * change - 2.0 * m - slopes[k + 1] * h
            x = x + s * (m + s * (curve + s * (change - m - curve)))
        return x


@dataclass(frozen=True, eq=False, repr=False)
class Sine(TimeFunction):
    """mean + amplitude · (sin(2π t / period + phase) − sin(phase)): coordinates (n,), s, rad."""

    amplitude: Any
    period: Any
    mean: Any = 0.0
    phase: Any = 0.0

    def __post_init__(self):
        amplitude = _row(self.amplitude, "Sine", "amplitude")
        n = len(amplitude)
        rest = {name: _row(getattr(self, name), "Sine", name, n) for name in ("period", "mean", "phase")}
        if np.any(rest["period"] <= 0):
            raise ModelError.single("Sine", "period", expected="> 0 (s)", given=repr(self.period))
        replace_arrays(self, amplitude=amplitude, **rest)

    @property
    def size(self) -> int:
        return len(self.amplitude)

    def __call__(self, t: Any) -> np.ndarray:
        return self.mean + self.amplitude * (
            np.sin((2.0 * np.pi / self.period) * t + self.phase) - np.sin(self.phase)
        )


@dataclass(frozen=True, eq=False, repr=False)
class OnGroup(Value):
    """The pose exp(H x(t)) (4, 4) of a joint that is stored as one; H (6, n) its basis."""

    function: TimeFunction
    basis: np.ndarray

    def __call__(self, t: Any) -> np.ndarray:
        return se3.exp(apply(self.basis, self.function(t)))


def prescribed_motion(
    function: TimeFunction, name: str, joint: Joint, fails_at: float | None = None
) -> Trajectory:
    """The trajectory of a joint along the function, up to a failure."""
    if function.size != joint.nv:
        expected = f"{joint.nv} coordinate{'s' * (joint.nv != 1)} ({', '.join(joint.dof_names) or 'one'})"
        raise ModelError.single(name, "prescribed", expected=expected, given=f"{function.size}")
    stored_as_pose = isinstance(joint, SubgroupJoint) and joint.nv > 1
    motion = Motion(OnGroup(function, joint.basis(joint.neutral())) if stored_as_pose else function)
    return motion if fails_at is None else UntilFailure(motion, fails_at)


def _row(x: Any, where: str, what: str, size: int | None = None) -> np.ndarray:
    """x as (n,): a number stands for n equal ones."""
    if size is not None and np.ndim(x) == 0:
        x = np.full(size, x)
    row = np.atleast_1d(np.asarray(x))
    return frozen_array(row, (len(row) if size is None else size,), where=where, what=what)


def _table(times: Any, values: Any, where: str) -> tuple[np.ndarray, np.ndarray]:
    k = len(times)
    t = frozen_array(times, (k,), where=where, what="times")
    rows = [np.atleast_1d(np.asarray(value)) for value in values]
    if k < 2 or np.any(np.diff(t) <= 0) or len({row.shape for row in rows}) != 1 or len(rows) != k:
        expected = "two or more increasing times, and as many values of the same length"
        raise ModelError.single(where, "times, values", expected=expected, given=f"{k} and {len(rows)}")
    return t, frozen_array(np.stack(rows), (k, *rows[0].shape), where=where, what="values")


def _spline_slopes(t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Slopes (k, n) of the spline with continuous second derivative that is at rest at both ends."""
    h, k = np.diff(t), len(t)
    A, b = np.eye(k), np.zeros_like(y)
    for i in range(1, k - 1):
        A[i, i - 1 : i + 2] = 1 / h[i - 1], 2 / h[i - 1] + 2 / h[i], 1 / h[i]
        b[i] = 3 * ((y[i] - y[i - 1]) / h[i - 1] ** 2 + (y[i + 1] - y[i]) / h[i] ** 2)
    return np.linalg.solve(A, b)
