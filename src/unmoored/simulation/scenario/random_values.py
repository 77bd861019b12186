"""Random values: each is a function of uniform numbers, so that designs (Latin hypercubes, Sobol) fit them all."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...error_roots import optional
from ...lie.arrays import scale_vector, vector
from ...model import ModelError
from ...model.field_types import NumberOrSeries, Series, Table
from ...model.value import Value, frozen_array, replace_arrays

_HALF_CELL = 2.0**-54  # uniform numbers of 53 bits: never 0, never 1
_REACH = 37.0  # deviations beyond which a normal distribution has no probability that is a number


class Random(Value, ABC):
    """A value that is drawn anew for each sample."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of one value."""

    @property
    def numbers(self) -> int:
        """How many uniform numbers one value takes."""
        return math.prod(self.shape)

    @abstractmethod
    def at(self, r: np.ndarray) -> np.ndarray:
        """Values (..., *shape) that belong to uniform numbers r (..., numbers) in (0, 1)."""

    def _formed(self, x: np.ndarray) -> np.ndarray:
        """Numbers (..., numbers) in the shape of values (..., *shape)."""
        return x.reshape((*x.shape[:-1], *self.shape))

    def drawn(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Values (count, *shape) of so many samples."""
        return self.at(rng.random((count, self.numbers)) + _HALF_CELL)


@dataclass(frozen=True, eq=False, repr=False)
class Uniform(Random):
    """A random value between `low` and `high`, all equally likely."""

    low: NumberOrSeries
    high: NumberOrSeries

    def __post_init__(self) -> None:
        replace_pair(self, "low", "high")
        if np.any(self.low > self.high):
            raise ModelError.single("Uniform", "high", expected="≥ low", given=repr(self.high.tolist()))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.low.shape

    def at(self, r: np.ndarray) -> np.ndarray:
        return self.low + (self.high - self.low) * self._formed(r)

    def drawn(self, count: int, rng: np.random.Generator) -> np.ndarray:
        return self.low + (self.high - self.low) * rng.random((count, *self.low.shape))


@dataclass(frozen=True, eq=False, repr=False)
class Normal(Random):
    """A random value with this mean and standard deviation."""

    mean: NumberOrSeries
    deviation: NumberOrSeries

    def __post_init__(self) -> None:
        replace_pair(self, "mean", "deviation")
        _not_negative(self, "deviation")

    @property
    def shape(self) -> tuple[int, ...]:
        return self.mean.shape

    def at(self, r: np.ndarray) -> np.ndarray:
        return self.mean + self.deviation * self._formed(normals(r))

    def drawn(self, count: int, rng: np.random.Generator) -> np.ndarray:
        return self.mean + self.deviation * rng.standard_normal((count, *self.mean.shape))


@dataclass(frozen=True, eq=False, repr=False)
class TruncatedNormal(Random):
    """A normal value given that it lies between `low` and `high`: mean and deviation are those before the cut."""

    mean: NumberOrSeries
    deviation: NumberOrSeries
    low: NumberOrSeries
    high: NumberOrSeries

    def __post_init__(self) -> None:
        replace_pair(self, "mean", "deviation", "low", "high")
        if np.any(self.deviation <= 0):
            raise _wrong(self, "deviation", "> 0", self.deviation)
        if np.any(self.low >= self.high):
            raise _wrong(self, "high", "> low", self.high)
        near = np.maximum(np.maximum(self.low - self.mean, self.mean - self.high) / self.deviation, 0.0)
        if np.any(near > _REACH):
            expected = (
                f"a range within {_REACH:g} deviations of the mean: further off no value has a probability"
            )
            raise _wrong(self, "low and high", expected, near)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.mean.shape

    def at(self, r: np.ndarray) -> np.ndarray:
        ndtr = _special().ndtr
        r = self._formed(r)
        low, high = ((x - self.mean) / self.deviation for x in (self.low, self.high))
        # above the mean by the mirror image: Φ near 1 has no digits left for the tail
        mirrored = low > 0
        a, b = np.where(mirrored, -high, low), np.where(mirrored, -low, high)
        z = normals(ndtr(a) + np.where(mirrored, 1.0 - r, r) * (ndtr(b) - ndtr(a)))
        z = np.minimum(np.maximum(z, a), b)  # rounding, by the last digit
        return self.mean + self.deviation * np.where(mirrored, -z, z)


@dataclass(frozen=True, eq=False, repr=False)
class LogNormal(Random):
    """A positive value whose natural logarithm is normal: median exp(mean), `deviation` of the logarithm."""

    median: NumberOrSeries
    deviation: NumberOrSeries

    def __post_init__(self) -> None:
        replace_pair(self, "median", "deviation")
        _not_negative(self, "deviation")
        if np.any(self.median <= 0):
            raise _wrong(self, "median", "> 0", self.median)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.median.shape

    def at(self, r: np.ndarray) -> np.ndarray:
        return self.median * np.exp(self.deviation * self._formed(normals(r)))


@dataclass(frozen=True, eq=False, repr=False)
class Discrete(Random):
    """One of `values` (numbers, or rows of the same length), with probabilities in proportion to `weights`."""

    values: Table
    weights: Series = None

    def __post_init__(self) -> None:
        values = numbers(self, "values", 1, 2)
        weights = np.ones(len(values)) if self.weights is None else numbers(self, "weights", 1)
        if weights.shape != values.shape[:1] or np.any(weights < 0) or not weights.sum() > 0:
            raise _wrong(self, "weights", f"{len(values)} numbers ≥ 0, not all 0", weights)
        replace_arrays(self, values=values, weights=weights)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape[1:]

    @property
    def numbers(self) -> int:
        return 1

    def at(self, r: np.ndarray) -> np.ndarray:
        below = np.cumsum(self.weights)
        last = int(np.flatnonzero(self.weights)[-1])
        found = np.searchsorted(below / below[-1], r[..., 0], side="right")
        return self.values[np.minimum(found, last)]


@dataclass(frozen=True, eq=False, repr=False)
class Integers(Random):
    """A whole number from `low` to `high`, both included, all equally likely: seeds, for one."""

    low: int
    high: int

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            x = getattr(self, name)
            if isinstance(x, bool) or not isinstance(x, int) or abs(x) > 2**52:
                raise _wrong(self, name, "a whole number of at most 52 bits", x)
        if self.low > self.high:
            raise _wrong(self, "high", "≥ low", self.high)

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    def at(self, r: np.ndarray) -> np.ndarray:
        return self.low + np.floor(r[..., 0] * (self.high - self.low + 1))


@dataclass(frozen=True, eq=False, repr=False)
class InBall(Random):
    """A vector (3,) in the ball of this radius about the origin, all places equally likely."""

    radius: float

    def __post_init__(self) -> None:
        if isinstance(self.radius, bool) or not (
            isinstance(self.radius, int | float) and 0.0 <= self.radius < math.inf
        ):
            raise ModelError.single("InBall", "radius", expected="a number ≥ 0", given=repr(self.radius))

    @property
    def shape(self) -> tuple[int, ...]:
        return (3,)

    def at(self, r: np.ndarray) -> np.ndarray:
        height, angle = 2.0 * r[..., 0] - 1.0, 2.0 * np.pi * r[..., 1]
        across = np.sqrt(1.0 - height * height)
        length = self.radius * np.exp(np.log(r[..., 2]) / 3.0)
        return scale_vector(length, vector([across * np.cos(angle), across * np.sin(angle), height]))


@dataclass(frozen=True, eq=False, repr=False)
class Correlated(Random):
    """Normal values (n,) with this mean (n,) and covariance (n, n), positive definite."""

    mean: Series
    covariance: Table

    def __post_init__(self) -> None:
        mean, covariance = numbers(self, "mean", 1), numbers(self, "covariance", 2)
        n = len(mean)
        if covariance.shape != (n, n) or not np.array_equal(covariance, covariance.T):
            raise _wrong(self, "covariance", f"a symmetric {n}×{n} matrix", covariance)
        try:
            np.linalg.cholesky(covariance)
        except np.linalg.LinAlgError:
            raise _wrong(self, "covariance", "positive definite", covariance) from None
        replace_arrays(self, mean=mean, covariance=covariance)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.mean.shape

    def at(self, r: np.ndarray) -> np.ndarray:
        return self.mean + rooted(self.covariance, normals(r))


def normals(r: np.ndarray) -> np.ndarray:
    """Standard normal numbers that belong to uniform ones: the inverse of the distribution function."""
    return _special().ndtri(r)


def rooted(covariance: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Numbers (..., n) with a covariance (n, n) from standard normal ones z (..., n), term by term: same bits alone."""
    root = np.linalg.cholesky(covariance)
    parts = [
        sum((root[i, k] * z[..., k] for k in range(1, i + 1)), root[i, 0] * z[..., 0])
        for i in range(len(root))
    ]
    return np.stack(parts, axis=-1)


def numbers(thing: Any, name: str, *ranks: int) -> np.ndarray:
    """A field as an array of one of these ranks; a `ModelError` otherwise."""
    given, kind = getattr(thing, name), type(thing).__name__
    try:
        shape = np.shape(given)
    except ValueError:
        raise ModelError.single(kind, name, expected="rows of the same length", given=repr(given)) from None
    if len(shape) not in ranks:
        expected = "one number or n numbers" if 0 in ranks else "n numbers or rows of numbers"
        raise ModelError.single(kind, name, expected=expected, given=f"shape {shape}")
    return frozen_array(given, shape, where=kind, what=name)


def replace_pair(thing: Any, *names: str) -> None:
    """Numbers, or lists of the same length."""
    arrays = {name: numbers(thing, name, 0, 1) for name in names}
    first = arrays[names[0]].shape
    for name, array in arrays.items():
        if array.shape != first:
            expected = f"of the shape of {names[0]}, {first}"
            raise ModelError.single(
                type(thing).__name__, name, expected=expected, given=f"shape {array.shape}"
            )
    replace_arrays(thing, **arrays)


def _not_negative(thing: Any, name: str) -> None:
    if np.any(getattr(thing, name) < 0):
        raise _wrong(thing, name, "≥ 0", getattr(thing, name))


def _wrong(thing: Any, name: str, expected: str, given: Any) -> ModelError:
    shown = repr(given.tolist() if isinstance(given, np.ndarray | np.generic) else given)
    return ModelError.single(type(thing).__name__, name, expected=expected, given=shown)


def _special() -> Any:
    return optional("scipy.special", "campaigns", "a normal value at a point of a design")
