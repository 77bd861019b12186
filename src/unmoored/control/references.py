"""Motions of joints over time: references of control laws, and trajectories of prescribed joints."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from ..dynamics.forced_base import PrescribedMotion
from ..lie import se3
from ..lie.arrays import apply
from ..model import Joint, ModelError
from ..model.field_types import NumberOrSeries, Series, Table
from ..model.joints import SubgroupJoint
from ..model.value import frozen_array, replace_arrays, shape_of
from ..trace import Traced, call_traced, evaluate, is_symbolic, jacobian, trace
from ..trace.span_table import SpanTable
from ..worlds import Motion, Trajectory
from ..worlds.prescribed_motion import on_group
from .polynomials import derivative, evaluated


class Reference(Trajectory):
    """Coordinates x (n) of a joint over time, with velocity and acceleration; of one stored as a pose, exp(H x)."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of coordinates."""

    @abstractmethod
    def at(self, t: Any) -> PrescribedMotion:
        """(x, ẋ, ẍ), each (..., n), at time t (...) [s]."""

    @abstractmethod
    def derivatives(self, t: Any, count: int) -> list[np.ndarray]:
        """x, ẋ, ẍ, … up to the derivative of order `count`, each (..., n), at time t (...) [s]."""

    def __call__(self, t: Any) -> np.ndarray:
        """x (..., n) at time t (...) [s]."""
        return self.at(t).configuration

    def motion(self, t: np.ndarray, joint: Joint) -> PrescribedMotion:
        """The same as a joint's motion: of a joint that is stored as a pose, along exp(H x), H its basis (6, n)."""
        return _on_group(self, joint).motion(t, joint) if _stored_as_pose(joint) else self.at(t)

    def check(self, name: str, joint: Joint) -> None:
        """The joint must have as many DoFs as the reference has coordinates."""
        if joint.nv != self.size:
            given = f"{joint.kind} with {joint.nv} DoF"
            expected = f"a joint with {self.size} coordinate{'s' * (self.size != 1)}"
            raise ModelError.single(name, type(self).__name__, expected=expected, given=given)


def _stored_as_pose(joint: Joint) -> bool:
    return isinstance(joint, SubgroupJoint) and joint.nv > 1


@lru_cache(maxsize=256)
def _polynomial_on_group(joint: Joint, count: int) -> tuple[Traced, Traced, Traced]:
    """exp(H Σ c_k s^k) (4, 4) of s (1,) and c (count, n), with two derivatives by s."""
    H = joint.basis(joint.neutral())
    h = trace(lambda s, c: se3.exp(apply(H, evaluated(c, s).configuration)), (1,), (count, joint.nv))
    h_dot = jacobian(h, wrt=0)
    return h, h_dot, jacobian(h_dot, wrt=0)


def _at(function: Traced, s: np.ndarray, c: np.ndarray) -> np.ndarray:
    return call_traced(function, s, c) if is_symbolic(s) else evaluate(function, s.astype(float), c)


@lru_cache(maxsize=256)
def _on_group(reference: Reference, joint: Joint) -> Motion:
    """The motion along exp(H x(t)), differentiated exactly."""
    H = joint.basis(joint.neutral())
    return Motion(lambda t: se3.exp(apply(H, reference(t))))


@dataclass(frozen=True, eq=False, repr=False)
class Constant(Reference):
    """Held at a value (rad, m), one number or one per DoF."""

    value: NumberOrSeries

    def __post_init__(self) -> None:
        value = np.atleast_1d(np.asarray(self.value))
        replace_arrays(self, value=frozen_array(value, (len(value),), where="Constant", what="value"))

    @property
    def size(self) -> int:
        return len(self.value)

    def at(self, t: Any) -> PrescribedMotion:
        x = self.value + 0.0 * np.asarray(t)[..., None]
        return PrescribedMotion(x, 0.0 * x, 0.0 * x)

    def derivatives(self, t: Any, count: int) -> list[np.ndarray]:
        x = self(t)
        return [x, *([0.0 * x] * count)]


@dataclass(frozen=True, eq=False, repr=False)
class Sine(Reference):
    """mean + amplitude (sin(2π t / period + phase) − sin(phase)); each one number or one per DoF (rad, m, s)."""

    amplitude: NumberOrSeries
    period: NumberOrSeries
    mean: NumberOrSeries = 0.0
    phase: NumberOrSeries = 0.0

    def __post_init__(self) -> None:
        given = [np.atleast_1d(np.asarray(x)) for x in (self.amplitude, self.period, self.mean, self.phase)]
        size = max(map(len, given))
        for name, x in zip(("amplitude", "period", "mean", "phase"), given, strict=True):
            full = np.full(size, x[0]) if len(x) == 1 else x
            replace_arrays(self, **{name: frozen_array(full, (size,), where="Sine", what=name)})
        if np.any(self.period <= 0):
            raise ModelError.single("Sine", "period", expected="> 0 (s)", given=repr(self.period.tolist()))

    @property
    def size(self) -> int:
        return len(self.amplitude)

    def at(self, t: Any) -> PrescribedMotion:
        ω = 2.0 * np.pi / self.period
        angle = ω * np.asarray(t)[..., None] + self.phase
        x = self.mean + self.amplitude * (np.sin(angle) - np.sin(self.phase))
        return PrescribedMotion(x, self.amplitude * ω * np.cos(angle), -self.amplitude * ω**2 * np.sin(angle))

    def derivatives(self, t: Any, count: int) -> list[np.ndarray]:
        ω = 2.0 * np.pi / self.period
        angle = ω * np.asarray(t)[..., None] + self.phase
        turned = [self.amplitude * ω**k * np.sin(angle + 0.5 * np.pi * k) for k in range(1, count + 1)]
        return [self.at(t).configuration, *turned]


@dataclass(frozen=True, eq=False, repr=False)
class Piecewise(Reference):
    """Polynomials between times; before the first and after the last the value is held.

    times: (K,) increasing (s).  values: (K,) or (K, n) (rad, m).
    """

    times: Series
    values: Table

    def __post_init__(self) -> None:
        kind = type(self).__name__
        count = shape_of(self.times, where=type(self).__name__, what="times")[:1]
        times = frozen_array(self.times, count, where=kind, what="times (s)")
        if len(times) < 2 or np.any(np.diff(times) <= 0):
            raise ModelError.single(kind, "times", expected="two or more, increasing", given=repr(self.times))
        shape = shape_of(self.values, where=kind, what="values")
        if shape[:1] != count or len(shape) > 2:
            expected = f"{len(times)} values, or as many rows"
            raise ModelError.single(kind, "values", expected=expected, given=f"shape {shape}")
        values = frozen_array(self.values, shape, where=kind, what="values").reshape(len(times), -1)
        replace_arrays(self, times=times, values=values, _table=self._made(times, values))

    @property
    def size(self) -> int:
        return self.values.shape[1]

    @abstractmethod
    def _between(self, times: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Coefficients (K − 1, degree + 1, n) between the times."""

    def _made(self, times: np.ndarray, values: np.ndarray) -> SpanTable:
        """The spans between the times, and constant ones before and after: where each starts, its coefficients."""
        inner = self._between(times, values)
        held = np.zeros((2, *inner.shape[1:]))
        held[0, 0], held[1, 0] = values[0], values[-1]
        starts, coefficients = np.append(times[:1], times), np.concatenate([held[:1], inner, held[1:]])
        return SpanTable(times, np.column_stack([starts, coefficients.reshape(len(starts), -1)]))

    def _span(self, t: Any) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (..., degree + 1, n) at time t (...), and the time (..., 1) since the span's start (s)."""
        t = np.asarray(t)
        row = self._table.row(t)  # type: ignore[attr-defined]
        c = row[..., 1:].reshape(*t.shape, -1, self.size)
        return c, np.asarray(t - row[..., 0])[..., None]

    def at(self, t: Any) -> PrescribedMotion:
        return evaluated(*self._span(t))

    def derivatives(self, t: Any, count: int) -> list[np.ndarray]:
        c, s = self._span(t)
        return [derivative(c, s, order) for order in range(count + 1)]

    def motion(self, t: np.ndarray, joint: Joint) -> PrescribedMotion:
        """Of a joint that is stored as a pose, along exp(H Σ c_k s^k), differentiated by s; else as it is."""
        if not _stored_as_pose(joint):
            return self.at(t)
        c, s = self._span(t)
        h, h_dot, h_ddot = (_at(part, s, c) for part in _polynomial_on_group(joint, c.shape[-2]))
        return on_group(joint, h, h_dot[..., 0], h_ddot[..., 0, 0])


@dataclass(frozen=True, eq=False, repr=False)
class Quintic(Piecewise):
    """From value to value in quintics that start and end at rest, without acceleration: smooth, with a stop at each."""

    def _between(self, times: np.ndarray, values: np.ndarray) -> np.ndarray:
        d, h = np.diff(values, axis=0), np.diff(times)[:, None]
        zero = np.zeros_like(d)
        return np.stack([values[:-1], zero, zero, 10 * d / h**3, -15 * d / h**4, 6 * d / h**5], axis=1)


@dataclass(frozen=True, eq=False, repr=False)
class Sampled(Piecewise):
    """A cubic spline through all values, with continuous acceleration inside and at rest at both ends."""

    def _between(self, times: np.ndarray, values: np.ndarray) -> np.ndarray:
        h = np.diff(times)
        slope = np.diff(values, axis=0) / h[:, None]
        m = _slopes(h, slope)
        h = h[:, None]
        second = (3 * slope - 2 * m[:-1] - m[1:]) / h
        third = (m[:-1] + m[1:] - 2 * slope) / h**2
        return np.stack([values[:-1], m[:-1], second, third], axis=1)


def _slopes(h: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Slopes (K, n) of the spline with gaps h (K − 1,) and secants (K − 1, n), zero at the ends.

    h_k m_{k−1} + 2 (h_{k−1} + h_k) m_k + h_{k−1} m_{k+1} = 3 (h_k s_{k−1} + h_{k−1} s_k), by elimination from the
    front: the matrix is diagonally dominant.
    """
    gaps = h.tolist()
    wanted = (3 * (h[1:, None] * slope[:-1] + h[:-1, None] * slope[1:])).T.tolist()
    share, pivots = [0.0], []
    for left, right in pairwise(gaps):
        pivots.append(2 * (left + right) - right * share[-1])
        share.append(left / pivots[-1])
    columns = []
    for b in wanted:  # on plain floats: NumPy's are slow one by one
        m = [0.0]
        for right, pivot, value in zip(gaps[1:], pivots, b, strict=True):
            m.append((value - right * m[-1]) / pivot)
        m.append(0.0)
        for k in range(len(m) - 2, 0, -1):
            m[k] -= share[k] * m[k + 1]
        columns.append(m)
    return np.array(columns).T
