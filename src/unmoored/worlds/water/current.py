"""How the water moves: its velocity and its acceleration, at any place and time (theory.md §7)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from ...lie.arrays import apply, join
from ...model import ModelError
from ...model.field_types import Number, Rows, Series, Vector
from ...model.identity_of_code import traced_pure
from ...model.renamed import renamed_fields
from ...model.value import Value, frozen_array, replace_arrays
from ...trace import (
    Traced,
    clip,
    evaluate,
    fingerprint,
    is_symbolic,
    is_zero,
    jacobian,
    less,
    made_of_symbols,
    where,
)
from ...trace.outline import call_traced


@dataclass(frozen=True, eq=False, repr=False)
class Current(Value, ABC):
    """A field of water velocity in world axes. Irrotational on the scale of a body, as the theory assumes."""

    @property
    @abstractmethod
    def uniform(self) -> bool:
        """Whether it is the same everywhere at any one time."""

    @property
    def steady(self) -> bool:
        """Whether the water never accelerates: Dv/Dt = 0."""
        return False

    @abstractmethod
    def velocity(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        """v_c (..., 3) [m/s] at time t (...) [s] and place x (..., 3) [m], world axes."""

    @abstractmethod
    def acceleration(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Dv_c/Dt = ∂v_c/∂t + (v_c·∇)v_c (..., 3) [m/s²], world axes."""


@renamed_fields(velocity="value")
@dataclass(frozen=True, eq=False, repr=False)
class UniformCurrent(Current):
    """The same water velocity (3,) everywhere and always (m/s, world axes)."""

    value: Vector

    def __post_init__(self) -> None:
        if not made_of_symbols(self.value):
            batch = np.shape(self.value)[:-1]  # values at run time may be those of many samples
            value = frozen_array(self.value, (*batch, 3), where="UniformCurrent", what="value")
            replace_arrays(self, value=value)

    @property
    def uniform(self) -> bool:
        return True

    @property
    def steady(self) -> bool:
        return True

    def velocity(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return self.value

    def acceleration(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.zeros(3)


@dataclass(frozen=True, eq=False, repr=False)
class ShearedCurrent(Current):
    """Velocities (k, 3) at depths (k,), increasing, straight lines between them and constant outside.

    surface: height z of the surface (m), from which depth is measured down.
    """

    depths: Series
    velocities: Rows
    surface: float = 0.0

    def __post_init__(self) -> None:
        k = len(np.atleast_1d(self.depths))
        depths = frozen_array(self.depths, (k,), where="ShearedCurrent", what="depths")
        if k < 2 or np.any(np.diff(depths) <= 0):
            raise ModelError.single(
                "ShearedCurrent",
                "depths",
                expected="two or more increasing depths (m)",
                given=str(depths.tolist()),
            )
        velocities = frozen_array(self.velocities, (k, 3), where="ShearedCurrent", what="velocities")
        surface = float(frozen_array(self.surface, (), where="ShearedCurrent", what="surface"))
        replace_arrays(self, depths=depths, velocities=velocities, surface=surface)

    @property
    def uniform(self) -> bool:
        return False

    @property
    def steady(self) -> bool:
        """Water that moves level keeps its speed."""
        return is_zero(self.velocities[:, 2])

    def velocity(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        depth = self.surface - x[..., 2:]
        v = self.velocities[0]
        for slope, upper, lower in self._layers():
            v = v + slope * (clip(depth, upper, lower) - upper)
        return v

    def acceleration(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        depth = self.surface - x[..., 2:]
        slopes = np.zeros(3)
        for slope, upper, lower in self._layers():
            inside = where(less(depth, upper), 0.0, where(less(depth, lower), 1.0, 0.0))
            slopes = slopes - slope * inside
        return slopes * self.velocity(t, x)[..., 2:]

    def _layers(self):
        """(slope (3,), upper, lower depth) of every layer."""
        slopes = np.diff(self.velocities, axis=0) / np.diff(self.depths)[:, None]
        return list(zip(slopes, self.depths[:-1], self.depths[1:], strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class OscillatingCurrent(Current):
    """A tide: mean + amplitude · sin(2π t / period + phase), the same everywhere (m/s, world axes; s; rad)."""

    amplitude: Vector
    period: Number
    mean: Vector = (0.0, 0.0, 0.0)
    phase: Number = 0.0

    def __post_init__(self) -> None:
        kind = type(self).__name__
        vectors = {n: frozen_array(getattr(self, n), (3,), where=kind, what=n) for n in ("amplitude", "mean")}
        numbers = {
            n: float(frozen_array(getattr(self, n), (), where=kind, what=n)) for n in ("period", "phase")
        }
        if not numbers["period"] > 0:
            raise ModelError.single(kind, "period", expected="> 0 (s)", given=repr(self.period))
        replace_arrays(self, **vectors, **numbers)

    @property
    def uniform(self) -> bool:
        return True

    def velocity(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return self.mean + self.amplitude * np.sin(self._angle(t))

    def acceleration(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return self.amplitude * (2.0 * np.pi / self.period) * np.cos(self._angle(t))

    def _angle(self, t: np.ndarray) -> np.ndarray:
        return 2.0 * np.pi / self.period * np.asarray(t)[..., None] + self.phase


@dataclass(frozen=True, eq=False, repr=False)
class VaryingCurrent(Current):
    """Any current, from a function in traceable NumPy; its derivatives are taken exactly.

    function: t ↦ (3,) for water that moves as one, or (t, x (3,)) ↦ (3,); world axes (s, m, m/s).
    """

    function: Callable[..., Any]

    def __post_init__(self) -> None:
        replace_arrays(self, _known=(None, ()))
        self._graphs  # noqa: B018 (an error in the function shows here)

    @property
    def _graphs(self) -> tuple[Traced, Traced]:
        """The velocity and its slopes by (t, x), traced again if what the function depends on has changed."""
        seen = fingerprint(self.function)
        digest, graphs = self._known  # type: ignore[attr-defined]
        if digest != seen.digest or seen.unseen:
            velocity = self._traced()
            graphs = velocity, jacobian(velocity)
            replace_arrays(self, _known=(seen.digest, graphs))
        return graphs

    def _traced(self) -> Traced:
        def velocity(y: np.ndarray) -> np.ndarray:
            return np.asarray(self.function(y[0]) if self.uniform else self.function(y[0], y[1:]))

        options = {"name": "current", "around": self.function, "exact_zeros": True}
        traced = traced_pure("VaryingCurrent function", velocity, (4,), **options)
        if traced.output_shapes != ((3,),):
            raise ModelError.single(
                "VaryingCurrent", "function", expected="a velocity (3,)", given=str(traced.output_shapes)
            )
        return traced

    @property
    def uniform(self) -> bool:
        return len(signature(self.function).parameters) == 1

    def velocity(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return _at(self._graphs[0], t, x)

    def acceleration(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        slopes = _at(self._graphs[1], t, x)
        return slopes[..., 0] + apply(slopes[..., 1:], self.velocity(t, x))


def _at(function: Traced, t: np.ndarray, x: np.ndarray) -> np.ndarray:
    y = join([np.asarray(t)[..., None], x])
    return call_traced(function, y) if is_symbolic(y) else evaluate(function, y)


def as_current(given: Any) -> Current | np.ndarray | None:
    """A current from None, a velocity (3,), a function or a `Current`; water at rest is None."""
    if given is None or isinstance(given, Current):
        return given
    if callable(given):
        return VaryingCurrent(given)
    return frozen_array(given, (3,), where="Ocean", what="current (world axes, m/s)")
